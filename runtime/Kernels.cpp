//===- Kernels.cpp - loops that the tape takes as a whole -----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"
#include "Halves.h"
#include "Images.h"
#include "KernelCells.h"
#include "KernelRecord.h"
#include "PackedNumbers.h"
#include "SweepTypes.h"

#include <string.h>

extern "C" void __verso_log_store(verso_context *C, char *P, char *Shadow,
                                  uint64_t Bytes, uint32_t Kind);
extern "C" uint32_t __verso_id_at(verso_context *C, char *P, char *Shadow,
                                  uint32_t Kind);

using namespace verso;
using namespace verso::kernel;

namespace {

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
  Recording(Request &R, const KernelRun &Run) : R(R), Run(Run), K(Run.Kernel) {}
  bool record();

private:
  bool findExtents();
  bool joinCompared(Extent *Own);
  bool addStretch(unsigned Parameter, Extent E);
  bool varies(Head &H) const;
  bool takeNewIds();
  uint64_t layOut(Head &H);
  bool gatherIds(Head &H);
  bool gatherRow(char *P, int64_t Offset, uint32_t *Ids, uint64_t Count) const;
  uint32_t idOf(char *P, int64_t Offset, uint32_t Kind);
  void writeImages();
  void writeConstants(unsigned Least);
  void logStores(char *P, int64_t Offset, uint64_t Count, uint64_t Size);
  void addCells(Cells New);
  bool isRun(unsigned Access) const {
    const auto &D = Run.Rows[Access].dimension;
    return D[0].count && D[1].count && D[2].count && D[3].count;
  }

  Request &R;
  const KernelRun &Run;
  const verso_kernel &K;
  Extent Extents[MostParameters]; ///< Of stretches.
  uint32_t First[MostParameters] = {};
  unsigned NumStretches = 0;
  Cells Reached[VERSO_KERNEL_MOST_ACCESSES];
  unsigned NumReached = 0;
  unsigned StretchOf[MostParameters] = {}; ///< 1 + index; 0: none.
  uint64_t Visits = 0;
  uint64_t Loads[MostParameters] = {}; ///< Of a stretch.
};

} // namespace

//===----------------------------------------------------------------------===//
// What a run comes to
//===----------------------------------------------------------------------===//

void Recording::addCells(Cells New) {
  for (unsigned I = 0; I != NumReached; ++I)
    if (Reached[I].include(New))
      return;
  Reached[NumReached++] = New;
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
    addCells({Access, Run.Rows[A]});
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
  for (unsigned I = 0; I != NumReached; ++I)
    if (!Reached[I].IsStore)
      Loads[StretchOf[Reached[I].Parameter] - 1] += Reached[I].count();
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

namespace {

/// What gives IDs to a row of images of doubles.
struct RowOfImages {
  const UnalignedLong *Images;
  uint64_t Count;
  uint64_t Base, Next, Run;
  uint64_t Cell, Step; ///< The direct IDs of cells without an image.
};

struct Seen {
  uint64_t Strange, Untouched;
};

} // namespace

INLINE Seen lookUp(const RowOfImages &Row, uint32_t *Ids) {
  const RowOfImages X = Row;
  uint64_t Strange = 0, Untouched = 0;
  for (uint64_t I = 0; I != X.Count; ++I) {
    // Of a double the low word is left (Instrumenter::loadReal).
    uint64_t Word = X.Images[I] + (X.Images[I] << 32), Id = Word - X.Base;
    uint64_t IsLive = Id < X.Next, IsUntouched = Word < X.Base;
    Strange |= (IsLive | IsUntouched) ^ 1;
    Strange |= IsLive & uint64_t(Id < X.Run);
    Untouched |= IsUntouched;
    Id = Id == VERSO_ID_CONSTANT ? 0 : Id;
    Ids[I] = uint32_t(IsLive ? Id : X.Cell + I * X.Step);
  }
  return {Strange, Untouched};
}

WIDE Seen lookUpWide(const RowOfImages &Row, uint32_t *Ids) {
  return lookUp(Row, Ids);
}

/// The IDs of a dense row of doubles; false if one of them is not plain.
bool Recording::gatherRow(char *P, int64_t Offset, uint32_t *Ids,
                          uint64_t Count) const {
  uint64_t Cell = 0;
  bool InReach = true;
  if (Offset) {
    uint64_t Distance = uint64_t(P + Offset) - uint64_t(R.direct);
    Cell = Distance / 8;
    InReach = Distance % 8 == 0 && Cell < VERSO_ID_DIRECT &&
              Count <= VERSO_ID_DIRECT - Cell;
    Cell |= VERSO_ID_DIRECT;
  }
  RowOfImages Row = {reinterpret_cast<const UnalignedLong *>(imagesAt(R, P)),
                     Count,
                     R.base,
                     R.next,
                     R.run,
                     Cell,
                     Offset ? UINT64_C(1) : 0};
  Seen S = HAS_WIDE_VECTORS ? lookUpWide(Row, Ids) : lookUp(Row, Ids);
  return !S.Strange && (InReach || !S.Untouched);
}

/// The ID of a cell that is read, as emitted loads find it.
uint32_t Recording::idOf(char *P, int64_t Offset, uint32_t Kind) {
  uint32_t Id;
  if (Kind == VERSO_CELL_DOUBLE) {
    if (gatherRow(P, Offset, &Id, 1))
      return Id;
  } else {
    Id = R.live(*imagesAt(R, P));
    if (Id)
      return Id == VERSO_ID_CONSTANT ? 0 : Id;
  }
  Id = __verso_id_at(&R, P, P + Offset, Kind);
  return Id == VERSO_ID_CONSTANT ? 0 : Id;
}

/// The IDs of what is read. Leaves that are made meanwhile go where the record
/// was to be: then false, and the next time there will be none.
bool Recording::gatherIds(Head &H) {
  const char *Here = R.cursor;
  bool IsDone[MostParameters] = {};
  for (unsigned I = 0; I != NumStretches; ++I) {
    Stretch &P = H.stretches()[I];
    if (!P.isOfNumbers())
      continue;
    // What lies between gets no adjoint, so it does no harm to look at it, too.
    IsDone[I] = P.Kind == VERSO_CELL_DOUBLE && Loads[I] >= P.cells() / 2 &&
                gatherRow(P.Low, Extents[I].Offset, H.ids(P), P.cells());
    if (!IsDone[I])
      memset(H.ids(P), 0, P.cells() * sizeof(uint32_t));
  }
  bool MadeLeaves = false;
  for (unsigned I = 0; I != NumReached; ++I) {
    const Cells &C = Reached[I];
    const unsigned S = StretchOf[C.Parameter] - 1;
    const Extent &E = Extents[S];
    if (C.IsStore || E.Kind == VERSO_CELL_RAW || IsDone[S])
      continue;
    uint32_t *Ids = MadeLeaves ? nullptr : H.ids(H.stretches()[S]);
    C.forEachRow([&](char *P, uint64_t Count) {
      uint64_t At = (uint64_t(P) - E.Low) / C.Bytes;
      if (!MadeLeaves && E.Kind == VERSO_CELL_DOUBLE &&
          gatherRow(P, E.Offset, Ids + At, Count))
        return;
      for (uint64_t K = 0; K != Count; ++K) {
        uint32_t Id = idOf(P + K * C.Bytes, E.Offset, E.Kind);
        MadeLeaves |= R.cursor != Here;
        if (!MadeLeaves)
          Ids[At + K] = Id;
      }
    });
  }
  return !MadeLeaves;
}

/// Cells with a shadow that are touched for the first time.
void Recording::logStores(char *P, int64_t Offset, uint64_t Count,
                          uint64_t Size) {
  const ImageWord *Images = imagesAt(R, P);
  for (uint64_t I = 0; I != Count;) {
    uint64_t Begin = I;
    while (I != Count && !R.live(Images[I * Size / 4]))
      ++I;
    if (Begin != I)
      __verso_log_store(&R, P + Begin * Size, P + Begin * Size + Offset,
                        (I - Begin) * Size, VERSO_CELL_RAW);
    while (I != Count && R.live(Images[I * Size / 4]))
      ++I;
  }
}

void Recording::writeImages() {
  // What else is stored to keeps none of that.
  writeConstants(VERSO_KERNEL_CLEARS);
  for (unsigned A = 0; A != NumReached; ++A) {
    const Cells &C = Reached[A];
    if (C.IsStore != 1)
      continue;
    const unsigned S = StretchOf[C.Parameter] - 1;
    const Extent &E = Extents[S];
    C.forEachRow([&](char *P, uint64_t Count) {
      if (E.Offset)
        logStores(P, E.Offset, Count, C.Bytes);
      ImageWord *Images = imagesAt(R, P);
      uint32_t Word =
          R.absolute(First[S]) + uint32_t((uint64_t(P) - E.Low) / C.Bytes);
      if (E.Kind == VERSO_CELL_FLOAT) {
        for (uint64_t I = 0; I != Count; ++I)
          Images[I] = Word + uint32_t(I);
        return;
      }
      auto *Pairs = reinterpret_cast<UnalignedLong *>(Images);
      for (uint64_t I = 0; I != Count; ++I) {
        uint32_t Low = Word + uint32_t(I);
        Pairs[I] = uint64_t(VERSO_IMAGE_PARTNER(Low)) << 32 | Low;
      }
    });
  }
}

/// Stores of this kind or a greater one leave nothing that has a derivative.
void Recording::writeConstants(unsigned Least) {
  for (unsigned A = 0; A != NumReached; ++A)
    if (const Cells &C = Reached[A]; C.IsStore >= Least)
      C.forEachRow([&](char *P, uint64_t Count) {
        clearImages(R, P, Count * C.Bytes,
                    Extents[StretchOf[C.Parameter] - 1].Offset);
      });
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
    P = {reinterpret_cast<char *>(E.Low), E.High - E.Low, 0, 0, 0, E.Kind};
    uint64_t Copy = placeLike(At, E.Low);
    P.Copy = Copy - Begin;
    At = (Copy + P.Bytes + 3) & ~UINT64_C(3);
    P.Ids = At - Begin;
    if (P.isOfNumbers())
      At += P.cells() * sizeof(uint32_t);
  }
  return At - Begin;
}

/// Whether any of what \p H says is read has a derivative.
bool Recording::varies(Head &H) const {
  for (unsigned P = 0; P != K.parameters; ++P)
    if (isNumber(K, P) && H.Companions[P] > VERSO_ID_CONSTANT)
      return true;
  for (unsigned I = 0; I != NumStretches; ++I) {
    const Stretch &P = H.stretches()[I];
    const uint32_t *Ids = H.ids(P);
    for (uint64_t C = 0; P.isOfNumbers() && C != P.cells(); ++C)
      if (Ids[C])
        return true;
  }
  return false;
}

bool Recording::record() {
  if (!findExtents())
    return false;
  // Before the record stand those of the new IDs, a word each and some for
  // gaps.
  const uint64_t Before = 4 * (NumStretches + Line);
  uint64_t Bytes = Before + sizeof(Head) + Line, Cells = 0;
  for (unsigned I = 0; I != NumStretches; ++I) {
    uint64_t Own = Extents[I].High - Extents[I].Low;
    // A copy and IDs; adjoints behind the record, when it is reversed.
    Bytes += sizeof(Stretch) + 3 * Own + 3 * Line;
    Cells += Own / sizeOf(Extents[I].Kind);
  }
  // Where few of the cells between are meant, the tape is shorter; and faster
  // where little is done with each.
  if (Cells > 4 * Visits ||
      (!Run.MustRecord && Run.Least &&
       Run.Work < VERSO_KERNEL_LEAST_WORK_OF_CELL * Cells))
    return false;
  Head *H = nullptr;
  uint64_t End = 0;
  for (unsigned Attempt = 0; !H; ++Attempt) {
    R.makeRoom();
    if (Attempt == 2 || Bytes > R.bytesLeft() || Bytes > UINT32_MAX)
      return false;
    H = reinterpret_cast<Head *>((uint64_t(R.cursor) + Before + Line - 1) &
                                 -Line);
    End = layOut(*H);
    if (!gatherIds(*H))
      H = nullptr;
  }
  H->Kernel = &K;
  H->NumStretches = NumStretches;
  memcpy(H->Arguments, Run.Arguments, K.parameters * sizeof(uint64_t));
  for (unsigned P = 0; P != K.parameters; ++P)
    H->Companions[P] =
        isNumber(K, P) ? uint32_t(Run.Companions[P]) : StretchOf[P];
  if (!K.communicates && !varies(*H)) {
    writeConstants(/*Least=*/1); // No record.
    return true;
  }
  if (!takeNewIds() || R.cursor > reinterpret_cast<char *>(H))
    return false;
  for (unsigned I = 0; I != NumStretches; ++I) {
    Stretch &P = H->stretches()[I];
    P.First = First[I];
    memcpy(H->copy(P), P.Low, P.Bytes);
  }
  char *Behind = reinterpret_cast<char *>(H) + End;
  *reinterpret_cast<UnalignedWord *>(Behind) = uint32_t(End / 4);
  R.endKernel(Behind + 4);
  writeImages();
  return true;
}

bool verso::beginKernel(Request &R, const KernelRun &Run) {
  if (Run.MustRecord)
    return Recording(R, Run).record();
  if (!R.takesKernels() || !Run.Work || Run.Work < Run.Least || anyHalves() ||
      anyPacked())
    return false;
  return Recording(R, Run).record();
}
