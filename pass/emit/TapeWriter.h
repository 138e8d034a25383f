//===- TapeWriter.h - emits writes to the tape ------------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function's view of the tape. The position (cursor) and the number of the
// next left-hand side (next) live in SSA registers: while a function is being
// instrumented they are two allocas, which finish() promotes. Around a call
// that uses the same context they are spilled to it and reloaded.
//
// Bounds are checked once a *segment*, a stretch of one block without such
// calls: the check stands at its start, and limit lies a red zone before the
// end of the tape.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_EMIT_TAPEWRITER_H
#define VERSO_EMIT_TAPEWRITER_H

#include "emit/Runtime.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"

#include <map>
#include <vector>

namespace verso {

/// One term of a left-hand side's derivative.
struct Contribution {
  llvm::Value *Partial; ///< double
  llvm::Value *Id;      ///< i32, relative
  /// The ID is the same in all iterations of the innermost loop.
  bool Repeats = false;
};

class TapeWriter {
public:
  /// Starts at the end of the entry block's allocas of \p F; \p Context is a
  /// verso_context*. \p Setup is where the context is available.
  TapeWriter(llvm::Function &F, llvm::Value *Context, llvm::Instruction *Setup);

  llvm::Value *context() const { return Context; }
  llvm::Value *base() const { return Base; }
  llvm::Value *wideBase() const { return WideBase; } ///< base as i64.
  llvm::Value *delta() const { return Delta; }
  llvm::Value *adjoints() const { return Adj; }
  llvm::Value *direct() const { return Direct; }
  /// The ID that the next left-hand side will get; the same as i64, as which
  /// it is kept, so that images need no conversion.
  llvm::Value *next(llvm::IRBuilderBase &B) const;
  llvm::Value *wideNext(llvm::IRBuilderBase &B) const;

  /// From here on, up to the next spill or segment, writes belong together.
  /// \p HasRoom: whoever was called before has checked the bounds.
  void startSegment(llvm::Instruction *Before, bool HasRoom = false);

  /// Writes one record; returns the ID of its left-hand side.
  llvm::Value *record(llvm::IRBuilderBase &B,
                      llvm::ArrayRef<Contribution> Contributions);
  /// Counts \p Bytes that will be written after \p At, which is executed
  /// whenever the segment goes on to what follows it.
  void reserve(llvm::Instruction *At, uint64_t Bytes);
  /// The same on a conditional path: RecordBytes(n) have been reserved.
  llvm::Value *recordReserved(llvm::IRBuilderBase &B,
                              llvm::ArrayRef<Contribution> Contributions);
  /// Writes one record whose partials are the same whenever control comes here
  /// from \p Entry, a loop's: they are available before it, where a block of
  /// them is written.
  llvm::Value *recordShared(llvm::IRBuilderBase &B,
                            llvm::ArrayRef<Contribution> Contributions,
                            llvm::Instruction *Entry);
  /// At most: as a record, or as the element of a row, whose last bytes may
  /// have to be written before it and behind it.
  static constexpr uint64_t recordBytes(uint64_t N) {
    return N > VERSO_ROW_MAX_TERMS ? 12 * N + 4 : 36 * N + 16;
  }
  /// A record without contributions of the given kind. It may stand on a
  /// conditional path; its MarkBytes have been reserved before the branch.
  llvm::Value *mark(llvm::IRBuilderBase &B, verso_record_kind Kind);
  /// Wherever \p Id is used, it is no direct ID.
  void setNeverDirect(llvm::Value *Id) { NeverDirect.insert(Id); }
  /// Whether \p Id is known to be none, by what it is chosen from.
  bool isNeverDirect(llvm::Value *Id);

  /// Stores cursor and next to the context, before something that writes to
  /// the tape is called; and fetches them after it.
  void spill(llvm::IRBuilderBase &B);
  void reload(llvm::IRBuilderBase &B);

  /// Emits the bounds checks, leaves out spills of what the context holds
  /// already, loads its fields where they are needed, and promotes the
  /// allocas. \p MayBeDirect: some
  /// pointer of the request has a shadow, so there are direct IDs.
  void finish(bool MayBeDirect);

  static constexpr uint64_t MarkBytes = 4;

private:
  struct Segment {
    llvm::Instruction *Before;
    uint64_t Bytes;
    bool HasRoom = false;
  };
  /// Something that was written: from the load of the cursor to the store of
  /// next.
  struct Written {
    llvm::LoadInst *Begin;
    llvm::StoreInst *End;
  };
  /// What finishRecord wrote: the kinds of operands are known in the end.
  struct Record {
    Written Extent;
    llvm::StoreInst *Header;
    llvm::StoreInst *NewCursor;
    llvm::SmallVector<llvm::StoreInst *, 4> Operands;
    /// Of each operand; null: 1.
    llvm::SmallVector<llvm::Value *, 4> Partials;
    /// Their stores, and that of the block's number.
    llvm::SmallVector<llvm::StoreInst *, 4> OtherStores;
  };
  static llvm::Value *at(llvm::IRBuilderBase &B, llvm::Value *P,
                         uint64_t Bytes);
  llvm::Value *finishRecord(llvm::IRBuilderBase &B, Record R, uint64_t At,
                            llvm::ArrayRef<Contribution> Terms,
                            verso_record_kind Kind, bool Repeats,
                            llvm::Value *Block = nullptr);
  llvm::Value *advance(llvm::IRBuilderBase &B, Written &Extent,
                       llvm::Value *End);
  friend class TapeRows;
  void dropUnusedBlocks();
  void emitChecks();
  void dropSpills();
  void sinkFields();
  llvm::Value *sharedBlock(llvm::ArrayRef<Contribution> Contributions,
                           llvm::Instruction *Entry);

  llvm::Function &F;
  llvm::Value *Context;
  llvm::AllocaInst *Cursor, *Next;
  llvm::Value *Base, *WideBase, *Delta, *Adj, *Direct;
  llvm::SmallVector<Segment, 32> Segments;
  std::vector<Record> Records;
  std::vector<Written> Marks;
  llvm::SmallVector<llvm::AllocaInst *, 4> RowStarts;
  /// The stores to the context's next of spills, which follow those of cursor,
  /// and the stores to ours of reloads, likewise.
  llvm::MapVector<llvm::Instruction *, llvm::StoreInst *> Spills;
  llvm::SmallSetVector<llvm::Instruction *, 16> Reloads;
  llvm::SmallPtrSet<llvm::Value *, 32> NeverDirect;
  struct Block {
    llvm::Value *Number = nullptr;
    llvm::LoadInst *Begin = nullptr;
    llvm::SmallVector<llvm::StoreInst *, 4> Stores;
  };
  /// By loop entry and partials.
  std::map<std::vector<llvm::Value *>, Block> Blocks;
};

} // namespace verso

#endif // VERSO_EMIT_TAPEWRITER_H
