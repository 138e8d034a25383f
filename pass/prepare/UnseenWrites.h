//===- UnseenWrites.h - what inactive functions write unseen ----*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function that is marked inactive and has no body here, or calls one that
// has none, may overwrite numbers, and nobody sees where. What it overwrites is
// constant from then on; what it only reads varies as before. So the objects
// that its arguments point into are compared with a copy, number by number, and
// what has changed is detached. The detaching is a known call like memset, so
// all strategies understand it.
//
// What is declared as a pointer to numbers that are not const, in C++, has to
// lead to an object of known size, or the program has to call verso_detach.
// Elsewhere only objects of a known size, up to 16 KiB: beyond, a call that
// reads a little of much would cost what is not its own. A number that is
// overwritten with its own value keeps its derivative.
//
// New memory holds constants, whatever lay there before, where such a function
// may be the first to write it: local objects whose life begins in loops,
// blocks that were freed and come back.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_PREPARE_UNSEENWRITES_H
#define VERSO_PREPARE_UNSEENWRITES_H

namespace llvm {
class CallBase;
class Function;
class Module;
class Value;
} // namespace llvm

namespace verso {

struct KnownCall;

/// Whether the module has functions that write unseen is found out once, before
/// anything else here is asked for, and forgotten in the end.
void noteUnseenWriters(llvm::Module &M);
void forgetUnseenWriters(llvm::Module &M);

/// Guards the calls in \p F of which the objects are known and that are not
/// guarded yet.
void guardUnseenWrites(llvm::Function &F);

/// What functions of the library write in \p F, of a size that is known, is
/// detached behind them.
void detachLibraryWrites(llvm::Function &F);

/// Whether that is done for \p Call.
bool isDetached(const llvm::CallBase &Call);

/// Whether \p Call, of a function in C++ without a body here, is given a
/// pointer to numbers that are not const, of an object of unknown size, and the
/// program does not detach them: what it overwrites would keep its derivative.
bool writesWhereNobodyKnows(const llvm::CallBase &Call);

/// In a module with functions that write unseen: lets local objects that others
/// see and, \p ForTape, allocated blocks begin as constants, and marks the
/// calls that free blocks. (Forward mode clears what is allocated.)
void renewMemory(llvm::Function &F, bool ForTape);

/// How much of the block that \p Call frees is to be forgotten before it, since
/// what comes to lie there next may be written unseen: an i64, or null.
llvm::Value *bytesToForget(llvm::CallBase &Call, const KnownCall &K);

} // namespace verso

#endif // VERSO_PREPARE_UNSEENWRITES_H
