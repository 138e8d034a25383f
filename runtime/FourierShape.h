//===- FourierShape.h - what a plan of FFTW computes ------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Differentiated code computes a transform from one block to another: the
// numbers of an array without gaps. An array that has none is its own block,
// whatever the order of its dimensions; of others the block is by rows.
//
// A shape lives until the program ends, since the way back may come when the
// program's plan is gone; plans of equal shapes share one. Between blocks it
// has two plans of its own, made when they are asked for: of the transform and
// of its transpose, which is a transform, too, of the other sign or kind, with
// weights where FFTW's definition counts a number once and others twice.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RUNTIME_FOURIERSHAPE_H
#define VERSO_RUNTIME_FOURIERSHAPE_H

#include "FftwFunctions.h"
#include "Vector.h"

namespace verso {

/// As a plan function is given it, in FFTW's units.
struct FourierRequest {
  const verso_fftw_functions *Functions;
  verso_fftw_kind Kind;
  int Sign;
  bool Measures; ///< The program has FFTW find a fast plan.
  /// Batches first, the transform's dimensions last.
  Vector<verso_fftw_dimension> Dimensions;
  size_t Batches = 0;
  const int *Kinds = nullptr; ///< Of a real transform's dimensions.

  ~FourierRequest() { Dimensions.release(); }
};

class FourierShape {
public:
  explicit FourierShape(const FourierRequest &R);
  bool is(const FourierRequest &R) const;

  verso_fftw_kind kind() const { return Kind; }
  const verso_fftw_functions &functions() const { return F; }
  /// How many real numbers the input has, or the output.
  size_t numbers(bool OfOutput) const { return Sides[OfOutput].Numbers; }
  /// Where the numbers of the block are in the program's array; null if they
  /// are there one after the other.
  const ptrdiff_t *places(bool OfOutput) const {
    return Sides[OfOutput].Places;
  }

  /// The bytes of the program's array that are touched, from its start; nothing
  /// if it has no numbers.
  ptrdiff_t firstByte(bool OfOutput) const { return Sides[OfOutput].First; }
  ptrdiff_t endOfBytes(bool OfOutput) const { return Sides[OfOutput].End; }

  /// To = A From, or A^T From, between blocks. \p From stays as it is.
  void apply(bool Transposed, void *To, const void *From);
  /// The same by a plan of the program's, of this shape.
  void applyPlan(void *Plan, bool IsInPlace, void *To, const void *From) const;
  /// FFTW is cleaned up: its plans are no more.
  void dropPlans();

private:
  struct Side {
    bool IsComplex = false;
    size_t Numbers = 1;
    ptrdiff_t *Counts = nullptr, *Steps = nullptr; ///< Of the block.
    ptrdiff_t *Places = nullptr;
    ptrdiff_t First = 0, End = 0; ///< In bytes.
  };
  /// Numbers are multiplied by the weight of their index in a dimension.
  struct Weights {
    size_t Dimension;
    double *Factors;
  };
  struct Own {
    void *Plan = nullptr;
    verso_fftw_kind Kind;
    Vector<Weights> Before, After;
  };

  size_t dimensions() const { return Dimensions.size(); }
  bool isHalved(size_t D) const {
    return (Kind == VERSO_FFTW_REAL_TO_COMPLEX ||
            Kind == VERSO_FFTW_COMPLEX_TO_REAL) &&
           D >= Batches && D + 1 == dimensions();
  }
  size_t bytes(bool OfOutput) const {
    return numbers(OfOutput) * F.BytesOfNumber;
  }
  void layOut(bool OfOutput);
  void prepare(bool Transposed);
  void weigh(Vector<Weights> &List, size_t D, bool OfOutput,
             double (*WeightAt)(ptrdiff_t, ptrdiff_t));
  void weighReal(Own &New, size_t D, int Kind, int &TransposedKind);
  void scale(void *Block, bool OfOutput, const Vector<Weights> &By) const;

  const verso_fftw_functions F;
  const verso_fftw_kind Kind;
  const int Sign;
  const bool Measures;
  const size_t Batches;
  Vector<verso_fftw_dimension> Dimensions;
  Vector<int> Kinds;
  Side Sides[2];
  Own Plans[2];
};

/// Nobody but who holds it plans: FFTW's planner is not thread-safe.
void lockPlanner();
void unlockPlanner();

} // namespace verso

#endif // VERSO_RUNTIME_FOURIERSHAPE_H
