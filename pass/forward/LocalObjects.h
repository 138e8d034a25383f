//===- LocalObjects.h - memory that has siblings ----------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Objects that only the function itself accesses, through what is made of their
// first address, have their tangents in a sibling: an object of the same size
// that is made where they are made. Nobody has to find it by address, no page
// of it is noted, and alias analysis tells the two apart. They are
//
//   - local variables whose address is not captured;
//   - blocks of the arena;
//   - blocks of the heap. Their siblings are released where they are; so no
//     pointer that is released there may lead to another block, or into the
//     middle of one.
//
// Marks are on the instructions that make such objects, and on those that
// release blocks of the heap. Invalidated by any new use of an address.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_FORWARD_LOCALOBJECTS_H
#define VERSO_FORWARD_LOCALOBJECTS_H

namespace llvm {
class CallBase;
class CallInst;
class Function;
class IRBuilderBase;
class TargetLibraryInfo;
class Use;
class Value;
} // namespace llvm

namespace verso {

/// Gives siblings to all objects of \p F that may have one.
void markLocalObjects(llvm::Function &F, const llvm::TargetLibraryInfo &TLI);

/// Whether \p Call takes a block of the heap that nobody but its function need
/// know of.
bool takesOfHeap(const llvm::CallBase &Call,
                 const llvm::TargetLibraryInfo &TLI);

/// Whether \p Call releases the block \p P.
bool isReleaseOf(const llvm::CallBase &Call, const llvm::Value *P,
                 const llvm::TargetLibraryInfo &TLI);

/// Whether the pointer \p U is accessed, compared or measured, and no more.
bool isAccessOrSize(const llvm::Use &U, const llvm::TargetLibraryInfo &TLI);

/// The sibling of a block of the heap: \p Bytes of zeros.
llvm::CallInst *createHeapSibling(llvm::IRBuilderBase &B, llvm::Value *Bytes);
void releaseHeapSibling(llvm::IRBuilderBase &B, llvm::Value *Sibling);

} // namespace verso

#endif // VERSO_FORWARD_LOCALOBJECTS_H
