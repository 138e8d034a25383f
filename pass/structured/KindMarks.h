//===- KindMarks.h - what bytes are at the moment ---------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Local memory in which the same bytes are a number at one time, and something
// else or a part of another number at another (a union, characters of a string
// where another node has a number, variable arguments), is *marked*: while the
// recto runs, a window of the request's own (runtime/Tangents.h) holds a byte
// for each of its bytes. Stores write these marks, copies bring them along.
//
// A load of a number finds by them whether it is one that was stored as a
// whole, which has a derivative; bytes that are no number's, which have none;
// or parts, whose derivative is lost: an error if one is asked for. So adjoints
// are only where numbers are, and nothing has to be cleared where integers
// overwrite them.
//
// What is marked, VariedMemory says.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_KINDMARKS_H
#define VERSO_STRUCTURED_KINDMARKS_H

#include "structured/memory/Varied.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/IRBuilder.h"

namespace verso {

class KindMarks {
public:
  /// \p Call is the request's.
  KindMarks(llvm::Function &F, const VariedMemory &V,
            const llvm::Instruction &Call)
      : F(F), V(V), Call(Call) {}

  /// A value of the recto: what \p Load finds, a verso_found_kind.
  llvm::Value *foundBy(llvm::LoadInst &Load);
  /// The marks of the word that \p Load moves: a value of the recto.
  llvm::Value *wordOf(llvm::LoadInst &Load);
  /// The marks of each word of a copy by words: values of the recto.
  llvm::ArrayRef<llvm::CallInst *> wordsOf(const BulkAccess &Copy);
  /// A note of what the bytes are that \p Copy moves, in the recto.
  llvm::Value *noteOf(const BulkAccess &Copy);
  /// Marks what the program stores; foundBy() gets its value. To be called when
  /// it is settled what is recorded.
  void follow(llvm::ArrayRef<llvm::Instruction *> Accesses);
  bool any() const { return Window; }
  bool usesArena() const { return !Notes.empty(); }
  /// On every way out.
  void end(llvm::IRBuilderBase &B) const;

private:
  void begin();
  llvm::CallInst *later(llvm::IRBuilderBase &B, uint64_t Bytes);
  void markNew(llvm::Value &Base);
  void markStore(llvm::StoreInst &Store);
  void markBulk(const BulkAccess &Bulk);
  void markWords(const BulkAccess &Bulk);

  llvm::Function &F;
  const VariedMemory &V;
  const llvm::Instruction &Call;
  llvm::Value *Window = nullptr, *Delta = nullptr;
  llvm::MapVector<llvm::LoadInst *, llvm::CallInst *> Found;
  llvm::MapVector<llvm::LoadInst *, llvm::Value *> Loaded;
  llvm::MapVector<const llvm::CallBase *, llvm::Value *> Notes;
  llvm::DenseMap<const llvm::CallBase *, llvm::SmallVector<llvm::CallInst *, 4>>
      Words;
};

} // namespace verso

#endif // VERSO_STRUCTURED_KINDMARKS_H
