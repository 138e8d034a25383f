//===- ExceptionTexts.cpp - what() of what was caught ---------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "prepare/ExceptionTexts.h"
#include "analysis/CallModel.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace verso;

static constexpr StringLiteral TextOf = "__verso_what";

/// Where what() is in the table of std::exception, behind both destructors
/// (Itanium C++ ABI, 2.5); __verso_what() looks there, too.
static uint64_t placeOfWhat(const DataLayout &DL) {
  return 2 * DL.getPointerSize();
}

/// Whether \p Type is of std::exception or a class of the library's that begins
/// with one.
static bool isOfLibrary(const Value &Type) {
  StringRef Name = Type.getName();
  unsigned Length = 0;
  return Name.consume_front("_ZTISt") && !Name.consumeInteger(10, Length) &&
         Name.size() == Length &&
         is_contained(ArrayRef<StringRef>{"exception",
                                          "bad_exception",
                                          "bad_alloc",
                                          "bad_array_new_length",
                                          "bad_cast",
                                          "bad_typeid",
                                          "bad_any_cast",
                                          "bad_function_call",
                                          "bad_optional_access",
                                          "bad_variant_access",
                                          "bad_weak_ptr",
                                          "logic_error",
                                          "domain_error",
                                          "invalid_argument",
                                          "length_error",
                                          "out_of_range",
                                          "future_error",
                                          "runtime_error",
                                          "range_error",
                                          "overflow_error",
                                          "underflow_error",
                                          "system_error",
                                          "regex_error",
                                          "format_error"},
                      Name);
}

/// Whether all handlers of \p Pad are of classes of the library, or of whatever
/// is thrown.
static bool catchesLibrary(const LandingPadInst &Pad) {
  for (unsigned K = 0; K != Pad.getNumClauses(); ++K) {
    const Constant *Type = Pad.getClause(K);
    if (Pad.isFilter(K) ||
        (!isa<ConstantPointerNull>(Type) && !isOfLibrary(*Type)))
      return false;
  }
  return true;
}

/// Whether \p Thrown is what landing pads of that kind got.
static bool isFromLibrary(const Value *Thrown) {
  SmallVector<const Value *, 8> Work{Thrown};
  SmallPtrSet<const Value *, 8> Seen;
  bool Any = false;
  while (!Work.empty()) {
    const Value *V = Work.pop_back_val();
    if (!Seen.insert(V).second)
      continue;
    if (auto *Pad = dyn_cast<LandingPadInst>(V)) {
      if (!catchesLibrary(*Pad))
        return false;
      Any = true;
    } else if (auto *Phi = dyn_cast<PHINode>(V)) {
      append_range(Work, Phi->incoming_values());
    } else if (auto *Extract = dyn_cast<ExtractValueInst>(V)) {
      Work.push_back(Extract->getAggregateOperand());
    } else if (auto *Insert = dyn_cast<InsertValueInst>(V)) {
      Work.push_back(Insert->getAggregateOperand());
      if (Insert->getInsertedValueOperand()->getType()->isPointerTy())
        Work.push_back(Insert->getInsertedValueOperand());
    } else if (!isa<UndefValue>(V)) {
      return false;
    }
  }
  return Any;
}

/// The exception whose what() \p Call calls, null if it does not.
static Value *exceptionOf(const CallInst &Call, const DataLayout &DL) {
  auto *Target = dyn_cast<LoadInst>(Call.getCalledOperand());
  if (!Target || Call.arg_size() != 1 || !Call.getType()->isPointerTy())
    return nullptr;
  APInt At(DL.getIndexTypeSizeInBits(Target->getPointerOperandType()), 0);
  auto *Table = dyn_cast<LoadInst>(
      Target->getPointerOperand()->stripAndAccumulateConstantOffsets(DL, At,
                                                                     true));
  Value *Exception = Call.getArgOperand(0);
  auto *Caught = dyn_cast<CallBase>(Exception);
  const Function *Catch = Caught ? Caught->getCalledFunction() : nullptr;
  return Table && At == placeOfWhat(DL) &&
                 Table->getPointerOperand() == Exception && Catch &&
                 Catch->getName() == "__cxa_begin_catch" &&
                 isFromLibrary(Caught->getArgOperand(0))
             ? Exception
             : nullptr;
}

/// Whether \p F leaves all memory but its own alone, and calls nothing that
/// might not.
static bool onlyReads(const Function &F,
                      SmallPtrSetImpl<const Function *> &Seen) {
  if (!Seen.insert(&F).second || F.onlyReadsMemory())
    return true;
  return all_of(instructions(F), [&](const Instruction &I) {
    auto *Store = dyn_cast<StoreInst>(&I);
    if (!I.mayWriteToMemory() ||
        (Store && isa<AllocaInst>(Store->getPointerOperand())))
      return true;
    auto *Call = dyn_cast<CallBase>(&I);
    if (!Call)
      return false;
    CallModel M = modelCall(*Call, nullptr);
    return M.K == CallModel::Inactive ||
           (M.K == CallModel::Direct && onlyReads(*M.Callee, Seen));
  });
}

/// Whether \p Type is of a number, or of a pointer to some.
static bool isFundamental(const Value &Type) {
  StringRef Name = Type.getName();
  if (!Name.consume_front("_ZTI"))
    return false;
  Name = Name.ltrim("PK");
  return Name.size() == 1 && isLower(Name[0]);
}

/// Whether the class that \p Type describes is, or may be, derived from
/// std::exception.
static bool mayBeException(const Value &Type) {
  SmallSetVector<const Value *, 8> Bases;
  Bases.insert(&Type);
  for (unsigned K = 0; K != Bases.size(); ++K) {
    auto *G = dyn_cast<GlobalVariable>(Bases[K]);
    if (!G || isOfLibrary(*G) || !G->hasInitializer())
      return true;
    for (const Use &U : G->getInitializer()->operands())
      if (U->stripPointerCasts()->getName().starts_with("_ZTI"))
        Bases.insert(U->stripPointerCasts());
  }
  return false;
}

/// What \p Table has in the place of what(), if it is of such a class.
static const Function *whatIn(const GlobalVariable &Table) {
  constexpr unsigned Type = 1, What = 4;
  auto *All = Table.getName().starts_with("_ZTV") && Table.hasInitializer()
                  ? dyn_cast<ConstantAggregate>(Table.getInitializer())
                  : nullptr;
  auto *First = All ? dyn_cast<ConstantAggregate>(All->getOperand(0)) : nullptr;
  if (!First || First->getNumOperands() <= What ||
      !mayBeException(*First->getOperand(Type)->stripPointerCasts()))
    return nullptr;
  return dyn_cast<Function>(First->getOperand(What)->stripPointerCasts());
}

/// Whether every what() of the program's own that is known here only reads, and
/// no class is thrown here that has one in another file.
static bool areAllTexts(const Module &M) {
  auto IsOther = [](const GlobalValue &G) {
    return !G.isDeclaration() || !G.getName().starts_with("_ZNKSt");
  };
  auto IsWhat = [&](const GlobalValue &G) {
    return G.getName().contains("4what") && IsOther(G);
  };
  SmallPtrSet<const Function *, 8> Seen;
  auto MayWrite = [&](const Function &F) {
    return F.isDeclaration() || !onlyReads(F, Seen);
  };
  if (any_of(M.aliases(), IsWhat) ||
      any_of(M, [&](const Function &F) { return IsWhat(F) && MayWrite(F); }) ||
      any_of(M.globals(), [&](const GlobalVariable &G) {
        const Function *What = whatIn(G);
        return What && IsOther(*What) && MayWrite(*What);
      }))
    return false;
  const Function *Throw = M.getFunction("__cxa_throw");
  return !Throw || all_of(Throw->users(), [](const User *U) {
    auto *Call = dyn_cast<CallBase>(U);
    auto *Type = Call && Call->arg_size() > 1
                     ? dyn_cast<GlobalVariable>(Call->getArgOperand(1))
                     : nullptr;
    return Type && (!Type->isDeclaration() || isOfLibrary(*Type) ||
                    isFundamental(*Type));
  });
}

bool verso::nameTextsOfExceptions(Function &F) {
  Module &M = *F.getParent();
  SmallVector<CallInst *, 4> Calls;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallInst>(&I);
        Call && !Call->getCalledFunction() &&
        exceptionOf(*Call, M.getDataLayout()))
      Calls.push_back(Call);
  if (Calls.empty() || !areAllTexts(M))
    return false;
  for (CallInst *Call : Calls)
    Call->setCalledFunction(
        M.getOrInsertFunction(TextOf, Call->getFunctionType()));
  return true;
}
