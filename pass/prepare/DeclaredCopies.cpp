//===- DeclaredCopies.cpp - what assignments of structures move -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "prepare/DeclaredCopies.h"
#include "analysis/AccessTypes.h"
#include "prepare/MixedUnions.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace verso;

/// Whether \p T is a structure of C or C++, not one that clang makes up to pass
/// arguments, and no union, whose type is that of one member. In packed ones
/// numbers are anywhere (PackedNumbers.h of the runtime).
static bool isDeclared(const StructType &T) {
  return T.hasName() && !T.isOpaque() && !T.isPacked() &&
         (T.getName().starts_with("struct.") ||
          T.getName().starts_with("class."));
}

static MDNode *tagOf(LLVMContext &C, const Type *T) {
  // A complex number.
  if (auto *Pair = dyn_cast<StructType>(T);
      Pair && Pair->isLiteral() && Pair->getNumElements() == 2 &&
      Pair->getElementType(0) == Pair->getElementType(1) &&
      Pair->getElementType(0)->isFloatingPointTy())
    T = Pair->getElementType(0);
  if (T->isFloatTy())
    return declaredTag(C, DeclaredKind::Float);
  if (T->isDoubleTy())
    return declaredTag(C, DeclaredKind::Double);
  return declaredTag(C, T->isIntegerTy() ? DeclaredKind::MaybeInteger
                                         : DeclaredKind::Other);
}

namespace {

/// Bytes of a copy, from its start, with the tag that says what they are.
struct Field {
  uint64_t At, Bytes;
  MDNode *Tag;
};

/// A structure with more fields says nothing.
constexpr size_t MaxFields = 256;

/// Appends the fields of types.
class Fields {
public:
  Fields(const DataLayout &DL, LLVMContext &C, const MixedUnions &Mixed)
      : DL(DL), C(C), Mixed(Mixed) {}
  /// \p Bytes bytes of values of type \p T; false if there are too many.
  bool add(Type *T, uint64_t Bytes) {
    if (!T->isAggregateType())
      return addField(0, Bytes, tagOf(C, T));
    for (uint64_t At = 0; At != Bytes; At += DL.getTypeAllocSize(T))
      if (!addOne(T, At))
        return false;
    return true;
  }
  /// Leaves the fields from byte \p Begin on, of \p Bytes bytes, counted from
  /// there; of what is cut nothing is known.
  void cutOut(uint64_t Begin, uint64_t Bytes);
  bool addNothing(uint64_t At, uint64_t Bytes) {
    return addField(At, Bytes, declaredTag(C, DeclaredKind::Padding));
  }
  bool addField(uint64_t At, uint64_t Bytes, MDNode *Tag) {
    if (Bytes)
      All.push_back({At, Bytes, Tag});
    return All.size() <= MaxFields;
  }
  ArrayRef<Field> all() const { return All; }
  void clear() { All.clear(); }
  void take(Fields &Others) { All = std::move(Others.All); }
  bool areSame(const Fields &Others) const;
  bool areIntegers() const;
  /// The number of bytes that they describe.
  uint64_t size() const {
    return All.empty() ? 0 : All.back().At + All.back().Bytes;
  }

private:
  bool addOne(Type *T, uint64_t At);
  bool addStruct(StructType &T, uint64_t At);
  const DataLayout &DL;
  LLVMContext &C;
  const MixedUnions &Mixed;
  SmallVector<Field, 16> All;
};

} // namespace

bool Fields::addOne(Type *T, uint64_t At) {
  const uint64_t Bytes = DL.getTypeAllocSize(T);
  if (Mixed.contains(T))
    return addField(At, Bytes, declaredTag(C, DeclaredKind::Mixed));
  if (auto *Struct = dyn_cast<StructType>(T))
    return isDeclared(*Struct) ? addStruct(*Struct, At)
                               : addField(At, Bytes, tagOf(C, T));
  auto *Array = dyn_cast<ArrayType>(T);
  if (!Array)
    return addField(At, Bytes, tagOf(C, T));
  Type *Each = Array->getElementType();
  if (!Each->isAggregateType()) // Characters may be storage of anything.
    return addField(At, Bytes,
                    Each->isIntegerTy(8) ? declaredTag(C, DeclaredKind::Other)
                                         : tagOf(C, Each));
  for (uint64_t K = 0; K != Array->getNumElements(); ++K)
    if (!addOne(Each, At + K * DL.getTypeAllocSize(Each)))
      return false;
  return true;
}

/// Arrays of numbers are one field or several.
bool Fields::areSame(const Fields &Others) const {
  auto Joined = [](ArrayRef<Field> All) {
    SmallVector<Field, 16> Result;
    for (const Field &F : All)
      if (!Result.empty() && Result.back().Tag == F.Tag &&
          Result.back().At + Result.back().Bytes == F.At)
        Result.back().Bytes += F.Bytes;
      else
        Result.push_back(F);
    return Result;
  };
  return equal(Joined(All), Joined(Others.All),
               [](const Field &A, const Field &B) {
                 return A.At == B.At && A.Bytes == B.Bytes && A.Tag == B.Tag;
               });
}

bool Fields::areIntegers() const {
  return all_of(All, [](const Field &F) {
    return declaredKind(*F.Tag) == DeclaredKind::MaybeInteger ||
           declaredKind(*F.Tag) == DeclaredKind::Other;
  });
}

void Fields::cutOut(uint64_t Begin, uint64_t Bytes) {
  SmallVector<Field, 16> Part;
  for (const Field &F : All) {
    const uint64_t From = std::max(F.At, Begin),
                   To = std::min(F.At + F.Bytes, Begin + Bytes);
    if (From >= To)
      continue;
    const DeclaredKind Kind = declaredKind(*F.Tag);
    const uint64_t Each = Kind == DeclaredKind::Float    ? 4
                          : Kind == DeclaredKind::Double ? 8
                                                         : 1;
    // Behind the last member of a base class others may lie.
    const bool IsTail = Kind == DeclaredKind::Padding && &F == &All.back();
    const bool IsCut = IsTail || (From - F.At) % Each || (To - F.At) % Each;
    Part.push_back({From - Begin, To - From,
                    IsCut ? declaredTag(C, DeclaredKind::Other) : F.Tag});
  }
  All = std::move(Part);
}

bool Fields::addStruct(StructType &T, uint64_t At) {
  const StructLayout &Layout = *DL.getStructLayout(&T);
  uint64_t End = 0;
  for (unsigned K = 0; K != T.getNumElements(); ++K) {
    const uint64_t Begin = Layout.getElementOffset(K);
    if (!addNothing(At + End, Begin - End) ||
        !addOne(T.getElementType(K), At + Begin))
      return false;
    End = Begin + DL.getTypeAllocSize(T.getElementType(K));
  }
  return addNothing(At + End, Layout.getSizeInBytes() - End);
}

/// Types that address computations say lie at \p P.
static void addTypes(const Value *P, SmallSetVector<Type *, 4> &Types) {
  if (auto *Gep = dyn_cast<GEPOperator>(P)) {
    Types.insert(Gep->getResultElementType());
  } else if (auto *Variable = dyn_cast<AllocaInst>(P)) {
    Types.insert(Variable->getAllocatedType());
  } else if (auto *Global = dyn_cast<GlobalVariable>(P)) {
    Types.insert(Global->getValueType());
  } else if (auto *Load = dyn_cast<LoadInst>(P)) {
    // What the program does with a pointer variable, and what it is given.
    auto AddUses = [&](const Value &Pointer) {
      for (const User *U : Pointer.users()) {
        if (auto *Gep = dyn_cast<GEPOperator>(U);
            Gep && Gep->getPointerOperand() == &Pointer)
          Types.insert(Gep->getSourceElementType());
        else if (getLoadStorePointerOperand(U) == &Pointer)
          Types.insert(getLoadStoreType(const_cast<User *>(U)));
      }
    };
    auto *Variable = dyn_cast<AllocaInst>(Load->getPointerOperand());
    if (!Variable)
      return AddUses(*Load);
    const StoreInst *OnlyStore = nullptr;
    unsigned Others = 0;
    for (const User *U : Variable->users())
      if (isa<LoadInst>(U) && U->getType()->isPointerTy())
        AddUses(*U);
      else if (auto *Store = dyn_cast<StoreInst>(U); Store && !OnlyStore)
        OnlyStore = Store;
      else if (!isa<LifetimeIntrinsic>(U))
        ++Others;
    // What changes may lead anywhere.
    if (OnlyStore && !Others && OnlyStore->getPointerOperand() == Variable &&
        isa<GEPOperator, AllocaInst, GlobalVariable>(
            OnlyStore->getValueOperand()))
      addTypes(OnlyStore->getValueOperand(), Types);
  }
}

static Type *elementOf(Type *T) {
  while (auto *Array = dyn_cast<ArrayType>(T))
    T = Array->getElementType();
  return T;
}

/// The structure of which \p Length, which is no constant, is so many; null if
/// \p T is none, or it is not said: an array of numbers may go on to other
/// members.
static Type *recordOf(Type *T, const Value *Length, const DataLayout &DL) {
  T = elementOf(T);
  if (!T->isStructTy())
    return nullptr;
  const uint64_t Each = DL.getTypeAllocSize(T);
  return match(Length, m_c_Mul(m_Value(), m_SpecificInt(Each))) ||
                 (isPowerOf2_64(Each) &&
                  match(Length, m_Shl(m_Value(), m_SpecificInt(Log2_64(Each)))))
             ? T
             : nullptr;
}

/// The type of \p Bytes bytes at the start of \p T, or of elements of an array
/// there; null if there is none. What is longer than T goes on to other
/// members, or is an object that begins with a T.
static Type *typeOfBytes(Type *T, uint64_t Bytes, const DataLayout &DL) {
  while (DL.getTypeAllocSize(T) > Bytes) {
    auto *Struct = dyn_cast<StructType>(T);
    auto *Array = dyn_cast<ArrayType>(T);
    if (Array)
      T = Array->getElementType();
    else if (Struct && isDeclared(*Struct) && Struct->getNumElements())
      T = Struct->getElementType(0);
    else
      return nullptr;
    const uint64_t Each = DL.getTypeAllocSize(T);
    if (Array && Each && Bytes % Each == 0)
      return T;
  }
  return DL.getTypeAllocSize(T) == Bytes ? T : nullptr;
}

/// Whether nothing is known of what has this type: arithmetic with bytes,
/// buffers, and structures that clang makes up.
static bool saysNothing(const Type *T, const MixedUnions &Mixed) {
  while (auto *Array = dyn_cast<ArrayType>(T))
    T = Array->getElementType();
  auto *Struct = dyn_cast<StructType>(T);
  return T->isIntegerTy(8) ||
         (Struct && !isDeclared(*Struct) && !Mixed.contains(Struct));
}

/// Whether \p P leads into a structure, behind which other members are.
static bool isInMember(const Value *P) {
  for (auto *Gep = dyn_cast<GEPOperator>(P); Gep;
       Gep = dyn_cast<GEPOperator>(Gep->getPointerOperand()))
    for (auto Step = gep_type_begin(*Gep); Step != gep_type_end(*Gep); ++Step)
      if (Step.isStruct())
        return true;
  return false;
}

/// Adds the fields of \p Bytes bytes at \p P, an address in a structure or an
/// array that goes on behind them; false if there is none.
static bool addEnclosing(const Value *P, uint64_t Bytes, Fields &Known,
                         const DataLayout &DL) {
  uint64_t Behind = 0; // How far P is behind an outer address.
  for (auto *Gep = dyn_cast<GEPOperator>(P); Gep;
       Gep = dyn_cast<GEPOperator>(Gep->getPointerOperand())) {
    Type *Outer = Gep->getSourceElementType();
    if (!Outer->isSized() || Outer->isScalableTy())
      return false;
    const uint64_t Size = DL.getTypeAllocSize(Outer);
    const Value *First = *Gep->idx_begin();
    if (auto *Array = dyn_cast<ArrayType>(Outer);
        Array && Gep->getNumIndices() == 2 &&
        !isa<Constant>(*std::prev(Gep->idx_end()))) {
      // Any element, and those behind it.
      Type *Each = Array->getElementType();
      const uint64_t EachSize = DL.getTypeAllocSize(Each);
      return EachSize && !Behind && Bytes % EachSize == 0 && Bytes <= Size &&
             Known.add(ArrayType::get(Each, Bytes / EachSize), Bytes);
    }
    // Of several objects at the pointer it is one.
    bool IsFirst = !isa<Constant>(First);
    APInt Offset(DL.getIndexTypeSizeInBits(Gep->getType()), 0);
    if (!Gep->accumulateConstantOffset(DL, Offset,
                                       [&](Value &, APInt &Index) {
                                         Index = Offset;
                                         Index.clearAllBits();
                                         return std::exchange(IsFirst, false);
                                       }) ||
        Offset.isNegative() || !Size)
      return false;
    Behind += Offset.getZExtValue();
    const uint64_t Within = Behind % Size;
    if (Outer->isAggregateType() && !isUnion(*Outer) &&
        Within + Bytes <= Size) {
      if (!Known.add(Outer, Size))
        return false;
      Known.cutOut(Within, Bytes);
      return true;
    }
    if (!isa<Constant>(First))
      return false;
  }
  return false;
}

/// The types of numbers in \p T, a bit for each.
static unsigned numbersIn(const Type *T) {
  unsigned All = T->isFloatTy() ? 1 : T->isDoubleTy() ? 2 : 0;
  for (const Type *Each : T->subtypes())
    All |= numbersIn(Each);
  return All;
}

/// Whether \p Copy begins in a structure of numbers of several types, so that
/// what is accessed in one array of it does not say what else it moves. Of
/// whole structures each is as the next.
static bool isInMixedStructure(const MemTransferInst &Copy) {
  const DataLayout &DL = Copy.getDataLayout();
  auto *Length = dyn_cast<ConstantInt>(Copy.getLength());
  auto IsMixed = [](const Type *T) { return numbersIn(T) == 3; };
  auto AreWhole = [&](Type *T) {
    return IsMixed(T) && T->isSized() &&
           (Length ? Length->getZExtValue() % DL.getTypeAllocSize(T) == 0
                   : recordOf(T, Copy.getLength(), DL) != nullptr);
  };
  SmallSetVector<Type *, 4> Types, Around;
  for (const Value *P : {Copy.getRawDest(), Copy.getRawSource()}) {
    addTypes(P, Types);
    for (; auto *Gep = dyn_cast<GEPOperator>(P); P = Gep->getPointerOperand()) {
      Around.insert(Gep->getSourceElementType());
      addTypes(Gep->getPointerOperand(), Around);
    }
  }
  return none_of(Types, AreWhole) &&
         (any_of(Types, IsMixed) || any_of(Around, IsMixed));
}

/// Adds the fields of what \p Copy moves, of a record if its length is not a
/// constant; none if they are not known. Integers alone are none: programs move
/// other things by them.
static void addMoved(const MemTransferInst &Copy, Fields &Known,
                     const MixedUnions &Mixed) {
  auto SaysNothing = [&](const Type *T) { return saysNothing(T, Mixed); };
  const DataLayout &DL = Copy.getDataLayout();
  auto *Length = dyn_cast<ConstantInt>(Copy.getLength());
  if (!Length &&
      (isInMember(Copy.getRawDest()) || isInMember(Copy.getRawSource())))
    return;
  bool AnySays = false, AreIntegers = false;
  for (const Value *P : {Copy.getRawDest(), Copy.getRawSource()}) {
    SmallSetVector<Type *, 4> Types;
    addTypes(P, Types);
    // A call of memcpy may move anything to a buffer of another type.
    if (!Copy.hasMetadata(LLVMContext::MD_tbaa_struct) &&
        all_of(Types, SaysNothing))
      return Known.clear();
    for (Type *T : Types) {
      if (SaysNothing(T))
        continue;
      if (!T->isSized() || T->isScalableTy())
        return Known.clear();
      Fields Here(DL, Copy.getContext(), Mixed);
      Type *Each = Length ? typeOfBytes(T, Length->getZExtValue(), DL)
                          : recordOf(T, Copy.getLength(), DL);
      const bool IsKnown =
          Each ? Here.add(Each, Length ? Length->getZExtValue()
                                       : DL.getTypeAllocSize(Each))
               : Length && addEnclosing(P, Length->getZExtValue(), Here, DL);
      if (!IsKnown || (AnySays && !Known.areSame(Here)))
        return Known.clear();
      AnySays = true;
      AreIntegers |= Each ? elementOf(Each)->isIntegerTy() : Here.areIntegers();
      Known.take(Here);
    }
  }
  if (AreIntegers)
    Known.clear();
}

static SmallVector<Field, 8> describedFields(const MDNode &Struct) {
  SmallVector<Field, 8> Result;
  for (unsigned K = 0; K + 3 <= Struct.getNumOperands(); K += 3) {
    auto Number = [&](unsigned N) {
      return mdconst::extract<ConstantInt>(Struct.getOperand(N))
          ->getZExtValue();
    };
    Result.push_back({Number(K), Number(K + 1),
                      dyn_cast_or_null<MDNode>(Struct.getOperand(K + 2))});
  }
  return Result;
}

/// Appends what of \p F is in none of \p Sorted, with the tag of \p F.
static void addRest(const Field &F, ArrayRef<Field> Sorted,
                    SmallVectorImpl<Field> &Rest) {
  uint64_t At = F.At, End = F.At + F.Bytes;
  for (const Field &G : Sorted) {
    if (G.At + G.Bytes <= At)
      continue;
    if (G.At >= End)
      break;
    if (G.At > At)
      Rest.push_back({At, G.At - At, F.Tag});
    At = std::min(End, G.At + G.Bytes);
  }
  if (At < End)
    Rest.push_back({At, End - At, F.Tag});
}

/// What \p Declared adds to \p Described, clang's own words, which prevail;
/// nothing if the two contradict each other. Where clang describes \p Bytes
/// bytes, there is nothing between the fields.
static SmallVector<Field, 16> joined(ArrayRef<Field> Described,
                                     ArrayRef<Field> Declared, uint64_t Bytes,
                                     LLVMContext &C) {
  SmallVector<Field, 16> All, Open;
  auto Sort = [&] {
    llvm::stable_sort(
        All, [](const Field &A, const Field &B) { return A.At < B.At; });
  };
  for (const Field &F : Described)
    (declaredKind(*F.Tag) == DeclaredKind::Other ? Open : All).push_back(F);
  const size_t NumClear = All.size();
  for (const Field &F : Declared) {
    if (declaredKind(*F.Tag) == DeclaredKind::Other) {
      Open.push_back(F);
      continue;
    }
    auto Meets = [&](const Field &G) {
      return G.At < F.At + F.Bytes && F.At < G.At + G.Bytes;
    };
    const auto *Met = find_if(ArrayRef(All).take_front(NumClear), Meets);
    if (Met == All.begin() + NumClear)
      All.push_back(F);
    else if (declaredKind(*Met->Tag) != declaredKind(*F.Tag) &&
             !(declaredKind(*Met->Tag) == DeclaredKind::Integer &&
               declaredKind(*F.Tag) == DeclaredKind::MaybeInteger))
      return {};
  }
  Sort();
  if (NumClear)
    Open.push_back({0, Bytes, declaredTag(C, DeclaredKind::Padding)});
  for (const Field &F : Open) {
    SmallVector<Field, 8> Rest;
    addRest(F, All, Rest);
    append_range(All, Rest);
    Sort();
  }
  return All;
}

static bool describe(MemTransferInst &Copy, const MixedUnions &Mixed) {
  if (Copy.isVolatile() || Copy.hasMetadata(LLVMContext::MD_tbaa))
    return false;
  LLVMContext &C = Copy.getContext();
  Fields Declared(Copy.getDataLayout(), C, Mixed);
  addMoved(Copy, Declared, Mixed);
  auto *Length = dyn_cast<ConstantInt>(Copy.getLength());
  const uint64_t Bytes = Length ? Length->getZExtValue() : Declared.size();
  SmallVector<Field, 8> Described;
  if (const MDNode *Struct = Copy.getMetadata(LLVMContext::MD_tbaa_struct))
    Described = describedFields(*Struct);
  if (any_of(Described, [](const Field &F) { return !F.Tag; }) ||
      (!Described.empty() && !Bytes))
    return false;
  SmallVector<Metadata *, 48> Operands;
  MDBuilder B(C);
  auto Add = [&](const Field &F) {
    for (uint64_t N : {F.At, F.Bytes})
      Operands.push_back(
          B.createConstant(ConstantInt::get(Type::getInt64Ty(C), N)));
    Operands.push_back(F.Tag);
  };
  if (Described.empty() && Declared.all().empty()) {
    if (!isInMixedStructure(Copy))
      return false;
    Add({0, 0, declaredTag(C, DeclaredKind::Mixed)});
  }
  for (const Field &F : joined(Described, Declared.all(), Bytes, C)) {
    Add(F);
    if (declaredKind(*F.Tag) == DeclaredKind::Mixed)
      for (Value *P : {Copy.getRawDest(), Copy.getRawSource()})
        if (!isa<AllocaInst>(getUnderlyingObject(P)))
          noteMixed(Copy, P, F.At, F.Bytes);
  }
  if (Operands.empty())
    return false;
  Copy.setMetadata(LLVMContext::MD_tbaa_struct, MDNode::get(C, Operands));
  return true;
}

bool verso::describeCopies(Function &F, const MixedUnions &Mixed) {
  bool Changed = false;
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (auto *Copy = dyn_cast<MemTransferInst>(&I))
      Changed |= describe(*Copy, Mixed);
  return Changed;
}
