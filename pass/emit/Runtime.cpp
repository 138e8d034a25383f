//===- Runtime.cpp - calls into the runtime -------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emit/Runtime.h"
#include "verso/Layout.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;
using namespace verso;

namespace {

/// The bitcode of runtime/Sweep.c, runtime/Library.c and their like.
const unsigned char SupportBitcode[] = {
#include "SupportBitcode.inc"
};

struct Signature {
  StringRef Symbol;
  FunctionType *Type;
};

Signature signatureOf(LLVMContext &C, RuntimeFunction Which) {
  Type *Void = Type::getVoidTy(C), *Ptr = PointerType::getUnqual(C);
  Type *I32 = Type::getInt32Ty(C), *I64 = Type::getInt64Ty(C);
  (void)Void, (void)I64;
#define VERSO_UNWRAP(...) __VA_ARGS__
#define VERSO_RUNTIME_FUNCTION(NAME, SYMBOL, RESULT, PARAMETERS)               \
  if (Which == RuntimeFunction::NAME)                                          \
    return {#SYMBOL,                                                           \
            FunctionType::get(RESULT, {VERSO_UNWRAP PARAMETERS}, false)};
#include "verso/RuntimeABI.def"
#undef VERSO_UNWRAP
  llvm_unreachable("every runtime function is in RuntimeABI.def");
}

} // namespace

CallInst *verso::callRuntime(IRBuilderBase &B, RuntimeFunction Which,
                             ArrayRef<Value *> Arguments) {
  Signature S = signatureOf(B.getContext(), Which);
  Module *M = B.GetInsertBlock()->getModule();
  FunctionCallee Callee = M->getOrInsertFunction(S.Symbol, S.Type);
  if (auto *F = dyn_cast<Function>(Callee.getCallee())) {
    F->addFnAttr(Attribute::NoUnwind);
    if (Which == RuntimeFunction::RowsAreApart ||
        Which == RuntimeFunction::RowsAreDistinct) {
      F->addFnAttr(Attribute::WillReturn);
      F->setMemoryEffects(MemoryEffects::readOnly());
    }
    if (Which == RuntimeFunction::CanBeRead) {
      F->addFnAttr(Attribute::WillReturn);
      F->setMemoryEffects(MemoryEffects::readOnly() |
                          MemoryEffects::argMemOnly());
    }
    if (Which == RuntimeFunction::ReleaseLater)
      F->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
    // What ends the program leaves its memory as it is.
    if (Which == RuntimeFunction::Fail) {
      F->addFnAttr(Attribute::Cold);
      F->setMemoryEffects(MemoryEffects::inaccessibleMemOnly() |
                          MemoryEffects::argMemOnly(ModRefInfo::Ref));
    }
  }
  return inert(B.CreateCall(Callee, Arguments));
}

bool verso::calls(const CallBase &Call, RuntimeFunction Which) {
  const Function *F = Call.getCalledFunction();
  return F && F->getName() == signatureOf(Call.getContext(), Which).Symbol;
}

bool verso::isRuntimeFunction(const Function &F) {
  return StringSwitch<bool>(F.getName())
#define VERSO_RUNTIME_FUNCTION(NAME, SYMBOL, RESULT, PARAMETERS)               \
  .Case(#SYMBOL, true)
#include "verso/RuntimeABI.def"
      .Default(false);
}

void verso::requireRuntimeVersion(Module &M) {
  if (none_of(M, [](const Function &F) {
        return isRuntimeFunction(F) && !F.use_empty();
      }))
    return;
  Type *Ptr = PointerType::getUnqual(M.getContext());
  Constant *Version =
      M.getOrInsertGlobal(("__verso_abi_" + Twine(VERSO_ABI_VERSION)).str(),
                          Type::getInt32Ty(M.getContext()));
  appendToUsed(M, {new GlobalVariable(M, Ptr, /*isConstant=*/true,
                                      GlobalValue::InternalLinkage, Version,
                                      "verso.runtime")});
}

static void internalizeLinked(Module &M, const StringSet<> &Linked) {
  // But weak variables are the same in all files.
  for (const auto &Name : Linked)
    if (GlobalValue *G = M.getNamedValue(Name.getKey());
        G && !G->isDeclaration() &&
        !(isa<GlobalVariable>(G) && G->hasWeakLinkage()))
      G->setLinkage(GlobalValue::InternalLinkage);
}

/// Support code comes to images, and to nothing else, through computed
/// addresses. \p F and what it calls of ours, which is internal.
static void markImageReads(Function &F) {
  if (F.isDeclaration() || isGenerated(F))
    return;
  markGenerated(F);
  for (Instruction &I : instructions(F))
    if (auto *Load = dyn_cast<LoadInst>(&I);
        Load && Load->getType()->isIntegerTy() &&
        isa<IntToPtrInst>(getUnderlyingObject(Load->getPointerOperand())))
      inert(Load);
    else if (auto *Call = dyn_cast<CallBase>(&I);
             Call && Call->getCalledFunction() &&
             Call->getCalledFunction()->hasLocalLinkage())
      markImageReads(*Call->getCalledFunction());
}

/// The sweep is where a user's shadow that is too small is written.
static bool isSanitized(const Module &M) {
  return any_of(M, [](const Function &User) {
    return User.hasFnAttribute(Attribute::SanitizeAddress);
  });
}

Function *verso::getSupportFunction(Module &M, StringRef Name) {
  Function *F = M.getFunction(Name);
  if (F && !F->isDeclaration())
    return F;
  auto Buffer =
      MemoryBufferRef(StringRef(reinterpret_cast<const char *>(SupportBitcode),
                                sizeof(SupportBitcode)),
                      "verso support");
  // Bodies are read as they are linked: most are not asked for. Metadata is
  // read at once, as the module's flags are taken away below.
  Expected<std::unique_ptr<Module>> Support =
      getLazyBitcodeModule(Buffer, M.getContext());
  if (!Support)
    report_fatal_error(Support.takeError());
  (*Support)->setDataLayout(M.getDataLayout());
  (*Support)->setTargetTriple(M.getTargetTriple());
  (*Support)->setModuleFlag(Module::Max, "PIC Level",
                            static_cast<uint32_t>(M.getPICLevel()));
  bool Sanitize = isSanitized(M);
  for (Function &G : **Support) {
    if (Sanitize)
      G.addFnAttr(Attribute::SanitizeAddress);
    G.removeFnAttr("target-cpu");
    G.removeFnAttr("target-features");
    G.removeFnAttr("tune-cpu");
  }
  if (NamedMDNode *Flags = (*Support)->getModuleFlagsMetadata())
    Flags->eraseFromParent();
  if (!F)
    M.getOrInsertFunction(Name,
                          (*Support)->getFunction(Name)->getFunctionType());
  // What is here already is not linked once more, under another name.
  SmallVector<Function *, 16> Present;
  for (Function &G : **Support)
    if (Function *Known = M.getFunction(G.getName());
        Known && !Known->isDeclaration() && isGenerated(*Known)) {
      G.deleteBody();
      Known->setLinkage(GlobalValue::ExternalLinkage);
      Present.push_back(Known);
    }
  // Bodies only of what is asked for, and of what that calls.
  if (Linker::linkModules(M, std::move(*Support), Linker::LinkOnlyNeeded,
                          internalizeLinked))
    report_fatal_error("Verso's own support code does not link");
  for (Function *Known : Present)
    Known->setLinkage(GlobalValue::InternalLinkage);
  F = M.getFunction(Name);
  assert(F && !F->isDeclaration() && "not a support function");
  markImageReads(*F);
  return F;
}

void verso::leaveToRuntime(Module &M) {
  if (isSanitized(M))
    return;
  for (Function &F : M) {
    // What was made of them for an outer request has another name.
    if (F.isDeclaration() || !isGenerated(F) || !F.hasLocalLinkage() ||
        !F.hasFnAttribute(Attribute::NoInline) ||
        !F.getName().starts_with("__verso_") || F.getName().contains('.'))
      continue;
    F.deleteBody();
    F.setDSOLocal(false);
  }
}

void verso::takeFromRuntime(Module &M) {
  SmallVector<StringRef, 8> Names;
  for (Function &F : M)
    if (F.isDeclaration() && isGenerated(F) &&
        F.getName().starts_with("__verso_"))
      Names.push_back(F.getName());
  // The first brings the others along.
  for (StringRef Name : Names)
    markImageReads(*getSupportFunction(M, Name));
}

bool verso::isInert(const Instruction &I) {
  return I.hasMetadata("verso.inert");
}

bool verso::takesOfArena(const CallBase &Call) {
  return calls(Call, RuntimeFunction::ArenaTake) ||
         calls(Call, RuntimeFunction::ArenaExtend);
}

bool verso::growsInPlace(const CallBase &Call) {
  // Who reckons with another place asks for it.
  return calls(Call, RuntimeFunction::ArenaExtend) && Call.use_empty();
}

static constexpr StringLiteral WrittenFirstMark = "verso.written.first";

void verso::markWrittenFirst(CallInst &Block) {
  Block.setMetadata(WrittenFirstMark, MDNode::get(Block.getContext(), {}));
}

bool verso::isWrittenFirst(const CallBase &Block) {
  return Block.hasMetadata(WrittenFirstMark);
}

void verso::compileLike(Function &F, const Function &Like) {
  for (StringRef Name :
       {"target-cpu", "target-features", "tune-cpu", "prefer-vector-width",
        "min-legal-vector-width", "frame-pointer", "no-trapping-math"})
    if (Like.hasFnAttribute(Name))
      F.addFnAttr(Like.getFnAttribute(Name));
}

void verso::markOrdinary(Function &F) {
  F.addFnAttr("verso-generated", "ordinary");
}

bool verso::isOrdinary(const Function &F) {
  return !isGenerated(F) ||
         F.getFnAttribute("verso-generated").getValueAsString() == "ordinary";
}

void verso::markGenerated(Function &F) { F.addFnAttr("verso-generated"); }

bool verso::isGenerated(const Function &F) {
  return F.hasFnAttribute("verso-generated");
}

static constexpr StringLiteral Judge = "verso-judge";

void verso::markJudge(Function &F) { F.addFnAttr(Judge); }

bool verso::isJudge(const Function &F) { return F.hasFnAttribute(Judge); }

/// Whether code of \p M may run in an executable at low addresses.
static bool mayWrap(const Module &M) {
  return M.getPICLevel() == PICLevel::NotPIC;
}

/// Steps within an object are the same steps from its shadow, so that the
/// shadow of what stays the same in a loop is computed outside.
static Value *displaceSteps(IRBuilderBase &B, Value *P, Value *Delta) {
  auto *Step = dyn_cast<GetElementPtrInst>(P);
  if (!Step || Step->getType()->isVectorTy())
    return nullptr;
  Value *From = Step->getPointerOperand();
  SmallVector<Value *, 4> Indices(Step->indices());
  return B.CreateGEP(Step->getSourceElementType(), displace(B, From, Delta),
                     Indices);
}

Value *verso::displace(IRBuilderBase &B, Value *P, Value *Delta) {
  if (!mayWrap(*B.GetInsertBlock()->getModule()))
    if (Value *Shadow = displaceSteps(B, P, Delta))
      return Shadow;
  Value *Address = B.CreateAdd(B.CreatePtrToInt(P, B.getInt64Ty()), Delta);
  if (mayWrap(*B.GetInsertBlock()->getModule()))
    Address = B.CreateAnd(Address, B.getInt64(VERSO_ADDRESS_MASK));
  return B.CreateIntToPtr(Address, B.getPtrTy());
}

Value *verso::frameAddress(IRBuilderBase &B) {
  Value *Frame = B.CreateIntrinsic(Intrinsic::frameaddress, {B.getPtrTy()},
                                   {B.getInt32(0)});
  if (!mayWrap(*B.GetInsertBlock()->getModule()))
    return Frame;
  return B.CreateConstGEP1_64(B.getInt8Ty(), Frame, VERSO_FRAME_MAY_WRAP);
}

static Value *fieldAddress(IRBuilderBase &B, Value *Context,
                           ContextField Field) {
  return B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Context, Field.Offset);
}

LoadInst *verso::loadField(IRBuilderBase &B, Value *Context,
                           ContextField Field) {
  return inert(B.CreateAlignedLoad(
      Field.Ty(B.getContext()), fieldAddress(B, Context, Field), MaybeAlign()));
}

StoreInst *verso::storeField(IRBuilderBase &B, Value *Context,
                             ContextField Field, Value *V) {
  return inert(B.CreateStore(V, fieldAddress(B, Context, Field)));
}
