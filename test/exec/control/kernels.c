//===- kernels.c - loops that the tape takes as a whole -------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A nest of a taped function whose cells are known when it begins is one record
// of the tape, and is reversed by itself (pass/taped/Kernels.h). Each function
// has something else that such a record has to get right; the runtime takes it
// or leaves it to the tape, as it must where two views of one array differ. All
// are judged by the dot-product test against forward mode, with seeds in all
// memory, from memory that a kernel wrote before, and from copies of it.
//
//===----------------------------------------------------------------------===//

// FLAGS: -mllvm -verso-kernels=always
// STRATEGY: taped

#include "../check.h"

#include <stdint.h>

enum { N = 12, Cells = 4 * N * N };

double __verso_jvp(void *, ...);

typedef struct {
  double a, b;
  int tag;
  float c;
} Item;

typedef struct {
  double f[3];
  long count;
} Counted;

typedef struct {
  double f[3];
  float g[3];
  int count;
} Mixed;

typedef struct {
  double x[Cells], y[Cells], z[Cells];
  float w[Cells];
  Item items[N];
  Counted counted[N];
  Mixed mixed[N];
} World;

/// What was there is read, cleared, added to and read again; a number goes in.
static double products(World *s, double a, int n) {
  const double *x = s->x, *y = s->y;
  double *z = s->z;
  double sum = 0;
  for (long i = 0; i < n; ++i)
    sum += z[i] * z[i + 1];
  for (long i = 0; i < n; ++i) {
    for (long j = 0; j < n; ++j)
      z[i * n + j] = 0;
    for (long k = 0; k < n; ++k)
      for (long j = 0; j < n; ++j)
        z[i * n + j] += a * x[i * n + k] * y[k * n + j];
  }
  for (long i = 0; i < n * n; ++i)
    sum += sin(z[i]);
  return sum;
}

/// A time loop in place, whose iterations read what the last ones wrote.
static double inPlace(World *s, double a, int n) {
  double *x = s->x;
  for (int t = 0; t < 3; ++t)
    for (int i = 1; i < n - 1; ++i)
      x[i] = 0.5 * x[i] + a * x[i - 1] * x[i + 1];
  return x[1] * x[n - 2];
}

/// Two buffers change places between kernels.
static double buffers(World *s, double a, int n) {
  double *now = s->x, *then = s->y;
  for (int t = 0; t < 4; ++t) {
    for (int i = 1; i < n; ++i)
      for (int j = 1; j < n; ++j)
        then[i * N + j] = now[i * N + j] +
                          a * now[(i - 1) * N + j] * exp(-now[i * N + j - 1]);
    double *swap = now;
    now = then;
    then = swap;
  }
  return now[N + 1] + now[N * (n - 1) + n - 1];
}

/// One array through two pointers, whose cells are partly the same.
static double shifted(World *s, double a, int n) {
  double *x = s->x, *y = s->x + 3;
  double sum = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      y[j] = y[j] * a + 0.1 * sin(x[i]);
  for (int i = 0; i < n; ++i)
    sum += x[i] * i;
  return sum;
}

/// From the end to the beginning, every second one, and floats.
static double strides(World *s, double a, int n) {
  double sum = 0;
  for (int i = n - 1; i >= 0; --i)
    for (int k = 0; k < 3; ++k)
      s->w[2 * i] = s->w[2 * i] * (float)a + (float)s->x[3 * i + k];
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < 3; ++k)
      sum += (double)s->w[i] * s->w[i + k];
  return sum;
}

/// Members of structures, beside integers that stay what they are.
static double members(World *s, double a, int n) {
  double sum = 0;
  for (int k = 0; k < 4; ++k)
    for (int i = 0; i < n; ++i) {
      s->items[i].a += s->items[i].b * a * s->items[i].c;
      s->items[i].b = cos(s->items[i].a);
    }
  for (int i = 0; i < n; ++i)
    sum += s->items[i].tag * s->items[i].a + s->items[i].b;
  return sum;
}

/// The loop ends at a pointer, and what that leads to is read.
static double untilEnd(World *s, double a, int n) {
  for (int t = 0; t < 3; ++t)
    for (double *p = s->x; p < s->x + n; ++p)
      *p = *p * a + s->x[n] * s->x[n];
  return s->x[0] * s->x[n - 1];
}

/// What decides in a kernel is known before it, or is not.
static double choices(World *s, double a, int n) {
  double most = 0, sum = 0;
  int at = 0;
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < 3; ++k)
      if (a > 0.1)
        s->y[i] += s->x[i] * s->x[i + k];
      else
        s->z[i] += s->x[i];
    sum += s->y[i] > 0.5 ? s->y[i] : 0.1 * s->z[i];
    if (s->x[i] > most)
      most = s->x[i], at = i;
  }
  return sum + most * s->y[at] + at;
}

/// A local array, of which only a part is given to the kernel, and copies.
static double locals(World *s, double a, int n) {
  double t[N + 4], u[N + 4];
  for (int i = 0; i < N + 4; ++i)
    t[i] = i;
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < n; ++i)
      t[i + 2] = t[i + 2] * s->x[i] + a;
  memcpy(u, t, sizeof u);
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < n; ++i)
      u[i] = u[i] * u[i + 1];
  memcpy(s->z, u, n * sizeof *u);
  return u[0] + t[5];
}

/// Kernels that do nothing, in loops that the runtime comes to again and again.
static double nothing(World *s, double a, int n) {
  double sum = a;
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < n - 100; ++k)
      s->x[k] = s->y[k] * sum;
    sum += s->x[i] * sum * 0.01;
    s->x[i] = 1;
  }
  return sum;
}

__attribute__((annotate("verso_inactive"))) static double frozen[Cells];

/// Memory that is marked as constant is, though its address is given to the
/// kernel.
static double marked(World *s, double a, int n) {
  __attribute__((annotate("verso_inactive"))) double local[N];
  double sum = 0;
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k)
      frozen[k] = s->x[k] * s->x[i];
  for (int i = 0; i < n; ++i)
    local[i] = s->y[i];
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k)
      sum += frozen[k] * s->x[i] + local[k] * a;
  return sum;
}

/// Zeros over numbers and integers at once: the integers are none.
static double cleared(World *s, double a, int n) {
  double sum = 0;
  for (int t = 0; t < 2; ++t)
    for (int i = 0; i < n; ++i) {
      memset(&s->counted[i], 0, sizeof s->counted[i]);
      for (int k = 0; k < 3; ++k)
        s->counted[i].f[k] += a * s->x[i] * s->x[i + k];
    }
  for (int i = 0; i < n; ++i)
    sum += s->counted[i].f[1] * (1 + ++s->counted[i].count);
  return sum;
}

__attribute__((noinline)) static void setNumbers(Mixed *m, const double *x,
                                                 double a, int n) {
  for (int i = 0; i < n; ++i) {
    memset(&m[i], 0, sizeof m[i]);
    for (int k = 0; k < 3; ++k)
      m[i].f[k] += a * x[i] * x[i + k];
  }
}

/// Zeros over doubles, floats and integers, of which the kernel comes to the
/// doubles alone.
static double clearedBeside(World *s, double a, int n) {
  double sum = 0;
  setNumbers(s->mixed, s->x, a, n);
  for (int i = 0; i < n; ++i) {
    sum += s->mixed[i].g[1] * s->x[i] + s->mixed[i].f[2];
    s->mixed[i].g[1] += (float)s->y[i];
    sum += s->mixed[i].g[1] * s->mixed[i].g[1] * (1 + ++s->mixed[i].count);
  }
  return sum;
}

__attribute__((noinline)) static void addBits(const float *w, double *z,
                                              int n) {
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < n; ++i)
      z[i] += 1e-7 * (float)*(int *)&w[i];
}

__attribute__((noinline)) static void addSizes(const uint64_t *x, double *y,
                                               double a, int n) {
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < n; ++i) {
      uint64_t bits = x[i] & ~((uint64_t)1 << 63);
      double size;
      memcpy(&size, &bits, sizeof size);
      y[i] += a * size * size * size;
    }
}

/// Numbers that are loaded as integers: an address among numbers says so, or
/// what becomes of them.
static double ofBits(World *s, double a, int n) {
  double sum = 0;
  addBits(s->w, s->z, n);
  addSizes((const uint64_t *)s->x, s->y, a, n);
  for (int i = 0; i < n; ++i)
    sum += s->y[i] * i + s->z[i];
  return sum;
}

static double seedOf(int i) { return ((i * 7 + 3) % 11 - 5) / 7.0; }

static void fill(World *s, World *t, World *d) {
  for (int i = 0; i < Cells; ++i) {
    s->x[i] = 0.3 + 0.5 * sin(i), s->y[i] = 0.2 + 0.4 * cos(3 * i);
    s->z[i] = 0.1 * (i % 5), s->w[i] = 0.25f * (i % 7);
    t->x[i] = seedOf(i), t->y[i] = seedOf(i + 1), t->z[i] = seedOf(2 * i);
    t->w[i] = (float)seedOf(3 * i);
    d->x[i] = seedOf(i + 5), d->y[i] = seedOf(i + 4), d->z[i] = seedOf(5 * i);
    d->w[i] = (float)seedOf(4 * i);
  }
  for (int i = 0; i < N; ++i) {
    s->items[i] = (Item){0.1 * i, 0.3, i % 3, 0.5f};
    s->mixed[i] = (Mixed){{0.3, 0.1 * i}, {0.2f, 0.5f}, 3};
    t->mixed[i] = (Mixed){{seedOf(i)}, {(float)seedOf(i + 1), 1}, 0};
    d->mixed[i] = (Mixed){{seedOf(2 * i), 1}, {1, (float)seedOf(i)}, 0};
    t->items[i] = (Item){seedOf(i), seedOf(i + 1), 0, (float)seedOf(i + 2)};
    d->items[i] = (Item){seedOf(i + 3), seedOf(i), 0, (float)seedOf(i + 4)};
  }
}

static double product(const World *p, const World *q) {
  double sum = 0;
  for (int i = 0; i < Cells; ++i)
    sum += p->x[i] * q->x[i] + p->y[i] * q->y[i] + p->z[i] * q->z[i] +
           (double)p->w[i] * q->w[i];
  for (int i = 0; i < N; ++i)
    sum += p->items[i].a * q->items[i].a + p->items[i].b * q->items[i].b +
           (double)p->items[i].c * q->items[i].c;
  for (int i = 0; i < N; ++i)
    for (int k = 0; k < 3; ++k)
      sum += p->mixed[i].f[k] * q->mixed[i].f[k] +
             (double)p->mixed[i].g[k] * q->mixed[i].g[k];
  return sum;
}

typedef struct {
  double x;
} One;
One __verso_grad_one(void *, ...);

#define HAS_FLOATS(F)                                                          \
  (F == strides || F == members || F == clearedBeside || F == ofBits)

/// <seed, J t> = <J' seed, t>, with the seeds of memory in d.
#define JUDGE(F)                                                               \
  do                                                                           \
    for (int n = 2; n <= N; n += 5) {                                          \
      static World s, t, d, out, direction;                                    \
      fill(&s, &t, &d);                                                        \
      out = d, direction = t;                                                  \
      double a = 0.7, da = 0.4;                                                \
      double left =                                                            \
          __verso_jvp((void *)F, verso_dup, &s, &t, verso_dup, a, da, n);      \
      left += product(&t, &out);                                               \
      World after = s;                                                         \
      fill(&s, &t, &d);                                                        \
      double ga = __verso_grad((void *)F, verso_dup, &s, &d, verso_out, a, n); \
      double right = product(&d, &direction) + ga * da;                        \
      CHECK_CLOSE(right, left, 1e-5 * HAS_FLOATS(F) + 1e-11);                  \
      CHECK_CLOSE(memcmp(&after, &s, sizeof s), 0, 0);                         \
    }                                                                          \
  while (0)

int main(void) {
  JUDGE(products);
  JUDGE(inPlace);
  JUDGE(buffers);
  JUDGE(shifted);
  JUDGE(strides);
  JUDGE(members);
  JUDGE(untilEnd);
  JUDGE(choices);
  JUDGE(locals);
  JUDGE(nothing);
  JUDGE(marked);
  JUDGE(cleared);
  JUDGE(clearedBeside);
  JUDGE(ofBits);
  return check_status();
}
