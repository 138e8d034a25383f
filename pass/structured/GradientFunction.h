//===- GradientFunction.h - the function that a request becomes -*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Its parameters are the request's primals, shadows and seed; its body is at
// first the call of the primal, whose result it has until it is finished.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_GRADIENTFUNCTION_H
#define VERSO_STRUCTURED_GRADIENTFUNCTION_H

#include "request/Request.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PassManager.h"

namespace verso {

class GradientFunction {
public:
  /// \p Restricted are the parameters that are known to be disjoint.
  GradientFunction(const Request &R, llvm::ArrayRef<unsigned> Restricted);

  llvm::Function &get() const { return *W; }
  /// The request's values that are the arguments of a call of this function.
  llvm::ArrayRef<llvm::Value *> passed() const { return Passed; }
  /// What the primal's parameters are.
  llvm::SmallVector<llvm::Value *, 8> primals() const;
  /// Parameters that vary, by value.
  llvm::ArrayRef<llvm::Value *> varied() const { return Varied; }
  /// Of parameters that are pointers.
  const llvm::DenseMap<llvm::Value *, llvm::Value *> &shadows() const {
    return Shadows;
  }
  /// Of those how many bytes are known to be there (EarlierPointers.h).
  const llvm::MapVector<llvm::Value *, uint64_t> &extents() const {
    return Extents;
  }
  /// The parameters with shadows, in order.
  llvm::SmallVector<llvm::Value *, 8> dups() const;
  /// The seed of the returned value that the request gives; may be null.
  llvm::Value *cotangent() const { return inside(Cotangent, arguments(*W)); }

  /// A parameter whose derivative is returned.
  struct Out {
    llvm::Value *Argument;
    llvm::AllocaInst *Shadow; ///< Of a struct that is passed in memory.
    llvm::Type *T;
    llvm::Instruction *Clear = nullptr; ///< Of the shadow.
  };
  llvm::ArrayRef<Out> outs() const { return Outs; }
  /// A struct in memory gets a local shadow, which is its derivative in the
  /// end.
  void prepareOuts();

  /// The same request, made in \p F, which has the same parameters, by \p Call.
  Request requestIn(llvm::Function &F, llvm::CallInst &Call) const;

  /// The function gets the request's result as its type.
  llvm::Function *finish(llvm::FunctionAnalysisManager &FAM);
  void discard(llvm::FunctionAnalysisManager &FAM);

private:
  /// Indices into Passed, or the constants themselves.
  struct Source {
    int Index = -1;
    llvm::Value *Constant = nullptr;
  };
  static llvm::SmallVector<llvm::Value *, 16> arguments(llvm::Function &F);
  static llvm::Value *inside(const Source &S,
                             llvm::ArrayRef<llvm::Value *> Own) {
    return S.Index < 0 ? S.Constant : Own[S.Index];
  }
  Source source(llvm::Value *V, bool KeepConstant);
  void passArguments();
  void create();
  void bind();

  const Request &R;
  llvm::Module &M;
  const llvm::SmallVector<unsigned, 8> Restricted;
  llvm::Function *W = nullptr;
  llvm::SmallVector<llvm::Value *, 16> Passed;
  struct Given {
    Source Primal, Shadow;
  };
  llvm::SmallVector<Given, 8> Arguments;
  Source Cotangent;
  llvm::SmallVector<llvm::Value *, 8> Varied;
  llvm::DenseMap<llvm::Value *, llvm::Value *> Shadows;
  llvm::MapVector<llvm::Value *, uint64_t> Extents;
  llvm::SmallVector<Out, 4> Outs;
};

} // namespace verso

#endif // VERSO_STRUCTURED_GRADIENTFUNCTION_H
