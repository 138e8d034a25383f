//===- KnownCalls.h - library functions without a derivative ----*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is known about functions that compute no real number from real numbers:
// I/O, strings, time, locks, allocation, copies, the C++ runtime. The list is
// KnownCalls.def. Functions of the math library are not here but in the rule
// table.
//
// A C function is recognised by its name *and* its signature, and only if its
// body is not the program's: a user's `double read(double *)` is never taken
// for the system's. C++ functions are recognised by qualified name, those that
// rustc makes up by their last name.
//
// Also here: what the user marked inactive.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RULES_KNOWNCALLS_H
#define VERSO_RULES_KNOWNCALLS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Intrinsics.h"

#include <optional>
#include <string>

namespace llvm {
class Constant;
class CallBase;
class GlobalVariable;
class Function;
class GlobalValue;
class IRBuilderBase;
class Module;
class Value;
} // namespace llvm

namespace verso {

struct KnownCall {
  enum Kind {
    Inactive,       ///< No effect on reals that the program can see.
    Derives,        ///< Inactive, and returns a pointer into an argument.
    ArraysOfPlan,   ///< __verso_fftw_arrays: what the runtime keeps of a plan,
                    ///< and for its shadow what it keeps of that.
    Allocate,       ///< Returns Size [* Count] fresh bytes.
    AllocateZeroed, ///< The same, zero.
    Reallocate,     ///< The block Source becomes one of Size [* Count] bytes.
    Free,           ///< Releases the block Source.
    Copy,           ///< Size bytes from Source to Destination.
    Set,            ///< Size bytes at Destination become one value.
    WritesBytes,    ///< Inactive bytes are written at Destination: at most
                    ///< Size [* Count], or FixedSize, or unknown (text).
    Sort,           ///< Count elements of Size bytes at Destination change
                    ///< places; Comparator is called back.
    VersoRuntime,   ///< Ours.
  };
  /// "No such argument".
  static constexpr int None = -1;

  Kind K;
  // Indices of arguments.
  int Destination = None;
  int Source = None;
  int Size = None;
  int Count = None;
  int OldSize = None; ///< Of a reallocated block; None: malloc knows it.
  int Comparator = None;
  /// The argument that the returned pointer points to or into.
  int Returned = None;
  /// The first variadic pointer argument of scanf and its like, which are
  /// written to as the format, the argument before it, says.
  int FirstScanned = None;
  /// How a function that may write less than it is asked for tells how much.
  enum WhoTells {
    Nothing,  ///< It does not.
    Bytes,    ///< It returns their number, or -1.
    Elements, ///< It returns the number of elements of Size bytes.
    InStream, ///< The stream Source has their number.
    Error,    ///< It returns a structure: an error, if the second is not zero.
  };
  WhoTells Tells = Nothing;
  /// The size in bytes where no argument says it; 0 is unknown.
  unsigned FixedSize = 0;

  int returnsArgument() const { return Returned; }
};

/// The number of bytes that \p Call works on, as an i64; null if it is not
/// known.
llvm::Value *bytesOfCall(llvm::IRBuilderBase &B, llvm::CallBase &Call,
                         const KnownCall &K);

/// How many bytes \p Call, which WritesBytes, has written, as an i64 behind it.
llvm::Value *bytesWritten(llvm::IRBuilderBase &B, llvm::CallBase &Call,
                          const KnownCall &K);

/// The size of the block that \p Call returned, as an i64 behind it: zero where
/// there was no memory for it.
llvm::Value *bytesOfBlock(llvm::IRBuilderBase &B, llvm::CallBase &Call,
                          const KnownCall &K);

/// The size of the block that \p Call reallocates, as an i64.
llvm::Value *bytesBeforeCall(llvm::IRBuilderBase &B, llvm::CallBase &Call,
                             const KnownCall &K);

/// "std::basic_ostream<char, ...>::put": without template arguments of the
/// function itself, signature and inline namespaces. Empty if it is not C++.
std::string qualifiedName(llvm::StringRef Mangled);

/// What is known of \p F, a function or an intrinsic.
std::optional<KnownCall> classifyCall(const llvm::Function &F);

/// Whether \p F is an inactive function of the text that its first argument
/// points to: it returns that or characters, if a pointer, and stores no other.
bool isOfText(const llvm::Function &F);

/// Intrinsics that mean nothing to derivatives although pointers or reals are
/// among their operands.
bool isInactiveIntrinsic(llvm::Intrinsic::ID Which);

/// The number of bytes that scanf writes through each pointer argument, in
/// order; 0 stands for text of unknown length. Nothing if the format is not
/// understood.
std::optional<llvm::SmallVector<unsigned, 8>>
scannedSizes(llvm::StringRef Format);

/// Whether the user marked a function or a global as constant: by a name that
/// starts with verso_inactive, __verso_inactive, enzyme_inactive or
/// __enzyme_inactive, or by an attribute of the name verso_inactive or
/// enzyme_inactive, which applyInactiveMarks() sets.
bool isMarkedInactive(const llvm::GlobalValue &G);
/// Whether the user says of an inactive function that it overwrites no numbers
/// of its callers, so that nobody has to look.
bool writesNoNumbers(const llvm::Function &F);
/// Whether the user says of a variable that its pointers are null when a
/// request begins that uses it.
bool isNullBefore(const llvm::GlobalVariable &G);
/// Of a copy, that has another name.
void removeInactiveMarks(llvm::Function &F);

/// Whether \p Call is the annotation of a local variable as constant; the
/// variable is its first operand.
bool isInactiveAnnotation(const llvm::CallBase &Call);

/// \p Found is called with what has an annotation, and its text.
void forEachAnnotation(
    const llvm::Module &M,
    llvm::function_ref<void(llvm::Constant &, llvm::StringRef)> Found);

/// Turns annotations (`__attribute__((annotate("verso_inactive")))`, and
/// "verso_writes_no_numbers", "verso_null_before", "verso_strategy=...") and
/// Enzyme's lists (`void *__enzyme_inactivefn_f = f`) into attributes.
void applyInactiveMarks(llvm::Module &M);

/// Keeps functions that are marked inactive out of line and opaque until
/// applyInactiveMarks() runs the next time. Returns whether there is any.
bool shieldInactiveFunctions(llvm::Module &M);

} // namespace verso

#endif // VERSO_RULES_KNOWNCALLS_H
