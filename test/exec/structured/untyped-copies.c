//===- untyped-copies.c - what nobody accesses is copied -----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Structures of the caller are copied, swapped and rotated, of which the
// function accesses some members, or none: numbers, pointers (null pointers,
// too) and integers in them come along.
//
// UNCHECKED: -verso-check does not judge untyped bytes
//
//===----------------------------------------------------------------------===//

#include "../check.h"

/// The tape leaves the shadow of an old pointer beside a null one, and cannot
/// add what it has no type for.
#define STRUCTURED                                                             \
  __attribute__((annotate("verso_strategy=structured"))) CHECK_NOINLINE static

enum { N = 4 };

typedef struct {
  double value;
  float gain, bias;
  double *data;
  int count;
  float *less;
  double more[3];
} Layer;

/// Nobody accesses anything.
STRUCTURED void assign(Layer *out, const Layer *in) { out[0] = *in; }
STRUCTURED void move(Layer *layers, int to, int from, int n) {
  memmove(layers + to, layers + from, (size_t)n * sizeof *layers);
}
/// By way of a local variable. (Assignments would have types, but where LLVM
/// makes one memmove of the loop.)
STRUCTURED void rotate(Layer *layers, int n, int rounds) {
  for (int r = 0; r < rounds; ++r) {
    Layer first;
    memcpy(&first, layers, sizeof first);
    for (int k = 0; k + 1 < n; ++k)
      memcpy(layers + k, layers + k + 1, sizeof *layers);
    memcpy(layers + n - 1, &first, sizeof first);
  }
}
/// By way of a block, whose member is read and written.
STRUCTURED double swap(Layer *layers, const int *with, int n) {
  Layer *block = malloc(sizeof *block);
  double s = 0;
  for (int k = 0; k < n; ++k) {
    *block = layers[k];
    layers[k] = layers[with[k]];
    s += block->value * layers[k].value;
    block->value *= 2;
    layers[with[k]] = *block;
    if (layers[k].data)
      s += layers[k].data[0] * layers[k].count;
  }
  free(block);
  return s;
}
/// The end of a packed structure is not aligned.
typedef struct __attribute__((packed)) {
  char name[3];
  float x;
  double y;
} Packed;
STRUCTURED void pack(Packed *to, const Packed *from, int n) {
  memcpy(to, from, (size_t)n * sizeof *to);
}
/// Whatever it is.
STRUCTURED void bytes(void *to, const void *from, size_t n) {
  memcpy(to, from, n);
}

static double values[N], dvalues[N];
static float lesser[N], dlesser[N];

/// Layer k points to value k; the last one to none. Adjoints are 100 k and
/// more.
static void build(Layer *l, Layer *d) {
  // What lies between the members is copied, too: it must be no adjoint.
  memset(l, 0, N * sizeof *l);
  memset(d, 0, N * sizeof *d);
  for (int k = 0; k < N; ++k) {
    values[k] = 0.5 + k, dvalues[k] = 0, dlesser[k] = 0;
    l[k].value = 1.5 + k, l[k].gain = 2, l[k].bias = 3;
    l[k].data = k + 1 < N ? values + k : NULL;
    l[k].count = 10 + k, l[k].less = lesser + k;
    for (int i = 0; i < 3; ++i)
      l[k].more[i] = 4 + i;
    d[k] = l[k];
    d[k].value = 100 * k + 1, d[k].gain = 100 * k + 2, d[k].bias = 100 * k + 3;
    d[k].data = k + 1 < N ? dvalues + k : NULL, d[k].less = dlesser + k;
    for (int i = 0; i < 3; ++i)
      d[k].more[i] = 100 * k + 4 + i;
  }
}

static void clear(Layer *d) {
  d->value = d->gain = d->bias = 0;
  memset(d->more, 0, sizeof d->more);
}

/// Layer k got what was layer from[k]: pointers and what is beside them.
static void check_pointers(const Layer *l, const Layer *d, const int *from) {
  for (int k = 0; k < N; ++k) {
    int is_null = from[k] + 1 == N;
    CHECK(l[k].data == (is_null ? NULL : values + from[k]));
    CHECK(d[k].data == (is_null ? NULL : dvalues + from[k]));
    CHECK(l[k].less == lesser + from[k] && d[k].less == dlesser + from[k]);
    CHECK(l[k].count == 10 + from[k]);
  }
}

/// Adjoint of layer from[k] is what layer k's was; of others zero.
static void check_adjoints(const Layer *d, const int *from) {
  for (int j = 0; j < N; ++j) {
    int k = 0;
    while (k < N && from[k] != j)
      ++k;
    for (int i = 0; i < 3; ++i)
      CHECK_EQUAL(d[j].more[i], k < N ? 100 * k + 4 + i : 0);
    CHECK_EQUAL(d[j].value, k < N ? 100 * k + 1 : 0);
    CHECK_EQUAL(d[j].gain, k < N ? 100 * k + 2 : 0);
    CHECK_EQUAL(d[j].bias, k < N ? 100 * k + 3 : 0);
  }
}

int main(void) {
  {
    Layer in[N], din[N], out[N], dout[N];
    build(in, din);
    build(out, dout);
    clear(din + 3);
    __verso_vjp_void((void *)assign, verso_dup, out, dout, verso_dup, in + 3,
                     din + 3);
    CHECK_EQUAL(din[3].value, 1);
    CHECK_EQUAL(din[3].gain, 2);
    CHECK_EQUAL(din[3].bias, 3);
    CHECK_EQUAL(din[3].more[2], 6);
    CHECK_EQUAL(dout[0].value, 0);
    CHECK_EQUAL(dout[0].more[1], 0);
    // The null pointer overwrites one, whose shadow is no adjoint.
    CHECK(!out[0].data && !dout[0].data && !in[3].data && !din[3].data);
    CHECK(out[0].less == lesser + 3 && dout[0].less == dlesser + 3);
  }
  {
    Layer l[N], d[N];
    build(l, d);
    clear(d + 3); // It is copied to two.
    clear(d + 2);
    __verso_vjp_void((void *)move, verso_dup, l, d, 1, 2, 2);
    // 0 1 2 3 becomes 0 2 3 3.
    check_pointers(l, d, (const int[]){0, 2, 3, 3});
    CHECK_EQUAL(d[0].value, 1);
    CHECK_EQUAL(d[1].value, 0);
    CHECK_EQUAL(d[1].more[0], 0);
    CHECK_EQUAL(d[2].value, 101);
    CHECK_EQUAL(d[2].more[2], 106);
    CHECK_EQUAL(d[3].value, 0);
  }
  for (int rounds = 0; rounds < 6; ++rounds) {
    Layer l[N], d[N];
    build(l, d);
    __verso_vjp_void((void *)rotate, verso_dup, l, d, N, rounds);
    int from[N];
    for (int k = 0; k < N; ++k)
      from[k] = (k + rounds) % N;
    check_pointers(l, d, from);
    check_adjoints(d, from);
  }
  {
    Layer l[N], d[N];
    build(l, d);
    for (int k = 0; k < N; ++k)
      d[k].value = 0;
    const int with[] = {2, 3, 1, 0};
    __verso_grad_void((void *)swap, verso_dup, l, d, verso_const, with, N);
    int at[N] = {0, 1, 2, 3};
    double scale[N] = {1, 1, 1, 1}, slope[N] = {0}, of_data[N] = {0};
    for (int k = 0; k < N; ++k) {
      int a = at[k], b = at[with[k]];
      slope[a] += scale[a] * scale[b] * (1.5 + b);
      slope[b] += scale[a] * scale[b] * (1.5 + a);
      scale[a] *= 2;
      at[k] = b, at[with[k]] = a;
      if (b + 1 < N)
        of_data[b] += 10 + b;
    }
    check_pointers(l, d, at);
    for (int k = 0; k < N; ++k) {
      CHECK_EQUAL(d[k].value, slope[k]);
      CHECK_EQUAL(dvalues[k], of_data[k]);
      CHECK_EQUAL(d[at[k]].gain, 100 * k + 2);
      CHECK_EQUAL(d[at[k]].more[1], 100 * k + 5);
    }
  }
  {
    Packed from[3] = {{"ab", 1, 2}, {"cd", 3, 4}, {"ef", 5, 6}}, to[3];
    Packed dfrom[3], dto[3];
    memset(dfrom, 0, sizeof dfrom);
    memset(dto, 0, sizeof dto);
    for (int k = 0; k < 3; ++k)
      dto[k].x = k + 1, dto[k].y = 10 * (k + 1);
    __verso_vjp_void((void *)pack, verso_dup, to, dto, verso_dup, from, dfrom,
                     3);
    for (int k = 0; k < 3; ++k) {
      CHECK_EQUAL(dfrom[k].x, k + 1);
      CHECK_EQUAL(dfrom[k].y, 10 * (k + 1));
      CHECK_EQUAL(dto[k].x, 0);
      CHECK_EQUAL(dto[k].y, 0);
    }
  }
  {
    float f[5], df[5] = {0}, g[5], dg[5] = {1, 2, 3, 4, 5};
    for (int k = 0; k < 5; ++k)
      f[k] = k;
    __verso_vjp_void((void *)bytes, verso_dup, g, dg, verso_dup, f, df,
                     verso_const, sizeof f);
    for (int k = 0; k < 5; ++k) {
      CHECK_EQUAL(df[k], k + 1);
      CHECK_EQUAL(dg[k], 0);
    }
    // Over itself.
    __verso_vjp_void((void *)bytes, verso_dup, g, df, verso_dup, g, df,
                     verso_const, sizeof f);
    for (int k = 0; k < 5; ++k)
      CHECK_EQUAL(df[k], k + 1);
  }
  return check_status();
}
