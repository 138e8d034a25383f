//===- Request.cpp - what a marking call asks for -------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the requests of a module and takes their calls away.
//
//===----------------------------------------------------------------------===//

#include "request/Request.h"
#include "request/FunctionOperand.h"
#include "request/RequestParser.h"
#include "rules/KnownCalls.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace verso;

//===----------------------------------------------------------------------===//
// Taking a call away
//===----------------------------------------------------------------------===//

/// The call's markers, while they are still its operands.
static SmallVector<WeakTrackingVH, 8> markerOperands(CallBase &Call) {
  SmallVector<WeakTrackingVH, 8> Markers;
  for (Value *V : Call.args())
    if (markerVariable(V))
      Markers.push_back(V);
  return Markers;
}

static void eraseUnusedMarkers(ArrayRef<WeakTrackingVH> Markers) {
  SmallSetVector<GlobalVariable *, 4> Variables;
  for (const WeakTrackingVH &V : Markers)
    if (V)
      if (GlobalVariable *G = markerVariable(V))
        Variables.insert(G);
  for (const WeakTrackingVH &V : Markers)
    if (auto *I = dyn_cast_or_null<Instruction>((Value *)V))
      RecursivelyDeleteTriviallyDeadInstructions(I);
  for (GlobalVariable *G : Variables)
    if (G->isDeclaration() && G->use_empty())
      G->eraseFromParent();
}

/// An invoke was a terminator: unless its replacement stands before it, the
/// block goes on to the normal destination.
static void replaceTerminator(InvokeInst &Invoke) {
  BasicBlock &BB = *Invoke.getParent();
  if (Invoke.getIterator() != BB.begin() &&
      Invoke.getPrevNode()->isTerminator())
    return;
  Invoke.getUnwindDest()->removePredecessor(&BB);
  IRBuilder<> B(&Invoke);
  B.CreateBr(Invoke.getNormalDest());
}

static void eraseCall(CallBase &Call) {
  SmallVector<WeakTrackingVH, 8> Markers = markerOperands(Call);
  auto *Callee = dyn_cast<Function>(Call.getCalledOperand());
  if (!Call.use_empty())
    Call.replaceAllUsesWith(PoisonValue::get(Call.getType()));
  if (auto *Invoke = dyn_cast<InvokeInst>(&Call))
    replaceTerminator(*Invoke);
  Call.eraseFromParent();
  eraseUnusedMarkers(Markers);
  if (Callee && Callee->isDeclaration() && Callee->use_empty())
    Callee->eraseFromParent();
}

void verso::eraseRequestCall(Request &R) {
  eraseCall(*R.Call);
  R.Call = nullptr;
}

SmallPtrSet<const Function *, 16> verso::reachableFrom(const Function &F) {
  SmallPtrSet<const Function *, 16> Seen{&F};
  SmallVector<const Function *, 16> Work{&F};
  while (!Work.empty())
    for (const Instruction &I : instructions(*Work.pop_back_val()))
      for (const Value *Op : I.operands())
        if (auto *Callee = dyn_cast<Function>(Op->stripPointerCasts()))
          if (Seen.insert(Callee).second)
            Work.push_back(Callee);
  return Seen;
}

//===----------------------------------------------------------------------===//
// Finding them
//===----------------------------------------------------------------------===//

/// Reports the global variables whose initial value holds \p Address, which is
/// part of the address of \p Entry.
static void reportGlobals(const Function &Entry, const Constant &Address,
                          Diagnostics &D) {
  for (const User *U : Address.users()) {
    const auto *G = dyn_cast<GlobalVariable>(U);
    if (G && !G->getName().starts_with("llvm."))
      D.error("the address of '" + baseName(Entry) +
              "' is taken, in the global variable '" + demangle(G->getName()) +
              "'; an entry point can only be called");
    else if (!G && isa<Constant>(U))
      reportGlobals(Entry, *cast<Constant>(U), D);
  }
}

/// The calls of entry points, in the order of the module; other uses of them
/// are reported.
static std::vector<CallBase *> findCalls(Module &M, Diagnostics &D) {
  SmallPtrSet<const Function *, 8> Callers;
  SmallPtrSet<const Instruction *, 16> Calls;
  for (Function &Entry : M) {
    if (!classifyEntryPoint(Entry))
      continue;
    reportGlobals(Entry, Entry, D);
    for (Use &U : Entry.uses()) {
      auto *User = dyn_cast<Instruction>(U.getUser());
      if (!User)
        continue;
      auto *Call = dyn_cast<CallBase>(User);
      if (Call && Call->isCallee(&U) && !isa<CallBrInst>(Call)) {
        Callers.insert(User->getFunction());
        Calls.insert(User);
      } else {
        D.error(*User, "the address of '" + baseName(Entry) + "' is taken",
                "an entry point can only be called");
      }
    }
  }
  std::vector<CallBase *> Ordered;
  for (Function &F : M)
    if (Callers.contains(&F))
      for (Instruction &I : instructions(F))
        if (Calls.contains(&I))
          Ordered.push_back(cast<CallBase>(&I));
  return Ordered;
}

/// The request of one call; nothing after a mistake, which is reported.
static std::optional<Request> parseCall(CallBase &Call, Diagnostics &D) {
  auto &Entry = *cast<Function>(Call.getCalledOperand());
  std::optional<RequestKind> Kind = classifyEntryPoint(Entry)->Kind;
  if (!Kind) {
    D.error(Call, "'" + baseName(Entry) + "' is not supported",
            "use __enzyme_autodiff or an entry point of verso/verso.h");
    return std::nullopt;
  }
  // Code after the call must have a place of its own.
  if (auto *Invoke = dyn_cast<InvokeInst>(&Call))
    if (!Invoke->getNormalDest()->getSinglePredecessor())
      SplitEdge(Invoke->getParent(), Invoke->getNormalDest());
  return RequestParser(Call, *Kind, D).parse();
}

std::vector<Request> verso::collectRequests(Module &M, Diagnostics &D) {
  applyInactiveMarks(M);
  std::vector<Request> Requests;
  std::vector<CallBase *> Mistaken;
  SmallVector<CallBase *, 16> Calls;
  for (CallBase *Call : findCalls(M, D))
    append_range(Calls, requestsByFunction(*Call));
  for (CallBase *Call : Calls) {
    if (std::optional<Request> R = parseCall(*Call, D))
      Requests.push_back(std::move(*R));
    else
      Mistaken.push_back(Call);
  }
  for (CallBase *Call : Mistaken)
    eraseCall(*Call);
  return Requests;
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static StringRef nameOf(RequestKind Kind) {
  switch (Kind) {
  case RequestKind::Grad:
    return "grad";
  case RequestKind::ValueAndGrad:
    return "value_and_grad";
  case RequestKind::Vjp:
    return "vjp";
  case RequestKind::Jvp:
    return "jvp";
  case RequestKind::Linearize:
    return "linearize";
  }
  llvm_unreachable("every kind has a name");
}

static StringRef nameOf(ArgumentActivity Activity) {
  switch (Activity) {
  case ArgumentActivity::Const:
    return "const";
  case ArgumentActivity::Out:
    return "out";
  case ArgumentActivity::Dup:
    return "dup";
  case ArgumentActivity::DupNoNeed:
    return "dupnoneed";
  }
  llvm_unreachable("every activity has a name");
}

raw_ostream &verso::operator<<(raw_ostream &OS, const Request &R) {
  OS << nameOf(R.Kind) << " @" << R.Primal->getName() << "(";
  for (auto [K, A] : enumerate(R.Arguments)) {
    OS << (K ? ", " : "") << nameOf(A.Activity) << ' ';
    A.Primal->printAsOperand(OS);
    for (Value *V : {(Value *)A.Shadow, (Value *)A.Extent})
      if (V) {
        OS << (V == A.Shadow ? " shadow " : " bytes ");
        V->printAsOperand(OS);
      }
  }
  OS << ")";
  if (R.Cotangent) {
    OS << " cotangent ";
    R.Cotangent->printAsOperand(OS);
  }
  if (R.Width != 1)
    OS << " width " << R.Width;
  return OS << " -> " << *R.ResultType;
}

bool verso::areInTwoObjects(const Value *Primal, const Value *Shadow) {
  const Value *A = getUnderlyingObject(Primal);
  const Value *B = getUnderlyingObject(Shadow);
  return A != B && isIdentifiedObject(A) && isIdentifiedObject(B);
}
