//===- TableRows.h - the rule table as numbers ------------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Derivatives.def in its double reading, with values from the C library beside
// the partials: what tests iterate over. Row K of tableRows() is row K of
// rules::ruleTable().
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_TEST_UNIT_RULES_TABLEROWS_H
#define VERSO_TEST_UNIT_RULES_TABLEROWS_H

#include "rules/RuleDouble.h"
#include <array>
#include <vector>

namespace verso::test {

using SampleArguments = rules::Arguments<rules::Sample, rules::SampleInteger>;
using Operands = std::array<double, rules::MaxOperands>;
using Results = std::array<double, rules::MaxResults>;

struct Interval {
  double Low, High;
};

struct TableRow {
  const char *Name;
  unsigned NumOperands;
  std::vector<Interval> Sampled; ///< An interval an operand.
  Interval SampledInteger;
  Results (*Value)(const Operands &, int N); ///< Null for integer results.
  double (*Partials[rules::MaxResults][rules::MaxOperands])(
      const SampleArguments &);
};

const std::vector<TableRow> &tableRows();

/// A point to sample.
struct Point {
  Operands X{};
  int N = 0;
};
/// A few points of the row's intervals, always the same ones.
std::vector<Point> pointsOf(const TableRow &Row, unsigned Count);

/// The partial derivative as the formula has it.
double partialAt(const TableRow &Row, const Point &P, unsigned Result,
                 unsigned K);

} // namespace verso::test

#endif // VERSO_TEST_UNIT_RULES_TABLEROWS_H
