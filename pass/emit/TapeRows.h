//===- TapeRows.h - records of loops without headers ------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An innermost loop that writes one record an iteration writes a row
// (Layout.h): elements without headers, and behind the loop, once, what does
// not vary in it and how many there are. The row ends early wherever something
// else is written, by this function or by one that it calls, which is rare, or
// the loop has no row. A load that only settles what its bytes are (Layout.h:
// raw leaves) writes nothing, and the row goes on. Where the loop is left, the
// runtime packs rows of operands that follow one another.
//
// A part of TapeWriter::finish: while the cursor and next are allocas.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_EMIT_TAPEROWS_H
#define VERSO_EMIT_TAPEROWS_H

#include "emit/TapeWriter.h"

#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/LoopInfo.h"

namespace verso {

class TapeRows {
public:
  TapeRows(TapeWriter &Tape, bool MayBeDirect)
      : Tape(Tape), MayBeDirect(MayBeDirect) {}

  /// Makes elements of the records of such loops.
  void find();
  /// Writes the ends of their rows. Whatever else is written is known now.
  void close();

private:
  /// What stands once behind a row, and where the loop is.
  struct Row {
    llvm::BasicBlock *Header;
    llvm::AllocaInst *Start; ///< The number of the row's first ID.
    const TapeWriter::Record *Element;
    llvm::SmallVector<llvm::Value *, 4> Partials, Operands;
    uint32_t Shape = 0;
  };
  using Record = TapeWriter::Record;

  bool isAlone(const Record &R, const llvm::Loop &L,
               const llvm::BlockFrequencyInfo &Frequency) const;
  void makeRow(Record &R, const llvm::Loop &L);
  void start(llvm::IRBuilderBase &B, const Row &R) const;
  void closeBefore(llvm::Instruction *At, const Row &R, bool Packs) const;
  void closeAtExits(const llvm::Loop &L, const Row &R) const;
  llvm::CallInst *findSettling(llvm::StoreInst &OfCursor) const;
  void settleBefore(llvm::StoreInst &OfCursor) const;

  TapeWriter &Tape;
  const bool MayBeDirect;
  std::vector<Row> Rows;
};

/// Rows of \p F, which is about to be differentiated, stay as they are written:
/// to an outer request what the runtime moves on the tape would be lost. Nor
/// does it settle in rows: its notes are no numbers.
void leaveRowsUnpacked(llvm::Function &F);

} // namespace verso

#endif // VERSO_EMIT_TAPEROWS_H
