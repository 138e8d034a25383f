//===- RangeTest.cpp - whether later iterations write here ----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/memory/RangeTest.h"
#include "LLVMCompat.h"
#include "structured/memory/Polynomial.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"

#include <map>
#include <vector>

using namespace llvm;
using namespace verso;

//===----------------------------------------------------------------------===//
// The difference of two accesses
//===----------------------------------------------------------------------===//

namespace {

/// Of the iterations of a loop, the store's and that of the first access.
enum class Order { Any, Equal, StoreLater, StoreEarlier };

/// What is known of loops around both accesses, outermost first.
using Orders = SmallVector<std::pair<const Loop *, Order>, 4>;

/// What the conditions that lead to an access in an iteration tell: loops of
/// which this is never the last iteration that is possible, or always.
struct Guards {
  SmallPtrSet<const Loop *, 4> NeverLast, AlwaysLast;

  Guards() = default;
  Guards(const LoopInfo &LI, ScalarEvolution &SE, const BasicBlock &Of);
};

struct Variable {
  bool IsNonNegative = true;
  enum { Iteration, ShortData, LongData } Kind = Iteration;
};

/// The store's address less that of an access before it.
class Difference {
public:
  /// \p MayWrap: data that the addresses are computed from may take them around
  /// 2^64.
  Difference(const LoopInfo &LI, ScalarEvolution &SE, const Loop *OfFirst,
             const Loop *OfStore, const Orders &Common, const Guards &OnFirst,
             const Guards &OnStore, bool MayWrap)
      : LI(LI), SE(SE), OfFirst(OfFirst), OfStore(OfStore), Common(Common),
        GuardsOnFirst(OnFirst), GuardsOnStore(OnStore), MayWrap(MayWrap) {
    findParameters(OfFirst);
    findParameters(OfStore);
  }

  /// Whether the accesses, of these sizes, share no byte whenever both are
  /// executed.
  bool isApart(const SCEV *Store, int64_t StoreSize, const SCEV *First,
               int64_t FirstSize);
  /// Whether First is within the bytes from \p Start on that a store of this
  /// size writes in \p Nest, innermost first, leaving out none.
  bool isWithin(const SCEV *First, int64_t FirstSize, const SCEV *Start,
                int64_t StoreSize, ArrayRef<const Loop *> Nest);
  /// Whether it is within \p Length bytes from \p Start on.
  bool isWithin(const SCEV *First, int64_t FirstSize, const SCEV *Start,
                const SCEV *Length);

private:
  bool isWithin(const SCEV *First, int64_t FirstSize, const SCEV *Start,
                const Polynomial &Length);
  static bool hasLongSteps(const Polynomial &P);
  bool isInteger(const Polynomial &P) const;
  enum Side { OnFirst, OnStore };

  Order orderOf(const Loop *L) const {
    for (auto [Each, O] : Common)
      if (Each == L)
        return O;
    return Order::Any;
  }
  unsigned number(const Loop *L, Side S);
  unsigned number(const SCEV *Parameter);
  std::optional<Polynomial> read(const SCEV *S, Side Of);
  std::optional<Polynomial> readCount(const SCEV *Count, Side Of);
  Polynomial iteration(const Loop *L, Side Of);
  void findParameters(const Loop *L);
  std::optional<Polynomial> last(const Loop *L, Side Of);
  bool minimise(Polynomial &P, unsigned V,
                function_ref<std::optional<Polynomial>()> Most);
  bool eliminate(Polynomial &P, const Loop *L, Side Of);
  bool isAtLeast(Polynomial P, int64_t Least);
  /// 1: at least 0 for all values of its variables; -1: at most; 0: unknown.
  int sign(const Polynomial &P) const;

  const LoopInfo &LI;
  ScalarEvolution &SE;
  const Loop *OfFirst, *OfStore;
  const Orders &Common;
  const Guards &GuardsOnFirst, &GuardsOnStore;
  const bool MayWrap;
  std::map<std::pair<const Loop *, int>, unsigned> Iterations;
  std::map<const SCEV *, unsigned> Parameters;
  /// What parameters are, in variables that are not negative.
  std::map<unsigned, Polynomial> Known;
  SmallVector<Variable, 16> Variables;
};

} // namespace

/// A branch on i == n, where the last iteration that the loop may come to is
/// i = n.
Guards::Guards(const LoopInfo &LI, ScalarEvolution &SE, const BasicBlock &Of) {
  auto Before = [&](const BasicBlock *B) {
    const Loop *L = LI.getLoopFor(B);
    return L && L->getHeader() == B ? L->getLoopPredecessor()
                                    : B->getSinglePredecessor();
  };
  const BasicBlock *To = &Of;
  while (const BasicBlock *From = Before(To)) {
    auto *Branch = dyn_cast<BranchInst>(From->getTerminator());
    bool IsConditional = Branch && Branch->isConditional() &&
                         Branch->getSuccessor(0) != Branch->getSuccessor(1);
    auto *Test =
        IsConditional ? dyn_cast<ICmpInst>(Branch->getCondition()) : nullptr;
    if (Test && Test->isEquality() &&
        SE.isSCEVable(Test->getOperand(0)->getType())) {
      bool AreEqual = (Branch->getSuccessor(0) == To) ==
                      (Test->getPredicate() == ICmpInst::ICMP_EQ);
      const SCEV *A = SE.getSCEV(Test->getOperand(0)),
                 *B = SE.getSCEV(Test->getOperand(1));
      for (const Loop *L = LI.getLoopFor(From); L; L = L->getParentLoop()) {
        const SCEV *Last = SE.getSymbolicMaxBackedgeTakenCount(L);
        if (isa<SCEVCouldNotCompute>(Last) || Last->getType() != A->getType() ||
            !A->getType()->isIntegerTy())
          continue;
        Type *T = A->getType();
        const SCEV *Left =
            SE.getMinusSCEV(Last, SE.getAddRecExpr(SE.getZero(T), SE.getOne(T),
                                                   L, SCEV::FlagAnyWrap));
        if (Left == SE.getMinusSCEV(A, B) || Left == SE.getMinusSCEV(B, A))
          (AreEqual ? AlwaysLast : NeverLast).insert(L);
      }
    }
    To = From;
  }
}

unsigned Difference::number(const Loop *L, Side S) {
  auto [It, New] = Iterations.try_emplace({L, S}, Variables.size());
  if (New)
    Variables.emplace_back();
  return It->second;
}

unsigned Difference::number(const SCEV *Parameter) {
  auto [It, New] = Parameters.try_emplace(Parameter, Variables.size());
  if (New)
    Variables.push_back({SE.isKnownNonNegative(Parameter),
                         SE.getSignedRange(Parameter).getMinSignedBits() > 33
                             ? Variable::LongData
                             : Variable::ShortData});
  return It->second;
}

/// Where one comes later, its variable is by how many more than one.
Polynomial Difference::iteration(const Loop *L, Side Of) {
  Order O = orderOf(L);
  if (O == Order::Equal)
    return Polynomial::variable(number(L, OnFirst));
  Polynomial Own = Polynomial::variable(number(L, Of));
  if (O == Order::StoreLater && Of == OnStore)
    return Own + Polynomial::variable(number(L, OnFirst)) + Polynomial(1);
  if (O == Order::StoreEarlier && Of == OnFirst)
    return Own + Polynomial::variable(number(L, OnStore)) + Polynomial(1);
  return Own;
}

std::optional<Polynomial> Difference::read(const SCEV *S, Side Of) {
  if (auto *C = dyn_cast<SCEVConstant>(S)) {
    if (C->getAPInt().getSignificantBits() > 64)
      return std::nullopt;
    return Polynomial(C->getAPInt().getSExtValue());
  }
  if (SE.getTypeSizeInBits(S->getType()) != 64)
    return std::nullopt;
  if (auto *R = dyn_cast<SCEVAddRecExpr>(S)) {
    auto Start = read(R->getStart(), Of),
         Step = read(R->getStepRecurrence(SE), Of);
    if (!R->isAffine() || !Start || !Step)
      return std::nullopt;
    return *Start + *Step * iteration(R->getLoop(), Of);
  }
  if (isa<SCEVAddExpr, SCEVMulExpr>(S)) {
    std::optional<Polynomial> Result;
    for (const SCEV *Op : cast<SCEVNAryExpr>(S)->operands()) {
      auto P = read(Op, Of);
      if (!P)
        return std::nullopt;
      Result = !Result ? *P : isa<SCEVAddExpr>(S) ? *Result + *P : *Result * *P;
    }
    return Result;
  }
  // The same in all iterations.
  if (SCEVExprContains(S, [&](const SCEV *Part) {
        auto *V = dyn_cast<SCEVUnknown>(Part);
        auto *I = V ? dyn_cast<Instruction>(V->getValue()) : nullptr;
        return isa<SCEVAddRecExpr, SCEVCouldNotCompute>(Part) ||
               (I && LI.getLoopFor(I->getParent()));
      }))
    return std::nullopt;
  return Polynomial::variable(number(S));
}

std::optional<Polynomial> Difference::readCount(const SCEV *Count, Side Of) {
  if (isa<SCEVCouldNotCompute>(Count) ||
      SE.getTypeSizeInBits(Count->getType()) > 64)
    return std::nullopt;
  return read(SE.getNoopOrZeroExtend(Count, Type::getInt64Ty(SE.getContext())),
              Of);
}

/// A loop of X - 3 iterations more than one, that is executed, tells that X is
/// at least 3: it becomes a number of iterations and 3.
void Difference::findParameters(const Loop *Innermost) {
  for (const Loop *L = Innermost; L; L = L->getParentLoop()) {
    auto P = readCount(SE.getBackedgeTakenCount(L), OnFirst);
    if (!P || P->hasOverflow())
      continue;
    std::optional<unsigned> Parameter;
    bool IsSimple = true;
    for (const auto &[V, C] : P->terms()) {
      if (V.empty())
        continue;
      IsSimple = IsSimple && !Parameter && V.size() == 1 && C == 1;
      Parameter = V[0];
    }
    if (!IsSimple || !Parameter || Known.contains(*Parameter) ||
        none_of(Parameters,
                [&](const auto &Each) { return Each.second == *Parameter; }))
      continue;
    unsigned Times = Variables.size();
    Variables.emplace_back();
    Known[*Parameter] =
        Polynomial::variable(Times) - (*P - Polynomial::variable(*Parameter));
  }
}

/// The number of the last iteration.
std::optional<Polynomial> Difference::last(const Loop *L, Side Of) {
  return readCount(SE.getSymbolicMaxBackedgeTakenCount(L), Of);
}

int Difference::sign(const Polynomial &Original) const {
  Polynomial P;
  for (const auto &[V, C] : Original.terms()) {
    Polynomial Term(C);
    for (unsigned N : V) {
      auto It = Known.find(N);
      Term = Term * (It == Known.end() ? Polynomial::variable(N) : It->second);
    }
    P = P + Term;
  }
  if (Original.hasOverflow() || P.hasOverflow())
    return 0;
  bool AnyPositive = false, AnyNegative = false;
  for (const auto &[V, C] : P.terms()) {
    if (any_of(V, [&](unsigned N) { return !Variables[N].IsNonNegative; }))
      return 0;
    (C > 0 ? AnyPositive : AnyNegative) = true;
  }
  return AnyPositive && AnyNegative ? 0 : AnyNegative ? -1 : 1;
}

/// Replaces V by what makes P least: 0 or Most().
bool Difference::minimise(Polynomial &P, unsigned V,
                          function_ref<std::optional<Polynomial>()> Most) {
  Polynomial Factor, Rest;
  if (!P.split(V, Factor, Rest))
    return false;
  int Sign = sign(Factor);
  if (!Sign)
    return false;
  P = Rest;
  if (Sign > 0)
    return true;
  auto Bound = Most();
  if (!Bound)
    return false;
  P = P + Factor * *Bound;
  return !P.hasOverflow();
}

bool Difference::eliminate(Polynomial &P, const Loop *L, Side Of) {
  Order O = orderOf(L);
  return minimise(P, number(L, Of), [&]() -> std::optional<Polynomial> {
    auto Last = last(L, Of);
    if (!Last)
      return Last;
    if (O == Order::Any || O == Order::Equal) {
      const Guards &Its = Of == OnFirst ? GuardsOnFirst : GuardsOnStore;
      return Its.NeverLast.contains(L) ? *Last - Polynomial(1) : *Last;
    }
    Side Later = O == Order::StoreLater ? OnStore : OnFirst;
    // One + how many more + the earlier iteration is no later than the last.
    if (Of == Later)
      return *Last - Polynomial(1) -
             Polynomial::variable(number(L, Of == OnStore ? OnFirst : OnStore));
    bool SameLoop = true; // Entered once, so it has one number of iterations.
    for (auto [Each, Its] : Common)
      SameLoop &= !Each->contains(L) || Each == L || Its == Order::Equal;
    return SameLoop ? *Last - Polynomial(1) : *Last;
  });
}

bool Difference::isAtLeast(Polynomial P, int64_t Least) {
  // Bounds of inner loops depend on outer ones, and how many more on the rest.
  const Loop *InStore = OfStore, *InFirst = OfFirst;
  while (InStore || InFirst) {
    unsigned StoreDepth = InStore ? InStore->getLoopDepth() : 0,
             FirstDepth = InFirst ? InFirst->getLoopDepth() : 0;
    bool TakeStore = StoreDepth > FirstDepth;
    if (StoreDepth == FirstDepth && InStore != InFirst)
      TakeStore = true;
    if (StoreDepth == FirstDepth && InStore == InFirst) {
      const Loop *L = InStore;
      Order O = orderOf(L);
      if (!(O == Order::StoreEarlier
                ? eliminate(P, L, OnFirst) && eliminate(P, L, OnStore)
                : (O == Order::Equal || eliminate(P, L, OnStore)) &&
                      eliminate(P, L, OnFirst)))
        return false;
      InStore = InFirst = L->getParentLoop();
      continue;
    }
    const Loop *&L = TakeStore ? InStore : InFirst;
    if (!eliminate(P, L, TakeStore ? OnStore : OnFirst))
      return false;
    L = L->getParentLoop();
  }
  return sign(P - Polynomial(Least)) == 1;
}

/// A step of an address that takes no program around 2^64.
static constexpr int64_t LongestStep = int64_t(1) << 32;

bool Difference::hasLongSteps(const Polynomial &P) {
  return any_of(P.terms(), [](const auto &Term) {
    const auto &[V, C] = Term;
    return !V.empty() && (C > LongestStep || C < -LongestStep);
  });
}

/// Whether \p P, a distance modulo 2^64, is one as an integer, too: what is
/// multiplied in it are trip counts and numbers of iterations, and one short
/// integer at most. Any other data may be such that products, or sums, of them
/// wrap around.
bool Difference::isInteger(const Polynomial &P) const {
  return !MayWrap || all_of(P.terms(), [&](const auto &Term) {
    unsigned Short = 0;
    return all_of(Term.first, [&](unsigned N) {
      const auto Kind = Variables[N].Kind;
      return Kind == Variable::Iteration || Known.contains(N) ||
             (Kind == Variable::ShortData && !Short++);
    });
  });
}

/// The difference itself may tell; or, where it is N * F + Rest for a length N
/// of rows, that rows are apart by more than what is in them:
///   F > 0: at least N + Rest,   F < 0: at most Rest - N,   F = 0: Rest.
bool Difference::isApart(const SCEV *Store, int64_t StoreSize,
                         const SCEV *First, int64_t FirstSize) {
  auto S = read(Store, OnStore), R = read(First, OnFirst);
  if (!S || !R)
    return false;
  const Polynomial D = *S - *R, None;
  if (hasLongSteps(*S) || hasLongSteps(*R))
    return false;
  auto IsBeyond = [&](const Polynomial &P) {
    return isInteger(P) &&
           (isAtLeast(P, FirstSize) || isAtLeast(None - P, StoreSize));
  };
  // Of a power of two multiples are some modulo 2^64, whatever the factor.
  auto IsApartByRows = [&](const Polynomial &Row, const Polynomial &Factor,
                           bool IsPowerOf2 = false) {
    Polynomial Rest = D - Row * Factor;
    const bool AreRows = isInteger(D);
    return (AreRows || (IsPowerOf2 && isInteger(Rest))) &&
           isAtLeast(Row + Rest, FirstSize) &&
           isAtLeast(Row - Rest, StoreSize) &&
           (IsBeyond(Rest) ||
            (AreRows && (isAtLeast(Factor, 1) || isAtLeast(None - Factor, 1))));
  };
  if (IsBeyond(D))
    return true;
  for (auto [Parameter, N] : Parameters) {
    Polynomial Row = Polynomial::variable(N), Factor, Rest;
    if (sign(Row) != 1 || !D.split(N, Factor, Rest) || Factor.terms().empty())
      continue;
    int64_t Step = Factor.divisor();
    if (IsApartByRows(Row * Polynomial(Step), Factor.divided(Step)))
      return true;
  }
  // Or a constant length.
  SmallSet<int64_t, 4> Lengths;
  for (const auto &[V, C] : D.terms())
    if (V.size() == 1 && C != INT64_MIN && std::abs(C) > 1)
      Lengths.insert(std::abs(C));
  return any_of(Lengths, [&](int64_t Length) {
    return IsApartByRows(Polynomial(Length), D.divided(Length),
                         isPowerOf2_64(Length));
  });
}

bool Difference::isWithin(const SCEV *First, int64_t FirstSize,
                          const SCEV *Start, const Polynomial &Length) {
  auto S = read(Start, OnStore), R = read(First, OnFirst);
  return S && R && !hasLongSteps(*S) && !hasLongSteps(*R) &&
         !hasLongSteps(Length) && isInteger(*R - *S) && isAtLeast(*R - *S, 0) &&
         isAtLeast(*S + Length - *R, FirstSize);
}

bool Difference::isWithin(const SCEV *First, int64_t FirstSize,
                          const SCEV *Start, const SCEV *Length) {
  auto Bytes = readCount(Length, OnStore);
  return Bytes && isWithin(First, FirstSize, Start, *Bytes);
}

bool Difference::isWithin(const SCEV *First, int64_t FirstSize,
                          const SCEV *Start, int64_t StoreSize,
                          ArrayRef<const Loop *> Nest) {
  Polynomial Length(StoreSize);
  if (!Nest.empty())
    findParameters(Nest.front());
  for (const Loop *L : Nest) {
    auto *Evolution = dyn_cast<SCEVAddRecExpr>(Start);
    if (!Evolution || Evolution->getLoop() != L) {
      if (!SE.isLoopInvariant(Start, L))
        return false;
      continue;
    }
    // Each iteration goes on where the one before it ended.
    auto Count = readCount(SE.getBackedgeTakenCount(L), OnStore);
    auto Step = read(Evolution->getStepRecurrence(SE), OnStore);
    if (!Evolution->isAffine() || !Count || !Step ||
        !(*Step - Length).terms().empty())
      return false;
    Length = Length * (*Count + Polynomial(1));
    Start = Evolution->getStart();
  }
  return isWithin(First, FirstSize, Start, Length);
}

//===----------------------------------------------------------------------===//
// The test
//===----------------------------------------------------------------------===//

/// Whether a path from First leads to Store that enters no new iteration of L.
static bool mayComeInIteration(const Instruction &First, const StoreInst &Store,
                               const Loop *L) {
  const BasicBlock *From = First.getParent(), *To = Store.getParent();
  if (From == To && First.comesBefore(&Store))
    return true;
  SmallPtrSet<const BasicBlock *, 16> Seen;
  SmallVector<const BasicBlock *, 16> Work{From};
  while (!Work.empty())
    for (const BasicBlock *Next : successors(Work.pop_back_val())) {
      if (L && (!L->contains(Next) || Next == L->getHeader()))
        continue;
      if (Next == To)
        return true;
      if (Seen.insert(Next).second)
        Work.push_back(Next);
    }
  return false;
}

/// Whether an operation on the way to \p Address may be one modulo 2^64, and
/// not of integers with a sign, by what the program says of it.
static bool mayWrap(const Value *Address) {
  SmallVector<const Value *, 8> Work{Address};
  SmallPtrSet<const Value *, 8> Seen;
  while (!Work.empty()) {
    auto *Op = dyn_cast<Operator>(Work.pop_back_val());
    if (!Op || !Seen.insert(Op).second)
      continue;
    if (auto *Wrapping = dyn_cast<OverflowingBinaryOperator>(Op)) {
      if (!Wrapping->hasNoSignedWrap())
        return true;
    } else if (auto *GEP = dyn_cast<GEPOperator>(Op)) {
      if (!GEP->hasNoUnsignedSignedWrap())
        return true;
    } else if (auto *Or = dyn_cast<PossiblyDisjointInst>(Op)) {
      if (!Or->isDisjoint())
        continue; // Data.
    } else if (!isa<PHINode>(Op)) {
      continue;
    }
    append_range(Work, Op->operands());
  }
  return false;
}

namespace {

/// An access and a store from one pointer, or from rows of one table.
class Pair {
public:
  Pair(const LoopInfo &LI, ScalarEvolution &SE, const Instruction &First,
       const StoreInst &Store, const RangeTest::DeclaredAt &At)
      : LI(LI), SE(SE), OfFirst(LI.getLoopFor(First.getParent())),
        OfStore(LI.getLoopFor(Store.getParent())),
        OnFirst(LI, SE, *First.getParent()),
        OnStore(LI, SE, *Store.getParent()),
        MayWrap(mayWrap(getLoadStorePointerOperand(&First)) ||
                mayWrap(Store.getPointerOperand())) {
    auto Address = [&](const Instruction &I) {
      return SE.getSCEV(const_cast<Value *>(getLoadStorePointerOperand(&I)));
    };
    From = Address(First);
    To = Address(Store);
    auto *Base = dyn_cast<SCEVUnknown>(SE.getPointerBase(From));
    auto *I = Base ? dyn_cast<Instruction>(Base->getValue()) : nullptr;
    IsKnown = Base && Base == SE.getPointerBase(To) &&
              !(I && LI.getLoopFor(I->getParent()));
    if (!IsKnown)
      findRows(At);
    if (!IsKnown)
      return;
    From = SE.removePointerBase(From);
    To = SE.removePointerBase(To);
    const DataLayout &DL = First.getDataLayout();
    Accessed = DL.getTypeStoreSize(compat::loadStoreType(First));
    Written = DL.getTypeStoreSize(Store.getValueOperand()->getType());
    for (const Loop *L = OfFirst; L; L = L->getParentLoop())
      if (L->contains(Store.getParent()))
        Common.insert(Common.begin(), {L, Order::Any});
  }

  /// Rows are known to be apart while this is run once.
  void takeRowsAsApartIn(const Loop &L) { RowsFrom = L.getLoopPreheader(); }

  explicit operator bool() const { return IsKnown; }
  bool areApart() const {
    auto AreApart = [&](const SCEV *S, int64_t Size, const SCEV *R,
                        int64_t FirstSize) {
      return Difference(LI, SE, OfFirst, OfStore, Common, OnFirst, OnStore,
                        MayWrap)
          .isApart(S, Size, R, FirstSize);
    };
    if (!FromRow)
      return AreApart(To, Written, From, Accessed);
    constexpr int64_t Pointer = sizeof(void *);
    return RowsFrom &&
           all_of(Common,
                  [&](const auto &Each) {
                    return !Each.first->contains(RowsFrom) ||
                           Each.second == Order::Equal;
                  }) &&
           (AreApart(ToRow, Pointer, FromRow, Pointer) ||
            AreApart(To, Written, From, Accessed));
  }
  /// What is not certain of all orders may be certain of each: of the K-th loop
  /// and those in it.
  bool areApartFrom(size_t K) {
    constexpr size_t MaxDepth = 4;
    if (areApart())
      return true;
    if (K >= std::min(Common.size(), MaxDepth))
      return false;
    bool Each = true;
    for (Order O : {Order::Equal, Order::StoreLater, Order::StoreEarlier}) {
      Common[K].second = O;
      Each = Each && areApartFrom(K + 1);
    }
    Common[K].second = Order::Any;
    return Each;
  }

  /// Whether the first access is in the last iteration that a run of \p L may
  /// come to.
  bool isFirstInLast(const Loop *L) const {
    return OnFirst.AlwaysLast.contains(L);
  }

  /// Loops around both, outermost first.
  Orders Common;

private:
  /// The place in the table, of one pointer, from where the row is loaded that
  /// \p Address is in; null if it is in none. Scope is its mark.
  const SCEV *rowOf(const SCEV *Address, const MDNode *&Scope) {
    auto *Base = dyn_cast<SCEVUnknown>(SE.getPointerBase(Address));
    auto *Row = Base ? dyn_cast<LoadInst>(Base->getValue()) : nullptr;
    Scope = Row ? Row->getMetadata(RowMark) : nullptr;
    if (!Scope)
      return nullptr;
    MayWrap = MayWrap || mayWrap(Row->getPointerOperand());
    return SE.getSCEV(Row->getPointerOperand());
  }
  void findRows(const RangeTest::DeclaredAt &At) {
    const MDNode *Mine, *Its;
    FromRow = rowOf(From, Mine);
    ToRow = rowOf(To, Its);
    if (!FromRow || !ToRow || Mine != Its ||
        SE.getPointerBase(FromRow) != SE.getPointerBase(ToRow)) {
      FromRow = nullptr;
      return;
    }
    IsKnown = true;
    FromRow = SE.removePointerBase(FromRow);
    ToRow = SE.removePointerBase(ToRow);
    RowsFrom = At(*Mine);
  }

  const LoopInfo &LI;
  ScalarEvolution &SE;
  const Loop *OfFirst, *OfStore;
  const Guards OnFirst, OnStore;
  bool MayWrap;
  const SCEV *From, *To;
  const SCEV *FromRow = nullptr, *ToRow = nullptr; ///< Of accesses to rows.
  const BasicBlock *RowsFrom = nullptr; ///< Where rows were found apart.
  int64_t Accessed = 0, Written = 0;
  bool IsKnown = false;
};

} // namespace

static bool isNeverOverwritten(Pair &P, const Instruction &First,
                               const StoreInst &Store) {
  for (size_t K = 0; K != P.Common.size(); ++K) {
    P.Common[K].second = Order::StoreLater;
    if (!P.isFirstInLast(P.Common[K].first) && !P.areApartFrom(K + 1))
      return false;
    P.Common[K].second = Order::Equal;
  }
  const Loop *Innermost = P.Common.empty() ? nullptr : P.Common.back().first;
  return !mayComeInIteration(First, Store, Innermost) || P.areApart();
}

bool RangeTest::isNeverOverwritten(const Instruction &First,
                                   const StoreInst &Store) const {
  Pair P(LI, SE, First, Store, At);
  return P && ::isNeverOverwritten(P, First, Store);
}

bool RangeTest::wouldNeverBeOverwritten(const Instruction &First,
                                        const StoreInst &Store,
                                        const Loop &L) const {
  Pair P(LI, SE, First, Store, At);
  if (!P)
    return false;
  P.takeRowsAsApartIn(L);
  return ::isNeverOverwritten(P, First, Store);
}

static bool areApartIn(Pair &P, const Loop &L) {
  size_t Outside = 0;
  for (; P.Common[Outside].first != &L; ++Outside)
    P.Common[Outside].second = Order::Equal;
  return P.areApartFrom(Outside);
}

bool RangeTest::areApartWithin(const Instruction &First, const StoreInst &Store,
                               const Loop &L) const {
  Pair P(LI, SE, First, Store, At);
  return P && areApartIn(P, L);
}

bool RangeTest::wouldBeApartWithin(const Instruction &First,
                                   const StoreInst &Store,
                                   const Loop &L) const {
  Pair P(LI, SE, First, Store, At);
  if (!P)
    return false;
  P.takeRowsAsApartIn(L);
  return areApartIn(P, L);
}

bool RangeTest::covers(const Instruction &Write, const LoadInst &Load) const {
  const Loop *OfLoad = LI.getLoopFor(Load.getParent());
  const Loop *Around = LI.getLoopFor(Write.getParent());
  SmallVector<const Loop *, 4> Nest;
  for (; Around && !Around->contains(Load.getParent());
       Around = Around->getParentLoop())
    Nest.push_back(Around);
  auto Address = [&](const Value *P) {
    return SE.getSCEV(const_cast<Value *>(P));
  };
  auto *Set = dyn_cast<MemSetInst>(&Write);
  auto *Store = dyn_cast<StoreInst>(&Write);
  if ((!Set || !Nest.empty()) && !Store)
    return false;
  const Value *Written = Set ? Set->getRawDest() : Store->getPointerOperand();
  const SCEV *First = Address(Load.getPointerOperand());
  const SCEV *Start = Address(Written);
  // One pointer, that is one in an iteration of Around.
  auto *Base = dyn_cast<SCEVUnknown>(SE.getPointerBase(First));
  auto *I = Base ? dyn_cast<Instruction>(Base->getValue()) : nullptr;
  const Loop *OfBase = I ? LI.getLoopFor(I->getParent()) : nullptr;
  if (!Base || Base != SE.getPointerBase(Start) ||
      (OfBase && !OfBase->contains(Around)))
    return false;
  First = SE.removePointerBase(First);
  Start = SE.removePointerBase(Start);
  Orders Common;
  for (const Loop *L = Around; L; L = L->getParentLoop())
    Common.insert(Common.begin(), {L, Order::Equal});
  const Guards None;
  Difference D(LI, SE, OfLoad, Around, Common, None, None,
               mayWrap(Load.getPointerOperand()) || mayWrap(Written));
  const DataLayout &DL = Load.getDataLayout();
  int64_t Accessed = DL.getTypeStoreSize(Load.getType());
  if (Set)
    return D.isWithin(First, Accessed, Start, Address(Set->getLength()));
  return D.isWithin(First, Accessed, Start,
                    DL.getTypeStoreSize(Store->getValueOperand()->getType()),
                    Nest);
}
