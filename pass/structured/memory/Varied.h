//===- Varied.h - what has a derivative, in memory too ----------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which values and objects of a flattened function are *varied* (may depend on
// the inputs) and *useful* (an output may depend on them); active is both.
// An object is *shadowed* when it has adjoint cells: it is active, or the user
// gave it a shadow.
//
// Guarantee: the bytes of an active number are written as that number only, in
// every shadowed object, by what offsets and type-based alias information say;
// or the stores of something else are known that clear its adjoint. In
// siblings, pointers may be in the same bytes at other times.
// Where this cannot be seen it is refused; so is varied data in memory that
// cannot have a shadow. Memory that a global variable or a library's pointer
// led to before the request is constant.
//
// Invalidated by any change of the function but the insertion of values.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_MEMORY_VARIED_H
#define VERSO_STRUCTURED_MEMORY_VARIED_H

#include "rules/Operation.h"
#include "structured/Refusal.h"
#include "structured/memory/CertainCells.h"
#include "structured/memory/Objects.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PassManager.h"

namespace verso {

/// A memcpy, memmove or memset of the program.
struct BulkAccess {
  llvm::CallBase *Call;
  llvm::Value *To, *From; ///< From is null where a value is written.
  llvm::Value *Bytes;
  /// Where numbers and pointers are in what is moved, from its start: at
  /// At.Offset alone, or there and at every At.Step bytes from there.
  struct Field {
    llvm::Type *T;
    OffsetClass At;
    bool operator==(const Field &) const = default;
  };
  llvm::SmallVector<Field, 4> Numbers = {}, Pointers = {};
  /// What is accessed as something else.
  llvm::SmallVector<Field, 4> Others = {};
  /// Whether not every byte is known, or pointers go to memory of the caller:
  /// the runtime looks (UntypedCopies.h).
  bool IsUntyped = false;
  /// Whether what is declared as integers is believed (NumberCopies.h).
  bool HasIntegers = true;
  /// Whether the marks of the bytes tell what is moved (KindMarks.h).
  bool IsMarked = false;
  /// And whether each of its words is whole numbers or none: few words, which
  /// need no note. Those in which numbers may be, from its start.
  bool IsByWords = false;
  struct Word {
    uint64_t At, Bytes;
  };
  llvm::SmallVector<Word, 4> Words = {};
  /// What is certain, where the above is more: all bytes are numbers since no
  /// others are seen, or what may only be in other objects, or elsewhere in
  /// this one. If the runtime looks, the above is this.
  struct CertainFields {
    llvm::SmallVector<Field, 4> Numbers, Pointers, Others;
  };
  std::optional<CertainFields> Certain = std::nullopt;
  void keepCertain() {
    if (Certain) {
      Numbers = Certain->Numbers;
      Pointers = Certain->Pointers;
      Others = Certain->Others;
    }
  }
};

/// How many of field \p F, of \p Size bytes, are in \p Bytes bytes.
llvm::Value *countOfField(llvm::IRBuilderBase &B, const BulkAccess::Field &F,
                          uint64_t Size, llvm::Value *Bytes);

/// Whether \p B may copy within one object, from where it copies to.
bool mayMeetItself(const BulkAccess &B, const Objects &O);

class VariedMemory {
public:
  /// \p MayMap: the request may have windows of its own. \p IsWatched: all
  /// memory that was there before has adjoints (WatchedMemory.h).
  VariedMemory(llvm::Function &F, const Objects &O,
               llvm::ArrayRef<llvm::Value *> VariedArguments,
               bool ReturnIsSeeded, bool MayMap, bool IsWatched,
               llvm::FunctionAnalysisManager &FAM, Refusals &Refused);
  const llvm::Function &function() const { return F; }

  bool isActive(const llvm::Value *V) const {
    return Varied.contains(V) && Useful.contains(V);
  }
  /// Whether an adjoint may come from \p U to its operands: that of a call with
  /// two results comes from those who take them apart.
  bool handsBack(const llvm::User *U) const {
    return isActive(U) ||
           (llvm::isa<llvm::CallBase>(U) && U->getType()->isStructTy() &&
            llvm::any_of(U->users(),
                         [&](auto *Each) { return isActive(Each); }));
  }
  /// The rule of \p I, or null.
  const Operation *operation(const llvm::Instruction *I) const {
    auto It = Operations.find(I);
    return It == Operations.end() ? nullptr : &It->second;
  }
  /// Whether a real load or store through \p P has an adjoint cell.
  bool isShadowed(const llvm::Value *P) const;
  /// Whether numbers that vary are stored in memory behind arguments that do
  /// not: its adjoint cells are those at p + delta.
  bool mapsConstants() const { return MapsConstants; }
  /// Whether \p P leads there, or to memory that may be watched; or may lead to
  /// the former.
  bool isMapped(const llvm::Value *P) const;
  bool mayBeMapped(const llvm::Value *P) const;
  bool isWatched() const { return IsWatched; }
  /// Whether the adjoints where \p P leads may be at p + distance: of memory
  /// that was there before, and of blocks of the function that such leads to.
  bool mayBeAtDistance(const llvm::Value *P) const;
  /// Whether there, of two blocks, the second may have the first one's place.
  bool mayShareCells(const llvm::Value *P) const;
  /// Whether \p Distance, of two pointers, may be that of two arrays.
  bool mayBeForeign(const llvm::BinaryOperator &Distance) const;
  /// Whether an access through \p P may also meet memory without a shadow.
  bool mayLackShadow(const llvm::Value *P) const;
  /// Whether bytes of the object that \p P leads to, or may, are marked by what
  /// they are at the moment (KindMarks.h): no type is true of them always.
  bool isMarked(const llvm::Value *P) const;
  bool isMarked(unsigned Object) const { return ObjectMarked.test(Object); }
  bool marksAny() const { return ObjectMarked.any(); }
  /// What \p Store moves as an integer from marked memory to marked memory,
  /// where it may be a number; null if it is another kind of store.
  llvm::LoadInst *movedWord(const llvm::StoreInst &Store) const {
    return MovedWords.lookup(&Store);
  }
  bool isMovedWord(const llvm::LoadInst &Load) const {
    return LoadedWords.contains(&Load);
  }
  /// Whether the runtime looks what some copy moves.
  bool copiesUntyped() const { return CopiesUntyped; }
  /// All bulk accesses of the program.
  const llvm::MapVector<const llvm::CallBase *, BulkAccess> &bulks() const {
    return Bulk;
  }
  /// The bulk accesses that matter to the reverse sweep.
  const BulkAccess *bulk(const llvm::CallBase *Call) const {
    auto It = Bulk.find(Call);
    return It == Bulk.end() ? nullptr : &It->second;
  }
  /// Whether \p Store, of no number, overwrites numbers.
  bool clearsNumbers(const llvm::StoreInst &Store) const {
    return Clearing.contains(&Store);
  }
  /// Whether what such a store writes may have been computed from the bits of a
  /// number that varies: nobody knows the derivative, if one is asked for.
  bool losesBits(const llvm::StoreInst &Store) const {
    return Computed.contains(Store.getValueOperand()) ||
           Losing.contains(&Store);
  }
  /// Whether \p Store, of no pointer, may overwrite a pointer in a sibling,
  /// whose bytes hold a number at another time.
  bool mayEndPointer(const llvm::StoreInst &Store) const {
    return OverPointers.contains(&Store);
  }
  /// Whether pointers and numbers may be at the same place where \p P points
  /// to.
  bool takesTurns(const llvm::Value *P) const;
  const Objects &objects() const { return O; }
  /// A number, a pointer or something else in an object.
  struct Cell {
    llvm::Type *T;
    uint64_t Size;
    OffsetClass At;
    bool operator==(const Cell &) const = default;
  };
  /// Globals, and pointers that may not lead into them: derivatives would be
  /// lost.
  llvm::ArrayRef<std::pair<llvm::GlobalVariable *, llvm::Value *>>
  strangers() const {
    return Strangers.getArrayRef();
  }

private:
  struct Access {
    llvm::Instruction *I;
    llvm::Value *Pointer;
    llvm::Type *T; ///< Null: bytes.
    uint64_t Size;
  };
  void collect(llvm::Function &F);
  void collectCall(llvm::CallBase &Call);
  void findVaried(llvm::Function &F);
  void refuseOtherWaysToKept();
  void refuseNumbersInPointers();
  void refusePointersInNumbers();
  bool becomesVaried(llvm::Instruction &I);
  bool leadsToNoNumber(const llvm::Instruction &Bits) const;
  bool becomesComputed(const llvm::Instruction &I) const;
  bool readsBitsOf(const llvm::DenseSet<const llvm::Value *> &Values,
                   const llvm::LoadInst &Load) const;
  bool mayReadNumber(const llvm::LoadInst &Load);
  bool isBehindConstant(const Place &Q) const;
  void storeVaried(const llvm::Value *P, const llvm::Instruction &At);
  bool anyVaried(const llvm::Value *P) const;
  void findUseful(llvm::Function &F, bool ReturnIsSeeded);
  bool markUseful(const llvm::Value *V);
  bool visitUseful(llvm::Instruction &I);
  bool anyUseful(const llvm::Value *P) const;
  void findShadowed();
  bool mayBeVaried(const Object &Unknown) const;
  void checkUnknown();
  void checkPointers();
  void checkPairs();
  void checkGlobals();
  void checkCells();
  bool mayEndCopied(unsigned K, const llvm::StoreInst &Store) const;
  void letTakeTurns(unsigned K);
  bool mayMark(unsigned K) const;
  /// An object with as many cells has others that are not known.
  static constexpr unsigned MaxCells = 1024;
  void spreadMarks();
  bool checkMarked(BulkAccess &B);
  bool cutsNumber(const BulkAccess &B) const;
  bool movesRecords(const BulkAccess &B, uint64_t Extent) const;
  bool findWords(BulkAccess &B) const;
  /// How numbers lie to the words of memory.
  enum class Fit { Never, MayCut, Always };
  Fit fitWords(const llvm::Value *P, uint64_t Bytes,
               llvm::SmallVectorImpl<OffsetClass> &Numbers) const;
  bool moveWord(const llvm::StoreInst &Store);
  bool storesInteger(const llvm::StoreInst &Store);
  void checkBulk();
  bool mayBeUntyped(const BulkAccess &B) const;
  void spreadUntyped();
  void checkMapped();
  void findAtDistance();
  void checkWatched();
  void checkKept();
  void findCells();
  CertainCells findCertainCells() const;
  bool fieldsOf(BulkAccess &B, const llvm::Value *P);
  bool hasOtherNumbers(const BulkAccess &B, const llvm::Value *P,
                       const llvm::Type *T) const;
  bool othersOf(const BulkAccess &B, const llvm::Value *P,
                llvm::SmallVectorImpl<Cell> &Others) const;

  bool haveDistinctTypes(const llvm::Instruction &A,
                         const llvm::Instruction &B);

  const Objects &O;
  llvm::Function &F;
  llvm::FunctionAnalysisManager &FAM;
  const llvm::TargetLibraryInfo *TLI;
  const llvm::DataLayout &DL;
  Refusals &Refused;
  llvm::DenseMap<const llvm::Instruction *, Operation> Operations;
  std::vector<Access> Accesses;
  llvm::MapVector<const llvm::CallBase *, BulkAccess> Bulk;
  llvm::DenseSet<const llvm::Value *> Varied, Useful;
  /// Integers: not Varied, but computed from such.
  llvm::DenseSet<const llvm::Value *> Computed;
  /// Stores of integers that are Varied or Computed.
  llvm::SetVector<const llvm::StoreInst *> BitStores;
  llvm::DenseSet<const llvm::StoreInst *> Clearing, OverPointers, Losing;
  llvm::DenseMap<const llvm::StoreInst *, llvm::LoadInst *> MovedWords;
  llvm::DenseSet<const llvm::LoadInst *> LoadedWords;
  llvm::SmallSetVector<std::pair<llvm::GlobalVariable *, llvm::Value *>, 4>
      Strangers;
  llvm::BitVector ObjectVaried, ObjectUseful, ObjectShadowed, ObjectTakesTurns,
      ObjectMarked, ObjectAtDistance;
  const llvm::Instruction *Conflict = nullptr; ///< Why something is marked.
  const bool MayMap, IsWatched;
  bool MapsConstants = false, CopiesUntyped = false;
  /// By object: numbers and pointers, those included that copies bring or take.
  std::vector<llvm::SmallVector<Cell, 4>> Cells;
  /// Of these, the numbers that nobody accesses there as such.
  std::vector<llvm::SmallVector<Cell, 4>> CopiedNumbers;
  /// Of integers by the language, as far as asked.
  llvm::DenseMap<const llvm::LoadInst *, bool> MayReadNumber;
};

} // namespace verso

#endif // VERSO_STRUCTURED_MEMORY_VARIED_H
