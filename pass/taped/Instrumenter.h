//===- Instrumenter.h - puts IDs beside the values of a function *- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns the clone of a prepared function into its recto: every active value
// gets a companion, every recorded operation writes to the tape, memory moves
// images. Control flow and primal values stay as they are. The work is split by
// subject:
//
//   Instrumenter.cpp  the walk; values that only move (phi, select, casts, ...)
//   Records.cpp       operations: the local reverse sweep of a cone
//   Images.cpp        images, and values whose bits move
//   IntegerRuns.cpp   integers that hold no number's bits
//   Memory.cpp        loads, stores, atomics
//   Pointers.cpp      pointers in memory, and numbers that move as pointers
//   Halves.cpp        two-byte numbers in memory
//   PackedNumbers.cpp numbers at any address
//   Calls.cpp         twins, library functions
//
// The clone must be prepared (prepare/Prepare.h): scalar, without unreachable
// blocks, invokes with a normal destination of their own.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_TAPED_INSTRUMENTER_H
#define VERSO_TAPED_INSTRUMENTER_H

#include "Diagnostics.h"
#include "analysis/Activity.h"
#include "analysis/BytePlaces.h"
#include "analysis/CallModel.h"
#include "analysis/Cones.h"
#include "analysis/CopiedNumbers.h"
#include "emit/BuilderAfter.h"
#include "emit/LostBits.h"
#include "emit/TapeWriter.h"
#include "twins/Twins.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/InstVisitor.h"

namespace llvm {
class Loop;
} // namespace llvm

namespace verso {

struct EarlierPointer;
struct KeptWords;

/// What one word of an image stands for.
constexpr uint64_t GranuleBytes = 4;

class Instrumenter : public llvm::InstVisitor<Instrumenter> {
public:
  /// \p Companions gives the companion argument of each argument of \p F, or
  /// null; \p Fresh may be null.
  Instrumenter(llvm::Function &F, llvm::Value *Context,
               llvm::ArrayRef<llvm::Value *> Companions, const Activity &A,
               const FreshMemory *Fresh, const llvm::TargetLibraryInfo *TLI,
               Twins &Registry, Diagnostics &D);

  void run();

  /// \name Visitors. Each is called for an original instruction.
  /// @{
  void visitPHINode(llvm::PHINode &I);
  void visitSelectInst(llvm::SelectInst &I);
  void visitFreezeInst(llvm::FreezeInst &I);
  void visitCastInst(llvm::CastInst &I);
  void visitGetElementPtrInst(llvm::GetElementPtrInst &I);
  void visitBinaryOperator(llvm::BinaryOperator &I);
  void visitExtractValueInst(llvm::ExtractValueInst &I);
  void visitInsertValueInst(llvm::InsertValueInst &I);
  void visitExtractElementInst(llvm::ExtractElementInst &I);
  void visitInsertElementInst(llvm::InsertElementInst &I);
  void visitShuffleVectorInst(llvm::ShuffleVectorInst &I);
  void visitLoadInst(llvm::LoadInst &I);
  void visitStoreInst(llvm::StoreInst &I);
  void visitAtomicRMWInst(llvm::AtomicRMWInst &I);
  void visitAtomicCmpXchgInst(llvm::AtomicCmpXchgInst &I);
  void visitCallBase(llvm::CallBase &I);
  void visitReturnInst(llvm::ReturnInst &I);
  void visitResumeInst(llvm::ResumeInst &I);
  void visitInstruction(llvm::Instruction &I);
  /// @}

private:
  /// The companion of \p V, all zeros if it is not active.
  llvm::Value *companion(llvm::Value *V);
  void setCompanion(llvm::Value *V, llvm::Value *Companion);
  void checkEarlier(const EarlierPointer &Pointer);
  bool isTracked(llvm::Value *Pointer) const { return A.isActive(Pointer); }
  /// Whether what \p I reads through a pointer with a shadow has no image.
  bool isFresh(const llvm::Instruction &I) const {
    auto *Load = llvm::dyn_cast<llvm::LoadInst>(&I);
    return Fresh && Load && Fresh->isFresh(*Load);
  }
  void fillPhis();

  // IntegerRuns.cpp
  bool joinsRun(const llvm::Instruction &I) const;
  void visitInRuns(llvm::ArrayRef<llvm::Instruction *> Block);
  void visitRun(const llvm::SmallSetVector<llvm::Value *, 16> &Run,
                llvm::Instruction &Before);

  /// Reports that \p I cannot be differentiated.
  void fail(llvm::Instruction &I, const llvm::Twine &Message,
            llvm::StringRef Remedy);
  llvm::Value *imageOf(llvm::IRBuilderBase &B, llvm::Value *V);
  llvm::Value *companionOfImage(llvm::Instruction &I, llvm::Value *Image);
  /// What the image of an i64 says, as i1 each.
  struct Image64 {
    llvm::Value *Pointer, *Live;
  };
  Image64 classify(llvm::IRBuilderBase &B, llvm::Value *Image);
  llvm::Value *shadowOfInteger(llvm::Instruction &I);
  llvm::Value *noteIfLost(llvm::Instruction &I, llvm::Value *Id);
  void failIf(llvm::IRBuilderBase &B, llvm::Value *Condition,
              llvm::Instruction &I, llvm::StringRef Reason);
  void refuseForeignDistance(llvm::IRBuilderBase &B,
                             llvm::GetElementPtrInst &I);
  llvm::Value *orItself(llvm::IRBuilderBase &B, llvm::Value *Shadow,
                        llvm::Value *P);

  // Records.cpp
  void emitRecord(llvm::Instruction &Root);
  llvm::Instruction *shareable(llvm::Instruction &Root,
                               llvm::ArrayRef<Contribution> Terms,
                               llvm::IRBuilderBase &B);
  llvm::Value *emitContributions(llvm::Instruction &Root,
                                 llvm::SmallVectorImpl<Contribution> &Terms,
                                 llvm::IRBuilderBase &B);

  // Memory.cpp
  struct Place {
    llvm::Value *Pointer;
    llvm::Value *Shadow; ///< null if the pointer is untracked for certain.
  };
  Place placeOf(llvm::Value *Pointer);
  llvm::Value *shadow(llvm::IRBuilderBase &B, llvm::Value *P);
  llvm::LoadInst *loadImage(llvm::IRBuilderBase &B, llvm::Type *T,
                            llvm::Value *P);
  void storeImage(llvm::IRBuilderBase &B, llvm::Value *Image, llvm::Value *P);
  llvm::Value *storableId(llvm::IRBuilderBase &B, llvm::Value *V);
  llvm::Value *realImage(llvm::IRBuilderBase &B, llvm::Type *T,
                         llvm::Value *Id);
  static llvm::Value *productOfPair(llvm::IRBuilderBase &B, llvm::Value *Image);
  llvm::Value *handleOfPair(llvm::IRBuilderBase &B, llvm::Value *Image);
  llvm::Value *isUpperHalf(llvm::IRBuilderBase &B, llvm::Value *Word);
  static llvm::Value *partner(llvm::IRBuilderBase &B, llvm::Value *Word);
  llvm::Value *isLive(llvm::IRBuilderBase &B, llvm::Value *Id);
  static llvm::Value *pairImage(llvm::IRBuilderBase &B, llvm::Value *Word,
                                bool Swapped);
  /// The two words of a pair image; the first is the one that holds the ID.
  static std::pair<llvm::Value *, llvm::Value *>
  splitPair(llvm::IRBuilderBase &B, llvm::Value *Image, bool Swapped);
  llvm::Value *pointerImage(llvm::IRBuilderBase &B, llvm::Value *P,
                            llvm::Value *Shadow, bool MayBeNumber);
  static bool mayBeNumber(const llvm::Value *V);
  llvm::Value *isTracked(llvm::IRBuilderBase &B, Place At);
  llvm::Value *offsetOf(llvm::IRBuilderBase &B, Place At);
  llvm::Value *callClaiming(llvm::IRBuilderBase &B, llvm::StringRef Name,
                            llvm::ArrayRef<llvm::Value *> Arguments);
  /// An untracked pointer is its own shadow.
  static llvm::Value *shadowOf(Place At) {
    return At.Shadow ? At.Shadow : At.Pointer;
  }
  llvm::Value *slotOf(llvm::IRBuilderBase &B, llvm::Value *Handle);
  llvm::Value *loadReal(llvm::Instruction &I, llvm::Type *T, Place At);
  llvm::Value *loadInPlace(llvm::IRBuilderBase &B, llvm::Instruction &I,
                           llvm::Type *T, Place At);
  struct UntouchedCell {
    llvm::Value *Id = nullptr, *Doubtful = nullptr;
  };
  static UntouchedCell cellByDistance(llvm::IRBuilderBase &B,
                                      llvm::Value *Distance);
  UntouchedCell cellInReach(llvm::IRBuilderBase &B, Place At);
  UntouchedCell untouchedCell(llvm::IRBuilderBase &B, llvm::Type *T, Place At);
  llvm::Value *addressShadow(llvm::IRBuilderBase &B, llvm::Value *P);
  llvm::Value *loadShadow(llvm::LoadInst &I, Place At);
  void touchBytes(llvm::IRBuilderBase &B, Place At, llvm::Value *Bytes,
                  llvm::ArrayRef<CopiedNumbers> Known,
                  const CopiedRecord &Record = {});
  llvm::Constant *tableOf(const CopiedRecord &Record);
  llvm::Value *loadBytes(llvm::LoadInst &I, Place At);
  llvm::Value *imageBefore(llvm::Instruction &I, llvm::Type *T, Place At);
  llvm::Value *pointersOf(llvm::IRBuilderBase &B, llvm::Value *Image);
  void storeReal(llvm::StoreInst &I, llvm::Type *T, llvm::Value *V, Place At);
  void storeId(llvm::IRBuilderBase &B, llvm::Type *T, llvm::Value *Id,
               Place At);
  void storePointer(llvm::StoreInst &I, Place At);
  void storeBytes(llvm::IRBuilderBase &B, llvm::Value *Image,
                  llvm::Align Alignment, Place At);
  void moveBytes(llvm::IRBuilderBase &B, llvm::Value *Image, Place At);
  void clearBytes(llvm::IRBuilderBase &B, uint64_t Bytes, Place At,
                  llvm::Align Alignment);
  static llvm::Value *granuleOf(llvm::IRBuilderBase &B, llvm::Value *P);
  llvm::Value *holdsImage(llvm::IRBuilderBase &B, llvm::Value *Granule);
  bool overwritesPart(const llvm::Instruction &I) const;
  void storePart(llvm::IRBuilderBase &B, uint64_t Bytes, llvm::Value *Pointer,
                 llvm::Align Alignment);
  void overwritePart(llvm::IRBuilderBase &B, Place At, llvm::Value *Bytes);
  std::pair<llvm::Value *, llvm::Value *> handleOfImage(llvm::IRBuilderBase &B,
                                                        llvm::Value *Image);
  llvm::Value *shadowOfImage(llvm::IRBuilderBase &B, llvm::Value *Image);
  llvm::Value *realOfImage(llvm::Instruction &I, llvm::Type *T,
                           llvm::Value *Image);
  llvm::Value *settle(llvm::IRBuilderBase &B, llvm::Value *Bad, llvm::Value *Id,
                      llvm::Value *P, verso_cell_kind Kind);
  llvm::Value *settle(llvm::IRBuilderBase &B, llvm::Value *P,
                      verso_cell_kind Kind);
  llvm::Value *
  emitIf(llvm::IRBuilderBase &B, llvm::Value *Condition, llvm::Value *Otherwise,
         llvm::function_ref<llvm::Value *(llvm::IRBuilder<> &)> Then,
         bool Unlikely = true);
  llvm::Value *
  emitBranch(llvm::IRBuilderBase &B, llvm::Value *Condition, llvm::Type *T,
             llvm::function_ref<llvm::Value *(llvm::IRBuilder<> &)> Then,
             llvm::function_ref<llvm::Value *(llvm::IRBuilder<> &)> Else,
             bool Likely = false);

  // Halves.cpp
  llvm::CallInst *callHalves(llvm::IRBuilderBase &B, RuntimeFunction Which,
                             Place At, unsigned Kind,
                             llvm::Value *Id = nullptr);
  bool mayPartGranules(llvm::Type *T, llvm::Align Alignment) const;
  llvm::Value *imageSlot(llvm::Type *T);
  void copyImagesOf(llvm::IRBuilderBase &B, Place To, Place From,
                    llvm::Type *T);
  llvm::Value *imageOfParts(llvm::IRBuilderBase &B, llvm::LoadInst &I,
                            Place At);
  void storeParts(llvm::IRBuilderBase &B, llvm::Value *Image, Place At);
  void keepPart(llvm::IRBuilderBase &B, llvm::LoadInst &I, Place At);
  llvm::Value *placeOfPart(llvm::IRBuilderBase &B, llvm::Value *V);
  llvm::Value *halfOfBits(llvm::Instruction &I, llvm::Value *Bits);
  llvm::Value *imageOfPart(llvm::IRBuilderBase &B, llvm::TruncInst &I);
  bool cutsWords(const llvm::APInt &Mask) const;
  llvm::Value *widened(llvm::IRBuilderBase &B, llvm::CastInst &I,
                       llvm::Value *Image);
  static llvm::Value *imageOfHalf(llvm::IRBuilderBase &B, llvm::Value *Id);
  static llvm::Value *halfOfImage(llvm::IRBuilderBase &B, llvm::Value *Image);

  // MovedAddresses.cpp
  llvm::Value *orHandle(llvm::LoadInst &I, llvm::Value *Id, Place At);
  llvm::Value *orHandle(llvm::BitCastInst &I, llvm::Value *Id,
                        llvm::Value *Image);
  void followAddress(llvm::IRBuilderBase &B, llvm::Value *X, llvm::Value *Id,
                     Place At);

  bool mayBeMember(const llvm::Instruction &Access) const;

  // PackedNumbers.cpp
  bool mayBePacked(const llvm::Instruction &Access) const;
  static llvm::Value *isPacked(llvm::IRBuilderBase &B, llvm::Value *P);
  void ifPacked(llvm::IRBuilderBase &B, Place At,
                llvm::function_ref<void(llvm::IRBuilder<> &)> Then,
                llvm::function_ref<void(llvm::IRBuilder<> &)> Else);
  void storePacked(llvm::IRBuilderBase &B, llvm::Value *Image, unsigned Kind,
                   Place At);

  // BitArithmetic.cpp
  llvm::Value *isLiveWord(llvm::IRBuilderBase &B, llvm::Value *Word);
  llvm::Value *isNumberWord(llvm::IRBuilderBase &B, llvm::Value *Word);
  llvm::Value *holdsNumberByImage(llvm::IRBuilderBase &B, llvm::Value *Image);
  llvm::Value *holdsNumber(llvm::IRBuilderBase &B, llvm::Value *V);
  llvm::Value *orLostWords(llvm::IRBuilderBase &B,
                           llvm::ArrayRef<llvm::Value *> Parts,
                           llvm::Value *Image);
  llvm::Value *lostImage(llvm::IRBuilderBase &B, llvm::Type *T);
  void callOnBytes(llvm::CallBase &I, bool Moves);
  void storeComputed(llvm::IRBuilderBase &B, llvm::Value *Image,
                     llvm::Align Alignment, Place At);
  llvm::Value *idOfParts(llvm::IRBuilderBase &B, llvm::CastInst &I);
  llvm::Value *arithmeticImage(llvm::IRBuilderBase &B, llvm::Instruction &I,
                               llvm::Value *Operand, llvm::Value *Image);
  llvm::Value *arithmeticImage(llvm::IRBuilderBase &B, llvm::BinaryOperator &I);
  llvm::Value *orMovedPointer(llvm::IRBuilderBase &B, llvm::Instruction &I,
                              llvm::Value *Operand, llvm::Value *Image);
  llvm::Value *imageByBytes(llvm::Value *V);
  void setMovedImage(llvm::IRBuilderBase &B, llvm::Instruction &I,
                     llvm::Value *Image, llvm::Value *Uncut = nullptr);
  bool movesPieces(llvm::Value *V);
  llvm::Value *placePieces(llvm::IRBuilderBase &B, llvm::Value *V);
  llvm::Value *keepsImage(llvm::IRBuilderBase &B, llvm::Value *Image,
                          llvm::Value *Mask);
  llvm::Value *underTag(llvm::IRBuilderBase &B, llvm::Value *Image,
                        llvm::Value *Tag);
  llvm::Value *imageInOrder(llvm::IRBuilderBase &B, llvm::Value *X,
                            llvm::Value *Image);
  llvm::Value *withLostWords(llvm::IRBuilderBase &B, llvm::Value *Image,
                             uint64_t Bytes);
  llvm::Value *imageOfOperand(llvm::IRBuilderBase &B, llvm::Value *V);
  llvm::Value *imageByWords(llvm::IRBuilderBase &B, llvm::BinaryOperator &I,
                            const KeptWords &Words,
                            llvm::function_ref<llvm::Value *()> AsWhole);

  // Calls.cpp
  void visitLongJump(llvm::CallBase &I);
  void callTwin(llvm::CallBase &I);
  void reloadIn(llvm::BasicBlock &Pad);
  void callLibrary(llvm::CallBase &I, const KnownCall &K);
  void recordStaged(llvm::IRBuilderBase &B, llvm::CallBase &I);
  void clearScanned(llvm::CallBase &I, const KnownCall &K);
  Place argumentPlace(llvm::IRBuilderBase &B, llvm::CallBase &I, int K);
  void copyImages(llvm::IRBuilderBase &B, Place To, Place From,
                  llvm::Value *Bytes);
  void clearImages(llvm::IRBuilderBase &B, Place At, llvm::Value *Bytes);
  void detachNumbers(llvm::IRBuilderBase &B, Place At, llvm::Value *Bytes);

  llvm::Function &F;
  const Activity &A;
  const FreshMemory *Fresh;
  Cones C;
  /// The loop that each instruction was in before anything was emitted, and the
  /// terminators of preheaders.
  llvm::DenseMap<const llvm::Value *, const llvm::Loop *> LoopOf;
  llvm::DenseMap<const llvm::Loop *, llvm::Instruction *> LoopEntry;
  const llvm::TargetLibraryInfo *TLI;
  Twins &Registry;
  Diagnostics &D;
  llvm::Instruction *Setup;
  TapeWriter Tape;
  llvm::DenseMap<llvm::Value *, llvm::Value *> CompanionOf;
  /// Of integers with a number in part: what the bytes say that are there.
  llvm::DenseMap<llvm::Value *, llvm::Value *> UncutImages;
  BytePlaces Places;
  /// Loaded parts of granules: see keepPart.
  llvm::DenseMap<llvm::Value *, llvm::Value *> KeptParts;
  /// IDs that are those of a record: neither 0 nor direct.
  llvm::SmallPtrSet<llvm::Value *, 32> RecordIds;
  llvm::SmallVector<std::pair<llvm::PHINode *, llvm::PHINode *>, 16> Phis;
  llvm::SmallVector<llvm::Instruction *, 16> Replaced;
  /// Of casts to numbers, as the program branches, before anything was emitted:
  /// those that may be lost in them (numbersInPart), and where that is certain.
  llvm::DenseMap<llvm::CastInst *, llvm::SmallVector<llvm::Value *, 2>>
      NumbersIn;
  llvm::SmallPtrSet<llvm::CastInst *, 4> LosesBits;
  /// While a run of integers that have an image is visited: where it ends.
  llvm::Instruction *RunEnd = nullptr;
  LostBits Lost;
  llvm::SmallPtrSet<llvm::BasicBlock *, 4> ReloadedPads;
};

} // namespace verso

#endif // VERSO_TAPED_INSTRUMENTER_H
