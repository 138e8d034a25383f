//===- RequestParser.h - from a call's operands to a Request ----*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   call R @__verso_grad(function, [marker], value [, shadow [, bytes]], ...)
//
// Operands and parameters are walked side by side. A *source argument* is what
// the user wrote between two commas: one operand, or the pieces of a struct
// that the ABI split. A marker says something about the source argument after
// it. `verso_width, k` and its like may stand before any argument, also before
// the function.
//
// Without a marker: what holds a pointer is dup; else what holds a number is
// out (in forward mode: dup); else const. A function given as an argument is
// const.
//
// The same struct may be split in the function's parameters and lie in memory
// in the call, which has used up its registers sooner: it is loaded.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_REQUEST_REQUESTPARSER_H
#define VERSO_REQUEST_REQUESTPARSER_H

#include "request/Contents.h"
#include "request/Request.h"

#include "llvm/IR/IRBuilder.h"

#include <string>

namespace verso {

/// Parameters that belong to one source argument.
struct ParameterRange {
  unsigned First;
  unsigned Count;
};

/// Parameters of an out argument that become one parameter of a wrapper.
struct Bundle {
  ParameterRange Range;
  llvm::StructType *Struct;
};

/// Parses one call.
class RequestParser {
public:
  RequestParser(llvm::CallBase &Call, RequestKind Kind, Diagnostics &D);

  /// Reports a mistake and returns nothing if there is one. Instructions that
  /// were inserted by then stay; they are dead.
  std::optional<Request> parse();

private:
  struct Operand {
    llvm::Value *V;
    unsigned ArgNo;
    llvm::Type *ByVal;
    llvm::GlobalVariable *MarkerVariable;
    bool Continues;
  };

  // The frame.
  void readOperands();
  bool parseFunction();
  bool checkFunction();
  bool parseArguments();
  bool parseCotangent();
  bool checkReturn();
  bool checkResult();
  bool checkTangents();

  // Source arguments.
  bool readMarkers();
  bool parseWidth();
  bool parseArgument();
  bool chooseActivity(ParameterRange Range, const Operand &First);
  bool checkActivity(ParameterRange Range, const Contents &Held);
  bool parseShadows(ParameterRange Range);
  bool parseExtent(ParameterRange Range);
  void noteBundle(ParameterRange Range);
  bool addSret();

  // Operands to parameters.
  unsigned piecesAt(size_t Index) const;
  bool bindValues(unsigned FirstParameter,
                  llvm::SmallVectorImpl<llvm::Value *> &Values);
  bool bindShadow(ParameterRange Range,
                  llvm::SmallVectorImpl<llvm::Value *> &Values);
  void loadPieces(const Operand &Op, unsigned FirstParameter,
                  llvm::SmallVectorImpl<llvm::Value *> &Values);
  llvm::Value *convert(const Operand &Op, llvm::Type *To);
  llvm::Value *convertInteger(llvm::Value *V, llvm::Type *To);
  llvm::Value *throughMemory(llvm::Value *V, llvm::Type *To);
  llvm::Value *packPieces(unsigned Pieces, llvm::Type *To);

  // Questions.
  bool atEnd() const { return Next == Operands.size(); }
  bool isReverse() const { return R.Kind != RequestKind::Jvp; }
  bool isSret(unsigned Parameter) const;
  llvm::Type *byValType(unsigned Parameter) const;
  Contents heldBy(ParameterRange Range) const;
  std::string describeParameter(unsigned Parameter) const;
  bool mistake(const llvm::Twine &Message, const llvm::Twine &Remedy);

  llvm::CallBase &Call;
  Diagnostics &D;
  const llvm::DataLayout &DL;
  llvm::IRBuilder<> B;
  Request R;
  llvm::SmallVector<Operand, 16> Operands;
  size_t Next = 0;
  unsigned Parameter = 0;
  std::optional<Marker> Pending; ///< The marker of the next argument.
  bool MayBeOwnShadows = false;  ///< enzyme_runtime_activity
  ArgumentActivity Activity = ArgumentActivity::Const;
  llvm::SmallVector<Bundle, 2> Bundles;
  /// What Primal returns, or the struct that its integer carries.
  llvm::Type *Returned = nullptr;
};

/// Replaces R.Primal by a wrapper that takes each of \p Bundles as one struct
/// and returns \p Returned, and R.Arguments accordingly.
void unpackArguments(Request &R, llvm::ArrayRef<Bundle> Bundles,
                     llvm::Type *Returned);

} // namespace verso

#endif // VERSO_REQUEST_REQUESTPARSER_H
