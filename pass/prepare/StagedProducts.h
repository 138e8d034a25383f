//===- StagedProducts.h - products of matrices by a library -----*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a body of ours multiplies large matrices (runtime/Products.h), or asks
// for eigenvalues (runtime/LapackEigen.h), it calls
//
//   @verso.product.d.left(to, from, bytes, shape..., kept bytes, kept, found)
//
// a staged call, as those of StagedCalls.h, but *direct*: it computes `to` of
// `from`, and its derivatives are
//
//   @verso.product.d.left.jvp(tangents of to, from, tangents of from, ...)
//   @verso.product.d.left.vjp(adjoints of from, from, adjoints of to, ...)
//
// which add what they compute. `found` is `to` once more, where they look at
// it, or null. So there is no copy but that of the matrices.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_PREPARE_STAGEDPRODUCTS_H
#define VERSO_PREPARE_STAGEDPRODUCTS_H

namespace llvm {
class Function;
class Module;
class Value;
} // namespace llvm

namespace verso {

/// A body of ours was linked: what products are made of is known from now on.
void adoptStagedProducts(llvm::Module &M);

/// In a function that is recorded on a tape of \p Context: an outer request
/// cannot record the reverse of a staged call, and a map that is kept would read
/// a row for each number of a product, so these have the loops.
void stageOnlyPlainly(llvm::Function &F, llvm::Value *Context);

/// When all requests are lowered.
void releaseStagedProducts(llvm::Module &M);

} // namespace verso

#endif // VERSO_PREPARE_STAGEDPRODUCTS_H
