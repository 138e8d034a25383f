//===- copies-into-seeds.c - copies that are never read, all with seeds ---===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers are copied to several places and never read, and the shadows of all
// of them, and of where they come from, are not zero: adjoints have to be
// added, which takes the type of the bytes. It is in the assignment of a struct
// and in a loop that the optimiser makes a copy of.
//
//===----------------------------------------------------------------------===//
// LEVELS: O1 O2g O3

#include "../check.h"

typedef struct {
  double value;
  float gain, bias;
  double *data;
  int count;
  double more[3];
} Layer;

CHECK_NOINLINE static void assign(Layer *out, const Layer *in) {
  out[0] = *in;
  out[1] = *in;
}
CHECK_NOINLINE static void loops(double *restrict out, float *restrict fout,
                                 const double *in, const float *fin, int n) {
  for (int i = 0; i < n; ++i)
    out[i] = in[i];
  for (int i = 0; i < n; ++i)
    out[n + i] = in[i];
  for (int i = 0; i < n; ++i)
    fout[i] = fin[i];
}

int main(void) {
  double data[1] = {1}, ddata[1] = {0};
  Layer in = {1, 2, 3, data, 4, {5, 6, 7}}, din = {1, 2, 3, ddata, 4, {0}};
  Layer out[2] = {in, in}, dout[2] = {{10, 20, 30, ddata, 4, {50, 60, 70}},
                                      {100, 200, 300, ddata, 4, {0}}};
  __verso_vjp_void((void *)assign, verso_dup, out, dout, verso_dup, &in, &din);
  CHECK_EQUAL(din.value, 111);
  CHECK_EQUAL(din.gain, 222);
  CHECK_EQUAL(din.bias, 333);
  for (int i = 0; i < 3; ++i)
    CHECK_EQUAL(din.more[i], 10 * (i + 5));
  CHECK_EQUAL(dout[0].value, 0);
  CHECK_EQUAL(dout[0].more[2], 0);
  CHECK(din.data == ddata && dout[0].data == ddata);

  double x[5], dx[5], y[10], dy[10];
  float f[5], df[5], g[5], dg[5];
  for (int i = 0; i < 5; ++i) {
    x[i] = f[i] = i;
    dx[i] = df[i] = i + 1;
    dy[i] = dg[i] = 10 * (i + 1);
    dy[5 + i] = 100 * (i + 1);
  }
  __verso_vjp_void((void *)loops, verso_dup, y, dy, verso_dup, g, dg, verso_dup,
                   x, dx, verso_dup, f, df, 5);
  for (int i = 0; i < 5; ++i) {
    CHECK_EQUAL(dx[i], 111 * (i + 1));
    CHECK_EQUAL(df[i], 11 * (i + 1));
    CHECK_EQUAL(dy[i], 0);
    CHECK_EQUAL(dy[5 + i], 0);
    CHECK_EQUAL(dg[i], 0);
  }
  return check_status();
}
