//===- copied-shadow-structures.c - structs of everything, moved whole ----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Structures with numbers, pointers and integers are assigned and swapped as
// bytes, in memory that the request duplicated. The shadow structures are deep
// copies, as programs make them: their integers repeat the primal's. Pointers in
// the shadow follow those in the primal, so that a second request on the same
// structure is right too.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

typedef struct {
  double scale;
  double *values;
  int count;
  float bias;
} Layer;

CHECK_NOINLINE static void swap(Layer *a, Layer *b) {
  Layer t = *a;
  *a = *b;
  *b = t;
}

CHECK_NOINLINE static double apply(const Layer *l) {
  double s = l->bias;
  for (int i = 0; i < l->count; ++i)
    s += l->scale * l->values[i] * l->values[i];
  return s;
}

static double network(Layer *layers) {
  swap(&layers[0], &layers[1]);
  memcpy(&layers[2], &layers[0], sizeof(Layer));
  return apply(&layers[0]) * apply(&layers[1]) + apply(&layers[2]);
}

int main(void) {
  double v[2][2] = {{1, 2}, {3, 4}}, dv[2][2] = {{0}};
  Layer layers[3] = {{2, v[0], 2, 0.5f}, {3, v[1], 1, 0.25f}, {0, 0, 0, 0}};
  Layer shadows[3] = {{0, dv[0], 2, 0}, {0, dv[1], 1, 0}, {0, 0, 0, 0}};
  // A = 3 * 9 + 0.25, B = 2 * 5 + 0.5: the value is A B + A.
  double a = 27.25, b = 10.5;
  __verso_grad_void(network, verso_dup, layers, shadows);
  CHECK(layers[0].values == v[1] && layers[1].values == v[0]);
  CHECK(layers[2].values == v[1]);
  // The shadow structures were swapped as well.
  CHECK(shadows[0].values == dv[1] && shadows[1].values == dv[0]);
  CHECK(shadows[2].values == dv[1]);
  CHECK_CLOSE(dv[1][0], (b + 1) * 3 * 6, 1e-12);
  CHECK_CLOSE(dv[1][1], 0, 0);
  CHECK_CLOSE(dv[0][0], a * 2 * 2, 1e-12);
  CHECK_CLOSE(dv[0][1], a * 2 * 4, 1e-12);

  // Once more on what is there now: the value is B A + B.
  memset(dv, 0, sizeof dv);
  for (int i = 0; i < 3; ++i)
    shadows[i].scale = shadows[i].bias = 0;
  __verso_grad_void(network, verso_dup, layers, shadows);
  CHECK_CLOSE(dv[0][0], (a + 1) * 2 * 2, 1e-12);
  CHECK_CLOSE(dv[0][1], (a + 1) * 2 * 4, 1e-12);
  CHECK_CLOSE(dv[1][0], b * 3 * 6, 1e-12);
  return check_status();
}
