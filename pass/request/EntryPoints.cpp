//===- EntryPoints.cpp - the names that make a request --------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "request/EntryPoints.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

#include <cstdlib>
#include <memory>

using namespace llvm;
using namespace verso;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

namespace {

struct EntryName {
  StringLiteral Prefix;
  std::optional<RequestKind> Kind;
};

struct MarkerName {
  StringLiteral Name;
  Marker M;
};

} // namespace

static constexpr EntryName EntryNames[] = {
    {"__verso_value_and_grad", RequestKind::ValueAndGrad},
    {"__verso_grad", RequestKind::Grad},
    {"__verso_vjp", RequestKind::Vjp},
    {"__verso_jvp", RequestKind::Jvp},
    {"__verso_linearize", RequestKind::Linearize},
    {"__enzyme_autodiff", RequestKind::Grad},
    {"__enzyme_fwddiff", RequestKind::Jvp},
    {"__enzyme_fwdsplit", std::nullopt},
    {"__enzyme_augmentfwd", std::nullopt},
    {"__enzyme_reverse", std::nullopt},
    {"__enzyme_batch", std::nullopt},
    {"__enzyme_virtualreverse", std::nullopt},
    {"__enzyme_error_estimate", std::nullopt},
    {"__enzyme_truncate", std::nullopt},
};

/// After `verso_` or `enzyme_`.
static constexpr MarkerName MarkerNames[] = {
    {"const", Marker::Const},
    {"dup", Marker::Dup},
    {"out", Marker::Out},
    {"dupnoneed", Marker::DupNoNeed},
    {"dup_n", Marker::DupSized},
    {"width", Marker::Width},
    {"primal_return", Marker::WithValue},
    {"runtime_activity", Marker::OwnShadows},
    {"strong_zero", Marker::Permissive},
    {"active_return", Marker::Permissive},
    {"noret", Marker::Permissive},
    {"const_return", Marker::ConstReturn},
    {"dup_return", Marker::DupReturn},
    {"dupv", Marker::Unsupported},
    {"dupnoneedv", Marker::Unsupported},
    {"tape", Marker::Unsupported},
    {"allocated", Marker::Unsupported},
    {"nofree", Marker::Unsupported},
    {"vector", Marker::Unsupported},
    {"scalar", Marker::Unsupported},
    {"buffer", Marker::Unsupported},
    {"interleave", Marker::Unsupported},
    {"context", Marker::Unsupported},
};

std::string verso::baseName(const GlobalValue &G) {
  StringRef Name = G.getName();
  Name.consume_front("\1");
  // What follows a point renames a local symbol: enzyme_dup.5
  Name = Name.take_until([](char C) { return C == '.'; });
  if (!Name.starts_with("_Z"))
    return Name.str();
  ItaniumPartialDemangler Demangler;
  std::string Mangled = Name.str();
  if (Demangler.partialDemangle(Mangled.c_str()))
    return Mangled;
  if (Demangler.isFunction()) {
    std::unique_ptr<char, decltype(&std::free)> Base(
        Demangler.getFunctionBaseName(nullptr, nullptr), &std::free);
    return Base ? std::string(Base.get()) : Mangled;
  }
  std::string Full = demangle(Mangled);
  size_t Scope = Full.rfind("::");
  return Scope == std::string::npos ? Full : Full.substr(Scope + 2);
}

/// A test that nearly all functions fail, on the name as it stands.
static bool mayBeEntryPoint(const Function &F) {
  StringRef Name = F.getName();
  return F.isDeclaration() && !F.isIntrinsic() &&
         (Name.contains("__verso_") || Name.contains("__enzyme_"));
}

std::optional<EntryPoint> verso::classifyEntryPoint(const Function &F) {
  if (!mayBeEntryPoint(F))
    return std::nullopt;
  std::string Name = baseName(F);
  for (const EntryName &E : EntryNames)
    if (StringRef(Name).starts_with(E.Prefix))
      return EntryPoint{E.Kind};
  return std::nullopt;
}

std::optional<Marker> verso::classifyMarker(const GlobalVariable &G) {
  if (!G.getName().contains("verso_") && !G.getName().contains("enzyme_"))
    return std::nullopt;
  std::string Name = baseName(G);
  StringRef Rest = Name;
  if (!Rest.consume_front("verso_") && !Rest.consume_front("enzyme_"))
    return std::nullopt;
  for (const MarkerName &M : MarkerNames)
    if (Rest == M.Name)
      return M.M;
  return std::nullopt;
}

GlobalVariable *verso::markerVariable(Value *V) {
  // Every load of a marker reads the same, whatever way it came.
  for (unsigned Depth = 0; Depth != 8; ++Depth) {
    if (auto *G = dyn_cast<GlobalVariable>(V->stripPointerCasts()))
      return classifyMarker(*G) ? G : nullptr;
    if (auto *Load = dyn_cast<LoadInst>(V))
      V = Load->getPointerOperand();
    else if (isa<CastInst, FreezeInst>(V))
      V = cast<Instruction>(V)->getOperand(0);
    else if (auto *Phi = dyn_cast<PHINode>(V); Phi && Phi->getNumOperands()) {
      // Phis of phis may go in a circle.
      auto *First = dyn_cast<LoadInst>(Phi->getIncomingValue(0));
      bool Same = First && all_of(Phi->incoming_values(), [&](Use &U) {
                    auto *Load = dyn_cast<LoadInst>(U.get());
                    return Load && Load->getPointerOperand() ==
                                       First->getPointerOperand();
                  });
      if (!Same)
        return nullptr;
      V = First;
    } else
      return nullptr;
  }
  return nullptr;
}

static bool isTypeHint(const Function &F) {
  return F.isDeclaration() && F.getReturnType()->isVoidTy() &&
         F.getName().contains("__enzyme_") &&
         is_contained({"__enzyme_float", "__enzyme_double", "__enzyme_integer",
                       "__enzyme_pointer"},
                      baseName(F));
}

bool verso::dropTypeHints(Module &M) {
  bool Changed = false;
  for (Function &F : M) {
    if (!isTypeHint(F))
      continue;
    for (User *U : make_early_inc_range(F.users()))
      if (auto *Call = dyn_cast<CallBase>(U);
          Call && Call->getCalledFunction() == &F) {
        if (auto *Invoke = dyn_cast<InvokeInst>(Call))
          changeToCall(Invoke)->eraseFromParent();
        else
          Call->eraseFromParent();
        Changed = true;
      }
  }
  return Changed;
}

bool verso::hasRequests(const Module &M) {
  return any_of(M, [](const Function &F) {
    return mayBeEntryPoint(F) && classifyEntryPoint(F);
  });
}
