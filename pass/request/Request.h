//===- Request.h - what a marking call asks for -----------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call of an entry point, understood: which function, in which mode, and what
// every parameter of that function gets. Strategies read this and nothing of
// the call itself.
//
// Guarantees.
//   - Arguments has one entry for each parameter of Primal, of exactly its
//     type. Conversions that the ABI or C's variadic calls made necessary
//     stand before the call.
//   - A real number never hides in an integer parameter, nor an integer among
//     the numbers of an out argument: where the ABI packs a struct in such a
//     way, Primal is a wrapper of the user's function (`f.unpacked`) that takes
//     the struct as one value and returns it as one. What a request returns is
//     therefore the out arguments' types in order.
//   - A function that returns in memory has its sret parameter among Arguments:
//     a local slot, which is a Dup argument whose shadow holds the cotangent
//     if there is one, and constant if it holds no real number.
//   - The types fit: what is to be returned has as many numbers as ResultType,
//     or the result is not used.
//   - Values are tracked through replacement, so that one request's result may
//     be another one's operand.
//
// A mistaken request is reported at the call's line, and its call replaced by
// poison, so that the module stays valid.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_REQUEST_REQUEST_H
#define VERSO_REQUEST_REQUEST_H

#include "Diagnostics.h"
#include "analysis/EarlierPointers.h"
#include "request/EntryPoints.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/ValueHandle.h"

#include <optional>
#include <vector>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace verso {

enum class ArgumentActivity { Const, Out, Dup, DupNoNeed };

/// One parameter of the differentiated function.
struct RequestArgument {
  ArgumentActivity Activity = ArgumentActivity::Const;
  llvm::WeakTrackingVH Primal;
  /// Of Dup arguments. In reverse mode a pointer, in forward mode a tangent of
  /// the parameter's type.
  llvm::WeakTrackingVH Shadow;
  /// The number of bytes, i64, of verso_dup_n and of slots; else null.
  llvm::WeakTrackingVH Extent;
  /// How many bytes a Dup pointer leads to at least, as far as that is known
  /// when the request is lowered.
  uint64_t LeastBytes = 0;
  /// How many at most it and its shadow lead to, then; and where, then, what
  /// the function accesses at fixed places ends.
  uint64_t MostBytes = UINT64_MAX, PlacedBytes = 0;
  /// So many are compared with numbers that are used by name
  /// (NamedArguments.h), none if it is 0.
  uint64_t NamedBytes = 0;
  /// The second and further tangents of a forward request of width > 1.
  llvm::SmallVector<llvm::WeakTrackingVH, 0> OtherShadows;
};

/// Numbers that a function accesses by the name of their variable.
struct NamedNumbers {
  llvm::GlobalVariable *Variable;
  const llvm::Function *By; ///< One of its functions, for a message.
  llvm::SmallVector<ByteRange, 4> Ranges;
};

struct Request {
  llvm::CallBase *Call;
  RequestKind Kind;
  /// The function to differentiate; it has a body.
  llvm::Function *Primal = nullptr;
  llvm::SmallVector<RequestArgument, 8> Arguments;
  /// Of variables that arguments may be part of.
  llvm::SmallVector<NamedNumbers, 0> Named;
  /// The seed of the returned value, of Primal's return type. Null means one
  /// where Primal returns a floating-point number, and no seed elsewhere.
  llvm::WeakTrackingVH Cotangent;
  unsigned Width = 1;
  /// A request of one direction in each: rounded, and overflowing, as such.
  bool AsOne = false;
  /// The function's value comes first in the result: value_and_grad, and
  /// enzyme_primal_return in forward mode.
  bool DeliversValue = false;
  /// Whether the returned value has a derivative; not with enzyme_const_return.
  bool ReturnVaries = true;
  /// Whether another request differentiates the function that makes it.
  bool IsInner = false;
  /// Of a loop that a tape records as one (taped/Kernels.h), which knows what
  /// memory has IDs, watched or not.
  bool IsOfKernel = false;
  /// The mantissa's bits of the narrowest numbers that the function computes
  /// with as the user wrote it (analysis/Precision.h), for -verso-check.
  unsigned Precision = 53;
  /// The index of Primal's sret parameter.
  std::optional<unsigned> SretParameter;
  /// Where the result goes if it is returned through memory; else null.
  llvm::WeakTrackingVH ResultPointer;
  /// What the call delivers: its type, or what ResultPointer points to.
  llvm::Type *ResultType = nullptr;
};

/// All requests of the module in the order of their calls.
std::vector<Request> collectRequests(llvm::Module &M, Diagnostics &D);

/// Removes the request's call, whose uses were replaced, with the marker loads,
/// markers and entry points that became unused by it. An invoke leaves a branch
/// to its normal destination unless its replacement, which is a terminator,
/// stands before it.
void eraseRequestCall(Request &R);

/// One line that says how the request was understood.
llvm::raw_ostream &operator<<(llvm::raw_ostream &OS, const Request &R);

/// Everything that \p F refers to, directly or not.
llvm::SmallPtrSet<const llvm::Function *, 16>
reachableFrom(const llvm::Function &F);

/// Whether \p Shadow is for certain memory of another object than \p Primal.
bool areInTwoObjects(const llvm::Value *Primal, const llvm::Value *Shadow);

} // namespace verso

#endif // VERSO_REQUEST_REQUEST_H
