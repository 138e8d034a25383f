//===- OverlappingMembers.cpp - bits that are several numbers -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "prepare/OverlappingMembers.h"
#include "emit/Runtime.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace verso;

namespace {

/// A number that is made of some of a value's bits.
struct Member {
  Instruction *Number; ///< The value itself, or a cast.
  uint64_t At;         ///< Its first byte.

  uint64_t end() const {
    return At + Number->getType()->getPrimitiveSizeInBits() / 8;
  }
};

class Members {
public:
  explicit Members(Instruction &Bits) : Bits(Bits) { find(); }
  bool overlap() const;
  void readApart();

private:
  void find();
  void findIn(Value &V, uint64_t At);
  Value *read(Value *V, Type *T, uint64_t At);

  Instruction &Bits;
  SmallVector<Member, 4> All;
  MapVector<std::pair<Value *, std::pair<Type *, uint64_t>>, Value *> Read;
};

} // namespace

void Members::find() {
  if (Bits.getType()->isFloatingPointTy())
    All.push_back({&Bits, 0});
  findIn(Bits, 0);
}

/// Of the bits \p V, which begin at that byte.
void Members::findIn(Value &V, uint64_t At) {
  for (User *U : V.users()) {
    auto *I = dyn_cast<Instruction>(U);
    const APInt *Shift;
    if (isa_and_nonnull<BitCastInst>(I)) {
      if (I->getType()->isFPOrFPVectorTy())
        All.push_back({I, At});
      findIn(*I, At);
    } else if (isa_and_nonnull<TruncInst>(I)) {
      findIn(*I, At);
    } else if (I && match(I, m_LShr(m_Specific(&V), m_APInt(Shift))) &&
               Shift->ult(V.getType()->getIntegerBitWidth()) &&
               Shift->urem(8) == 0) {
      findIn(*I, At + Shift->getZExtValue() / 8);
    }
  }
}

/// Whether some bits are in numbers of different types, or in parts of one.
bool Members::overlap() const {
  return any_of(All, [&](const Member &A) {
    return any_of(All, [&](const Member &B) {
      Type *T = A.Number->getType()->getScalarType();
      const uint64_t Size = T->getPrimitiveSizeInBits() / 8;
      return A.At < B.end() && B.At < A.end() &&
             (T != B.Number->getType()->getScalarType() ||
              (A.At - B.At) % Size != 0);
    });
  });
}

/// The number of type \p T in the bits \p V, from byte \p At on.
Value *Members::read(Value *V, Type *T, uint64_t At) {
  if (V->getType() == T && At == 0)
    return V;
  auto [It, IsNew] = Read.try_emplace({V, {T, At}}, nullptr);
  if (!IsNew)
    return It->second;
  auto *I = dyn_cast<Instruction>(V);
  auto *Load = dyn_cast<LoadInst>(V);
  Value *Result;
  if (Load && Load->isSimple()) {
    IRBuilder<> B(Load);
    Value *P = B.CreateConstInBoundsGEP1_64(B.getInt8Ty(),
                                            Load->getPointerOperand(), At);
    LoadInst *New =
        B.CreateAlignedLoad(T, P, commonAlignment(Load->getAlign(), At));
    New->copyMetadata(*Load,
                      {LLVMContext::MD_alias_scope, LLVMContext::MD_noalias});
    Result = New;
  } else if (auto *Phi = dyn_cast<PHINode>(V)) {
    PHINode *New = IRBuilder<>(Phi).CreatePHI(T, Phi->getNumIncomingValues());
    Read[{V, {T, At}}] = New;
    for (auto [From, Block] : zip(Phi->incoming_values(), Phi->blocks()))
      New->addIncoming(read(From, T, At), Block);
    return New;
  } else if (auto *S = dyn_cast<SelectInst>(V)) {
    Value *True = read(S->getTrueValue(), T, At),
          *False = read(S->getFalseValue(), T, At);
    Result = IRBuilder<>(S).CreateSelect(S->getCondition(), True, False);
  } else {
    // Of anything else its bits are taken, as before.
    std::optional<BasicBlock::iterator> Behind;
    if (I)
      Behind = I->getInsertionPointAfterDef();
    IRBuilder<> B(V->getContext());
    if (Behind)
      B.SetInsertPoint(*Behind);
    else
      B.SetInsertPointPastAllocas(Bits.getFunction());
    const uint64_t Size = T->getPrimitiveSizeInBits();
    Value *Part =
        B.CreateBitCast(V, B.getIntNTy(V->getType()->getPrimitiveSizeInBits()));
    Part = B.CreateTrunc(B.CreateLShr(Part, 8 * At), B.getIntNTy(Size));
    Result = B.CreateBitCast(Part, T);
  }
  return Read[{V, {T, At}}] = Result;
}

void Members::readApart() {
  for (const Member &M : All)
    if (M.Number != &Bits) {
      M.Number->replaceAllUsesWith(read(&Bits, M.Number->getType(), M.At));
      RecursivelyDeleteTriviallyDeadInstructions(M.Number);
    }
}

/// Whether the bits of \p I may be a union's.
static bool mayBeUnion(const Instruction &I) {
  if (!isa<LoadInst, PHINode, SelectInst>(I) || isInert(I))
    return false;
  Type *T = I.getType();
  return T->isDoubleTy() ||
         (T->isIntegerTy() && T->getIntegerBitWidth() >= 32 &&
          T->getIntegerBitWidth() % 8 == 0);
}

PreservedAnalyses ReadMembersApartPass::run(Function &F,
                                            FunctionAnalysisManager &) {
  if (!F.getDataLayout().isLittleEndian())
    return PreservedAnalyses::all();
  bool Changed = false;
  // What is chosen comes to its loads first.
  SmallVector<WeakVH, 8> Unions;
  for (Instruction &I : instructions(F))
    if (mayBeUnion(I) && Members(I).overlap())
      Unions.push_back(&I);
  for (const WeakVH &I : Unions)
    if (I) {
      Members(*cast<Instruction>(I)).readApart();
      Changed = true;
    }
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}
