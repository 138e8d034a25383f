//===- EigenKernels.cpp - what Eigen multiplies and solves by -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "prepare/EigenKernels.h"
#include "analysis/AccessTypes.h"
#include "emit/Runtime.h"
#include "prepare/NumericalLibraries.h"
#include "rules/KnownCalls.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace verso;

namespace {

struct Kernel {
  StringRef Name, Letters, Body; ///< As in the table.
};

/// What a name says of its kernel.
struct Match {
  bool IsDouble = true;
  SmallVector<int, 4> Constants;
};

} // namespace

static constexpr Kernel Kernels[] = {
#define VERSO_EIGEN(NAME, LETTERS, BODY) {NAME, LETTERS, #BODY},
#include "rules/EigenKernels.def"
};

static constexpr StringLiteral BodyAttribute = "verso_eigen_body",
                               ConstantsAttribute = "verso_eigen_constants";

/// A number or a truth value at the beginning of \p Text, which is taken off.
static std::optional<int> consumeConstant(StringRef &Text) {
  if (Text.consume_front("true"))
    return 1;
  if (Text.consume_front("false"))
    return 0;
  int Number;
  if (Text.consumeInteger(10, Number))
    return std::nullopt;
  return Number;
}

/// Whether \p Text begins with \p Name.
static std::optional<Match> match(StringRef Name, StringRef Text) {
  Match M;
  std::optional<bool> IsDouble;
  for (char C : Name) {
    if (C == '?') {
      const bool Now = Text.consume_front("double");
      if ((!Now && !Text.consume_front("float")) ||
          IsDouble.value_or(Now) != Now)
        return std::nullopt;
      IsDouble = Now;
    } else if (C == '#' || C == '~') {
      std::optional<int> Constant = consumeConstant(Text);
      if (!Constant)
        return std::nullopt;
      if (C == '#')
        M.Constants.push_back(*Constant);
    } else if (!Text.consume_front(StringRef(&C, 1))) {
      return std::nullopt;
    }
  }
  M.IsDouble = IsDouble.value_or(true);
  return M;
}

/// Whether threads of OpenMP may share the product.
static bool asksForThread(const Function &F) {
  return any_of(instructions(F), [](const Instruction &I) {
    auto *Call = dyn_cast<CallBase>(&I);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    return Callee && Callee->getName() == "omp_get_thread_num";
  });
}

static void noteKernel(Function &F) {
  if (F.isDeclaration() || F.hasLocalLinkage() || isMarkedInactive(F) ||
      asksForThread(F))
    return;
  const std::string Demangled = demangle(F.getName());
  StringRef Text = Demangled;
  Text.consume_front("long "); // What a template returns.
  if (!Text.consume_front("Eigen::internal::"))
    return;
  for (const Kernel &K : Kernels) {
    std::optional<Match> M = match(K.Name, Text);
    if (!M || !isOfSignature(*F.getFunctionType(), K.Letters, M->IsDouble))
      continue;
    std::string Constants;
    for (int C : M->Constants)
      Constants += (Constants.empty() ? "" : ",") + std::to_string(C);
    F.addFnAttr(BodyAttribute,
                ("eigen_" + Twine(M->IsDouble ? "d" : "s") + K.Body).str());
    F.addFnAttr(ConstantsAttribute, Constants);
    return;
  }
}

void verso::noteEigenKernels(Module &M) {
  for (Function &F : M)
    if (F.getName().starts_with("_ZN5Eigen8internal"))
      noteKernel(F);
}

void verso::forgetEigenKernels(Module &M) {
  for (Function &F : M) {
    F.removeFnAttr(BodyAttribute);
    F.removeFnAttr(ConstantsAttribute);
  }
}

/// Not a clone of one: the attributes are the clone's as well.
bool verso::isEigenKernel(const Function &F) {
  return F.hasFnAttribute(BodyAttribute) && !F.isDeclaration() &&
         !F.getName().contains('.');
}

/// Numbers that are multiplied are no pointers, whatever else the program says.
/// (BLAS's may be: its copies only move them.) Of \p Body and what it calls.
static void markNumbers(Function &Body) {
  SmallSetVector<Function *, 16> Seen;
  Seen.insert(&Body);
  for (unsigned K = 0; K != Seen.size(); ++K) {
    markLoadsOfNumbers(*Seen[K]);
    for (Instruction &I : instructions(*Seen[K]))
      if (auto *Call = dyn_cast<CallBase>(&I))
        if (Function *Callee = Call->getCalledFunction();
            Callee && isGenerated(*Callee) && !Callee->isDeclaration())
          Seen.insert(Callee);
  }
}

/// LLVM gives arguments that a function ignores as poison, of local functions
/// above all; bodies need not ignore the same.
CallBase *verso::replaceEigenKernel(CallBase &Call) {
  const Function *F = Call.getCalledFunction();
  if (!F || !isEigenKernel(*F) ||
      F->getFunctionType() != Call.getFunctionType() ||
      any_of(Call.args(), IsaPred<UndefValue>))
    return nullptr;
  IRBuilder<> B(&Call);
  SmallVector<Value *, 16> Arguments;
  SmallVector<StringRef, 4> Constants;
  F->getFnAttribute(ConstantsAttribute)
      .getValueAsString()
      .split(Constants, ',', -1, /*KeepEmpty=*/false);
  for (StringRef Text : Constants) {
    int Constant = 0;
    Text.getAsInteger(10, Constant);
    Arguments.push_back(B.getInt32(Constant));
  }
  append_range(Arguments, Call.args());
  CallBase *OfBody = callNumericalBody(
      Call, F->getFnAttribute(BodyAttribute).getValueAsString(), Arguments);
  markNumbers(*OfBody->getCalledFunction());
  return OfBody;
}
