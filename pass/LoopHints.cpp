//===- LoopHints.cpp - what a program demands of its loops ----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopHints.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Metadata.h"

using namespace llvm;
using namespace verso;

/// Of loops, and of functions that have such.
static constexpr StringRef AnyOrder = "verso.any.order";

/// The name of a loop's property, and whether it is one that is turned off.
static std::pair<StringRef, bool> property(const Metadata *Property) {
  auto *Node = dyn_cast<MDNode>(Property);
  auto *Name = Node && Node->getNumOperands()
                   ? dyn_cast<MDString>(Node->getOperand(0))
                   : nullptr;
  auto *Value = Name && Node->getNumOperands() == 2
                    ? mdconst::dyn_extract<ConstantInt>(Node->getOperand(1))
                    : nullptr;
  return {Name ? Name->getString() : StringRef(), Value && Value->isZero()};
}

static bool isDemand(StringRef Name) {
  return Name == "llvm.loop.vectorize.enable" ||
         Name == "llvm.loop.distribute.enable" ||
         Name == "llvm.loop.unroll.enable" || Name == "llvm.loop.unroll.full" ||
         Name == "llvm.loop.unroll.count" ||
         Name == "llvm.loop.unroll_and_jam.enable" ||
         Name == "llvm.loop.unroll_and_jam.count";
}

void verso::dropDemands(Function &F) {
  LLVMContext &C = F.getContext();
  for (BasicBlock &Block : F) {
    Instruction *Latch = Block.getTerminator();
    MDNode *Loop = Latch->getMetadata(LLVMContext::MD_loop);
    if (!Loop)
      continue;
    SmallVector<StringRef, 4> Demands;
    for (const MDOperand &Op : drop_begin(Loop->operands()))
      if (auto [Name, IsOff] = property(Op); !IsOff && isDemand(Name))
        Demands.push_back(Name);
    if (Demands.empty())
      continue;
    SmallVector<MDNode *, 1> Instead;
    if (is_contained(Demands, "llvm.loop.vectorize.enable")) {
      Instead.push_back(MDNode::get(C, MDString::get(C, AnyOrder)));
      F.addFnAttr(AnyOrder);
    }
    Latch->setMetadata(LLVMContext::MD_loop, makePostTransformationMetadata(
                                                 C, Loop, Demands, Instead));
  }
}

bool verso::mayReorder(const Loop &L) {
  return findOptionMDForLoop(&L, AnyOrder) != nullptr;
}

bool verso::hasReorderableLoops(const Function &F) {
  return F.hasFnAttribute(AnyOrder);
}
