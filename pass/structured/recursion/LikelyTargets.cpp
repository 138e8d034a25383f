//===- LikelyTargets.cpp - where calls through pointers may lead ----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/recursion/LikelyTargets.h"
#include "analysis/AccessTypes.h"
#include "emit/Runtime.h"
#include "request/EntryPoints.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/CallPromotionUtils.h"

using namespace llvm;
using namespace verso;

/// More would be a chain that is none (Targets.h).
static constexpr unsigned MaxTargets = 16;

static constexpr StringLiteral LikelyMark = "verso.likely";

/// Where the type and the first function of a table of virtual functions are,
/// behind the distance to the top.
static constexpr uint64_t TypeOfTable = 1, FirstVirtual = 2;

static constexpr StringLiteral TypeInfo = "_ZTI";

/// What describes the class that has table \p Table; null if nothing does.
static const GlobalVariable *classOf(const ConstantAggregate &Table) {
  auto *Info = Table.getNumOperands() > FirstVirtual
                   ? dyn_cast<GlobalVariable>(
                         Table.getOperand(TypeOfTable)->stripPointerCasts())
                   : nullptr;
  return Info && Info->getName().starts_with(TypeInfo) ? Info : nullptr;
}

/// The object whose table \p Callee is loaded from.
static const Value &objectOf(const Value &Callee, const DataLayout &DL) {
  APInt Offset(DL.getIndexTypeSizeInBits(Callee.getType()), 0);
  return *cast<LoadInst>(cast<LoadInst>(Callee)
                             .getPointerOperand()
                             ->stripAndAccumulateConstantOffsets(
                                 DL, Offset, /*AllowNonInbounds=*/true))
              ->getPointerOperand();
}

/// The class that \p Object has or derives from, as types of pointers say;
/// empty if none does.
static StringRef staticClass(const Value &Object) {
  auto *Load = dyn_cast<LoadInst>(&Object);
  return Load ? classPointedTo(*Load) : "";
}

/// The calls of virtual functions of \p Object.
static SmallVector<const CallBase *, 4> virtualCalls(const Value &Object) {
  SmallVector<const CallBase *, 4> Result;
  for (const User *Table : Object.users()) {
    auto *Load = dyn_cast<LoadInst>(Table);
    if (!Load || !Load->getType()->isPointerTy())
      continue;
    SmallVector<const User *, 8> Work(Load->users());
    while (!Work.empty()) {
      const User *U = Work.pop_back_val();
      if (isa<GetElementPtrInst, LoadInst>(U))
        append_range(Work, U->users());
      else if (auto *Call = dyn_cast<CallBase>(U);
               Call && isa<LoadInst>(Call->getCalledOperand()))
        Result.push_back(Call);
    }
  }
  return Result;
}

/// Whether \p Class is or may be derived from the class of that name: its
/// description leads to those of its bases.
static bool mayDerive(const GlobalVariable *Class, StringRef Base) {
  SmallSetVector<const GlobalVariable *, 8> Bases;
  if (!Class)
    return true;
  Bases.insert(Class);
  for (unsigned K = 0; K != Bases.size(); ++K) {
    StringRef Name = Bases[K]->getName();
    if (Name.consume_front(TypeInfo) && Name == Base)
      return true;
    if (!Bases[K]->hasInitializer()) {
      // Another file knows. Classes of the library derive from one of the
      // program's only where they name it.
      if ((Name.starts_with("St") || Name.starts_with("NSt")) &&
          !Name.contains(Base))
        continue;
      return true;
    }
    for (const Use &U : Bases[K]->getInitializer()->operands())
      if (auto *Info = dyn_cast<GlobalVariable>(U->stripPointerCasts());
          Info && Info->getName().starts_with(TypeInfo))
        Bases.insert(Info);
  }
  return false;
}

LikelyTargets::LikelyTargets(Function &Root) { findIn(&Root); }

LikelyTargets::LikelyTargets(Module &M) {
  SmallVector<const Value *, 32> Roots;
  for (const Function &F : M)
    if (!isGenerated(F))
      Roots.push_back(&F);
  for (const GlobalVariable &G : M.globals())
    Roots.push_back(&G);
  findIn(Roots);
}

LikelyTargets::~LikelyTargets() {
  for (Function *D : Made) {
    D->replaceAllUsesWith(PoisonValue::get(D->getType()));
    D->eraseFromParent();
  }
}

void LikelyTargets::noteTables(const Constant &Initializer) {
  SmallVector<const Constant *, 8> Work{&Initializer};
  while (!Work.empty()) {
    auto *Whole = dyn_cast<ConstantAggregate>(Work.pop_back_val());
    if (!Whole)
      continue;
    for (unsigned K = 0, E = Whole->getNumOperands(); K != E; ++K) {
      Constant *Part = Whole->getOperand(K);
      if (auto *F = dyn_cast<Function>(Part->stripPointerCastsAndAliases());
          F && isa<ArrayType>(Whole->getType()))
        Named[F].push_back({K, classOf(*Whole)});
      else
        Work.push_back(Part);
    }
  }
}

/// Whether a request names functions there, to differentiate them.
static bool asksFor(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  return Callee && classifyEntryPoint(*Callee);
}

/// All that \p Roots name, what that names, and so on.
void LikelyTargets::findIn(ArrayRef<const Value *> Roots) {
  SmallSetVector<const Value *, 32> Reached(Roots.begin(), Roots.end());
  auto Reach = [&](const Value *V) {
    if (isa<GlobalValue, ConstantExpr, ConstantAggregate>(V))
      Reached.insert(V);
  };
  for (unsigned N = 0; N != Reached.size(); ++N) {
    const Value *V = Reached[N];
    auto *F = dyn_cast<Function>(V);
    if (!F) {
      auto *G = dyn_cast<GlobalVariable>(V);
      if (G && G->getName().starts_with("llvm.")) // What runs before main.
        continue;
      if (G && G->hasInitializer())
        noteTables(*G->getInitializer());
      for (const Use &Op : cast<User>(V)->operands()) {
        auto *Part = Op->stripPointerCastsAndAliases();
        if (auto *Taken = dyn_cast<Function>(Part))
          Named[const_cast<Function *>(Taken)];
        Reach(Op);
      }
      continue;
    }
    if (F->isDeclaration())
      continue;
    for (const Instruction &I : instructions(*F))
      for (const Use &Op : I.operands()) {
        auto *Call = dyn_cast<CallBase>(&I);
        auto *Target = dyn_cast<Function>(Op->stripPointerCastsAndAliases());
        if (Target && !(Call && (Call->isCallee(&Op) || asksFor(*Call))))
          Named[const_cast<Function *>(Target)];
        Reach(Op);
      }
  }
}

std::optional<uint64_t> verso::offsetInTable(const Value &Callee,
                                             const DataLayout &DL) {
  auto *Load = dyn_cast<LoadInst>(&Callee);
  if (!Load)
    return std::nullopt;
  APInt Offset(DL.getIndexTypeSizeInBits(Load->getType()), 0);
  const Value *Table =
      Load->getPointerOperand()->stripAndAccumulateConstantOffsets(
          DL, Offset, /*AllowNonInbounds=*/true);
  if (!isa<LoadInst>(Table) || Offset.isNegative())
    return std::nullopt;
  return Offset.getZExtValue();
}

/// Where in tables the function that \p Call makes is, beginning with what
/// describes the class; none if it is no virtual function.
static std::optional<uint64_t> entryOf(const CallBase &Call) {
  const DataLayout &DL = Call.getDataLayout();
  std::optional<uint64_t> Bytes = offsetInTable(*Call.getCalledOperand(), DL);
  if (Bytes)
    *Bytes = FirstVirtual + *Bytes / DL.getPointerSize();
  return Bytes;
}

/// Whether a class that has what \p E says has a function of the type and at
/// the place of \p Call as well.
bool LikelyTargets::hasAsWell(const Entry &E, const CallBase &Call) const {
  const std::optional<uint64_t> Place = entryOf(Call);
  return !E.Class || !Place || any_of(Named, [&](const auto &Each) {
    auto &[F, Entries] = Each;
    return F->getFunctionType() == Call.getFunctionType() &&
           any_of(Entries, [&](const Entry &Other) {
             return Other.Offset == *Place && Other.Class == E.Class;
           });
  });
}

SmallVector<Function *, 4> LikelyTargets::of(const CallBase &Call) const {
  SmallVector<Function *, 4> OfType, InPlace;
  if (MDNode *List = Call.getMetadata(LikelyMark)) {
    for (const MDOperand &Op : List->operands())
      if (auto *F = mdconst::dyn_extract_or_null<Function>(Op))
        OfType.push_back(F);
    return OfType;
  }
  const std::optional<uint64_t> Place = entryOf(Call);
  StringRef Class;
  SmallVector<const CallBase *, 4> OfObject;
  if (Place) {
    const Value &Object =
        objectOf(*Call.getCalledOperand(), Call.getDataLayout());
    Class = staticClass(Object);
    OfObject = virtualCalls(Object);
  }
  for (auto &[F, Entries] : Named) {
    if (F->isDeclaration() || isGenerated(*F) ||
        F->getFunctionType() != Call.getFunctionType() ||
        !isLegalToPromote(Call, F))
      continue;
    OfType.push_back(F);
    if (Place && any_of(Entries, [&](const Entry &E) {
          return E.Offset == *Place &&
                 (Class.empty() || mayDerive(E.Class, Class)) &&
                 all_of(OfObject, [&](const CallBase *Other) {
                   return hasAsWell(E, *Other);
                 });
        }))
      InPlace.push_back(F);
  }
  SmallVector<Function *, 4> &Result = InPlace.empty() ? OfType : InPlace;
  if (Result.size() > MaxTargets)
    Result.clear();
  return Result;
}

void LikelyTargets::dispatch(CallBase &Call) {
  SmallVector<Function *, 4> All = of(Call);
  FunctionType *Type = Call.getFunctionType();
  SmallVector<llvm::Type *, 8> Parameters{Call.getCalledOperand()->getType()};
  append_range(Parameters, Type->params());
  auto *D = Function::Create(
      FunctionType::get(Type->getReturnType(), Parameters, false),
      GlobalValue::InternalLinkage, "dispatch", Call.getModule());
  LLVMContext &C = D->getContext();
  IRBuilder<> B(BasicBlock::Create(C, "entry", D));
  SmallVector<Value *, 8> Passed;
  for (Argument &A : drop_begin(D->args()))
    Passed.push_back(&A);
  CallInst *Inner = B.CreateCall(Type, D->getArg(0), Passed);
  Inner->setCallingConv(Call.getCallingConv());
  Inner->setAttributes(Call.getAttributes());
  SmallVector<Metadata *, 8> List;
  for (Function *F : All)
    List.push_back(ConstantAsMetadata::get(F));
  Inner->setMetadata(LikelyMark, MDNode::get(C, List));
  if (Type->getReturnType()->isVoidTy())
    B.CreateRetVoid();
  else
    B.CreateRet(Inner);
  Made.push_back(D);
  Dispatchers.insert(D);

  SmallVector<Value *, 8> Arguments{Call.getCalledOperand()};
  append_range(Arguments, Call.args());
  CallBase *New;
  B.SetInsertPoint(&Call);
  if (auto *Invoke = dyn_cast<InvokeInst>(&Call))
    New = B.CreateInvoke(D, Invoke->getNormalDest(), Invoke->getUnwindDest(),
                         Arguments);
  else
    New = B.CreateCall(D, Arguments);
  New->takeName(&Call);
  Call.replaceAllUsesWith(New);
  Call.eraseFromParent();
}
