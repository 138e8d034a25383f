//===- cancelling-offsets.c - parts of an index that are huge -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// u + v is a small number, while u and v are none: the program is defined, the
// bytes that u stands for wrap around or nearly do. Ranges that are computed
// where the request or a nest begins have to tell that memory overlaps. What is
// read lies before, behind and on what is written. Judged by forward mode.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

double __verso_jvp(void *, ...);

typedef unsigned long Offset;

static double plain(int n, int width, Offset u, Offset v, const int *chosen,
                    const double *s, const double *z, double *h) {
  for (int twice = 0; twice < 2; ++twice)
    for (int i = 0; i < n; ++i)
      h[u + v + (unsigned)(i * width)] += s[i] * z[i] * z[i];
  double sum = chosen[0];
  for (int i = 0; i < n * width; ++i)
    sum += h[i] * h[i];
  return sum;
}

static double bytes(int n, int width, Offset u, Offset v, const int *chosen,
                    const double *s, const double *z, double *h) {
  const unsigned char *at = (const unsigned char *)chosen;
  for (int twice = 0; twice < 2; ++twice)
    for (int i = 0; i < n; ++i)
      h[u + v + at[4 * i]] += s[i] * z[i] * z[i];
  double sum = 0;
  for (int i = 0; i < n * width; ++i)
    sum += h[i] * h[i];
  return sum;
}

static double gathered(int n, int width, Offset u, Offset v, const int *chosen,
                       const double *s, const double *z, double *h) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < 2; ++j)
      for (int k = 0; k < width; ++k)
        h[u + v + (unsigned)(i * width + k)] +=
            s[i] * z[chosen[2 * i + j] * width + k] *
            z[chosen[2 * i + j] * width + k];
  double sum = 0;
  for (int i = 0; i < n * width; ++i)
    sum += h[i] * h[i];
  return sum;
}

static double read(int n, int width, Offset u, Offset v, const int *chosen,
                   const double *s, const double *z, double *h) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < 2; ++j) {
      const double *row = z + (chosen[2 * i + j] * width + u);
      for (int k = 0; k < width; ++k)
        h[i * width + k] += s[i] * row[v + (unsigned)k] * row[v + (unsigned)k];
    }
  double sum = 0;
  for (int i = 0; i < n * width; ++i)
    sum += h[i] * h[i];
  return sum;
}

enum { Cells = 200, Middle = 100, Weights = 50 };
static double cells[Cells], direction[Cells], tangents[Cells], adjoints[Cells];
static int chosen[20];
int n = 4, width = 3;
Offset huge[] = {(Offset)1 << 59,       ((Offset)1 << 60) - 1,
                 (Offset)1 << 60,       ((Offset)1 << 60) + 1,
                 (Offset)3 << 59,       (Offset)1 << 61,
                 ((Offset)1 << 58) + 3, 5};

static void fill(void) {
  for (int i = 0; i < Cells; ++i)
    cells[i] = 0.1 + i * 37 % 50 * 0.01;
  for (int i = 0; i < 20; ++i)
    chosen[i] = i * 7 % 4;
}

#define JUDGE(FUNCTION)                                                        \
  do {                                                                         \
    double *s = cells + Weights, *h = cells + Middle, *z = h + apart;          \
    fill();                                                                    \
    memset(adjoints, 0, sizeof adjoints);                                      \
    __verso_grad((void *)FUNCTION, verso_const, n, verso_const, width,         \
                 verso_const, u, verso_const, v, verso_const, chosen,          \
                 verso_dup, s, s - cells + adjoints, verso_dup, z,             \
                 z - cells + adjoints, verso_dup, h, h - cells + adjoints);    \
    fill();                                                                    \
    memcpy(tangents, direction, sizeof tangents);                              \
    double slope = __verso_jvp(                                                \
        (void *)FUNCTION, verso_const, n, verso_const, width, verso_const, u,  \
        verso_const, v, verso_const, chosen, verso_dup, s,                     \
        s - cells + tangents, verso_dup, z, z - cells + tangents, verso_dup,   \
        h, h - cells + tangents);                                              \
    double product = 0;                                                        \
    for (int i = 0; i < Cells; ++i)                                            \
      product += adjoints[i] * direction[i];                                   \
    CHECK_CLOSE(product, slope, 1e-11);                                        \
  } while (0)

int main(void) {
  for (int i = 0; i < Cells; ++i)
    direction[i] = i * 53 % 97 * 0.01 - 0.5;
  for (unsigned k = 0; k < sizeof huge / sizeof *huge; ++k)
    for (int small = 0; small < 8; ++small)
      for (int apart = -12; apart <= 12; ++apart) {
        Offset u = huge[k], v = small - u;
        JUDGE(plain);
        JUDGE(bytes);
        JUDGE(gathered);
        JUDGE(read);
      }
  return check_status();
}
