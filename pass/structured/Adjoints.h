//===- Adjoints.h - reversed instructions -----------------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The adjoint of every active value is a variable of the value's type, zero
// when its iteration of the verso begins:
//
//   y = f(a, b)        t = y', y' = 0;  a' += df/da t;  b' += df/db t
//   y = load p         t = y', y' = 0;  *p' += t
//   store y, p         t = *p', *p' = 0;  y' += t
//   y = phi [a, P]     t = y', y' = 0;  a' += t   on the edge to P
//   y = c ? a : b      t = y', y' = 0;  a' += c ? t : 0;  b' += c ? 0 : t
//
// A zero adjoint times an infinite partial is zero. What is emitted refers to
// values of the recto as they stand there.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_ADJOINTS_H
#define VERSO_STRUCTURED_ADJOINTS_H

#include "structured/Choices.h"
#include "structured/Infinities.h"
#include "structured/KindMarks.h"
#include "structured/ShadowPointers.h"
#include "structured/Slots.h"
#include "structured/memory/Varied.h"

#include <functional>

namespace verso {

/// The type of the adjoint of a \p T outside of memory: sums of halfs are
/// floats.
llvm::Type *adjointType(llvm::Type *T);

class Adjoints {
public:
  Adjoints(const VariedMemory &V, ShadowPointers &Shadows, Slots &S,
           Refusals &Refused)
      : V(V), Shadows(Shadows), S(S), Refused(Refused), Infinite(V) {}

  /// What of a block is reversed in one: \p Parts only if something comes to
  /// the last of them, \p Chains by products (CarriedNumbers).
  struct Pieces {
    llvm::ArrayRef<Choices::Part> Parts = {}, Chains = {};
  };
  /// In blocks that \p NewBlock makes; B is where it goes on, in the end.
  void reverseBlock(llvm::BasicBlock &Block, llvm::IRBuilderBase &B,
                    const Pieces &InOne,
                    llvm::function_ref<llvm::BasicBlock *()> NewBlock);
  void takePhis(llvm::BasicBlock &Block, llvm::IRBuilderBase &B);
  void giveToPredecessor(llvm::BasicBlock &Block, llvm::BasicBlock &From,
                         llvm::IRBuilderBase &B);

  /// Reverses one instruction.
  void reverse(llvm::Instruction &I, llvm::IRBuilderBase &B);
  /// What \p I, with the adjoint \p T, adds to that of \p X; null if nothing.
  llvm::Value *contribution(llvm::Instruction &I, llvm::Value *X,
                            llvm::Value *T, llvm::IRBuilderBase &B);
  /// Only to values that it accepts is anything added.
  void setFilter(std::function<bool(llvm::Value *)> Accepts) {
    Filter = std::move(Accepts);
  }
  /// An outer request differentiates the code: a zero adjoint counts as zero
  /// beside infinite tangents of partials, too.
  void setInner(bool Value) { IsInner = Value; }
  /// Who reverses active calls of members.
  void reverseCallsBy(
      std::function<void(llvm::CallBase &, llvm::IRBuilderBase &)> Reverse) {
    ReverseCall = std::move(Reverse);
  }
  /// Called where the reverse of a store of the program begins.
  void setStoreBegins(
      std::function<void(llvm::StoreInst &, llvm::IRBuilderBase &)> Begins) {
    StoreBegins = std::move(Begins);
  }
  /// Where loads of marked memory find what they load.
  void setMarks(KindMarks *Known) { Marks = Known; }
  /// A place in the recto for adjoints of memory that has no shadow. What is
  /// there may be anything, and nobody reads it.
  void setNowhere(llvm::Value *Place) { Elsewhere = Place; }
  /// Element by element, of the real numbers in it.
  static llvm::Value *sum(llvm::IRBuilderBase &B, llvm::Value *X,
                          llvm::Value *Y);

  /// X' += Contribution, where X is active.
  void add(llvm::IRBuilderBase &B, llvm::Value *X, llvm::Value *Contribution);
  /// The same, whatever the filter says.
  void seed(llvm::IRBuilderBase &B, llvm::Value *X, llvm::Value *Contribution);
  /// X', which becomes zero, of X's type.
  llvm::Value *take(llvm::IRBuilderBase &B, llvm::Value *X);
  /// The same, of adjointType().
  llvm::Value *takeSum(llvm::IRBuilderBase &B, llvm::Value *X);
  /// Whether X', of a real number, is zero, which has no effect; X' = 0.
  llvm::Value *isZero(llvm::IRBuilderBase &B, llvm::Value *X);
  void clear(llvm::IRBuilderBase &B, llvm::Value *X);
  bool isActive(const llvm::Value *X) const { return V.isActive(X); }
  /// All adjoints become zero, and that of \p Result what it is seeded with (or
  /// null); at the start of the verso.
  void start(llvm::IRBuilderBase &B, llvm::Value *Result, llvm::Value *Seed);
  /// Accesses of adjoint cells in memory, and the primal's pointers.
  struct Access {
    llvm::Instruction *I;
    llvm::Value *Pointer;
  };
  llvm::ArrayRef<Access> accesses() const { return Accesses; }
  /// What the recto computes for the verso alone.
  llvm::ArrayRef<llvm::Instruction *> ofRecto() const { return OfRecto; }

  /// Conditions of the verso under which a derivative would be lost.
  struct Loss {
    llvm::Instruction *Condition;
    const llvm::Instruction *At; ///< Of the program.
    llvm::StringRef Why;
  };
  llvm::ArrayRef<Loss> losses() const { return Losses; }

private:
  llvm::AllocaInst *slotOf(llvm::Value *X);
  /// The same, a float where X is a half.
  llvm::Value *taken(llvm::IRBuilderBase &B, llvm::Value *X);
  llvm::FastMathFlags flagsOfSums(const llvm::Function &F);
  void reversePart(const Choices::Part &Part, llvm::IRBuilderBase &B,
                   llvm::function_ref<llvm::BasicBlock *()> NewBlock);
  using Multiples = llvm::MapVector<llvm::Value *, llvm::Value *>;
  Multiples multiplesOf(const Choices::Part &Chain);
  bool isTested(const Choices::Part &Chain);
  void reverseChain(const Choices::Part &Chain, llvm::IRBuilderBase &B,
                    llvm::function_ref<llvm::BasicBlock *()> NewBlock);
  void reverseOperation(llvm::Instruction &I, const Operation &Op,
                        llvm::IRBuilderBase &B);
  void reverseLoad(llvm::LoadInst &I, llvm::IRBuilderBase &B);
  void reverseStore(llvm::StoreInst &I, llvm::IRBuilderBase &B);
  void refuseLostBits(llvm::StoreInst &I, llvm::Value *Cell,
                      llvm::IRBuilderBase &B);
  void reverseFields(const BulkAccess &A, llvm::Value *To, llvm::Value *From,
                     llvm::Value *Bytes, llvm::IRBuilderBase &B);
  void reverseBulk(const BulkAccess &A, llvm::IRBuilderBase &B);
  void reverseMarked(const BulkAccess &A, llvm::IRBuilderBase &B);
  void reverseMovedWord(llvm::LoadInst &I, llvm::IRBuilderBase &B);
  void reverseMove(llvm::StoreInst &I, llvm::LoadInst &Word,
                   llvm::IRBuilderBase &B);
  void reverseWords(const BulkAccess &A, llvm::Value *To, llvm::Value *From,
                    llvm::IRBuilderBase &B);
  llvm::Value *ofWhole(llvm::LoadInst &I, llvm::Value *T, llvm::Value *Lacking,
                       llvm::IRBuilderBase &B);
  void reverseField(const BulkAccess &A, const BulkAccess::Field &F,
                    llvm::Value *To, llvm::Value *From, llvm::Value *Bytes,
                    llvm::IRBuilderBase &B);
  llvm::Value *cell(llvm::IRBuilderBase &B, llvm::Value *Pointer, llvm::Type *T,
                    llvm::Instruction &Access, llvm::Value *&Lacking);

  const VariedMemory &V;
  ShadowPointers &Shadows;
  Slots &S;
  Refusals &Refused;
  Infinities Infinite;
  std::function<void(llvm::CallBase &, llvm::IRBuilderBase &)> ReverseCall;
  std::function<void(llvm::StoreInst &, llvm::IRBuilderBase &)> StoreBegins;
  llvm::Value *Elsewhere = nullptr;
  KindMarks *Marks = nullptr;
  bool IsInner = false;
  std::function<bool(llvm::Value *)> Filter;
  /// While contribution() runs: of what, and to what.
  struct Contribution {
    llvm::Value *Of, *To, *T;
    llvm::Value *Sum = nullptr;
  };
  Contribution *Asked = nullptr;
  /// While multiplesOf() runs: what comes to each value.
  Multiples *Coming = nullptr;
  llvm::MapVector<llvm::Value *, llvm::AllocaInst *> Variables;
  llvm::DenseMap<llvm::PHINode *, llvm::Value *> Taken;
  llvm::SmallVector<Access, 32> Accesses;
  llvm::SmallVector<llvm::Instruction *, 32> OfRecto;
  llvm::SmallVector<Loss, 2> Losses;
  llvm::DenseMap<llvm::Type *, llvm::AllocaInst *> Nowhere;
  /// Whether sums of ours may be fused with products; not known at first.
  std::optional<bool> Fuses;
  /// The primal's pointer and the type of the adjoint cell that has just become
  /// zero, until another one is accessed.
  std::pair<llvm::Value *, llvm::Type *> Cleared;
};

} // namespace verso

#endif // VERSO_STRUCTURED_ADJOINTS_H
