//===- EmptyAssembly.cpp - assembly that only hides a value ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "prepare/EmptyAssembly.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace verso;

namespace {
/// An output that is one of the inputs.
struct TiedOutput {
  /// Where it goes, if not into what the call returns.
  Value *Address;
  Value *Input;
};
} // namespace

/// The number of the output that \p Input is tied to, by all that it may be
/// ("0", "0|r"); none if there is none.
static std::optional<unsigned> tiedTo(const InlineAsm::ConstraintInfo &Input) {
  auto NumberIn = [](ArrayRef<std::string> Codes) -> std::optional<unsigned> {
    unsigned Number = 0;
    if (Codes.size() != 1 || !to_integer(Codes.front(), Number, 10))
      return std::nullopt;
    return Number;
  };
  if (!Input.isMultipleAlternative)
    return NumberIn(Input.Codes);
  for (const InlineAsm::SubConstraintInfo &Way : Input.multipleAlternatives)
    if (std::optional<unsigned> Number = NumberIn(Way.Codes))
      return Number;
  return std::nullopt;
}

/// The outputs of \p Call in order; empty if one is tied to no input.
static SmallVector<TiedOutput, 2> outputsOf(const CallInst &Call,
                                            const InlineAsm &Asm) {
  InlineAsm::ConstraintInfoVector Constraints = Asm.ParseConstraints();
  SmallVector<TiedOutput, 2> Outputs;
  unsigned Argument = 0;
  for (const InlineAsm::ConstraintInfo &C : Constraints) {
    Value *V = C.hasArg() ? Call.getArgOperand(Argument++) : nullptr;
    if (C.Type == InlineAsm::isOutput) {
      Outputs.push_back({C.isIndirect ? V : nullptr, nullptr});
      continue;
    }
    std::optional<unsigned> Output = tiedTo(C);
    if (C.Type == InlineAsm::isInput && !C.isIndirect && Output &&
        *Output < Outputs.size())
      Outputs[*Output].Input = V;
  }
  if (any_of(Outputs, [](const TiedOutput &O) { return !O.Input; }))
    return {};
  return Outputs;
}

/// What \p Call returns, of inputs \p Returned; null if that cannot be said.
static Value *returnedBy(CallInst &Call, ArrayRef<Value *> Returned,
                         IRBuilderBase &B) {
  if (Returned.size() == 1 && Returned[0]->getType() == Call.getType())
    return Returned[0];
  auto *T = dyn_cast<StructType>(Call.getType());
  if (!T || !equal(map_range(Returned, [](Value *V) { return V->getType(); }),
                   T->elements()))
    return nullptr;
  Value *Whole = PoisonValue::get(T);
  for (auto [K, Input] : enumerate(Returned))
    Whole = B.CreateInsertValue(Whole, Input, K);
  return Whole;
}

/// Puts inputs in the place of outputs, if \p Call is such assembly.
static void open(CallInst &Call) {
  auto *Asm = dyn_cast<InlineAsm>(Call.getCalledOperand());
  if (!Asm || !Asm->getAsmString().empty())
    return;
  SmallVector<TiedOutput, 2> Outputs = outputsOf(Call, *Asm);
  if (Outputs.empty())
    return;
  IRBuilder<> B(&Call);
  SmallVector<Value *, 2> Returned;
  for (const TiedOutput &O : Outputs)
    if (!O.Address)
      Returned.push_back(O.Input);
  if (!Returned.empty()) {
    Value *V = returnedBy(Call, Returned, B);
    if (!V)
      return;
    Call.replaceAllUsesWith(V);
  }
  for (const TiedOutput &O : Outputs)
    if (O.Address)
      B.CreateStore(O.Input, O.Address);
  Call.eraseFromParent();
}

void verso::openEmptyAssembly(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (auto *Call = dyn_cast<CallInst>(&I))
      open(*Call);
}
