//===- overlapping-shadows-in-loops.cpp - shadows that meet in a nest -----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// UNCHECKED: a cell is the seed of one number and the adjoint of another
//
// A step reads two grids and writes a third, by pointers in memory that it
// swaps. The grids are apart; their shadows are, or overlap by some cells, or
// are one, or what is only read has none. Where they meet, the reverse is in
// the order of the reversed program.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <utility>
#include <vector>

constexpr int Most = 7, Size = Most * Most;

struct Grids {
  int n;
  double *now, *then, *factors;
};

__attribute__((annotate("verso_strategy=structured"))) static void
steps(Grids &g, int count) {
  auto at = [&](int i, int j) { return i * g.n + j; };
  for (int k = 0; k < count; ++k) {
    for (int i = 1; i < g.n - 1; ++i)
      for (int j = 1; j < g.n - 1; ++j) {
        int c = at(i, j);
        g.then[c] = g.now[at(i, j - 1)] * g.now[at(i + 1, j)] +
                    g.factors[c] * g.now[at(i, j + 1)];
      }
    std::swap(g.now, g.then);
  }
}

/// What steps() does, and its reverse; no factors' shadow is null.
static void byHand(Grids g, Grids d, int count) {
  if (!count)
    return;
  std::vector<double> before(g.now, g.now + Size);
  int n = g.n;
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < n - 1; ++j) {
      int c = i * n + j;
      g.then[c] = g.now[c - 1] * g.now[c + n] + g.factors[c] * g.now[c + 1];
    }
  byHand({n, g.then, g.now, g.factors}, {n, d.then, d.now, d.factors},
         count - 1);
  for (int i = n - 2; i >= 1; --i)
    for (int j = n - 2; j >= 1; --j) {
      int c = i * n + j;
      double t = d.then[c];
      d.then[c] = 0;
      if (d.factors)
        d.factors[c] += t * before[c + 1];
      d.now[c + 1] += t * g.factors[c];
      d.now[c + n] += t * before[c - 1];
      d.now[c - 1] += t * before[c + n];
    }
}

int main() {
  constexpr int Start = 2 * Size, Apart = 3 * Size, None = 4 * Size;
  for (int n = 0; n <= Most; ++n)
    for (int count = 0; count <= 3; ++count)
      for (int shift : {0, 1, -1, 2, n, -n, n + 1, Size, -Size, Size - 3})
        for (int factors : {Apart, None, 0, 1, -3, shift, shift + 1}) {
          std::vector<double> now(Size), then(Size), k(Size);
          auto fill = [&] {
            for (int c = 0; c < Size; ++c) {
              now[c] = 0.3 + 0.05 * (c * 7 % 11);
              then[c] = 0.2 + 0.05 * (c * 5 % 13);
              k[c] = 0.9 - 0.05 * (c * 3 % 7);
            }
          };
          std::vector<double> block(6 * Size), expected;
          for (size_t c = 0; c < block.size(); ++c)
            block[c] = 0.25 * (c % 9) + 1;
          expected = block;
          auto shadows = [&](std::vector<double> &of, double *none) {
            double *start = of.data() + Start;
            return Grids{n, start, start + shift,
                         factors == None ? none : start + factors};
          };
          fill();
          Grids g{n, now.data(), then.data(), k.data()};
          Grids d = shadows(block, k.data());
          __verso_vjp_void((void *)steps, verso_dup, &g, &d, verso_const,
                           count);
          fill();
          byHand({n, now.data(), then.data(), k.data()},
                 shadows(expected, nullptr), count);
          for (size_t c = 0; c < block.size(); ++c)
            CHECK_CLOSE(block[c], expected[c], 1e-13);
        }
  return check_status();
}
