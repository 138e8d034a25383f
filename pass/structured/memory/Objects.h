//===- Objects.h - which objects a pointer points into ----------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A flow-insensitive points-to analysis of one flattened function. Every
// pointer has a set of *places*: an object, and the offsets in it as
// `Offset + k * Step` for some integer k (Step 0: that offset alone; Step 1:
// any). What pointers are stored in an object is known by the places of the
// cells as well, so that a struct of pointers does not mix them. Integers that
// may be addresses, or part of one, have places too. Calls through pointers do
// nothing: what is said holds until the first of them.
//
// Distinct objects of the kinds Alloca and Heap are distinct memory. All
// others may be one another, for what is known here.
//
// Invalidated by any change of the function but the insertion of values.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_MEMORY_OBJECTS_H
#define VERSO_STRUCTURED_MEMORY_OBJECTS_H

#include "rules/KnownCalls.h"
#include "structured/memory/OffsetClass.h"
#include "structured/memory/Receivers.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

#include <optional>
#include <tuple>
#include <unordered_set>
#include <vector>

namespace verso {

class Counters;

struct Place {
  unsigned Object;
  OffsetClass At;
};
using Places = llvm::SmallVector<Place, 2>;

/// A piece of memory, or many that are not told apart.
struct Object {
  enum Kind {
    Alloca, ///< A local variable.
    Heap,   ///< Allocated by the function; one for each call that does.
    Dup,    ///< What a duplicated argument points to.
    Loaded, ///< What a pointer points to that was loaded from external memory;
            ///< its shadow is found in the same way.
    Constant, ///< Memory of the user that does not vary.
    Table,    ///< A constant global.
    Text,     ///< Characters of the library's: no numbers, no pointers. Only
              ///< one: nobody asks which.
    Global,   ///< A variable global of known size, by its name.
    Unknown,  ///< Nothing is known. Without a base: what integers of the user
              ///< may be addresses of; with the function for a base: addresses
              ///< in pieces.
  };
  Kind K;
  llvm::Value *Base = nullptr;
  /// The pointers stored in it, AsInteger too: such have no shadow.
  struct Content {
    OffsetClass Cell;
    Place Target;
    bool AsInteger = false;
    /// What the language says that the cell holds then (!tbaa); null if it may
    /// be anything.
    llvm::MDNode *Type = nullptr;
  };
  llvm::SmallVector<Content, 2> Contents = {};
  /// When these became more; see Objects::isSettled().
  uint64_t ChangedAt = 0;

  bool isLocal() const { return K == Alloca || K == Heap; }
  /// Memory of the caller: two of these may be the same.
  bool isExternal() const { return !isLocal(); }
  /// Whether its shadow is made for the request, zero at first: outside, nobody
  /// looks at it.
  bool hasSibling() const { return isLocal() || K == Global; }
  /// Whether memory of this object may have a shadow.
  bool canHaveShadow() const { return hasSibling() || K == Dup || K == Loaded; }
};

/// Whether \p Call returns a pointer to an exception that was caught.
bool catches(const llvm::CallBase &Call);

/// The exception that \p Call throws, or makes ready to be thrown; null if it
/// does neither.
llvm::Value *thrownBy(const llvm::CallBase &Call);
/// Whether \p Call makes room for an exception.
bool allocatesException(const llvm::CallBase &Call);

class Objects {
public:
  /// \p DupArguments are the pointers of \p F that have shadows, \p
  /// LoadedArguments those that may have one: their shadow may be themselves.
  Objects(llvm::Function &F, llvm::ArrayRef<llvm::Value *> DupArguments,
          const llvm::TargetLibraryInfo *TLI,
          llvm::ArrayRef<llvm::Value *> LoadedArguments = {});

  /// The exceptions that the function makes itself.
  llvm::ArrayRef<const llvm::CallBase *> exceptions() const {
    return Exceptions;
  }
  /// False where it would have taken too long: nothing is known then.
  bool isComplete() const { return Work <= MaxWork; }
  const Object &operator[](unsigned K) const { return All[K]; }
  unsigned size() const { return All.size(); }
  Places placesOf(const llvm::Value *Pointer) const;
  /// The function that this is the address of; null if it is none.
  llvm::Function *functionAt(const Place &P) const;
  /// Whether \p Pointer may lead where pointers in a constant do, which is one
  /// object with the constant: any memory that was there before.
  bool leadsBehindTable(const llvm::Value *Pointer) const;
  /// Whether no function is there for certain.
  bool isVariable(const Place &P) const;
  /// Whether \p Load, of a pointer, reads what is null or was never written.
  bool readsNothing(const llvm::LoadInst &Load) const;
  /// Whether \p Pointer is null, a small constant, or what such were stored
  /// for: nobody comes to an access through it.
  bool leadsNowhere(const llvm::Value *Pointer) const;
  /// Whether \p Load may read a pointer that was stored as an integer.
  bool readsInteger(const llvm::LoadInst &Load) const {
    return ReadsInteger.contains(&Load);
  }

  /// At least as many as the bytes that are copied or set: no more than there
  /// are in the objects. \p From may be null.
  uint64_t extentOf(const llvm::Value *Bytes, const llvm::Value *To,
                    const llvm::Value *From) const;

  /// Whether \p Pointer leads to local memory only, that nothing in external
  /// memory leads to, and no function that is not in sight was given.
  bool isPrivate(const llvm::Value *Pointer) const;

  /// Whether accesses through these pointers may touch the same byte, by what
  /// is known here: of local memory only.
  bool mayOverlap(const llvm::Value *P, uint64_t PSize, const llvm::Value *Q,
                  uint64_t QSize) const;

  /// Whether what \p Call is given leads to memory that \p Pointer points into,
  /// directly or through pointers there.
  bool mayLeadTo(const llvm::CallBase &Call, const llvm::Value *Pointer) const;
  /// Whether it leads to nothing but local memory, and what describes classes.
  bool leadsToLocalOnly(const llvm::Value &Pointer) const;
  /// The constants with pointers, tables of virtual functions among them, whose
  /// address the memory that \p Call leads to holds; none if that is not known.
  std::optional<Places> tablesBehind(const llvm::CallBase &Call) const;

private:
  void build(llvm::ArrayRef<llvm::Value *> DupArguments,
             llvm::ArrayRef<llvm::Value *> LoadedArguments, Counters &Counting);
  const llvm::BitVector &knownOutside() const;
  const llvm::BitVector *reachedBy(const llvm::CallBase &Call) const;
  void forget();
  uint64_t sizeOf(unsigned Object) const;
  uint64_t roomAt(const llvm::Value *P) const;
  void addElements(const llvm::Value *P, const Places &Base, uint64_t Step);
  Place piecesOf(Place P);
  bool isPieces(Place P) const;
  void addPlace(const llvm::Value *P, Place New);
  bool wasAdded(unsigned Object, const Object::Content &New);
  bool canHold(unsigned Object, OffsetClass Cell);
  void addContent(unsigned Object, Object::Content New);
  bool mayBeSame(llvm::MDNode *Stored, llvm::MDNode *Read);
  void noteStored(unsigned Object, const Object::Content &New);
  void addAll(const llvm::Value *P, const Places &From, int64_t Constant = 0,
              uint64_t AnyMultipleOf = 0);
  unsigned objectOf(const llvm::Value *Base, Object::Kind K);
  static bool isNowhere(const llvm::Value *P);
  bool isSettled(const llvm::Instruction &I) const;
  void visit(llvm::Instruction &I, Counters &Counting);
  bool isShort(const llvm::Value &V) const;
  static bool isOfNumbers(const llvm::Value *Memory);
  Places placesAt(const llvm::Use &U);
  bool mayBe(const Receivers::Fact &What, const Place &P);
  void visitLoad(llvm::LoadInst &I);
  void readAt(llvm::LoadInst &I, const Place &P,
              llvm::function_ref<void(Place, bool AsInteger)> Found);
  std::optional<Places> readTable(const llvm::LoadInst &I, Place P) const;
  void visitInteger(llvm::Instruction &I);
  void visitCall(llvm::CallBase &I);
  void visitText(llvm::CallBase &I);
  void writeUnknown(llvm::CallBase &I, const llvm::Value *To);
  void copyContents(llvm::CallBase &Copy, const llvm::Value *To,
                    const llvm::Value *From, const llvm::Value *Bytes);
  void readFrom(const llvm::Value *Reader, const Place &P,
                llvm::function_ref<void(Place)> Found);
  uint64_t least(const llvm::Value &V) const;
  std::optional<llvm::SmallVector<const llvm::Value *, 4>>
  storedInFrame(const llvm::LoadInst &Load) const;
  uint64_t divisor(const llvm::Value *V) const;
  uint64_t divisorOf(const llvm::Instruction &I) const;
  void visitDivisor(const llvm::Instruction &I);
  uint64_t divisorOfDistance(const llvm::Value *P, const llvm::Value *Q) const;

  llvm::Function &F;
  const llvm::TargetLibraryInfo *TLI;
  const llvm::DataLayout &DL;
  const bool UsesWholeBlocks;
  const Receivers Told;
  std::vector<Object> All;
  llvm::SmallVector<const llvm::CallBase *, 2> Exceptions;
  llvm::DenseMap<std::pair<const llvm::Value *, unsigned>, unsigned> ByBase;
  llvm::DenseMap<const llvm::Value *, Places> Known;
  llvm::DenseSet<const llvm::LoadInst *> ReadsInteger;
  /// Whether accesses of two types may be of the same memory.
  llvm::DenseMap<std::pair<llvm::MDNode *, llvm::MDNode *>, bool> MayBeSame;
  /// Whether the program stores pointers in its integers.
  bool HidesPointers = false;
  /// Of integers: what each is a multiple of.
  llvm::DenseMap<const llvm::Value *, uint64_t> Divisors;
  /// What may write integers and numbers to frames of recursions.
  llvm::SmallVector<const llvm::Instruction *, 8> FrameWrites;
  /// What is stored in external memory, once each as each type, and where: in
  /// this object, or in several.
  struct Stored {
    Place Target;
    bool AsInteger;
    llvm::MDNode *Type;
    unsigned In;
    bool InSeveral = false;
  };
  std::vector<Stored> StoredOutside;
  llvm::DenseMap<std::pair<unsigned, llvm::MDNode *>, unsigned> StoredNumber;
  /// Copies that may move pointers which nothing here stores: first none, then
  /// all but those of numbers alone (NumberCopies.h).
  bool MovesPointers = false;
  llvm::SmallSetVector<llvm::CallBase *, 4> Copies;
  llvm::DenseSet<const llvm::CallBase *> NumberCopies;
  /// Of local objects, in bytes.
  mutable llvm::DenseMap<unsigned, uint64_t> Sizes;
  static constexpr uint64_t MaxExtent = uint64_t(1) << 40;
  /// knownOutside(), once somebody asked.
  mutable std::optional<llvm::BitVector> KnownOutside;
  /// reachedBy(), of those that somebody asked for.
  mutable llvm::DenseMap<const llvm::CallBase *, std::optional<llvm::BitVector>>
      Reached;
  /// What was added to an object while it had many contents.
  using Addition = std::tuple<unsigned, OffsetClass, unsigned, OffsetClass,
                              bool, llvm::MDNode *>;
  struct HashOfAddition {
    size_t operator()(const Addition &A) const {
      const auto &[In, Cell, Target, At, AsInteger, Type] = A;
      return llvm::hash_combine(In, Cell.Offset, Cell.Step, Target, At.Offset,
                                At.Step, AsInteger, Type);
    }
  };
  std::unordered_set<Addition, HashOfAddition> Added;
  /// Comparisons of places so far; some seconds.
  uint64_t Work = 0;
  static constexpr uint64_t MaxWork = uint64_t(1) << 29;
  bool Changed = false, IsBuilding = true;
  /// Counts what was found. When it was that places of a value became more,
  /// contents of external memory did, and an instruction was visited.
  uint64_t Time = 1, OutsideChangedAt = 0;
  llvm::DenseMap<const llvm::Value *, uint64_t> ChangedAt, VisitedAt;
};

} // namespace verso

#endif // VERSO_STRUCTURED_MEMORY_OBJECTS_H
