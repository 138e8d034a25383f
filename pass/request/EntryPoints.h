//===- EntryPoints.h - the names that make a request ------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which functions are entry points and which values are markers. This is the
// one place that reads their names.
//
// An entry point is a function without a body whose base name (in C++: without
// namespaces, template arguments and signature) starts with one of the names in
// EntryPoints.cpp. A marker is a load of a global variable of that base name,
// or its address; whoever defines the variable, its value is never read.
//
// Optimisers destroy two things that a request needs: a marker that the program
// defines as `static int` becomes a number, and once a struct passed by value
// is in registers nobody can tell where it ends. preserveRequests() runs before
// them and makes both visible for good; without it, the first is an error and
// the second is guessed from what attributes clang gives such operands.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_REQUEST_ENTRYPOINTS_H
#define VERSO_REQUEST_ENTRYPOINTS_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace llvm {
class CallBase;
class Function;
class GlobalValue;
class GlobalVariable;
class Loop;
class Module;
class Value;
} // namespace llvm

namespace verso {

enum class RequestKind { Grad, ValueAndGrad, Vjp, Jvp, Linearize };

struct EntryPoint {
  /// Absent for an entry point of Enzyme that Verso does not offer.
  std::optional<RequestKind> Kind;
};

/// What a marker says about the argument, or the request, that follows it.
enum class Marker {
  Const,
  Dup,
  Out,
  DupNoNeed,
  DupSized,    ///< verso_dup_n: value, shadow, bytes.
  Width,       ///< A number follows.
  WithValue,   ///< The function's value is returned as well.
  ConstReturn, ///< The returned value has no derivative.
  DupReturn,   ///< The returned value has a tangent: so it is in forward mode.
  OwnShadows,  ///< An argument that is its own shadow does not vary.
  Permissive,  ///< Asks for what Verso does anyway.
  Unsupported, ///< Of Enzyme's, without a counterpart.
};

/// The name without namespaces, template arguments, signature and the suffix
/// that a linker adds to local symbols.
std::string baseName(const llvm::GlobalValue &G);

std::optional<EntryPoint> classifyEntryPoint(const llvm::Function &F);

/// The variable whose value or address \p V is, if it is a marker.
llvm::GlobalVariable *markerVariable(llvm::Value *V);
std::optional<Marker> classifyMarker(const llvm::GlobalVariable &G);

/// True if any function of the module is an entry point. It looks at names
/// only, so that a module without requests is left untouched at no measurable
/// cost.
bool hasRequests(const llvm::Module &M);

/// Removes the calls by which a program tells Enzyme the type of memory
/// (__enzyme_double(p)), requests or not: nobody defines these functions, and
/// Verso needs to know no types. Returns whether there were any.
bool dropTypeHints(llvm::Module &M);

/// Keeps what a request says from being optimised away: to be run at the start
/// of a pipeline. Returns whether anything was changed.
bool preserveRequests(llvm::Module &M);

/// Leaves functions with requests that a link imports from another file, for
/// inlining alone, to that file, if what they differentiate is not imported
/// with them. What other requests lead to stays, though it is defined
/// elsewhere. Returns whether anything was changed.
bool dropImportedRequests(llvm::Module &M);

/// Loops with requests of forward mode are not unrolled until this is called,
/// so that they are found as loops.
void allowUnrolling(llvm::Loop &L);

/// Whether operand \p ArgNo of a request continues the source argument that the
/// operand before it began: a struct that the ABI split over registers.
bool continuesArgument(const llvm::CallBase &Call, unsigned ArgNo);

} // namespace verso

#endif // VERSO_REQUEST_ENTRYPOINTS_H
