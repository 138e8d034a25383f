//===- fftw-kinds.c - derivatives of all kinds of FFTW's plans ------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// REQUIRES: fftw
// LIBS: -lfftw3 -lfftw3f
//
// A sum of what a transform gives, with weights, is linear in what it is given.
// So tangents, and products of gradients and tangents, are what the function
// itself gives of the tangents, without Verso: of complex and real transforms,
// with strides, batches, rows with padding, in place and not, in sight and
// through the plan alone.
//
//===----------------------------------------------------------------------===//

#include "check.h"

#include <fftw3.h>

double __verso_jvp(void *, ...);
float __verso_jvp_float(void *, ...);

enum { most = 400 };
enum kind { c2c, r2c, c2r, r2r };

struct shape {
  enum kind kind;
  int rank, n[3], how_many;
  // In the units of FFTW; embed of zero is none.
  int in_embed[3], in_step, in_distance;
  int out_embed[3], out_step, out_distance;
  int sign;
  fftw_r2r_kind kinds[3];
  int in_place;
  // Of what is summed, of rows of the output; zero is all.
  int row, of_row;
};

static double weight_of(const struct shape *s, int k) {
  return s->row && k % s->row >= s->of_row ? 0 : cos(0.9 * k + 0.3);
}

static fftw_plan plan_of(const struct shape *s, double *in, double *out) {
  const int *in_embed = s->in_embed[0] ? s->in_embed : NULL;
  const int *out_embed = s->out_embed[0] ? s->out_embed : NULL;
  switch (s->kind) {
  case c2c:
    return fftw_plan_many_dft(s->rank, s->n, s->how_many, (fftw_complex *)in,
                              in_embed, s->in_step, s->in_distance,
                              (fftw_complex *)out, out_embed, s->out_step,
                              s->out_distance, s->sign, FFTW_ESTIMATE);
  case r2c:
    return fftw_plan_many_dft_r2c(s->rank, s->n, s->how_many, in, in_embed,
                                  s->in_step, s->in_distance,
                                  (fftw_complex *)out, out_embed, s->out_step,
                                  s->out_distance, FFTW_ESTIMATE);
  case c2r:
    return fftw_plan_many_dft_c2r(s->rank, s->n, s->how_many,
                                  (fftw_complex *)in, in_embed, s->in_step,
                                  s->in_distance, out, out_embed, s->out_step,
                                  s->out_distance, FFTW_ESTIMATE);
  case r2r:
    return fftw_plan_many_r2r(
        s->rank, s->n, s->how_many, in, in_embed, s->in_step, s->in_distance,
        out, out_embed, s->out_step, s->out_distance, s->kinds, FFTW_ESTIMATE);
  }
  return NULL;
}

// The plan is kept where nobody sees it.
static fftw_plan kept;

static double through_plan(const double *x, const struct shape *s) {
  double *in = fftw_alloc_real(most), *out = fftw_alloc_real(most);
  double *to = s->in_place ? in : out;
  memset(out, 0, most * sizeof *out);
  memcpy(in, x, most * sizeof *in);
  kept = plan_of(s, in, to);
  fftw_execute(kept);
  double sum = 0;
  for (int k = 0; k < most; ++k)
    sum += weight_of(s, k) * to[k];
  fftw_destroy_plan(kept);
  fftw_free(in);
  fftw_free(out);
  return sum;
}

// The plan is in sight.
static double real_rows(const double *x, const struct shape *s) {
  double in[most], out[most] = {0};
  memcpy(in, x, sizeof in);
  fftw_plan p = fftw_plan_many_r2r(
      s->rank, s->n, s->how_many, in, s->in_embed[0] ? s->in_embed : NULL,
      s->in_step, s->in_distance, out, s->out_embed[0] ? s->out_embed : NULL,
      s->out_step, s->out_distance, s->kinds, FFTW_ESTIMATE);
  fftw_execute(p);
  fftw_destroy_plan(p);
  double sum = 0;
  for (int k = 0; k < most; ++k)
    sum += weight_of(s, k) * out[k];
  return sum;
}
static double to_complex(const double *x, const struct shape *s) {
  double in[most], out[most] = {0};
  memcpy(in, x, sizeof in);
  fftw_plan p =
      fftw_plan_dft_r2c(s->rank, s->n, in, (fftw_complex *)out, FFTW_ESTIMATE);
  fftw_execute(p);
  fftw_destroy_plan(p);
  double sum = 0;
  for (int k = 0; k < most; ++k)
    sum += weight_of(s, k) * out[k];
  return sum;
}
static double to_real(const double *x, const struct shape *s) {
  double in[most], out[most] = {0};
  memcpy(in, x, sizeof in);
  fftw_plan p =
      fftw_plan_dft_c2r_2d(s->n[0], s->n[1], (fftw_complex *)in, out, 0);
  memcpy(in, x, sizeof in);
  fftw_execute_dft_c2r(p, (fftw_complex *)in, out);
  fftw_destroy_plan(p);
  double sum = 0;
  for (int k = 0; k < s->n[0] * s->n[1]; ++k)
    sum += weight_of(s, k) * out[k];
  return sum;
}
// Transposes a matrix of complex numbers, and transforms its rows.
static double by_dimensions(const double *x, const struct shape *s) {
  double in[most], out[most] = {0};
  memcpy(in, x, sizeof in);
  fftw_iodim row = {s->n[1], 1, s->n[0]}, of_rows = {s->n[0], s->n[1], 1};
  fftw_plan p = fftw_plan_guru_dft(1, &row, 1, &of_rows, (fftw_complex *)in,
                                   (fftw_complex *)out, s->sign, FFTW_ESTIMATE);
  fftw_execute(p);
  fftw_destroy_plan(p);
  double sum = 0;
  for (int k = 0; k < most; ++k)
    sum += weight_of(s, k) * out[k];
  return sum;
}
static float of_floats(const float *x, const struct shape *s) {
  float in[most], out[most];
  for (int k = 0; k < most; ++k) {
    in[k] = x[k];
    out[k] = 0;
  }
  fftwf_plan p =
      fftwf_plan_dft_r2c_1d(s->n[0], in, (fftwf_complex *)out, FFTW_ESTIMATE);
  fftwf_execute(p);
  fftwf_destroy_plan(p);
  float sum = 0;
  for (int k = 0; k < s->n[0]; ++k)
    sum += (float)weight_of(s, k) * out[k];
  return sum;
}

static unsigned state = 1;
static double number(void) {
  state = state * 1103515245 + 12345;
  return (state >> 8 & 0xffff) / 32768.0 - 1;
}

#define COMPARE(F, SHAPE)                                                      \
  do {                                                                         \
    const struct shape *s = SHAPE;                                             \
    double x[most], v[most], bars[most] = {0};                                 \
    for (int k = 0; k < most; ++k) {                                           \
      x[k] = number();                                                         \
      v[k] = number();                                                         \
    }                                                                          \
    double expected = F(v, s), product = 0;                                    \
    __verso_grad((void *)F, verso_dup, x, bars, verso_const, s);               \
    for (int k = 0; k < most; ++k)                                             \
      product += bars[k] * v[k];                                               \
    CHECK_CLOSE(product, expected, 1e-11);                                     \
    double tangent = __verso_jvp((void *)F, verso_dup, x, v, verso_const, s);  \
    CHECK_CLOSE(tangent, expected, 1e-11);                                     \
    if (check_failures)                                                        \
      return printf(#F ", line %d\n", __LINE__), check_status();               \
  } while (0)

int main(void) {
  const struct shape shapes[] = {
      {c2c, 1, {7}, 3, {0}, 1, 7, {0}, 1, 7, -1, {0}, 0, 0, 0},
      {c2c, 1, {8}, 3, {0}, 3, 1, {0}, 1, 9, 1, {0}, 0, 0, 0},
      {c2c, 2, {4, 5}, 2, {0}, 1, 20, {0}, 1, 20, -1, {0}, 1, 0, 0},
      {c2c, 2, {4, 3}, 2, {5, 6}, 2, 61, {4, 4}, 3, 50, 1, {0}, 0, 0, 0},
      {c2c, 3, {2, 3, 4}, 1, {0}, 1, 0, {0}, 2, 0, 1, {0}, 0, 0, 0},
      {r2c, 1, {9}, 2, {0}, 1, 9, {0}, 1, 5, 0, {0}, 0, 0, 0},
      {r2c, 1, {8}, 2, {0}, 2, 1, {0}, 2, 11, 0, {0}, 0, 0, 0},
      {r2c, 2, {4, 6}, 2, {0}, 1, 24, {0}, 1, 16, 0, {0}, 0, 0, 0},
      {r2c, 2, {4, 7}, 1, {0}, 1, 0, {0}, 1, 0, 0, {0}, 1, 0, 0},
      {r2c, 3, {3, 2, 6}, 1, {0}, 1, 0, {0}, 1, 0, 0, {0}, 1, 0, 0},
      {c2r, 1, {9}, 2, {0}, 1, 5, {0}, 1, 9, 0, {0}, 0, 0, 0},
      {c2r, 1, {8}, 2, {0}, 2, 11, {0}, 2, 1, 0, {0}, 0, 0, 0},
      {c2r, 2, {4, 6}, 2, {0}, 1, 16, {0}, 1, 24, 0, {0}, 0, 0, 0},
      {c2r, 2, {3, 6}, 1, {0}, 1, 0, {0}, 1, 0, 0, {0}, 1, 8, 6},
      {c2r, 3, {3, 2, 5}, 1, {0}, 1, 0, {0}, 1, 0, 0, {0}, 1, 6, 5},
  };
  for (unsigned k = 0; k != sizeof shapes / sizeof *shapes; ++k) {
    COMPARE(through_plan, &shapes[k]);
    if (shapes[k].kind == r2c && !shapes[k].in_place)
      COMPARE(to_complex, &shapes[k]);
    if (shapes[k].kind == c2r && shapes[k].rank == 2)
      COMPARE(to_real, &shapes[k]);
    if (shapes[k].kind == c2c && shapes[k].rank == 2)
      COMPARE(by_dimensions, &shapes[k]);
  }
  for (int a = FFTW_R2HC; a <= FFTW_RODFT11; ++a)
    for (int n = 2; n != 6; ++n) {
      const struct shape one = {
          r2r, 1, {n}, 2, {0}, 2, 1, {0}, 1, n, 0, {(fftw_r2r_kind)a}, 0, 0, 0};
      const struct shape two = {
          r2r,        2,
          {n, 7 - n}, 2,
          {9, 7},     1,
          80,         {9, n == 3 ? 7 : 8},
          1,          80,
          0,          {(fftw_r2r_kind)a, (fftw_r2r_kind)((a * 7 + n) % 11)},
          n == 3,     0,
          0};
      COMPARE(through_plan, &one);
      COMPARE(real_rows, &one);
      COMPARE(through_plan, &two);
    }
  struct shape floats = {r2c, 1, {16}, 1,   {0}, 1, 0, {0},
                         1,   0, 0,    {0}, 0,   0, 0};
  float x[most], v[most], bars[most] = {0}, product = 0;
  for (int k = 0; k < most; ++k) {
    x[k] = (float)number();
    v[k] = (float)number();
  }
  __verso_grad_float((void *)of_floats, verso_dup, x, bars, verso_const,
                     &floats);
  for (int k = 0; k < most; ++k)
    product += bars[k] * v[k];
  CHECK_CLOSE(product, of_floats(v, &floats), 1e-5);
  CHECK_CLOSE(__verso_jvp_float((void *)of_floats, verso_dup, x, v, verso_const,
                                &floats),
              of_floats(v, &floats), 1e-5);
  return check_status();
}
