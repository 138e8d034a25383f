//===- Kernels.cpp - loops that the tape takes as a whole -----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The record of a run, from a multiple of 64 bytes of the tape on:
//
//   Head, the arguments, the IDs of those that are numbers
//   a Stretch for each contiguous part of memory, from the least to the greatest
//     address that the run comes to in it
//   for each of them a copy, as it was before the run, and the ID of each cell
//     that is read
//
// What its cells hold after the run has consecutive IDs; those that are
// not stored to keep the ID that they had, and their new one is nobody's. They
// are of a RUN record before this one, which takes their adjoints.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"
#include "Cells.h"
#include "Halves.h"
#include "Images.h"
#include "PackedNumbers.h"
#include "SweepTypes.h"

#include <string.h>

extern "C" void __verso_log_store(verso_context *C, char *P, char *Shadow,
                                  uint64_t Bytes, uint32_t Kind);

using namespace verso;

namespace {

constexpr unsigned MostParameters = VERSO_KERNEL_MOST_PARAMETERS;
constexpr uint64_t Line = 64;

uint64_t sizeOf(uint32_t Kind) { return Kind == VERSO_CELL_FLOAT ? 4 : 8; }

bool isNumber(const verso_kernel &K, unsigned Parameter) {
  uint32_t Kind = VERSO_KERNEL_KIND(K.parameter[Parameter]);
  return Kind == VERSO_KERNEL_FLOAT || Kind == VERSO_KERNEL_DOUBLE;
}

/// The first address from \p From on that lies in its cache line as \p Like
/// does: what the program says of alignment holds there, too.
uint64_t placeLike(uint64_t From, uint64_t Like) {
  return From + (Like - From) % Line;
}

struct Stretch {
  char *Low; ///< In the program's memory.
  uint64_t Bytes;
  uint64_t Copy;  ///< Where that is, from the head on.
  uint64_t Ids;   ///< Likewise; nowhere for integers.
  uint32_t First; ///< Of the new IDs; 0 if nothing is stored there.
  uint32_t Kind;

  bool isOfNumbers() const { return Kind != VERSO_CELL_RAW; }
  uint64_t cells() const { return Bytes / sizeOf(Kind); }
};

struct Head {
  const verso_kernel *Kernel;
  uint64_t NumStretches;
  uint64_t Arguments[MostParameters];
  /// Of numbers their IDs; of pointers 1 + the index of a stretch, or 0.
  uint32_t Companions[MostParameters];

  Stretch *stretches() { return reinterpret_cast<Stretch *>(this + 1); }
  char *copy(const Stretch &P) { return reinterpret_cast<char *>(this) + P.Copy; }
  uint32_t *ids(const Stretch &P) {
    return reinterpret_cast<uint32_t *>(reinterpret_cast<char *>(this) + P.Ids);
  }
};

/// What a run comes to through a parameter, or through several that lead to the
/// same memory.
struct Extent {
  uint64_t Low = 0, High = 0;
  int64_t Offset = 0; ///< Of the shadow.
  uint32_t Kind = 0;
  bool IsWritten = false;

  bool overlaps(const Extent &E) const { return Low < E.High && E.Low < High; }
  void include(const Extent &E) {
    Low = Low < E.Low ? Low : E.Low;
    High = High > E.High ? High : E.High;
    IsWritten |= E.IsWritten;
  }
};

/// A run that is about to be recorded.
class Recording {
public:
  Recording(Request &R, const KernelRun &Run)
      : R(R), Run(Run), K(Run.Kernel) {}
  bool record();

private:
  bool findExtents();
  bool joinCompared(Extent *Own);
  bool addStretch(unsigned Parameter, Extent E);
  bool takeNewIds();
  uint64_t layOut(Head &H);
  bool gatherIds(Head &H);
  uint32_t idOf(char *P, int64_t Offset, uint32_t Kind);
  void writeImages();
  template <typename FunctionT>
  static void forEachCell(const verso_kernel_row &Row, FunctionT Do);
  bool isRun(unsigned Access) const {
    const auto &D = Run.Rows[Access].dimension;
    return D[0].count && D[1].count && D[2].count;
  }
  unsigned stretchOf(unsigned Access) const {
    return StretchOf[K.access[Access].parameter] - 1;
  }

  Request &R;
  const KernelRun &Run;
  const verso_kernel &K;
  Extent Extents[MostParameters]; ///< Of stretches.
  uint32_t First[MostParameters] = {};
  unsigned NumStretches = 0;
  unsigned StretchOf[MostParameters] = {}; ///< 1 + index; 0: none.
  uint64_t Visits = 0;
};

} // namespace

//===----------------------------------------------------------------------===//
// What a run comes to
//===----------------------------------------------------------------------===//

template <typename FunctionT>
void Recording::forEachCell(const verso_kernel_row &Row, FunctionT Do) {
  const auto &D = Row.dimension;
  for (int64_t K2 = 0; K2 != D[2].count; ++K2)
    for (int64_t K1 = 0; K1 != D[1].count; ++K1) {
      auto *P = reinterpret_cast<char *>(Row.first + K2 * D[2].step +
                                         K1 * D[1].step);
      for (int64_t K0 = 0; K0 != D[0].count; ++K0, P += D[0].step)
        Do(P);
    }
}

/// Parameters that come to the same memory share a stretch. False if they see
/// different things there.
bool Recording::addStretch(unsigned Parameter, Extent E) {
  constexpr unsigned New = MostParameters + 1;
  StretchOf[Parameter] = New;
  for (unsigned I = 0; I != NumStretches;) {
    const Extent X = Extents[I];
    if (!X.overlaps(E)) {
      ++I;
      continue;
    }
    if (X.Kind != E.Kind || X.Offset != E.Offset)
      return false;
    E.include(X);
    // The last stretch takes its place.
    Extents[I] = Extents[--NumStretches];
    for (unsigned P = 0; P != K.parameters; ++P)
      if (StretchOf[P] == I + 1)
        StretchOf[P] = New;
      else if (StretchOf[P] == NumStretches + 1)
        StretchOf[P] = I + 1;
    I = 0; // It has grown, into others perhaps.
  }
  Extents[NumStretches++] = E;
  for (unsigned P = 0; P != K.parameters; ++P)
    if (StretchOf[P] == New)
      StretchOf[P] = NumStretches;
  return true;
}

bool Recording::findExtents() {
  constexpr uint64_t Farthest = UINT64_C(1) << 40;
  Extent Own[MostParameters];
  for (unsigned A = 0; A != K.accesses; ++A) {
    const verso_kernel_access &Access = K.access[A];
    if (!isRun(A))
      continue;
    __int128 Low = Run.Rows[A].first, High = Low;
    uint64_t Count = 1, Distances = uint64_t(Run.Rows[A].first);
    for (const auto &D : Run.Rows[A].dimension) {
      if (uint64_t(D.count) > Farthest / Count)
        return false;
      Count *= uint64_t(D.count);
      if (D.count == 1)
        continue;
      Distances |= uint64_t(D.step);
      __int128 Way = __int128(D.step) * (D.count - 1);
      (Way < 0 ? Low : High) += Way;
    }
    if (Low < 0 || High - Low > __int128(Farthest) ||
        (Access.kind != VERSO_CELL_RAW && Distances % Access.bytes))
      return false;
    Visits += Count;
    Extent E = {uint64_t(Low), uint64_t(High) + Access.bytes,
                Run.Companions[Access.parameter], Access.kind,
                Access.is_store != 0};
    Extent &X = Own[Access.parameter];
    if (X.High)
      X.include(E);
    else
      X = E;
  }
  return joinCompared(Own);
}

/// Pointers that are compared lead to one stretch, or nobody knows what the
/// comparison says of copies. What is between them may not be there.
bool Recording::joinCompared(Extent *Own) {
  for (unsigned P = 0; P != K.parameters; ++P) {
    unsigned First = VERSO_KERNEL_FIRST(K.parameter[P]);
    if (First == P || !Own[P].High)
      continue;
    Extent &X = Own[First];
    if (!X.High) {
      X = Own[P];
    } else if (X.Low > Own[P].High || Own[P].Low > X.High ||
               X.Kind != Own[P].Kind || X.Offset != Own[P].Offset) {
      return false;
    } else {
      X.include(Own[P]);
    }
    Own[P] = {};
  }
  for (unsigned P = 0; P != K.parameters; ++P)
    if (Own[P].High && !addStretch(P, Own[P]))
      return false;
  for (unsigned P = 0; P != K.parameters; ++P)
    StretchOf[P] = StretchOf[VERSO_KERNEL_FIRST(K.parameter[P])];
  return true;
}

//===----------------------------------------------------------------------===//
// IDs
//===----------------------------------------------------------------------===//

/// IDs in a row for what is stored.
bool Recording::takeNewIds() {
  for (unsigned I = 0; I != NumStretches; ++I) {
    const Extent &E = Extents[I];
    if (!E.IsWritten || E.Kind == VERSO_CELL_RAW)
      continue;
    uint64_t Count = (E.High - E.Low) / sizeOf(E.Kind);
    if (Count > VERSO_RECORD_MAX_COUNT || !R.hasRoomForRun(uint32_t(Count)))
      return false;
    First[I] = R.markRun(uint32_t(Count));
  }
  return true;
}

/// As emitted loads find it.
uint32_t Recording::idOf(char *P, int64_t Offset, uint32_t Kind) {
  const ImageWord *Image = imagesAt(R, P);
  uint64_t Word = Image[0];
  bool IsUntouched = false;
  if (Kind == VERSO_CELL_DOUBLE) {
    // Of a double the low word is left (Instrumenter::loadReal).
    Word = *reinterpret_cast<const UnalignedLong *>(Image) *
           UINT64_C(0x100000001);
    IsUntouched = Word < R.base;
    if (uint32_t Id = Word >> 32 ? 0 : R.live(uint32_t(Word)))
      return Id == VERSO_ID_CONSTANT ? 0 : Id;
    uint64_t Cell = uint64_t(P + Offset) - uint64_t(R.direct);
    if (IsUntouched && Offset && Cell % 8 == 0 && Cell / 8 < VERSO_ID_DIRECT)
      return uint32_t(Cell / 8) | VERSO_ID_DIRECT;
  } else {
    if (uint32_t Id = R.live(Image[0]))
      return Id == VERSO_ID_CONSTANT ? 0 : Id;
    IsUntouched = !R.live(VERSO_IMAGE_PARTNER(Image[0]));
  }
  if (IsUntouched && !Offset)
    return 0;
  uint32_t Id = firstTouch(R, P, Offset, verso_cell_kind(Kind));
  return Id == VERSO_ID_CONSTANT ? 0 : Id;
}

/// The IDs of what is read. Leaves that are made meanwhile go where the record
/// was to be: then false, and the next time there will be none.
bool Recording::gatherIds(Head &H) {
  const char *Here = R.cursor;
  for (unsigned I = 0; I != NumStretches; ++I)
    if (Stretch &P = H.stretches()[I]; P.isOfNumbers())
      memset(H.ids(P), 0, P.cells() * sizeof(uint32_t));
  for (unsigned A = 0; A != K.accesses; ++A) {
    if (K.access[A].is_store || !isRun(A) || !StretchOf[K.access[A].parameter])
      continue;
    const Stretch P = H.stretches()[stretchOf(A)];
    if (!P.isOfNumbers())
      continue;
    const int64_t Offset = Extents[stretchOf(A)].Offset;
    const uint64_t Size = sizeOf(P.Kind);
    uint32_t *Ids = H.ids(P);
    forEachCell(Run.Rows[A], [&](char *Cell) {
      uint32_t Id = idOf(Cell, Offset, P.Kind);
      if (R.cursor == Here)
        Ids[uint64_t(Cell - P.Low) / Size] = Id;
    });
    if (R.cursor != Here) // The rest of the IDs may be overwritten.
      Here = nullptr;
  }
  return Here != nullptr;
}

void Recording::writeImages() {
  for (unsigned A = 0; A != K.accesses; ++A) {
    if (!K.access[A].is_store || !isRun(A))
      continue;
    const unsigned I = stretchOf(A);
    const Extent &E = Extents[I];
    if (E.Kind == VERSO_CELL_RAW) {
      forEachCell(Run.Rows[A], [&](char *Cell) {
        clearImages(R, Cell, K.access[A].bytes, E.Offset);
      });
      continue;
    }
    const uint64_t Size = sizeOf(E.Kind);
    forEachCell(Run.Rows[A], [&](char *Cell) {
      ImageWord *Image = imagesAt(R, Cell);
      if (E.Offset && !R.live(Image[0]))
        __verso_log_store(&R, Cell, Cell + E.Offset, Size, VERSO_CELL_RAW);
      uint32_t Id = First[I] + uint32_t((uint64_t(Cell) - E.Low) / Size);
      if (E.Kind == VERSO_CELL_FLOAT)
        *Image = R.absolute(Id);
      else
        writeNumber(R, Image, Id, VERSO_CELL_DOUBLE);
    });
  }
}

//===----------------------------------------------------------------------===//
// The record
//===----------------------------------------------------------------------===//

/// Places copies and IDs behind \p H. Returns how far it all goes.
uint64_t Recording::layOut(Head &H) {
  const auto Begin = reinterpret_cast<uint64_t>(&H);
  uint64_t At = Begin + sizeof(Head) + NumStretches * sizeof(Stretch);
  for (unsigned I = 0; I != NumStretches; ++I) {
    const Extent &E = Extents[I];
    Stretch &P = H.stretches()[I];
    P = {reinterpret_cast<char *>(E.Low), E.High - E.Low, 0, 0, First[I],
         E.Kind};
    uint64_t Copy = placeLike(At, E.Low);
    P.Copy = Copy - Begin;
    At = (Copy + P.Bytes + 3) & ~UINT64_C(3);
    P.Ids = At - Begin;
    if (P.isOfNumbers())
      At += P.cells() * sizeof(uint32_t);
  }
  return At - Begin;
}

bool Recording::record() {
  if (!findExtents())
    return false;
  uint64_t Bytes = sizeof(Head) + Line, Cells = 0;
  for (unsigned I = 0; I != NumStretches; ++I) {
    uint64_t Own = Extents[I].High - Extents[I].Low;
    // A copy and IDs; adjoints behind the record, when it is reversed.
    Bytes += sizeof(Stretch) + 3 * Own + 3 * Line;
    Cells += Own / sizeOf(Extents[I].Kind);
  }
  // Where few of the cells between are meant, the tape is shorter.
  if (Cells > 4 * Visits || Bytes > R.bytesLeft() || !takeNewIds())
    return false;
  Head *H = nullptr;
  uint64_t End = 0;
  for (unsigned Attempt = 0; Attempt != 2; ++Attempt) {
    R.makeRoom();
    if (Bytes > R.bytesLeft())
      return false;
    H = reinterpret_cast<Head *>((uint64_t(R.cursor) + Line - 1) & -Line);
    End = layOut(*H);
    if (gatherIds(*H))
      break;
    H = nullptr;
  }
  if (!H)
    return false;
  bool Varies = false;
  H->Kernel = &K;
  H->NumStretches = NumStretches;
  memcpy(H->Arguments, Run.Arguments, K.parameters * sizeof(uint64_t));
  for (unsigned P = 0; P != K.parameters; ++P) {
    bool IsNumber = isNumber(K, P);
    H->Companions[P] = IsNumber ? uint32_t(Run.Companions[P]) : StretchOf[P];
    Varies |= IsNumber && H->Companions[P] > VERSO_ID_CONSTANT;
  }
  for (unsigned I = 0; I != NumStretches; ++I) {
    Stretch &P = H->stretches()[I];
    memcpy(H->copy(P), P.Low, P.Bytes);
    for (uint64_t C = 0; P.isOfNumbers() && !Varies && C != P.cells(); ++C)
      Varies = H->ids(P)[C] != 0;
  }
  if (!Varies)
    return false;
  R.endKernel(reinterpret_cast<char *>(H) + End);
  writeImages();
  return true;
}

bool verso::beginKernel(Request &R, const KernelRun &Run) {
  if (!R.takesKernels() || Run.Work < Run.Least || anyHalves() || anyPacked())
    return false;
  return Recording(R, Run).record();
}

//===----------------------------------------------------------------------===//
// In reverse
//===----------------------------------------------------------------------===//

namespace {

template <typename NumberT>
bool takeAdjoints(Request &R, const Stretch &P, NumberT *Adjoints) {
  bool Any = false;
  for (uint64_t I = 0; I != P.cells(); ++I) {
    double &A = R.adj[P.First + I];
    Adjoints[I] = NumberT(A);
    Any |= A != 0;
    A = 0;
  }
  return Any;
}

void addTo(Request &R, uint32_t Id, double A) {
  if (Id & VERSO_ID_DIRECT)
    reinterpret_cast<double *>(R.direct)[Id & ~VERSO_ID_DIRECT] += A;
  else
    R.adj[Id] += A;
}

template <typename NumberT>
void giveAdjoints(Request &R, const Stretch &P, const uint32_t *Ids,
                  const NumberT *Adjoints) {
  for (uint64_t I = 0; I != P.cells(); ++I)
    if (Ids[I] && Adjoints[I] != 0)
      addTo(R, Ids[I], Adjoints[I]);
}

} // namespace

void verso::reverseKernel(Request &R, char *End) {
  uint64_t Words = reinterpret_cast<const UnalignedWord *>(End)[-2];
  uint64_t Begin = uint64_t(End) - 4 - 4 * Words;
  auto *H = reinterpret_cast<Head *>((Begin + Line - 1) & -Line);
  const verso_kernel &K = *H->Kernel;
  // The tape behind the record is not needed any more.
  uint64_t Free = (uint64_t(End) + Line - 1) & -Line;
  char *Adjoints[MostParameters];
  bool Any = false;
  for (unsigned I = 0; I != H->NumStretches; ++I) {
    const Stretch &P = H->stretches()[I];
    if (!P.isOfNumbers())
      continue;
    Free = placeLike(Free, uint64_t(P.Low));
    Adjoints[I] = reinterpret_cast<char *>(Free);
    Free += P.Bytes;
    if (!P.First)
      memset(Adjoints[I], 0, P.Bytes);
    else if (P.Kind == VERSO_CELL_FLOAT)
      Any |= takeAdjoints(R, P, reinterpret_cast<float *>(Adjoints[I]));
    else
      Any |= takeAdjoints(R, P, reinterpret_cast<double *>(Adjoints[I]));
  }
  if (!Any)
    return;
  uint64_t Slots[2 * MostParameters];
  for (unsigned Q = 0; Q != K.parameters; ++Q) {
    Slots[Q] = H->Arguments[Q];
    Slots[K.parameters + Q] = 0;
    if (isNumber(K, Q) || !H->Companions[Q])
      continue;
    unsigned I = H->Companions[Q] - 1;
    const Stretch &P = H->stretches()[I];
    uint64_t Distance = H->Arguments[Q] - uint64_t(P.Low);
    Slots[Q] = uint64_t(H->copy(P)) + Distance;
    if (P.isOfNumbers())
      Slots[K.parameters + Q] = uint64_t(Adjoints[I]) + Distance;
  }
  K.reverse(Slots);
  for (unsigned Q = 0; Q != K.parameters; ++Q)
    if (isNumber(K, Q)) {
      double A;
      memcpy(&A, &Slots[K.parameters + Q], sizeof(A));
      if (H->Companions[Q] && A != 0)
        addTo(R, H->Companions[Q], A);
    }
  for (unsigned I = 0; I != H->NumStretches; ++I) {
    const Stretch &P = H->stretches()[I];
    if (!P.isOfNumbers())
      continue;
    if (P.Kind == VERSO_CELL_FLOAT)
      giveAdjoints(R, P, H->ids(P), reinterpret_cast<float *>(Adjoints[I]));
    else
      giveAdjoints(R, P, H->ids(P), reinterpret_cast<double *>(Adjoints[I]));
  }
}
