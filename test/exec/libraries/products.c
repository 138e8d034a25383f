//===- products.c - products of matrices by the program's library ---------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LIBS: -Wl,--defsym=dgemm_=dgemm_by_loops
// LIBS: -Wl,--defsym=sgemm_=sgemm_by_loops
// LIBS: -Wl,--defsym=cblas_dgemm=dgemm_of_c_by_loops
// LIBS: -Wl,--defsym=cblas_sgemm=sgemm_of_c_by_loops
//
// Large products are the library's in both sweeps. Each is compared with loops:
// value, gradient, tangent and second derivatives, with memory that was used
// before. What does not vary costs no product.
//
//===----------------------------------------------------------------------===//

#include "check.h"
#include "gemm_by_loops.h"

double __verso_value_and_grad(void *, ...);
double __verso_jvp(void *, ...);
typedef struct verso_tape verso_tape;
verso_tape *__verso_linearize(void *, ...);
void verso_pullback(verso_tape *, const double *, double *);
void verso_tape_free(verso_tape *);
void __verso_jvp_void(void *, ...);
void cblas_dgemm(int, int, int, int, int, int, double, const double *, int,
                 const double *, int, double, double *, int);
void cblas_sgemm(int, int, int, int, int, int, float, const float *, int,
                 const float *, int, float, float *, int);
void dgemm_(const char *, const char *, const int *, const int *, const int *,
            const double *, const double *, const int *, const double *,
            const int *, const double *, double *, const int *, size_t, size_t);

enum { most = 13, size = most * most, total = 3 * size + 2 };
enum { by_rows = 101, by_columns = 102, plain = 111, turned = 112 };

struct shape {
  int order, ta, tb, m, n, k;
};

// Two products in one after the other, of blocks of larger matrices. C is read
// and written, alpha and beta vary.
static void change(double *z, const struct shape *s) {
  for (int turn = 0; turn < 2; ++turn)
    cblas_dgemm(s->order, s->ta, s->tb, s->m, s->n, s->k, z[3 * size], z, most,
                z + size, most, z[3 * size + 1], z + 2 * size, most);
}
static void change_by_loops(double *z, const struct shape *s) {
#define AT(Z, I, J)                                                            \
  (Z)[s->order == by_rows ? (I) * most + (J) : (I) + (J) * most]
#define TURNED(Z, T, I, J) ((T) == turned ? AT(Z, J, I) : AT(Z, I, J))
  for (int turn = 0; turn < 2; ++turn)
    for (int i = 0; i < s->m; ++i)
      for (int j = 0; j < s->n; ++j) {
        double sum = 0;
        for (int l = 0; l < s->k; ++l)
          sum += TURNED(z, s->ta, i, l) * TURNED(z + size, s->tb, l, j);
        AT(z + 2 * size, i, j) =
            z[3 * size] * sum + z[3 * size + 1] * AT(z + 2 * size, i, j);
      }
}
#define WEIGHTED(NAME, CHANGE)                                                 \
  static double NAME(const double *in, const struct shape *s) {                \
    double z[total], sum = 0;                                                  \
    memcpy(z, in, sizeof z);                                                   \
    CHANGE(z, s);                                                              \
    for (int i = 0; i < total; ++i)                                            \
      sum += (0.3 + 0.7 * (i % 5)) * z[i] * z[i];                              \
    return sum;                                                                \
  }                                                                            \
  static void NAME##_gradient(const double *in, double *g,                     \
                              const struct shape *s) {                         \
    __verso_grad(NAME, verso_dup, in, g, verso_const, s);                      \
  }                                                                            \
  static double NAME##_along(const double *in, const double *v,                \
                             const struct shape *s) {                          \
    return __verso_jvp(NAME, verso_dup, in, v, verso_const, s);                \
  }
WEIGHTED(value, change)
WEIGHTED(value_by_loops, change_by_loops)

static double in[total], v[total], g[total], h[total], none[total];

static void must_agree(double scale) {
  for (int i = 0; i < total; ++i) {
    CHECK_CLOSE(g[i] / scale, h[i] / scale, 1e-12);
    g[i] = h[i] = 0;
  }
}

static void compare(const struct shape *s) {
  double a = __verso_value_and_grad(value, verso_dup, in, g, verso_const, s);
  double b =
      __verso_value_and_grad(value_by_loops, verso_dup, in, h, verso_const, s);
  double along = value_along(in, v, s), sum = 0;
  for (int i = 0; i < total; ++i)
    sum += h[i] * v[i];
  CHECK_CLOSE(a, b, 1e-12);
  CHECK_CLOSE(along, sum, 1e-11);
  must_agree(100);
  // Forward over reverse, and reverse over forward.
  double hv[total], wanted[total];
  memset(g, 0, sizeof g);
  memset(hv, 0, sizeof hv);
  memset(wanted, 0, sizeof wanted);
  __verso_jvp_void(value_gradient, verso_dup, in, v, verso_dup, g, hv,
                   verso_const, s);
  __verso_jvp_void(value_by_loops_gradient, verso_dup, in, v, verso_dup, h,
                   wanted, verso_const, s);
  memcpy(g, hv, sizeof g);
  memcpy(h, wanted, sizeof h);
  must_agree(1000);
  __verso_grad(value_along, verso_dup, in, g, verso_const, v, verso_const, s);
  memcpy(h, wanted, sizeof h);
  must_agree(1000);
}

// Of constant matrices there is no adjoint.
static double of_two(const double *a, const double *b) {
  double c[size], sum = 0;
  const int n = most;
  const double one = 1, zero = 0;
  dgemm_("N", "T", &n, &n, &n, &one, a, &n, b, &n, &zero, c, &n, 1, 1);
  for (int i = 0; i < size; ++i)
    sum += c[i] * cos(i);
  return sum;
}
static long products_in(int of_a, int of_b) {
  long before = products_by_loops;
  if (of_a && of_b)
    __verso_grad(of_two, verso_dup, in, g, verso_dup, in + size, h);
  else if (of_a)
    __verso_grad(of_two, verso_dup, in, g, verso_const, in + size);
  else
    __verso_grad(of_two, verso_const, in, verso_dup, in + size, h);
  return products_by_loops - before;
}

static float of_floats(const float *x) {
  float c[size], sum = 0;
  cblas_sgemm(by_rows, turned, plain, most, most, most, 1, x, most, x + size,
              most, 0, c, most);
  for (int i = 0; i < size; ++i)
    sum += c[i] * (i % 3);
  return sum;
}

int main(void) {
  for (int i = 0; i < total; ++i) {
    in[i] = 0.3 * sin(1 + 0.37 * i * i);
    v[i] = 0.1 * cos(0.7 * i * i);
  }
  in[total - 2] = 0.7, in[total - 1] = 1.1;
  for (int order = by_rows; order <= by_columns; ++order)
    for (int ta = plain; ta <= turned; ++ta)
      for (int tb = plain; tb <= turned; ++tb) {
        compare(&(struct shape){order, ta, tb, most, most, most});
        compare(&(struct shape){order, ta, tb, 8, 12, 9});
        compare(&(struct shape){order, ta, tb, 12, 5, 11});
        compare(&(struct shape){order, ta, tb, 3, 2, 4});
      }

  CHECK(products_in(1, 1) == 3);
  for (int i = 0; i < most; ++i)
    for (int l = 0; l < most; ++l) {
      double a = 0, b = 0;
      for (int j = 0; j < most; ++j) {
        a += cos(i + j * most) * in[size + j + l * most];
        b += cos(j + i * most) * in[j + l * most];
      }
      CHECK_CLOSE(g[i + l * most], a, 1e-12);
      CHECK_CLOSE(h[i + l * most], b, 1e-12);
    }

  // A map that is kept has a row for each number of a product.
  long before = products_by_loops;
  double given[2 * size] = {0}, one = 1;
  verso_tape *map = __verso_linearize(of_two, verso_dup, in, given, verso_dup,
                                      in + size, given + size);
  CHECK(products_by_loops == before);
  verso_pullback(map, &one, 0);
  verso_tape_free(map);
  for (int i = 0; i < size; ++i) {
    CHECK_CLOSE(given[i], g[i], 1e-12);
    CHECK_CLOSE(given[size + i], h[i], 1e-12);
  }

  CHECK(products_in(1, 0) == 2);
  CHECK(products_in(0, 1) == 2);

  float x[2 * size], d[2 * size] = {0};
  for (int i = 0; i < 2 * size; ++i)
    x[i] = in[i];
  __verso_grad_float(of_floats, verso_dup, x, d);
  for (int i = 0; i < most; ++i)
    for (int l = 0; l < most; ++l) {
      float wanted = 0;
      for (int j = 0; j < most; ++j)
        wanted += (i * most + j) % 3 * x[size + l * most + j];
      CHECK_CLOSE(d[l * most + i], wanted, 1e-4);
    }
  return check_status();
}
