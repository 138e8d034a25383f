//===- LLVMCompat.h - differences between LLVM versions ---------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM 19 to 22. Whatever is spelled differently in one of them is wrapped
// here, in the spelling of the newest; no other file asks for the version.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_LLVMCOMPAT_H
#define VERSO_LLVMCOMPAT_H

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/TypeBasedAliasAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

#if LLVM_VERSION_MAJOR >= 22
#include "llvm/Plugins/PassPlugin.h"
#else
#include "llvm/Passes/PassPlugin.h"
#endif

#include <functional>
#include <utility>

static_assert(LLVM_VERSION_MAJOR >= 19, "Verso needs LLVM 19 or newer");

namespace verso::compat {

/// The module's target; a string before LLVM 21.
inline llvm::Triple targetTriple(const llvm::Module &M) {
  return llvm::Triple(M.getTargetTriple());
}

inline void setTargetTriple(llvm::Module &M, const llvm::Triple &Target) {
#if LLVM_VERSION_MAJOR >= 21
  M.setTargetTriple(Target);
#else
  M.setTargetTriple(Target.str());
#endif
}

/// for (k = 0; k != Count; ++k)   before \p At. Returns the end of its body.
inline llvm::Instruction *insertLoop(llvm::Value *Count,
                                     llvm::Instruction *At) {
#if LLVM_VERSION_MAJOR >= 22
  return llvm::SplitBlockAndInsertSimpleForLoop(Count, At->getIterator()).first;
#else
  return llvm::SplitBlockAndInsertSimpleForLoop(Count, At).first;
#endif
}

/// What the types of accesses alone say; of all functions.
class TypeBasedAliases {
public:
  explicit TypeBasedAliases(const llvm::TargetLibraryInfo &TLI) : All(TLI) {
    All.addAAResult(ByType);
  }
  /// Whether accesses with these !tbaa tags may be of the same memory.
  bool mayBeSame(llvm::MDNode *A, llvm::MDNode *B) {
    auto Access = [](llvm::MDNode *Tag) {
      llvm::AAMDNodes Nodes;
      Nodes.TBAA = Tag;
      return llvm::MemoryLocation(
          nullptr, llvm::LocationSize::beforeOrAfterPointer(), Nodes);
    };
    return !All.isNoAlias(Access(A), Access(B));
  }

private:
#if LLVM_VERSION_MAJOR >= 21
  llvm::TypeBasedAAResult ByType{/*UsingTypeSanitizer=*/false};
#else
  llvm::TypeBasedAAResult ByType;
#endif
  llvm::AAResults All;
};

/// Whether LLVM has all that the rule table names; LLVM 19 has no llvm.atan2 or
/// llvm.sincos.
constexpr bool HasEveryIntrinsic = LLVM_VERSION_MAJOR >= 22;

/// By its full name; a member of Function before LLVM 20.
inline llvm::Intrinsic::ID intrinsicNamed(llvm::StringRef Name) {
#if LLVM_VERSION_MAJOR >= 20
  return llvm::Intrinsic::lookupIntrinsicID(Name);
#else
  return llvm::Function::lookupIntrinsicID(Name);
#endif
}

/// Intrinsic::getOrInsertDeclaration, which was getDeclaration before LLVM 20.
inline llvm::Function *
intrinsicDeclaration(llvm::Module &M, llvm::Intrinsic::ID Which,
                     llvm::ArrayRef<llvm::Type *> Types = {}) {
#if LLVM_VERSION_MAJOR >= 20
  return llvm::Intrinsic::getOrInsertDeclaration(&M, Which, Types);
#else
  return llvm::Intrinsic::getDeclaration(&M, Which, Types);
#endif
}

/// Whether anybody may keep a copy of the pointer; storing it does.
inline bool pointerMayBeCaptured(const llvm::Value &V, bool ReturnCaptures) {
  // LLVM's default of 100 is soon reached by an array in unrolled loops.
  constexpr unsigned MaxUses = 10000;
#if LLVM_VERSION_MAJOR >= 21
  return llvm::PointerMayBeCaptured(&V, ReturnCaptures, MaxUses);
#else
  return llvm::PointerMayBeCaptured(&V, ReturnCaptures,
                                    /*StoreCaptures=*/true, MaxUses);
#endif
}

/// Whether alias analysis in cross-iteration mode may be asked about \p P. LLVM
/// 19 compares phis of one block edge by edge in that mode too, so that it
/// takes two pointers that a loop swaps for pointers that never meet.
inline bool isSoundAcrossIterations([[maybe_unused]] const llvm::Value *P) {
#if LLVM_VERSION_MAJOR >= 22
  return true;
#else
  return !llvm::isa<llvm::PHINode, llvm::SelectInst>(
      llvm::getUnderlyingObject(P, /*MaxLookup=*/0));
#endif
}

/// Of AAResults or BatchAAResults.
template <typename AliasAnalysis>
bool isNoAlias(AliasAnalysis &AA, const llvm::MemoryLocation &A,
               const llvm::MemoryLocation &B) {
  return AA.alias(A, B) == llvm::AliasResult::NoAlias;
}

/// Whether alias analysis, which knows nothing of errno before LLVM 22, does
/// not rule out that \p Loc is errno.
inline bool mayBeErrno([[maybe_unused]] llvm::AAResults &AA,
                       const llvm::MemoryLocation &Loc,
                       [[maybe_unused]] const llvm::Module &M) {
#if LLVM_VERSION_MAJOR >= 22
  return AA.aliasErrno(Loc, &M) != llvm::AliasResult::NoAlias;
#else
  const llvm::Value *Object = llvm::getUnderlyingObject(Loc.Ptr);
  return !llvm::isIdentifiedFunctionLocal(Object) &&
         !llvm::isa<llvm::GlobalVariable>(Object);
#endif
}

/// getLoadStoreType, which takes no constant before LLVM 20.
inline llvm::Type *loadStoreType(const llvm::Instruction &Access) {
  return llvm::getLoadStoreType(const_cast<llvm::Instruction *>(&Access));
}

template <typename Set, typename Range>
void insertRange(Set &Into, Range &&From) {
  Into.insert(From.begin(), From.end());
}

/// What GEPOperator::collectOffset fills.
#if LLVM_VERSION_MAJOR >= 21
using VariableOffsets = llvm::SmallMapVector<llvm::Value *, llvm::APInt, 4>;
#else
using VariableOffsets = llvm::MapVector<llvm::Value *, llvm::APInt>;
#endif

/// ThreadSafeContext::withContextDo, which is by hand before LLVM 21.
template <typename ThreadSafeContext, typename Callback>
void withContext(ThreadSafeContext &Context, Callback Do) {
#if LLVM_VERSION_MAJOR >= 21
  Context.withContextDo(Do);
#else
  auto Lock = Context.getLock();
  Do(Context.getContext());
#endif
}

inline llvm::SCEVExpander scevExpander(llvm::ScalarEvolution &SE,
                                       const char *Name,
                                       bool PreserveLCSSA = true) {
#if LLVM_VERSION_MAJOR >= 22
  return llvm::SCEVExpander(SE, Name, PreserveLCSSA);
#else
  return llvm::SCEVExpander(SE, SE.getDataLayout(), Name, PreserveLCSSA);
#endif
}

using OptimizerCallback =
    std::function<void(llvm::ModulePassManager &, llvm::OptimizationLevel,
                       llvm::ThinOrFullLTOPhase)>;

/// Before LLVM 20 the callback is not told the phase; it gets None, so that
/// requests are lowered when the file is compiled and not at the link.
inline void registerOptimizerEarly(llvm::PassBuilder &PB,
                                   OptimizerCallback Callback) {
#if LLVM_VERSION_MAJOR >= 20
  PB.registerOptimizerEarlyEPCallback(std::move(Callback));
#else
  PB.registerOptimizerEarlyEPCallback(
      [Callback = std::move(Callback)](llvm::ModulePassManager &MPM,
                                       llvm::OptimizationLevel Level) {
        Callback(MPM, Level, llvm::ThinOrFullLTOPhase::None);
      });
#endif
}

/// As registerOptimizerEarly, at the end of the optimiser.
inline void registerOptimizerLast(llvm::PassBuilder &PB,
                                  OptimizerCallback Callback) {
#if LLVM_VERSION_MAJOR >= 20
  PB.registerOptimizerLastEPCallback(std::move(Callback));
#else
  PB.registerOptimizerLastEPCallback(
      [Callback = std::move(Callback)](llvm::ModulePassManager &MPM,
                                       llvm::OptimizationLevel Level) {
        Callback(MPM, Level, llvm::ThinOrFullLTOPhase::None);
      });
#endif
}

using FunctionCallback =
    std::function<void(llvm::FunctionPassManager &, llvm::OptimizationLevel)>;

/// What runs before the vectorisers and what runs after them; neither where
/// LLVM has no place for the second.
inline void registerAroundVectorizers(llvm::PassBuilder &PB,
                                      FunctionCallback Before,
                                      FunctionCallback After) {
#if LLVM_VERSION_MAJOR >= 22
  PB.registerVectorizerStartEPCallback(std::move(Before));
  PB.registerVectorizerEndEPCallback(std::move(After));
#else
  (void)PB, (void)Before, (void)After;
#endif
}

} // namespace verso::compat

#endif // VERSO_LLVMCOMPAT_H
