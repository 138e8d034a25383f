//===- ExpandVariadics.cpp - variadic calls as ordinary ones --------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "prepare/ExpandVariadics.h"
#include "LLVMCompat.h"
#include "analysis/CallModel.h"
#include "prepare/NormalizeBits.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace verso;

/// On a function that has an expansion, which it names.
static constexpr StringRef ExpansionMetadata = "verso.expansion";

namespace {

constexpr uint64_t GeneralEnd = 6 * 8, VectorEnd = GeneralEnd + 8 * 16;
/// More than VectorEnd, so that the most aligned stack is aligned in the area.
constexpr uint64_t StackBegin = 192;
constexpr Align MaxAlign = Align::Constant<64>();
/// struct { unsigned gp_offset, fp_offset; void *overflow_arg_area,
/// *reg_save_area; }
constexpr uint64_t VaListBytes = 24;
constexpr Align VaListAlign = Align::Constant<8>();

/// Deals out the places of a call's arguments, first to last. All are offsets
/// in the area.
class Places {
public:
  explicit Places(const DataLayout &DL) : DL(DL) {}

  /// The place of the next argument, nothing if it is not known.
  std::optional<uint64_t> next(Type *T, AttributeSet Attributes);
  bool skip(const Function &F);

  uint64_t general() const { return General; }
  uint64_t vector() const { return Vector; }
  uint64_t stack() const { return Stack; }
  Align alignment() const { return Needed; }

private:
  uint64_t onStack(uint64_t Bytes, Align A);

  const DataLayout &DL;
  uint64_t General = 0, Vector = GeneralEnd, Stack = StackBegin;
  Align Needed = Align(16);
};

} // namespace

uint64_t Places::onStack(uint64_t Bytes, Align A) {
  Needed = std::max(Needed, A);
  assert(A <= MaxAlign && "the area's stack is not aligned so");
  uint64_t At = alignTo(Stack, A);
  Stack = At + alignTo(Bytes, 8);
  return At;
}

std::optional<uint64_t> Places::next(Type *T, AttributeSet Attributes) {
  for (Attribute::AttrKind Special :
       {Attribute::Nest, Attribute::SwiftSelf, Attribute::SwiftError,
        Attribute::SwiftAsync, Attribute::InAlloca, Attribute::Preallocated})
    if (Attributes.hasAttribute(Special))
      return std::nullopt;
  if (Type *Struct = Attributes.getByValType()) {
    Align A =
        std::max(Attributes.getAlignment().value_or(DL.getABITypeAlign(Struct)),
                 Align(8));
    if (A > MaxAlign)
      return std::nullopt;
    return onStack(DL.getTypeAllocSize(Struct), A);
  }
  if (T->isX86_FP80Ty())
    return onStack(16, Align(16));
  bool IsPointer = T->isPointerTy() && T->getPointerAddressSpace() == 0;
  if (IsPointer || T->isIntegerTy()) {
    uint64_t Bits = IsPointer ? 64 : T->getIntegerBitWidth();
    uint64_t Bytes = Bits <= 64 ? 8 : 16;
    if (Bits > 128)
      return std::nullopt;
    if (General + Bytes > GeneralEnd)
      return onStack(Bytes, Align(Bytes));
    General += Bytes;
    return General - Bytes;
  }
  if (!T->isFloatingPointTy() && !isa<FixedVectorType>(T))
    return std::nullopt;
  if (DL.getABITypeAlign(T) > MaxAlign)
    return std::nullopt;
  // Long vectors are in registers only where they have a name.
  uint64_t Bits = DL.getTypeSizeInBits(T);
  if (Vector == VectorEnd || Bits > 128)
    return onStack(DL.getTypeAllocSize(T),
                   std::max(DL.getABITypeAlign(T), Align(8)));
  Vector += 16;
  return Vector - 16;
}

/// Passes over the named arguments of \p F; whether their places are known.
bool Places::skip(const Function &F) {
  return all_of(F.args(), [&](const Argument &A) {
    auto *V = dyn_cast<FixedVectorType>(A.getType());
    bool IsLong = V && DL.getTypeSizeInBits(V).getFixedValue() > 128;
    return !IsLong &&
           next(A.getType(), F.getAttributes().getParamAttrs(A.getArgNo()))
               .has_value();
  });
}

static bool isSystemV(const Module &M) {
  Triple T = compat::targetTriple(M);
  return T.getArch() == Triple::x86_64 && !T.isOSWindows() && !T.isX32();
}

static Value *atOffset(IRBuilderBase &B, Value *Base, uint64_t Bytes) {
  return Bytes ? B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Base, Bytes)
               : Base;
}

//===----------------------------------------------------------------------===//
// The expansion of a function
//===----------------------------------------------------------------------===//

/// A musttail call with variable arguments hands on those of its caller.
static bool forwardsArguments(const Instruction &I) {
  auto *Call = dyn_cast<CallInst>(&I);
  return Call && Call->isMustTailCall() && Call->getFunctionType()->isVarArg();
}

static bool isExpandable(const Function &F) {
  return F.isVarArg() && F.getCallingConv() == CallingConv::C &&
         !F.hasFnAttribute(Attribute::Naked) &&
         Places(F.getDataLayout()).skip(F) &&
         none_of(instructions(F), forwardsArguments);
}

/// `va_start(list)` becomes
///   list->gp_offset = general; list->fp_offset = vector
///   list->overflow_arg_area = area + stack; list->reg_save_area = area
static void startLists(Function &Expansion, Value *Area, const Places &Named) {
  SmallVector<VAStartInst *, 2> Starts;
  for (Instruction &I : instructions(Expansion))
    if (auto *Start = dyn_cast<VAStartInst>(&I))
      Starts.push_back(Start);
  for (VAStartInst *Start : Starts) {
    IRBuilder<> B(Start);
    Value *List = Start->getArgList();
    auto Set = [&](uint64_t Offset, Value *V, Align A) {
      B.CreateAlignedStore(V, atOffset(B, List, Offset), A);
    };
    Set(0, B.getInt32(Named.general()), VaListAlign);
    Set(4, B.getInt32(Named.vector()), Align(4));
    Set(8, atOffset(B, Area, Named.stack()), VaListAlign);
    Set(16, Area, VaListAlign);
    Start->eraseFromParent();
  }
}

static Function *makeExpansion(Function &F) {
  expandIndirectBranches(F); // As for any function that is cloned.
  FunctionType *T = F.getFunctionType();
  SmallVector<Type *, 8> Parameters(T->params());
  Parameters.push_back(PointerType::getUnqual(F.getContext()));
  Function *Expansion = Function::Create(
      FunctionType::get(T->getReturnType(), Parameters, /*isVarArg=*/false),
      GlobalValue::InternalLinkage, F.getAddressSpace(),
      F.getName() + ".expanded", F.getParent());
  ValueToValueMapTy Map;
  for (auto [From, To] : zip(F.args(), Expansion->args())) {
    To.setName(From.getName());
    Map[&From] = &To;
  }
  Argument *Area = Expansion->getArg(T->getNumParams());
  Area->setName("variable");
  SmallVector<ReturnInst *, 4> Returns;
  CloneFunctionInto(Expansion, &F, Map,
                    CloneFunctionChangeType::LocalChangesOnly, Returns);
  // What was inferred did not know of the area.
  Expansion->removeFnAttr(Attribute::Memory);
  Places Named(F.getDataLayout());
  Named.skip(F);
  startLists(*Expansion, Area, Named);
  return Expansion;
}

static Function *expansionOf(const Function &F) {
  MDNode *Node = F.getMetadata(ExpansionMetadata);
  return Node ? mdconst::dyn_extract_or_null<Function>(Node->getOperand(0))
              : nullptr;
}

static Function &getExpansion(Function &F) {
  if (Function *Known = expansionOf(F))
    return *Known;
  Function *Expansion = makeExpansion(F);
  F.setMetadata(
      ExpansionMetadata,
      MDNode::get(F.getContext(), ConstantAsMetadata::get(Expansion)));
  return *Expansion;
}

void verso::releaseExpansions(Module &M, FunctionAnalysisManager &FAM) {
  SmallVector<Function *, 4> Expansions;
  for (Function &F : M) {
    if (Function *Expansion = expansionOf(F))
      Expansions.push_back(Expansion);
    F.setMetadata(ExpansionMetadata, nullptr);
  }
  for (Function *Expansion : Expansions) {
    // After an error, what was generated by halves may still call it.
    if (!Expansion->use_empty())
      continue;
    FAM.clear(*Expansion, Expansion->getName());
    Expansion->eraseFromParent();
  }
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

namespace {

/// A call that can be expanded, with the places of its variable arguments.
struct VariadicCall {
  CallBase *Call;
  Function *Callee;
  SmallVector<uint64_t, 8> At;
  uint64_t Bytes;
  Align Alignment;
};

} // namespace

static std::optional<VariadicCall> matchCall(CallBase &Call,
                                             const TargetLibraryInfo *TLI) {
  FunctionType *T = Call.getFunctionType();
  if (!T->isVarArg() || !isa<CallInst, InvokeInst>(Call) ||
      Call.hasOperandBundles() || Call.getCallingConv() != CallingConv::C)
    return std::nullopt;
  CallModel Model = modelCall(Call, TLI);
  if (Model.K != CallModel::Direct || Model.Callee->getFunctionType() != T ||
      !isExpandable(*Model.Callee))
    return std::nullopt;
  Places P(Call.getDataLayout());
  P.skip(*Model.Callee);
  VariadicCall Match{&Call, Model.Callee, {}, 0, Align()};
  for (unsigned K = T->getNumParams(); K != Call.arg_size(); ++K) {
    std::optional<uint64_t> At = P.next(Call.getArgOperand(K)->getType(),
                                        Call.getAttributes().getParamAttrs(K));
    if (!At)
      return std::nullopt;
    Match.At.push_back(*At);
  }
  Match.Bytes = P.stack();
  Match.Alignment = P.alignment();
  return Match;
}

static constexpr StringLiteral VariableArgument = "verso.variable.argument";

bool verso::isVariableArgument(const Instruction &I) {
  return I.hasMetadata(VariableArgument);
}

bool verso::isVariableInteger(const Instruction &I) {
  auto *Store = dyn_cast<StoreInst>(&I);
  return Store && isVariableArgument(I) &&
         Store->getValueOperand()->getType()->isIntegerTy();
}

/// Stores the variable arguments into an area of \p F's frame.
static Value *fillArea(Function &F, const VariadicCall &V) {
  IRBuilder<> B(&F.getEntryBlock(), F.getEntryBlock().begin());
  AllocaInst *Area = B.CreateAlloca(ArrayType::get(B.getInt8Ty(), V.Bytes),
                                    nullptr, "variable");
  Area->setAlignment(V.Alignment);
  B.SetInsertPoint(V.Call);
  unsigned First = V.Call->getFunctionType()->getNumParams();
  for (auto [K, Offset] : enumerate(V.At)) {
    Value *Argument = V.Call->getArgOperand(First + K);
    Value *To = atOffset(B, Area, Offset);
    Align A = commonAlignment(V.Alignment, Offset);
    if (Type *Struct = V.Call->getParamByValType(First + K))
      B.CreateMemCpy(To, A, Argument, V.Call->getParamAlign(First + K),
                     F.getDataLayout().getTypeAllocSize(Struct));
    else
      B.CreateAlignedStore(Argument, To, A)
          ->setMetadata(VariableArgument, MDNode::get(F.getContext(), {}));
  }
  return Area;
}

/// `r = call f(a, ...)` becomes
///   store ..., area + place            ; for every variable argument
///   r = call f.expanded(a, area)
static void expandCall(Function &F, const VariadicCall &V) {
  CallBase &Call = *V.Call;
  Value *Area = fillArea(F, V);
  Function &Expansion = getExpansion(*V.Callee);
  unsigned NumNamed = Call.getFunctionType()->getNumParams();
  SmallVector<Value *, 8> Arguments(Call.arg_begin(),
                                    Call.arg_begin() + NumNamed);
  Arguments.push_back(Area);
  IRBuilder<> B(&Call);
  CallBase *New;
  if (auto *Invoke = dyn_cast<InvokeInst>(&Call))
    New = B.CreateInvoke(&Expansion, Invoke->getNormalDest(),
                         Invoke->getUnwindDest(), Arguments);
  else
    New = B.CreateCall(&Expansion, Arguments);
  AttributeList Old = Call.getAttributes();
  SmallVector<AttributeSet, 8> OfNamed;
  for (unsigned K = 0; K != NumNamed; ++K)
    OfNamed.push_back(Old.getParamAttrs(K));
  New->setAttributes(AttributeList::get(
      F.getContext(),
      Old.getFnAttrs().removeAttribute(F.getContext(), Attribute::Memory),
      Old.getRetAttrs(), OfNamed));
  if (isa<FPMathOperator>(Call))
    New->copyFastMathFlags(&Call);
  New->copyMetadata(Call);
  New->takeName(&Call);
  Call.replaceAllUsesWith(New);
  Call.eraseFromParent();
}

static void expandCopy(VACopyInst &Copy) {
  IRBuilder<> B(&Copy);
  B.CreateMemCpy(Copy.getDest(), VaListAlign, Copy.getSrc(), VaListAlign,
                 VaListBytes);
  Copy.eraseFromParent();
}

void verso::expandVariadics(Function &F, const TargetLibraryInfo *TLI) {
  if (!isSystemV(*F.getParent()))
    return;
  SmallVector<VariadicCall, 4> Calls;
  SmallVector<VACopyInst *, 4> Copies;
  for (Instruction &I : instructions(F)) {
    if (auto *Copy = dyn_cast<VACopyInst>(&I))
      Copies.push_back(Copy);
    else if (auto *Call = dyn_cast<CallBase>(&I))
      if (std::optional<VariadicCall> Match = matchCall(*Call, TLI))
        Calls.push_back(std::move(*Match));
  }
  for (const VariadicCall &V : Calls)
    expandCall(F, V);
  for (VACopyInst *Copy : Copies)
    expandCopy(*Copy);
}
