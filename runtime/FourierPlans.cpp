//===- FourierPlans.cpp - the program's plans of FFTW ---------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plan hides what it computes and of which arrays. So where the program
// plans, in code compiled with Verso (pass/prepare/FourierPlans.h), the
// arguments are noted, until the plan is destroyed: its shape, where its arrays
// are, and whether planning has overwritten them. Differentiated code asks for
// them by the plan (runtime/Fftw.c).
//
//===----------------------------------------------------------------------===//

#include "Fatal.h"
#include "FourierShape.h"
#include "GivenMemory.h"
#include "Images.h"
#include "Interface.h"
#include "Mutex.h"
#include "Pages.h"
#include "SweepTypes.h"

#include <new>

using namespace verso;

namespace {

struct Planned {
  void *Plan;
  FourierShape *Shape;
  /// Differentiated code keeps shadows beside them.
  void *Arrays[2];
  int Alignments[2]; ///< -1: any.
  bool Overwrote;
  Range Variables[2]; ///< That the arrays are in; empty if nobody knows.
  uint64_t Number;    ///< No other plan ever had it.
  /// When differentiated code noted shadows of the arrays; 0: never.
  uint64_t Kept;

  bool isInPlace() const { return Arrays[0] == Arrays[1]; }
  /// What is touched of an array.
  Range bytesOf(int Array) const {
    const auto At = reinterpret_cast<uint64_t>(Arrays[Array]);
    return {At + Shape->firstByte(Array), At + Shape->endOfBytes(Array)};
  }
  void setVariable(int Array, Range Variable) {
    if (Variable.contains(bytesOf(Array)))
      Variables[Array] = Variable;
  }
};

/// The noted plans, by address, and all shapes that there ever were.
class PlanTable {
public:
  /// The first that is not before \p Plan.
  size_t lowerBound(void *Plan) const {
    size_t Begin = 0, End = Plans.size();
    while (Begin != End) {
      const size_t Middle = Begin + (End - Begin) / 2;
      if (Plans[Middle]->Plan < Plan)
        Begin = Middle + 1;
      else
        End = Middle;
    }
    return Begin;
  }
  Planned *find(void *Plan) const {
    const size_t At = lowerBound(Plan);
    return At != Plans.size() && Plans[At]->Plan == Plan ? Plans[At] : nullptr;
  }
  FourierShape *shapeOf(const FourierRequest &R) {
    for (FourierShape *S : Shapes)
      if (S->is(R))
        return S;
    Shapes.push_back(new (newBlock(sizeof(FourierShape))) FourierShape(R));
    return Shapes.back();
  }
  void note(const Planned &New) {
    Planned *Known = find(New.Plan);
    if (!Known) {
      Known = static_cast<Planned *>(newBlock(sizeof(Planned)));
      Plans.insert(lowerBound(New.Plan), Known);
    }
    *Known = New;
    Known->Number = ++Count;
    // What lay there before has no shadow here.
    verso_forget(Known->Arrays, sizeof Known->Arrays);
  }
  void forget(void *Plan) {
    const size_t At = lowerBound(Plan);
    if (At == Plans.size() || Plans[At]->Plan != Plan)
      return;
    free(Plans[At]);
    Plans.erase(At);
  }
  void forgetAll(const verso_fftw_functions &F) {
    for (size_t K = Plans.size(); K-- != 0;)
      if (isOf(*Plans[K]->Shape, F))
        forget(Plans[K]->Plan);
    for (FourierShape *S : Shapes)
      if (isOf(*S, F))
        S->dropPlans();
  }

private:
  static void *newBlock(size_t Bytes) {
    void *New = malloc(Bytes);
    if (!New)
      fatal(nullptr, "out of memory");
    return New;
  }
  static bool isOf(const FourierShape &S, const verso_fftw_functions &F) {
    return S.functions().PlanComplex == F.PlanComplex;
  }

  Vector<Planned *> Plans;
  Vector<FourierShape *> Shapes;
  uint64_t Count = 0; ///< Of all plans that there ever were.
};

} // namespace

static constinit Mutex Lock;
static constinit PlanTable Table;

bool verso::isPlanNoted(uint64_t Address) {
  Guard G(Lock);
  return Table.find(reinterpret_cast<void *>(Address)) != nullptr;
}

static FourierShape &shapeAt(int64_t Shape) {
  return *reinterpret_cast<FourierShape *>(Shape);
}

//===----------------------------------------------------------------------===//
// Where the program plans
//===----------------------------------------------------------------------===//

/// fftw3.h
static constexpr unsigned Unaligned = 1u << 1, Estimate = 1u << 6,
                          WisdomOnly = 1u << 21;

static Range blockAt(void *P) {
  const auto Begin = reinterpret_cast<uint64_t>(P);
  return {Begin, Begin + bytesOfBlock(Begin)};
}

static void note(const verso_fftw_noted &N, FourierRequest &R) {
  R.Functions = N.Functions;
  R.Kind = N.Kind;
  R.Sign = N.Kind == VERSO_FFTW_COMPLEX ? N.Sign : 0;
  R.Measures = !(N.Flags & (Estimate | WisdomOnly));
  R.Kinds = N.Kinds;
  Planned New{N.Plan, nullptr, {N.In, N.Out}, {-1, -1}, N.Overwrote != 0, {},
              0,      0};
  if (!(N.Flags & Unaligned))
    for (int K = 0; K != 2; ++K)
      New.Alignments[K] = N.Functions->AlignmentOf(New.Arrays[K]);
  Guard G(Lock);
  New.Shape = Table.shapeOf(R);
  for (int K = 0; K != 2; ++K)
    New.setVariable(K, blockAt(New.Arrays[K]));
  Table.note(New);
}

/// How many elements a row has in memory: as the program says, or as FFTW has
/// it where it says nothing.
static ptrdiff_t rowOf(const verso_fftw_noted &N, const verso_fftw_rows &Rows,
                       int D, bool OfOutput) {
  const int *Embed = OfOutput ? Rows.OutEmbed : Rows.InEmbed;
  if (Embed)
    return Embed[D];
  const ptrdiff_t Count = Rows.Counts[D];
  const bool IsHalf = N.Kind == (OfOutput ? VERSO_FFTW_REAL_TO_COMPLEX
                                          : VERSO_FFTW_COMPLEX_TO_REAL);
  const bool IsWhole = N.Kind == (OfOutput ? VERSO_FFTW_COMPLEX_TO_REAL
                                           : VERSO_FFTW_REAL_TO_COMPLEX);
  if (D + 1 != Rows.Rank)
    return Count;
  if (IsHalf)
    return Count / 2 + 1;
  return IsWhole && N.In == N.Out ? 2 * (Count / 2 + 1) : Count;
}

void __verso_fftw_begin() { lockPlanner(); }
void __verso_fftw_end() { unlockPlanner(); }

void __verso_fftw_note_rows(const verso_fftw_noted *N,
                            const verso_fftw_rows *Rows) {
  if (!N->Plan || Rows->Rank < 0)
    return;
  FourierRequest R;
  R.Batches = 1;
  R.Dimensions.push_back({Rows->Batches, Rows->InDistance, Rows->OutDistance});
  for (int D = 0; D != Rows->Rank; ++D)
    R.Dimensions.push_back({Rows->Counts[D], 0, 0});
  ptrdiff_t InStep = Rows->InStep, OutStep = Rows->OutStep;
  for (int D = Rows->Rank; D-- != 0;) {
    R.Dimensions[D + 1].InStep = InStep;
    R.Dimensions[D + 1].OutStep = OutStep;
    InStep *= rowOf(*N, *Rows, D, /*OfOutput=*/false);
    OutStep *= rowOf(*N, *Rows, D, /*OfOutput=*/true);
  }
  note(*N, R);
}

void __verso_fftw_note_dimensions(const verso_fftw_noted *N, int Rank,
                                  const void *Dimensions, int Batches,
                                  const void *OfBatches, int AreLong) {
  // A rank of infinity has no transforms.
  constexpr int Most = 1 << 10;
  if (!N->Plan || Rank < 0 || Batches < 0 || Rank > Most || Batches > Most)
    return;
  FourierRequest R;
  R.Batches = Batches;
  auto Add = [&](const void *At, int Count) {
    for (int D = 0; D != Count; ++D)
      if (AreLong) {
        R.Dimensions.push_back(
            static_cast<const verso_fftw_dimension *>(At)[D]);
      } else {
        const int *Of = static_cast<const int *>(At) + 3 * D;
        R.Dimensions.push_back({Of[0], Of[1], Of[2]});
      }
  };
  Add(OfBatches, Batches);
  Add(Dimensions, Rank);
  note(*N, R);
}

void __verso_fftw_note_variables(void *Plan, void *In, int64_t InBytes,
                                 void *Out, int64_t OutBytes) {
  void *const At[] = {In, Out};
  const int64_t Bytes[] = {InBytes, OutBytes};
  Guard G(Lock);
  Planned *P = Table.find(Plan);
  for (int K = 0; P && K != 2; ++K) {
    Range Variable = blockAt(At[K]);
    if (Bytes[K])
      Variable.End = Variable.Begin + Bytes[K];
    P->setVariable(K, Variable);
  }
}

void __verso_fftw_forget(void *Plan) {
  Guard G(Lock);
  Table.forget(Plan);
}

void __verso_fftw_cleanup(const verso_fftw_functions *Functions) {
  Guard G(Lock);
  Table.forgetAll(*Functions);
}

//===----------------------------------------------------------------------===//
// Where differentiated code runs a plan
//===----------------------------------------------------------------------===//

int64_t __verso_fftw_find(void *Plan, int64_t Kind) {
  Guard G(Lock);
  const Planned *P = Table.find(Plan);
  if (!P || (Kind >= 0 && P->Shape->kind() != Kind))
    return 0;
  return reinterpret_cast<int64_t>(P->Shape);
}

void *__verso_fftw_arrays(void *Plan, void *, const char *Where) {
  Guard G(Lock);
  Planned *P = Table.find(Plan);
  if (P && !Where)
    P->Kept = GivenMemory::tick();
  return P ? P->Arrays : nullptr;
}

int64_t __verso_fftw_overwrote(void *Plan) {
  Guard G(Lock);
  const Planned *P = Table.find(Plan);
  return P && P->Overwrote;
}

int64_t __verso_fftw_numbers(int64_t Shape, int64_t OfOutput) {
  return shapeAt(Shape).numbers(OfOutput != 0);
}

void *__verso_fftw_places(int64_t Shape, int64_t OfOutput) {
  return const_cast<ptrdiff_t *>(shapeAt(Shape).places(OfOutput != 0));
}

void __verso_fftw_apply(int64_t Shape, int64_t Transposed, int64_t Plan,
                        void *To, const void *From) {
  FourierShape &S = shapeAt(Shape);
  if (Plan) {
    Planned P{};
    {
      Guard G(Lock);
      if (const Planned *Known = Table.find(reinterpret_cast<void *>(Plan)))
        P = *Known;
    }
    auto Fits = [&](int Array, const void *Block) {
      return P.Alignments[Array] < 0 ||
             P.Alignments[Array] ==
                 S.functions().AlignmentOf(const_cast<void *>(Block));
    };
    // Blocks are the arrays once more, if these have no gaps.
    if (P.Shape == &S && !Transposed && !S.places(false) && !S.places(true) &&
        S.numbers(false) && S.numbers(true) &&
        Fits(0, P.isInPlace() ? To : From) && Fits(1, To))
      return S.applyPlan(P.Plan, P.isInPlace(), To, From);
  }
  S.apply(Transposed != 0, To, From);
}

void __verso_fftw_column(void *To, uint64_t Bytes, int64_t Shape,
                         int64_t Transposed, int64_t Column) {
  FourierShape &S = shapeAt(Shape);
  const size_t Size = S.functions().BytesOfNumber;
  auto *Unit = static_cast<char *>(calloc(S.numbers(Transposed != 0), Size));
  if (!Unit)
    fatal(nullptr, "out of memory");
  if (Size == sizeof(float))
    reinterpret_cast<float *>(Unit)[Column] = 1;
  else
    reinterpret_cast<double *>(Unit)[Column] = 1;
  memset(To, 0, Bytes);
  S.apply(Transposed != 0, To, Unit);
  free(Unit);
}

namespace verso::entry {

/// What is to be called in the place of fftw_execute.
static const char *callOfArrays(const FourierShape &S) {
  static constexpr const char *Calls[2][4] = {
      {"fftw_execute_dft", "fftw_execute_dft_r2c", "fftw_execute_dft_c2r",
       "fftw_execute_r2r"},
      {"fftwf_execute_dft", "fftwf_execute_dft_r2c", "fftwf_execute_dft_c2r",
       "fftwf_execute_r2r"}};
  return Calls[S.functions().BytesOfNumber == sizeof(float)][S.kind()];
}

Ptr __verso_arrays_of_shadow(Ptr Context, Ptr Arrays, Ptr Plan, Ptr Shadow,
                             Ptr Where, I32 IsForward) {
  if (Shadow == Plan)
    return Arrays;
  Planned Primal{}, Own{};
  void *OfShadow = nullptr;
  {
    Guard G(Lock);
    const Planned *Known = Table.find(Plan);
    if (!Known)
      return Arrays; // Who reads them ends the program.
    Primal = *Known;
    if (Planned *Found = Table.find(Shadow)) {
      Own = *Found;
      OfShadow = Found->Arrays;
    }
  }
  if (Own.Shape == Primal.Shape && Own.isInPlace() == Primal.isInPlace()) {
    GivenMemory &Given = givenTo(Context, IsForward);
    for (int K = 0; K != 2; ++K)
      if (Given.isOtherShadow(Primal.bytesOf(K), Own.bytesOf(K).Begin))
        fatal(static_cast<const char *>(Where),
              "a plan of FFTW lies in memory that has a shadow, and the plan "
              "in the shadow is one of other arrays than the shadows of its "
              "arrays: derivatives would go there; make the shadow's plan of "
              "the shadow's arrays, or hand the arrays to %s(plan, in, out)",
              callOfArrays(*Primal.Shape));
    return OfShadow;
  }
  fatal(static_cast<const char *>(Where),
        "a plan of FFTW lies in memory that has a shadow, and what lies in the "
        "shadow is no plan of the same transform; make one there, of the "
        "shadows of the arrays, or hand the arrays to fftw_execute_dft or its "
        "like");
}

/// Whether derivatives would be missing if an array without a shadow has one at
/// \p Shadow. By tape, numbers that the request has touched have IDs, whichever
/// pointer leads to them; so all of the input's are to have some, and of the
/// output's those whose adjoints are not zero, or may become so. A tangent is
/// where its pointer says.
static bool loses(Ptr Context, bool IsForward, const Planned &P, int Array,
                  uint64_t Shadow) {
  if (IsForward)
    return true;
  const Request &R = Request::of(Context);
  const FourierShape &S = *P.Shape;
  const size_t Size = S.functions().BytesOfNumber;
  const ptrdiff_t *Places = S.places(Array);
  const Range Bytes = P.bytesOf(Array);
  const auto *Begin = static_cast<const char *>(P.Arrays[Array]);
  // What is zero now may be a seed that comes later, or a variable.
  const bool MayBeZero = Array && R.seedsAreFinal();
  if (MayBeZero &&
      !canBeRead(reinterpret_cast<const void *>(Shadow), Bytes.bytes()))
    return true;
  const char *OfBegin =
      reinterpret_cast<const char *>(Shadow) - S.firstByte(Array);
  auto IsZero = [&](const char *Adjoint) {
    return Size == sizeof(float)
               ? *reinterpret_cast<const UnalignedFloat *>(Adjoint) == 0
               : *reinterpret_cast<const UnalignedDouble *>(Adjoint) == 0;
  };
  for (size_t K = 0; K != S.numbers(Array); ++K) {
    const ptrdiff_t At = ptrdiff_t(Size) * (Places ? Places[K] : ptrdiff_t(K));
    const ImageWord *Image = imagesAt(R, Begin + At);
    bool IsTouched = true;
    for (size_t G = 0; G != Size / GranuleBytes; ++G)
      IsTouched &= isImage(R, Image[G]);
    if (!IsTouched && !(MayBeZero && IsZero(OfBegin + At)))
      return true;
  }
  return false;
}

void __verso_check_plan(Ptr Context, Ptr Array, Ptr Plan, I32 HasShadow,
                        Ptr Where, I32 IsForward) {
  if (!Array)
    return;
  Planned P{};
  {
    Guard G(Lock);
    if (const Planned *Known = Table.find(Plan))
      P = *Known;
  }
  if (!P.Plan)
    return; // Who reads its arrays ends the program.
  // What differentiated code planned, and stored there, knows all shadows that
  // its arrays have.
  if (HasShadow && !givenTo(Context, IsForward).isSinceBegin(P.Kept))
    fatal(static_cast<const char *>(Where),
          "a plan of FFTW that was made before the request, or without being "
          "differentiated, lies in memory that has a shadow, and the shadow "
          "has no plan of its own (none, or the same one): the arrays have no "
          "shadows; make a plan of their shadows there, or hand the arrays to "
          "%s",
          callOfArrays(*P.Shape));
  for (int K = 0; K != 2; ++K)
    if (P.Arrays[K] == Array &&
        givenTo(Context, IsForward)
            .anyShadow(P.bytesOf(K), P.Variables[K], 2 * P.Number + K,
                       [&](uint64_t Shadow) {
                         return loses(Context, IsForward, P, K, Shadow);
                       }))
      fatal(static_cast<const char *>(Where),
            "a plan of FFTW that was made before the request reads or writes "
            "memory that an argument with a shadow leads to, and knows no "
            "shadow of it: derivatives through it would be missing; hand the "
            "arrays to %s(plan, in, out), make the plan in the differentiated "
            "function, or let it work on arrays of its own",
            callOfArrays(*P.Shape));
}

} // namespace verso::entry
