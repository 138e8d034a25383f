//===- Runtime.h - calls into the runtime, fields of its context *- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The only place that knows the names of runtime functions and the offsets of
// the context's fields; both come from include/verso.
//
// What is emitted through here is *inert*: it concerns IDs, images and tape
// positions, never a real number. Inert instructions carry !verso.inert, so
// that an outer request leaves them as they are.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_EMIT_RUNTIME_H
#define VERSO_EMIT_RUNTIME_H

#include "verso/Layout.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include <cstddef>

namespace verso {

enum class RuntimeFunction {
#define VERSO_RUNTIME_FUNCTION(NAME, SYMBOL, RESULT, PARAMETERS) NAME,
#include "verso/RuntimeABI.def"
};

/// Calls runtime function \p Which at \p B.
llvm::CallInst *callRuntime(llvm::IRBuilderBase &B, RuntimeFunction Which,
                            llvm::ArrayRef<llvm::Value *> Arguments);

/// Whether \p Call is one of runtime function \p Which.
bool calls(const llvm::CallBase &Call, RuntimeFunction Which);

/// Whether \p F is a function of the runtime.
bool isRuntimeFunction(const llvm::Function &F);

/// __verso_release or __verso_resolve, linked into \p M from the bitcode that
/// the plugin carries, together with the bodies of library functions that call
/// back (qsort, bsearch).
llvm::Function *getSupportFunction(llvm::Module &M, llvm::StringRef Name);

/// When all requests are lowered: support functions that are not inlined are
/// the runtime's own, which are compiled already. (Under a sanitizer they
/// stay.)
void leaveToRuntime(llvm::Module &M);

/// And back, where requests of the module were lowered before, file by file: an
/// outer one needs the bodies.
void takeFromRuntime(llvm::Module &M);

/// Lets a module that calls the runtime refer to its version (Markers.cpp), so
/// that it does not link with another.
void requireRuntimeVersion(llvm::Module &M);

/// Marks \p I as inert and returns it. Sanitizers have nothing to find in it:
/// it touches our own memory only.
template <typename InstT> InstT *inert(InstT *I) {
  I->setMetadata("verso.inert", llvm::MDNode::get(I->getContext(), {}));
  if (I->getFunction()->hasFnAttribute(llvm::Attribute::SanitizeAddress))
    I->setNoSanitizeMetadata();
  return I;
}
bool isInert(const llvm::Instruction &I);

/// Whether \p Call returns a block of the arena.
bool takesOfArena(const llvm::CallBase &Call);
/// Whether \p Call extends the block of the arena that was taken last, which
/// stays where it is: records of a recursion.
bool growsInPlace(const llvm::CallBase &Call);
/// Of a block: nothing in it is read before it is written.
void markWrittenFirst(llvm::CallInst &Block);
bool isWrittenFirst(const llvm::CallBase &Block);

/// \p F becomes code for the same processor as \p Like. Without the width of
/// vectors that it may use, LLVM takes all for wanted, also those that slow
/// down the processor.
void compileLike(llvm::Function &F, const llvm::Function &Like);

/// Functions that Verso made. What is inert in them must stay recognisable when
/// an outer request prepares them: LLVM drops such marks when it merges
/// instructions.
void markGenerated(llvm::Function &F);
bool isGenerated(const llvm::Function &F);
/// Of them, what -verso-check runs in a copy of the process to judge another
/// strategy by. Nobody waits for it, so nothing is done to make it fast.
void markJudge(llvm::Function &F);
bool isJudge(const llvm::Function &F);
/// Of them, code that an outer request takes as if the user had written it:
/// nothing in it but calls of the runtime is inert.
void markOrdinary(llvm::Function &F);
bool isOrdinary(const llvm::Function &F);

/// The shadow of \p P at distance \p Delta. Not a GEP: the optimiser would take
/// it to stay inside the primal object. In code that may run in a low
/// executable the address wraps around (VERSO_ADDRESS_MASK).
llvm::Value *displace(llvm::IRBuilderBase &B, llvm::Value *P,
                      llvm::Value *Delta);

/// The address of the current function's frame, for __verso_begin.
llvm::Value *frameAddress(llvm::IRBuilderBase &B);

/// A field of verso_context or verso_tangents.
struct ContextField {
  size_t Offset;
  llvm::Type *(*Ty)(llvm::LLVMContext &);
};

namespace field {
inline llvm::Type *ptr(llvm::LLVMContext &C) {
  return llvm::PointerType::getUnqual(C);
}
inline llvm::Type *i32(llvm::LLVMContext &C) {
  return llvm::Type::getInt32Ty(C);
}
inline llvm::Type *i64(llvm::LLVMContext &C) {
  return llvm::Type::getInt64Ty(C);
}
inline constexpr ContextField Cursor{offsetof(verso_context, cursor), ptr};
inline constexpr ContextField Limit{offsetof(verso_context, limit), ptr};
inline constexpr ContextField Log{offsetof(verso_context, log), ptr};
inline constexpr ContextField Adj{offsetof(verso_context, adj), ptr};
inline constexpr ContextField Delta{offsetof(verso_context, delta), i64};
inline constexpr ContextField Direct{offsetof(verso_context, direct), ptr};
inline constexpr ContextField Next{offsetof(verso_context, next), i64};
inline constexpr ContextField Base{offsetof(verso_context, base), i32};
inline constexpr ContextField Run{offsetof(verso_context, run), i32};
inline constexpr ContextField TapeBegin{offsetof(verso_context, tape_begin),
                                        ptr};
inline constexpr ContextField Dirty{offsetof(verso_tangents, dirty), ptr};
inline ContextField tangentDelta(unsigned Lane) {
  return {offsetof(verso_tangents, delta) + Lane * sizeof(int64_t), i64};
}
} // namespace field

llvm::LoadInst *loadField(llvm::IRBuilderBase &B, llvm::Value *Context,
                          ContextField Field);
llvm::StoreInst *storeField(llvm::IRBuilderBase &B, llvm::Value *Context,
                            ContextField Field, llvm::Value *V);

} // namespace verso

#endif // VERSO_EMIT_RUNTIME_H
