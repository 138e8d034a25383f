//===- ForwardInstrumenter.h - puts tangents beside values ------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns the clone of a prepared function into one that computes tangents beside
// its values, in `width` directions at once (emit/Tangent.h). Control flow and
// primal values stay as they are.
//
// Memory. The tangent of a cell lies in the cell's shadow, at the same place of
// an object of the same layout:
//   - in the user's shadow, for pointers that the request duplicated and what
//   is
//     reached through them by pointers in the shadow structure;
//   - in a sibling, for local objects and blocks of the heap that nobody else
//     accesses (LocalObjects.h; of many directions, side by side where that is
//     possible: SideBySide.h);
//   - where the address is mapped (Layout.h), for everything else.
// Which of them it is travels with the pointer: its tangent is the address of
// the shadow. So there is one location for a cell, however it is reached, and
// bytes that move take their tangent bytes with them: no type is ever needed.
//
//   ForwardInstrumenter.cpp  the walk; values that only move
//   ForwardOperations.cpp    operations, alone or preaccumulated
//   ForwardMemory.cpp        loads, stores, atomics, local objects
//   ForwardCalls.cpp         twins, library functions
//   PageChecks.h             what has to precede writes to mapped memory
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_FORWARD_FORWARDINSTRUMENTER_H
#define VERSO_FORWARD_FORWARDINSTRUMENTER_H

#include "Diagnostics.h"
#include "analysis/Activity.h"
#include "analysis/BytePlaces.h"
#include "analysis/CallModel.h"
#include "analysis/Cones.h"
#include "emit/LostBits.h"
#include "forward/LoopSums.h"
#include "forward/SideBySide.h"
#include "twins/Twins.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstVisitor.h"

namespace verso {

struct EarlierPointer;
struct KeptWords;

class ForwardInstrumenter : public llvm::InstVisitor<ForwardInstrumenter> {
public:
  /// \p Tangents gives the tangent argument of each argument of \p F, or null.
  ForwardInstrumenter(llvm::Function &F, llvm::Value *Context,
                      llvm::ArrayRef<llvm::Value *> Tangents, const Activity &A,
                      const llvm::TargetLibraryInfo *TLI, Twins &Registry,
                      Diagnostics &D);

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
  void visitAllocaInst(llvm::AllocaInst &I);
  void visitLoadInst(llvm::LoadInst &I);
  void visitStoreInst(llvm::StoreInst &I);
  void visitAtomicRMWInst(llvm::AtomicRMWInst &I);
  void visitAtomicCmpXchgInst(llvm::AtomicCmpXchgInst &I);
  void visitCallBase(llvm::CallBase &I);
  void visitReturnInst(llvm::ReturnInst &I);
  void visitInstruction(llvm::Instruction &I);
  /// @}

private:
  /// From this many directions on a scalar partial costs less than the tangents
  /// of an intermediate value.
  static constexpr unsigned LeastPreaccumulated = 3;

  /// A loop over more arrays than that at once waits for the cache; vectors of
  /// directions, where they lie side by side, are better then.
  static constexpr unsigned MostApart = 8;

  using Lanes = llvm::SmallVector<llvm::Value *, 4>;

  /// The tangents of \p V, at \p B where it is inactive.
  llvm::Value *tangent(llvm::IRBuilderBase &B, llvm::Value *V);
  Lanes lanes(llvm::IRBuilderBase &B, llvm::Value *V);
  void setTangent(llvm::Value *V, llvm::Value *Tangent);
  void checkEarlier(const EarlierPointer &Pointer);
  void setLanes(llvm::IRBuilderBase &B, llvm::Value *V, const Lanes &Each);
  /// The tangent of \p I by the same operation on those of its operands.
  void mapLanes(
      llvm::Instruction &I,
      llvm::function_ref<llvm::Value *(llvm::IRBuilderBase &, unsigned Lane)>
          Emit);
  bool isOutOfPlace(llvm::Value *V);
  void mapBytes(
      llvm::Instruction &I,
      llvm::function_ref<llvm::Value *(llvm::IRBuilderBase &, unsigned Lane)>
          Emit);
  llvm::Value *bytesBeside(llvm::IRBuilderBase &B, llvm::Value *V,
                           unsigned Lane);
  llvm::Value *underTag(llvm::IRBuilderBase &B, llvm::Value *Bits,
                        llvm::Value *Tag);
  llvm::Value *bytesOfOperand(llvm::IRBuilderBase &B, llvm::Value *V,
                              unsigned Lane);
  void fillPhis();
  void findLoopSums(llvm::ArrayRef<llvm::Instruction *> Order);
  void fail(llvm::Instruction &I, const llvm::Twine &Message,
            llvm::StringRef Remedy);

  // ForwardOperations.cpp
  void emitOperation(llvm::Instruction &I, const Operation &Op);
  bool isPreaccumulated(llvm::Instruction &Root);
  bool preaccumulatesAll() const {
    return Width >= LeastPreaccumulated && !Registry.mode().AsOne;
  }
  bool costsLessByPartials(const llvm::Instruction &Root) const;
  void emitCone(llvm::Instruction &Root);
  struct Source {
    llvm::Value *Partial = nullptr;
    /// Of the cone's members, the last one in the program that takes it.
    const llvm::Instruction *Taker = nullptr;
  };
  using Partials = llvm::MapVector<llvm::Value *, Source>;
  Partials partialsOf(llvm::Instruction &Root, llvm::IRBuilderBase &B);
  /// By source or by object: the place of its weights.
  using Weights = llvm::MapVector<llvm::Value *, llvm::AllocaInst *>;
  bool addWeight(llvm::IRBuilderBase &B, LoopSum &S, llvm::Value *Source,
                 llvm::Value *Partial, Weights &Of);
  llvm::Value *useWeights(llvm::IRBuilderBase &B, LoopSum &S,
                          llvm::Value *Tangents, const Weights &Of);
  llvm::Value *addProduct(llvm::IRBuilderBase &B, llvm::Value *Sum,
                          llvm::Value *Partial, llvm::Value *Dot) const;

  // Addresses.
  llvm::Value *delta(unsigned Lane);
  llvm::Value *mapped(llvm::IRBuilderBase &B, llvm::Value *P, unsigned Lane);
  llvm::Value *orMapped(llvm::IRBuilderBase &B, llvm::Value *Shadow,
                        llvm::Value *P, unsigned Lane);
  llvm::Value *shadowOfBits(llvm::IRBuilderBase &B, llvm::Value *Bits,
                            llvm::Value *P, unsigned Lane);
  llvm::Value *pointerBits(llvm::IRBuilderBase &B, llvm::Value *P,
                           llvm::Value *Shadow, unsigned Lane);
  llvm::Value *pointersOf(llvm::IRBuilderBase &B, llvm::Value *Bits);
  static llvm::Constant *lostTangent(llvm::Type *T);
  void callOnBytes(llvm::CallBase &I, bool Moves);
  llvm::Value *arithmeticBits(llvm::IRBuilderBase &B, llvm::Instruction &I,
                              llvm::Value *Operand, llvm::Value *Bits);

  llvm::Value *bitsByWords(llvm::IRBuilderBase &B, llvm::BinaryOperator &I,
                           unsigned Lane, const KeptWords &Words,
                           llvm::function_ref<llvm::Value *()> AsWhole);
  llvm::Value *castTangent(llvm::IRBuilderBase &B, llvm::CastInst &I,
                           llvm::Value *Dot, unsigned Lane);

  // ForwardMemory.cpp
  /// Where the tangents of a cell are.
  struct Place {
    llvm::Value *Pointer;
    Lanes Shadows;
    /// i1: the shadow is the mapped one.
    llvm::Value *IsMapped;
    /// The type of the access to the primal, which is that of the tangents'
    /// too.
    llvm::MDNode *AccessType = nullptr;
    /// Where they lie side by side; else null.
    llvm::Value *Side = nullptr;
  };
  Place placeOf(llvm::IRBuilderBase &B, llvm::Value *P);
  void takeBlock(llvm::CallBase &I);
  void takeHeapBlock(llvm::IRBuilderBase &B, llvm::CallBase &I,
                     llvm::Value *Bytes);
  void giveSide(llvm::AllocaInst &I, llvm::IRBuilderBase &B,
                llvm::Value *Bytes);
  bool stepSide(llvm::Instruction &I);
  llvm::Value *inSide(llvm::IRBuilderBase &B, llvm::Value *Bytes);
  llvm::Value *isMapped(llvm::IRBuilderBase &B, llvm::Value *P);
  bool isNeverMapped(llvm::Value *P) const;
  llvm::Value *isClean(llvm::IRBuilderBase &B, llvm::Value *P);
  Lanes readTangents(llvm::IRBuilderBase &B, llvm::Type *T, const Place &At,
                     llvm::Align Alignment);
  void writeTangents(llvm::IRBuilderBase &B, llvm::Type *T, const Place &At,
                     llvm::Align Alignment, const Lanes *Each);
  bool mayOverwriteHalf(llvm::Type *T, const Place &At) const;
  Lanes lostHalves(llvm::IRBuilderBase &B, llvm::Type *T, const Place &At);
  void clearRange(llvm::IRBuilderBase &B, llvm::Value *P, llvm::Value *Bytes);
  void zeroRange(llvm::IRBuilderBase &B, llvm::Value *P, llvm::Value *Bytes);
  void detachRange(llvm::IRBuilderBase &B, llvm::Value *P, llvm::Value *Bytes);
  void keepPointers(llvm::IRBuilderBase &B, llvm::Value *P, llvm::Value *Shadow,
                    llvm::Value *Bytes);
  void copyRange(llvm::IRBuilderBase &B, llvm::Value *To, llvm::Value *From,
                 llvm::Value *Bytes);
  bool beginLife(llvm::CallBase &I);
  void clearFresh(llvm::IRBuilderBase &B, llvm::Value *P, llvm::Value *Bytes);

  // ForwardCalls.cpp
  void callTwin(llvm::CallBase &I);
  void testTangents(llvm::CallBase &I);
  void callLibrary(llvm::CallBase &I, const KnownCall &K);
  void clearScanned(llvm::CallBase &I, const KnownCall &K);

  llvm::Function &F;
  llvm::Value *Context;
  const Activity &A;
  const llvm::TargetLibraryInfo *TLI;
  Twins &Registry;
  Diagnostics &D;
  const unsigned Width;
  const bool Fuses;
  SideBySide Sides;
  /// LanesApart.h
  const bool AreLanesApart;
  Cones C;
  /// Beside integers with a number in part, by direction: what stands beside
  /// the bytes that are there.
  llvm::DenseMap<std::pair<llvm::Value *, unsigned>, llvm::Value *> UncutBytes;
  BytePlaces Places;
  /// By the root of a cone.
  llvm::DenseMap<const llvm::Instruction *, bool> Preaccumulated;
  llvm::Instruction *Setup;
  /// For pointers to cells whose tangents are side by side: where.
  llvm::DenseMap<llvm::Value *, llvm::Value *> SideOf;
  llvm::SmallVector<std::pair<llvm::PHINode *, llvm::PHINode *>, 4> SidePhis;
  /// By the last step of the sum.
  llvm::DenseMap<llvm::Instruction *, LoopSum> Sums;
  /// For their phis, the last step and its tangent in the loop; behind the loop
  /// it has another.
  llvm::DenseMap<llvm::PHINode *, std::pair<llvm::Value *, llvm::Value *>>
      NextOfSum;
  llvm::SmallVector<llvm::Value *, 4> Deltas;
  llvm::Value *Dirty = nullptr;
  /// For pointers that steps are taken from: whether they are mapped.
  llvm::DenseMap<llvm::Value *, llvm::Value *> MappedBases;
  llvm::DenseMap<llvm::Value *, llvm::Value *> TangentOf;
  llvm::SmallVector<std::pair<llvm::PHINode *, llvm::PHINode *>, 16> Phis;
  llvm::SmallVector<llvm::Instruction *, 16> Replaced;
  LostBits Lost;
};

} // namespace verso

#endif // VERSO_FORWARD_FORWARDINSTRUMENTER_H
