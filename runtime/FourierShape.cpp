//===- FourierShape.cpp - what a plan of FFTW computes --------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FourierShape.h"
#include "Mutex.h"

#include <initializer_list>

using namespace verso;

/// fftw3.h: rigor and direction of a plan, and what a dimension of real numbers
/// becomes.
static constexpr unsigned Estimate = 1u << 6;
enum RealKind {
  ToHalfComplex,
  FromHalfComplex,
  Hartley,
  Cosine1,
  Cosine3,
  Cosine2,
  Cosine4,
  Sine1,
  Sine3,
  Sine2,
  Sine4
};

static constinit Mutex Planner;

void verso::lockPlanner() {
  pthread_rwlock_rdlock(&ForkLock);
  Planner.lock();
}

void verso::unlockPlanner() {
  Planner.unlock();
  pthread_rwlock_unlock(&ForkLock);
}

template <typename T> static T *newArray(size_t Count) {
  auto *New = static_cast<T *>(malloc((Count ? Count : 1) * sizeof(T)));
  if (!New)
    fatal(nullptr, "out of memory");
  return New;
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

FourierShape::FourierShape(const FourierRequest &R)
    : F(*R.Functions), Kind(R.Kind), Sign(R.Sign), Measures(R.Measures),
      Batches(R.Batches) {
  for (const verso_fftw_dimension &D : R.Dimensions)
    Dimensions.push_back(D);
  if (Kind == VERSO_FFTW_REAL)
    for (size_t K = 0; K + Batches != dimensions(); ++K)
      Kinds.push_back(R.Kinds[K]);
  layOut(/*OfOutput=*/false);
  layOut(/*OfOutput=*/true);
}

bool FourierShape::is(const FourierRequest &R) const {
  if (F.PlanComplex != R.Functions->PlanComplex || Kind != R.Kind ||
      Sign != R.Sign || Measures != R.Measures || Batches != R.Batches ||
      dimensions() != R.Dimensions.size())
    return false;
  for (size_t D = 0; D != dimensions(); ++D)
    if (Dimensions[D].Count != R.Dimensions[D].Count ||
        Dimensions[D].InStep != R.Dimensions[D].InStep ||
        Dimensions[D].OutStep != R.Dimensions[D].OutStep)
      return false;
  for (size_t K = 0; K != Kinds.size(); ++K)
    if (Kinds[K] != R.Kinds[K])
      return false;
  return true;
}

/// Calls \p At with the places of all elements but those along dimension
/// \p Along, in an array that has these steps from index to index.
template <typename Body>
static void forEachLine(size_t Dimensions, const ptrdiff_t *Counts,
                        const ptrdiff_t *Steps, size_t Along, Body At) {
  for (size_t D = 0; D != Dimensions; ++D)
    if (Counts[D] == 0)
      return;
  auto *Index = newArray<ptrdiff_t>(Dimensions);
  memset(Index, 0, Dimensions * sizeof *Index);
  for (ptrdiff_t Place = 0;;) {
    At(Place);
    size_t D = Dimensions;
    while (D-- != 0) {
      if (D == Along)
        continue;
      Place += Steps[D];
      if (++Index[D] != Counts[D])
        break;
      Place -= Counts[D] * Steps[D];
      Index[D] = 0;
    }
    if (D == static_cast<size_t>(-1))
      break;
  }
  free(Index);
}

/// Whether an array with such steps has no gaps and nothing twice.
static bool isWhole(size_t Dimensions, const ptrdiff_t *Counts,
                    const ptrdiff_t *Steps, ptrdiff_t Unit) {
  for (size_t Found = 0, Long = 0;; ++Found) {
    Long = 0;
    bool Grows = false;
    for (size_t D = 0; D != Dimensions; ++D) {
      Long += Counts[D] > 1;
      if (Counts[D] > 1 && Steps[D] == Unit && !Grows) {
        Unit *= Counts[D];
        Grows = true;
      }
    }
    if (!Grows)
      return Found == Long;
  }
}

void FourierShape::layOut(bool OfOutput) {
  Side &S = Sides[OfOutput];
  S.IsComplex = Kind == VERSO_FFTW_COMPLEX ||
                Kind == (OfOutput ? VERSO_FFTW_REAL_TO_COMPLEX
                                  : VERSO_FFTW_COMPLEX_TO_REAL);
  const ptrdiff_t Unit = S.IsComplex ? 2 : 1;
  S.Counts = newArray<ptrdiff_t>(dimensions());
  S.Steps = newArray<ptrdiff_t>(dimensions());
  S.Numbers = Unit;
  for (size_t D = 0; D != dimensions(); ++D) {
    const verso_fftw_dimension &Dim = Dimensions[D];
    S.Counts[D] = S.IsComplex && isHalved(D) ? Dim.Count / 2 + 1 : Dim.Count;
    if (isHalved(D) && Dim.Count == 0)
      S.Counts[D] = 0;
    S.Steps[D] = Unit * (OfOutput ? Dim.OutStep : Dim.InStep);
    S.Numbers *= S.Counts[D];
  }
  if (S.Numbers != 0) {
    ptrdiff_t First = 0, Last = Unit - 1;
    for (size_t D = 0; D != dimensions(); ++D) {
      const ptrdiff_t Farthest = (S.Counts[D] - 1) * S.Steps[D];
      (Farthest < 0 ? First : Last) += Farthest;
    }
    S.First = First * ptrdiff_t(F.BytesOfNumber);
    S.End = (Last + 1) * ptrdiff_t(F.BytesOfNumber);
  }
  if (S.Numbers == 0 || isWhole(dimensions(), S.Counts, S.Steps, Unit))
    return;
  auto *InArray = S.Steps;
  S.Steps = newArray<ptrdiff_t>(dimensions());
  ptrdiff_t Step = Unit;
  for (size_t D = dimensions(); D-- != 0;) {
    S.Steps[D] = Step;
    Step *= S.Counts[D];
  }
  // Elements come in the block's order.
  S.Places = newArray<ptrdiff_t>(S.Numbers);
  ptrdiff_t *Next = S.Places;
  forEachLine(dimensions(), S.Counts, InArray, dimensions(),
              [&](ptrdiff_t Place) {
                for (ptrdiff_t Part = 0; Part != Unit; ++Part)
                  *Next++ = Place + Part;
              });
  free(InArray);
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

void FourierShape::weigh(Vector<Weights> &List, size_t D, bool OfOutput,
                         double (*WeightAt)(ptrdiff_t, ptrdiff_t)) {
  const ptrdiff_t Count = Sides[OfOutput].Counts[D];
  auto *Factors = newArray<double>(Count);
  for (ptrdiff_t K = 0; K != Count; ++K)
    Factors[K] = WeightAt(K, Dimensions[D].Count);
  List.push_back({D, Factors});
}

/// Of N frequencies, all but the first, and the last of an even number, stand
/// for two.
static double countOfFrequency(ptrdiff_t K, ptrdiff_t N) {
  return K == 0 || 2 * K == N ? 1 : 2;
}
static double shareOfFrequency(ptrdiff_t K, ptrdiff_t N) {
  return 1 / countOfFrequency(K, N);
}
static double countOfInner(ptrdiff_t K, ptrdiff_t N) {
  return K == 0 || K == N - 1 ? 1 : 2;
}
static double shareOfInner(ptrdiff_t K, ptrdiff_t N) {
  return 1 / countOfInner(K, N);
}
static double firstTwice(ptrdiff_t K, ptrdiff_t) { return K == 0 ? 2 : 1; }
static double firstHalf(ptrdiff_t K, ptrdiff_t) { return K == 0 ? 0.5 : 1; }
static double lastTwice(ptrdiff_t K, ptrdiff_t N) { return K == N - 1 ? 2 : 1; }
static double lastHalf(ptrdiff_t K, ptrdiff_t N) {
  return K == N - 1 ? 0.5 : 1;
}

/// The transpose of a real kind. What it is of is FFTW's manual, "What FFTW
/// really computes": a matrix of cosines or sines, which is symmetric or is
/// that of another kind transposed, with a weight for each number that it is
/// given.
void FourierShape::weighReal(Own &New, size_t D, int Of, int &Transposed) {
  // The transpose goes from the output to the input.
  constexpr bool From = true, To = false;
  Transposed = Of;
  switch (Of) {
  case ToHalfComplex:
    Transposed = FromHalfComplex;
    return weigh(New.Before, D, From, shareOfFrequency);
  case FromHalfComplex:
    Transposed = ToHalfComplex;
    return weigh(New.After, D, To, countOfFrequency);
  case Cosine1:
    weigh(New.Before, D, From, shareOfInner);
    return weigh(New.After, D, To, countOfInner);
  case Cosine2:
    Transposed = Cosine3;
    return weigh(New.Before, D, From, firstTwice);
  case Cosine3:
    Transposed = Cosine2;
    return weigh(New.After, D, To, firstHalf);
  case Sine2:
    Transposed = Sine3;
    return weigh(New.Before, D, From, lastTwice);
  case Sine3:
    Transposed = Sine2;
    return weigh(New.After, D, To, lastHalf);
  case Hartley:
  case Cosine4:
  case Sine1:
  case Sine4:
    return;
  default:
    fatal(nullptr, "a plan of FFTW has a kind that Verso does not know");
  }
}

template <typename Real>
static void scaleLines(Real *Block, size_t Dimensions, const ptrdiff_t *Counts,
                       const ptrdiff_t *Steps, size_t Along,
                       const double *Factors, bool IsComplex) {
  const ptrdiff_t Count = Counts[Along], Step = Steps[Along];
  forEachLine(Dimensions, Counts, Steps, Along, [=](ptrdiff_t Place) {
    for (ptrdiff_t K = 0; K != Count; ++K) {
      Real *At = Block + Place + K * Step;
      At[0] *= static_cast<Real>(Factors[K]);
      if (IsComplex)
        At[1] *= static_cast<Real>(Factors[K]);
    }
  });
}

void FourierShape::scale(void *Block, bool OfOutput,
                         const Vector<Weights> &By) const {
  const Side &S = Sides[OfOutput];
  for (const Weights &W : By)
    if (F.BytesOfNumber == sizeof(float))
      scaleLines(static_cast<float *>(Block), dimensions(), S.Counts, S.Steps,
                 W.Dimension, W.Factors, S.IsComplex);
    else
      scaleLines(static_cast<double *>(Block), dimensions(), S.Counts, S.Steps,
                 W.Dimension, W.Factors, S.IsComplex);
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

/// Plans between blocks, once.
void FourierShape::prepare(bool Transposed) {
  Own &New = Plans[Transposed];
  if (__atomic_load_n(&New.Plan, __ATOMIC_ACQUIRE))
    return;
  lockPlanner();
  if (New.Plan)
    return unlockPlanner();
  New.Before.clear();
  New.After.clear();
  New.Kind = Kind;
  Vector<int> KindsOfNew;
  if (Kind == VERSO_FFTW_REAL)
    for (size_t K = 0; K != Kinds.size(); ++K) {
      int KindOfNew = Kinds[K];
      if (Transposed)
        weighReal(New, Batches + K, Kinds[K], KindOfNew);
      KindsOfNew.push_back(KindOfNew);
    }
  const bool IsHalf = dimensions() != Batches && isHalved(dimensions() - 1);
  if (Transposed && Kind == VERSO_FFTW_REAL_TO_COMPLEX) {
    New.Kind = VERSO_FFTW_COMPLEX_TO_REAL;
    if (IsHalf)
      weigh(New.Before, dimensions() - 1, /*OfOutput=*/true, shareOfFrequency);
  } else if (Transposed && Kind == VERSO_FFTW_COMPLEX_TO_REAL) {
    New.Kind = VERSO_FFTW_REAL_TO_COMPLEX;
    if (IsHalf)
      weigh(New.After, dimensions() - 1, /*OfOutput=*/false, countOfFrequency);
  }
  // From the one side, in FFTW's units.
  const Side &From = Sides[Transposed], &To = Sides[!Transposed];
  Vector<verso_fftw_dimension> Dims;
  for (size_t D = 0; D != dimensions(); ++D)
    Dims.push_back({Dimensions[D].Count,
                    From.Steps[D] / (From.IsComplex ? 2 : 1),
                    To.Steps[D] / (To.IsComplex ? 2 : 1)});
  const int Rank = static_cast<int>(dimensions() - Batches);
  const int Outer = static_cast<int>(Batches);
  const verso_fftw_dimension *OfBatches = Dims.begin();
  const verso_fftw_dimension *OfRank = OfBatches + Batches;
  void *In = F.Malloc(bytes(Transposed)), *Out = F.Malloc(bytes(!Transposed));
  if (!In || !Out)
    fatal(nullptr, "out of memory");
  const unsigned Flags = Measures ? 0 : Estimate;
  void *Plan = nullptr;
  switch (New.Kind) {
  case VERSO_FFTW_COMPLEX:
    Plan = F.PlanComplex(Rank, OfRank, Outer, OfBatches, In, Out,
                         Transposed ? -Sign : Sign, Flags);
    break;
  case VERSO_FFTW_REAL_TO_COMPLEX:
    Plan = F.PlanRealToComplex(Rank, OfRank, Outer, OfBatches, In, Out, Flags);
    break;
  case VERSO_FFTW_COMPLEX_TO_REAL:
    Plan = F.PlanComplexToReal(Rank, OfRank, Outer, OfBatches, In, Out, Flags);
    break;
  case VERSO_FFTW_REAL:
    Plan = F.PlanReal(Rank, OfRank, Outer, OfBatches, In, Out,
                      KindsOfNew.begin(), Flags);
    break;
  }
  F.Free(In);
  F.Free(Out);
  Dims.release();
  KindsOfNew.release();
  if (!Plan)
    fatal(nullptr, "FFTW makes no plan of a transform's %s",
          Transposed ? "transpose" : "copy");
  __atomic_store_n(&New.Plan, Plan, __ATOMIC_RELEASE);
  unlockPlanner();
}

void FourierShape::dropPlans() {
  for (Own &Of : Plans) {
    if (Of.Plan)
      F.Destroy(Of.Plan);
    Of.Plan = nullptr;
    for (Vector<Weights> *List : {&Of.Before, &Of.After}) {
      for (const Weights &W : *List)
        free(W.Factors);
      List->clear();
    }
  }
}

namespace {

/// Numbers that FFTW may overwrite and that are aligned as it wants them.
class Scratch {
public:
  Scratch(const verso_fftw_functions &F, size_t Bytes)
      : F(F), Numbers(F.Malloc(Bytes)) {
    if (!Numbers)
      fatal(nullptr, "out of memory");
  }
  ~Scratch() { F.Free(Numbers); }
  void *get() const { return Numbers; }

private:
  const verso_fftw_functions &F;
  void *Numbers;
};

} // namespace

void FourierShape::apply(bool Transposed, void *To, const void *From) {
  const bool Input = Transposed, Output = !Transposed;
  if (numbers(Input) == 0 || numbers(Output) == 0)
    return;
  prepare(Transposed);
  const Own &By = Plans[Transposed];
  auto Run = [&](void *Numbers) {
    if (F.AlignmentOf(To) == 0) {
      F.Execute[By.Kind](By.Plan, Numbers, To);
    } else {
      Scratch Aligned(F, bytes(Output));
      F.Execute[By.Kind](By.Plan, Numbers, Aligned.get());
      memcpy(To, Aligned.get(), bytes(Output));
    }
    scale(To, Output, By.After);
  };
  void *Given = const_cast<void *>(From);
  // From complex to real numbers the input is overwritten.
  if (By.Before.empty() && By.Kind != VERSO_FFTW_COMPLEX_TO_REAL &&
      F.AlignmentOf(Given) == 0)
    return Run(Given);
  Scratch Copy(F, bytes(Input));
  memcpy(Copy.get(), From, bytes(Input));
  scale(Copy.get(), Input, By.Before);
  Run(Copy.get());
}

void FourierShape::applyPlan(void *Plan, bool IsInPlace, void *To,
                             const void *From) const {
  if (IsInPlace) {
    memcpy(To, From, bytes(/*OfOutput=*/false));
    return F.Execute[Kind](Plan, To, To);
  }
  if (Kind != VERSO_FFTW_COMPLEX_TO_REAL)
    return F.Execute[Kind](Plan, const_cast<void *>(From), To);
  Scratch Copy(F, bytes(/*OfOutput=*/false));
  memcpy(Copy.get(), From, bytes(/*OfOutput=*/false));
  F.Execute[Kind](Plan, Copy.get(), To);
}
