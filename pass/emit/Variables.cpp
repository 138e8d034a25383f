//===- Variables.cpp - variables of emitted code become values ------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pruned SSA form by iterated dominance frontiers: R. Cytron et al.,
// Efficiently computing static single assignment form and the control
// dependence graph, TOPLAS 13(4), 1991. The frontiers by K. Cooper, T. Harvey
// and K. Kennedy, A simple, fast dominance algorithm, 2001.
//
//===----------------------------------------------------------------------===//

#include "emit/Variables.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/bit.h"
#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/IR/CFG.h"
#include "llvm/Support/MathExtras.h"

#include <array>

using namespace llvm;
using namespace verso;

namespace {

/// A bit for each variable of a group.
using Word = uint64_t;
constexpr unsigned GroupSize = 64;

class Promotion {
public:
  Promotion(ArrayRef<AllocaInst *> Variables, DominatorTree &DT)
      : Variables(Variables), DT(DT), Current(Variables.size()),
        Groups(divideCeil(Variables.size(), GroupSize)) {
    findBlocks();
    findFrontiers();
    findAccesses();
  }

  void run() {
    for (unsigned G = 0; G != Groups.size(); ++G)
      placePhis(G);
    rename();
    simplifyPhis();
    for (AllocaInst *V : Variables)
      V->eraseFromParent();
  }

private:
  struct Access {
    Instruction *I;
    unsigned Variable;
  };
  struct Block {
    BasicBlock *BB;
    SmallVector<unsigned, 2> Predecessors;
    SmallVector<unsigned, 2> Frontier;
    SmallVector<Access, 0> Accesses; ///< In the order of the block.
    SmallVector<std::pair<PHINode *, unsigned>, 0> Phis; ///< And of which.
  };
  /// What a block does to the variables of a group.
  struct Effect {
    unsigned Block;
    Word Reads = 0; ///< Before it writes them.
    Word Writes = 0;
  };

  void findBlocks();
  void findFrontiers();
  void findAccesses();
  std::vector<Word> findLive(ArrayRef<Effect> Effects,
                             const std::vector<Word> &Writes) const;
  void placePhis(unsigned Group);
  void addPhis(unsigned Group, const std::vector<Word> &Where);
  void rename();
  void renameIn(Block &B);
  void set(unsigned Variable, Value *V) {
    Before.push_back({Variable, Current[Variable]});
    Current[Variable] = V;
  }
  Value *get(unsigned Variable) const {
    Value *V = Current[Variable];
    return V ? V : UndefValue::get(Variables[Variable]->getAllocatedType());
  }
  void simplifyPhis();

  ArrayRef<AllocaInst *> Variables;
  DominatorTree &DT;
  std::vector<Block> Blocks; ///< Those that are reached, the entry first.
  DenseMap<const BasicBlock *, unsigned> NumberOf;
  std::vector<Value *> Current; ///< By variable; null: never set.
  /// What was current before, of all that the blocks from the entry to here
  /// have set.
  SmallVector<std::pair<unsigned, Value *>, 0> Before;
  std::vector<SmallVector<Effect, 0>> Groups;
};

} // namespace

void Promotion::findBlocks() {
  Function &F = *DT.getRoot()->getParent();
  for (BasicBlock *BB : ReversePostOrderTraversal<Function *>(&F)) {
    NumberOf[BB] = Blocks.size();
    Blocks.push_back({BB, {}, {}, {}, {}});
  }
  for (Block &B : Blocks)
    for (BasicBlock *P : predecessors(B.BB))
      if (auto Number = NumberOf.find(P); Number != NumberOf.end())
        B.Predecessors.push_back(Number->second);
}

void Promotion::findFrontiers() {
  auto Dominator = [&](unsigned Of) {
    return NumberOf.lookup(DT.getNode(Blocks[Of].BB)->getIDom()->getBlock());
  };
  std::vector<unsigned> Last(Blocks.size(), 0); // The entry is no frontier.
  for (unsigned At = 1; At != Blocks.size(); ++At) {
    if (Blocks[At].Predecessors.size() < 2)
      continue;
    unsigned End = Dominator(At);
    for (unsigned Runner : Blocks[At].Predecessors)
      for (; Runner != End && Last[Runner] != At; Runner = Dominator(Runner)) {
        Last[Runner] = At;
        Blocks[Runner].Frontier.push_back(At);
      }
  }
}

void Promotion::findAccesses() {
  DenseMap<const Value *, unsigned> IndexOf;
  for (auto [Index, V] : enumerate(Variables))
    IndexOf[V] = Index;
  auto VariableOf = [&](const Instruction &I) {
    return IndexOf.find(getLoadStorePointerOperand(&I));
  };
  for (unsigned At = 0; At != Blocks.size(); ++At)
    for (Instruction &I : *Blocks[At].BB) {
      auto Found = VariableOf(I);
      if (Found == IndexOf.end())
        continue;
      unsigned V = Found->second;
      Blocks[At].Accesses.push_back({&I, V});
      SmallVectorImpl<Effect> &Effects = Groups[V / GroupSize];
      if (Effects.empty() || Effects.back().Block != At)
        Effects.push_back({At});
      Word Bit = Word(1) << V % GroupSize;
      if (isa<StoreInst>(I))
        Effects.back().Writes |= Bit;
      else if (!(Effects.back().Writes & Bit))
        Effects.back().Reads |= Bit;
    }
  // Nothing comes from blocks that are never reached.
  for (BasicBlock &BB : *DT.getRoot()->getParent())
    if (!NumberOf.contains(&BB))
      for (Instruction &I : make_early_inc_range(BB))
        if (VariableOf(I) != IndexOf.end()) {
          if (!I.getType()->isVoidTy())
            I.replaceAllUsesWith(PoisonValue::get(I.getType()));
          I.eraseFromParent();
        }
}

/// The variables that are live at the start of each block.
std::vector<Word> Promotion::findLive(ArrayRef<Effect> Effects,
                                      const std::vector<Word> &Writes) const {
  std::vector<Word> Live(Blocks.size());
  SmallVector<unsigned, 0> Work;
  for (const Effect &E : Effects)
    if ((Live[E.Block] = E.Reads))
      Work.push_back(E.Block);
  while (!Work.empty()) {
    unsigned At = Work.pop_back_val();
    for (unsigned P : Blocks[At].Predecessors)
      if (Word More = Live[At] & ~Writes[P] & ~Live[P]) {
        Live[P] |= More;
        Work.push_back(P);
      }
  }
  return Live;
}

void Promotion::placePhis(unsigned Group) {
  std::vector<Word> Writes(Blocks.size());
  SmallVector<unsigned, 0> Work;
  for (const Effect &E : Groups[Group])
    if ((Writes[E.Block] = E.Writes))
      Work.push_back(E.Block);
  std::vector<Word> Live = findLive(Groups[Group], Writes);
  std::vector<Word> Phis(Blocks.size());
  while (!Work.empty()) {
    unsigned At = Work.pop_back_val();
    for (unsigned F : Blocks[At].Frontier)
      if (Word More = (Writes[At] | Phis[At]) & Live[F] & ~Phis[F]) {
        Phis[F] |= More;
        Work.push_back(F);
      }
  }
  addPhis(Group, Phis);
}

void Promotion::addPhis(unsigned Group, const std::vector<Word> &Where) {
  std::array<unsigned, GroupSize> Count{};
  for (unsigned At = 0; At != Blocks.size(); ++At)
    for (Word Left = Where[At]; Left; Left &= Left - 1) {
      unsigned Bit = countr_zero(Left), V = Group * GroupSize + Bit;
      BasicBlock *BB = Blocks[At].BB;
      PHINode *Phi =
          PHINode::Create(Variables[V]->getAllocatedType(), pred_size(BB),
                          Variables[V]->getName() + "." + Twine(Count[Bit]++));
      Phi->insertBefore(BB->begin());
      Blocks[At].Phis.push_back({Phi, V});
    }
}

/// Down the dominator tree, without recursion: it may be as deep as the
/// function has blocks.
void Promotion::rename() {
  struct Visit {
    DomTreeNode *Node;
    DomTreeNode::iterator Child;
    size_t Before; ///< Its length when the block was entered.
  };
  SmallVector<Visit, 0> Path;
  auto Enter = [&](DomTreeNode *Node) {
    Path.push_back({Node, Node->begin(), Before.size()});
    renameIn(Blocks[NumberOf.lookup(Node->getBlock())]);
  };
  Enter(DT.getRootNode());
  while (!Path.empty()) {
    Visit &Last = Path.back();
    if (Last.Child != Last.Node->end()) {
      Enter(*Last.Child++);
      continue;
    }
    while (Before.size() > Last.Before) {
      auto [Variable, V] = Before.pop_back_val();
      Current[Variable] = V;
    }
    Path.pop_back();
  }
  for (Block &B : Blocks)
    for (BasicBlock *P : predecessors(B.BB))
      if (!NumberOf.contains(P))
        for (auto &[Phi, Variable] : B.Phis)
          Phi->addIncoming(PoisonValue::get(Phi->getType()), P);
}

void Promotion::renameIn(Block &B) {
  for (auto &[Phi, Variable] : B.Phis)
    set(Variable, Phi);
  for (Access &A : B.Accesses) {
    if (auto *Store = dyn_cast<StoreInst>(A.I))
      set(A.Variable, Store->getValueOperand());
    else
      A.I->replaceAllUsesWith(get(A.Variable));
    A.I->eraseFromParent();
  }
  for (BasicBlock *Next : successors(B.BB))
    for (auto &[Phi, Variable] : Blocks[NumberOf.lookup(Next)].Phis)
      Phi->addIncoming(get(Variable), B.BB);
}

/// Of phis whose incoming values are one, or each other's.
void Promotion::simplifyPhis() {
  SetVector<PHINode *> Work;
  DenseSet<const User *> Ours;
  for (Block &B : reverse(Blocks))
    for (auto &[Phi, Variable] : B.Phis)
      Work.insert(Phi);
  Ours.insert(Work.begin(), Work.end());
  const DataLayout &Layout = Variables.front()->getDataLayout();
  while (!Work.empty()) {
    PHINode *Phi = Work.pop_back_val();
    Value *V = simplifyInstruction(Phi, {Layout, /*TLI=*/nullptr, &DT});
    if (!V)
      continue;
    Ours.erase(Phi);
    for (User *U : Phi->users())
      if (Ours.contains(U))
        Work.insert(cast<PHINode>(U));
    Phi->replaceAllUsesWith(V);
    Phi->eraseFromParent();
  }
}

void verso::promoteVariables(ArrayRef<AllocaInst *> Variables,
                             DominatorTree &DT) {
  if (!Variables.empty())
    Promotion(Variables, DT).run();
}
