//===- gathered-rows.c - rows that an index chooses -----------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row is read again in the verso if the loop over it begins with a check that
// it is apart from all that the request still writes. The arrays are pieces of
// one block, apart or over each other by chance: some rows are met by writes of
// the loop itself, some by those of a later one, most by none. Judged by forward
// mode.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

double __verso_jvp(void *, ...);

enum { Cells = 1024, Most = 8 };

struct Sizes {
  int nodes, width, degree;
};

#define GATHER(NAME, INDEX)                                                    \
  static double NAME(const struct Sizes *n, const INDEX *neighbour,            \
                     const double *weight, const double *z, double *h,         \
                     double *later) {                                          \
    int width = n->width;                                                      \
    for (int i = 0; i < n->nodes; ++i)                                         \
      for (int j = 0; j < n->degree; ++j) {                                    \
        INDEX at = neighbour[i * n->degree + j];                               \
        for (int k = 0; k < width; ++k)                                        \
          h[i * width + k] += weight[i * n->degree + j] *                      \
                              sin(z[at * width + k]) * z[at * width + k];      \
      }                                                                        \
    double sum = 0;                                                            \
    for (int i = 0; i < n->nodes * width; ++i)                                 \
      sum += h[i] * h[i];                                                      \
    for (int i = 0; i < n->nodes; ++i)                                         \
      later[3 * i] = sum;                                                      \
    return sum + later[0] * weight[0];                                         \
  }
GATHER(gather, int)
GATHER(gatherLong, long)
GATHER(gatherUnsigned, unsigned)

static unsigned state = 1;
static int below(int n) {
  state = state * 1664525u + 1013904223u;
  return (int)((state >> 8) % (unsigned)n);
}

static double cells[Cells], direction[Cells], tangents[Cells], adjoints[Cells];
static int chosen[Most * Most];
static long chosenLong[Most * Most];
static unsigned chosenUnsigned[Most * Most];

#define JUDGE(NAME, INDICES)                                                   \
  do {                                                                         \
    double *w = cells + places[0], *z = cells + places[1],                     \
           *h = cells + places[2], *later = cells + places[3];                 \
    fill(seed);                                                                \
    memset(adjoints, 0, sizeof adjoints);                                      \
    __verso_grad((void *)NAME, verso_const, &sizes, verso_const, INDICES,      \
                 verso_dup, w, w - cells + adjoints, verso_dup, z,             \
                 z - cells + adjoints, verso_dup, h, h - cells + adjoints,     \
                 verso_dup, later, later - cells + adjoints);                  \
    fill(seed);                                                                \
    memcpy(tangents, direction, sizeof tangents);                              \
    double slope = __verso_jvp(                                                \
        (void *)NAME, verso_const, &sizes, verso_const, INDICES, verso_dup, w, \
        w - cells + tangents, verso_dup, z, z - cells + tangents, verso_dup,   \
        h, h - cells + tangents, verso_dup, later, later - cells + tangents);  \
    double product = 0;                                                        \
    for (int i = 0; i < Cells; ++i)                                            \
      product += adjoints[i] * direction[i];                                   \
    CHECK_CLOSE(product, slope, 1e-11);                                        \
  } while (0)

static void fill(unsigned seed) {
  state = seed;
  for (int i = 0; i < Cells; ++i) {
    cells[i] = 0.1 + below(1000) * 1e-3;
    direction[i] = below(1000) * 1e-3 - 0.5;
  }
}

int main(void) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    state = seed;
    struct Sizes sizes = {1 + below(Most), 1 + below(Most), 1 + below(3)};
    for (int i = 0; i < Most * Most; ++i)
      chosenLong[i] = chosen[i] = chosenUnsigned[i] = below(sizes.nodes);
    int places[4], span = below(3) ? 64 : Cells - Most * Most;
    for (int i = 0; i < 4; ++i)
      places[i] = below(span);
    JUDGE(gather, chosen);
    JUDGE(gatherLong, chosenLong);
    JUDGE(gatherUnsigned, chosenUnsigned);
  }
  return check_status();
}
