//===- LinearMap.h - the derivative of a function at a point ----*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What __verso_linearize returns: the tape of one run, in a form that is read
// upwards to push tangents forward and downwards to pull cotangents back, any
// number of times. It owns its memory and refers to the user's shadows only.
//
//   rows      one for each recorded value: its ID and the end of its terms
//   terms     partial and operand, as on the tape
//   inputs    cells of the shadows, and by-value arguments, with their IDs
//   outputs   likewise what cells and the returned value hold in the end
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RUNTIME_LINEARMAP_H
#define VERSO_RUNTIME_LINEARMAP_H

#include "Mutex.h"
#include "Request.h"
#include "SweepTypes.h"
#include "Vector.h"

namespace verso {

class UsedIds;

class LinearMap {
public:
  /// A number in the user's shadow, or four untyped bytes (RAW).
  struct Port {
    char *At;
    uint32_t Id;
    verso_cell_kind Kind;
  };

  /// \p Ids: of the by-value arguments, then of the returned numbers, whose
  /// values are \p Values.
  /// The request may go on afterwards, unless \p Takes everything.
  void build(Request &R, const uint32_t *Ids, uint32_t NumArguments,
             uint32_t NumReturned, const double *Values, bool Takes);
  void release();

  void pushforward(const double *Tangents, double *Results);
  void pullback(const double *Cotangents, double *Derivatives);
  size_t inputs() const { return Arguments.size(); }
  size_t outputs() const { return Returned.size(); }
  const double *values() const { return Values.begin(); }

  // Heard from Release.h.
  void move(verso_cell_kind Kind, uint32_t Id, char *At) {
    Outputs.push_back({At, Id, Kind});
  }
  void end(char *At) { Ended.push_back(At); }
  void endByte(char *At) { EndedBytes.push_back(At); }
  void loseByte(char *At) { LostBytes.push_back(At); }
  void copyBits(uint32_t Id, char *At) {
    Copied.push_back({At, nullptr, Id, 4});
  }
  void copyByte(char *From, char *At) { Copied.push_back({At, From, 0, 1}); }

  // For those who look at the map itself.
  const Vector<Port> &inputCells() const { return Inputs; }
  const Vector<Port> &outputCells() const { return Outputs; }
  /// J v and J' w on vectors instead of cells: input cells, then arguments;
  /// output cells, then returned numbers. Direct IDs must not occur.
  void pushVector(const double *V, double *Jv);
  void pullVector(const double *W, double *JtW);

private:
  friend class Sparsity;
  struct Row {
    uint32_t Id;
    uint32_t Terms;
  };
  /// Bytes that were copied and never read as a number.
  struct Copy {
    char *At, *From;
    uint32_t Id;
    unsigned Bytes; ///< 4, or 1.
  };

  void readTape(const Request &R);
  void readKernel(const Request &R, char *End);
  void readLeaves(const Request &R);
  void useIds(UsedIds &Used) const;
  void dropUnused();
  void resolveUpwards();
  void resolveDownwards();
  double *cell(uint32_t Operand) {
    return (Operand & VERSO_ID_DIRECT ? Direct : Adjoints) +
           (Operand & ~VERSO_ID_DIRECT);
  }

  const char *Where = nullptr;
  double *Direct = nullptr, *Adjoints = nullptr;
  uint32_t NumIds = 0;
  Vector<Row> Rows; ///< From the last to the first.
  Vector<double> Partials;
  Vector<uint32_t> Operands;
  Vector<Port> Inputs, Outputs;
  Vector<char *> Ended, EndedBytes, LostBytes;
  Vector<Copy> Copied;
  Vector<uint32_t> Arguments, Returned;
  Vector<double> Values;
  Mutex M;
};

} // namespace verso

#endif // VERSO_RUNTIME_LINEARMAP_H
