//===- bytes-in-turn.c - the same bytes are numbers and other things ------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Local memory whose bytes are a double, floats, integers or a pointer, each at
// its time: unions, records of several kinds that are sorted, a pool that is
// used again, and sequences of stores, loads, copies, fills and words that are
// moved and exchanged at offsets that only run time knows. Two halves that are
// written in turn are no number any more.
//
// STRATEGY: structured
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <stdint.h>

enum { N = 6 };

/// A union whose member the data choose.
CHECK_NOINLINE static double chosen(const double *x, int n) {
  union {
    double d;
    float f[2];
    int64_t i;
    int32_t h[2];
  } u[3];
  double sum = 0;
  for (int k = 0; k < n; ++k)
    u[k % 3].d = x[k] * x[k];
  for (int k = 0; k < 4 * n; ++k) {
    int at = (k * k) % 3;
    switch (k % 5) {
    case 0:
      u[at].d = x[k % n] * sum;
      sum += 2 * u[at].d;
      break;
    case 1:
      u[at].f[k % 2] = (float)x[k % n];
      u[at].f[1 - k % 2] = 3;
      sum += u[at].f[k % 2] * x[(k + 1) % n];
      break;
    case 2:
      u[at].i = k;
      sum += (double)u[at].i * x[k % n];
      break;
    case 3:
      u[at].h[1] = 0x3ff00000;
      u[at].h[0] = k;
      sum = u[at].d * x[k % n] + sum / 2;
      break;
    default:
      u[at].d = sum;
      u[(at + 1) % 3] = u[at];
      sum = u[(at + 1) % 3].d * 0.5 + u[at].d;
    }
  }
  return sum;
}

struct record {
  int kind;
  union {
    double number;
    double *cell;
    struct {
      float a, b;
    } pair;
    char text[8];
  } as;
};

/// Records of several kinds are inserted in order.
CHECK_NOINLINE static double sorted(double *x, int n) {
  struct record *all = malloc((size_t)(4 * n) * sizeof *all);
  double *cells = malloc((size_t)n * sizeof *cells);
  int count = 0;
  for (int k = 0; k < 4 * n; ++k) {
    struct record new = {k % 4, {0}};
    if (new.kind == 0)
      new.as.number = x[k % n] * x[(k + 1) % n];
    else if (new.kind == 1) {
      cells[k % n] = 3 * x[k % n];
      new.as.cell = &cells[k % n];
    } else if (new.kind == 2) {
      new.as.pair.a = (float)x[k % n];
      new.as.pair.b = (float)k;
    } else {
      memcpy(new.as.text, "letters", 8);
      new.as.text[k % 7] = (char)('a' + k);
    }
    int at = (k * 7) % (count + 1);
    memmove(&all[at + 1], &all[at], (size_t)(count - at) * sizeof *all);
    all[at] = new;
    ++count;
  }
  double sum = 1;
  for (int k = 0; k < count; ++k) {
    const struct record *r = &all[k];
    if (r->kind == 0)
      sum += r->as.number * sum;
    else if (r->kind == 1)
      sum += *r->as.cell;
    else if (r->kind == 2)
      sum += r->as.pair.a * r->as.pair.b;
    else
      sum *= r->as.text[3] > 'c' ? 0.75 : 0.5;
  }
  free(cells);
  free(all);
  return sum;
}

/// A pool of bytes that every round uses in another way.
CHECK_NOINLINE static double pooled(const double *x, int n) {
  char *pool = malloc(256);
  double sum = 0;
  for (int round = 0; round < 5; ++round) {
    size_t top = 0;
    double *first = NULL;
    for (int k = 0; k < n; ++k) {
      if ((k + round) % 3 == 0) {
        float *f = (float *)(pool + top);
        *f = (float)x[k];
        sum += *f * 0.25;
        top += 4;
      } else if ((k + round) % 3 == 1) {
        memcpy(pool + top, "name", 5);
        pool[top + 4] = (char)('0' + k);
        sum += pool[top + 4] == '1' ? x[k] : 0.5 * x[k];
        top += 12;
      } else {
        top = (top + 7) & ~(size_t)7;
        double *d = (double *)(pool + top);
        *d = x[k] * x[k];
        first = first ? first : d;
        top += 8;
      }
    }
    sum = sum / 2 + (first ? *first * x[round] : 0);
  }
  free(pool);
  return sum;
}

/// What happens to a buffer.
struct step {
  enum { Double, Float, Int, Read, ReadFloat, Move, Fill, Word, Swap } what;
  int at, other, bytes, with;
};

CHECK_NOINLINE static double run(const double *x, const struct step *steps,
                                 int count) {
  char bytes[64];
  memset(bytes, 0, sizeof bytes);
  double sum = 0;
  for (int k = 0; k < count; ++k) {
    const struct step *s = &steps[k];
    switch (s->what) {
    case Double: {
      double d = x[s->with] * (1 + 0.1 * sum);
      memcpy(bytes + s->at, &d, 8);
      break;
    }
    case Float: {
      float f = (float)(x[s->with] + 0.25 * sum);
      memcpy(bytes + s->at, &f, 4);
      break;
    }
    case Int: {
      int i = s->with;
      memcpy(bytes + s->at, &i, 4);
      break;
    }
    case Read: {
      double d;
      memcpy(&d, bytes + s->at, 8);
      sum = 0.5 * sum + d * x[s->with];
      break;
    }
    case ReadFloat: {
      float f;
      memcpy(&f, bytes + s->at, 4);
      sum = 0.5 * sum + f * x[s->with];
      break;
    }
    case Move:
      memmove(bytes + s->other, bytes + s->at, (size_t)s->bytes);
      break;
    case Word:
      memcpy(bytes + s->other, bytes + s->at, 8);
      break;
    case Swap: {
      int64_t one, other;
      memcpy(&one, bytes + s->at, 8);
      memcpy(&other, bytes + s->other, 8);
      memcpy(bytes + s->other, &one, 8);
      memcpy(bytes + s->at, &other, 8);
      break;
    }
    default:
      memset(bytes + s->at, 0, (size_t)s->bytes);
    }
  }
  return sum;
}

static unsigned seed;
static int below(int n) {
  seed = seed * 1664525u + 1013904223u;
  return (int)((seed >> 8) % (unsigned)n);
}

enum { Steps = 60 };
static struct step steps[Steps];

/// Makes steps that load what is whole, or no number at all. What a word is: 0
/// an integer (or zeros), 1 a float, 2 and 3 the halves of a double.
static void make_steps(unsigned with) {
  int words[16] = {0};
  seed = with;
  for (int k = 0; k < Steps;) {
    struct step s = {Double, 0, 0, 0, below(N)};
    int w = below(15), v = below(15), length = 1 + below(6);
    int *first = &words[w];
    int whole = first[0] == 2 && first[1] == 3;
    s.what = below(9);
    if (s.what == Word || s.what == Swap)
      length = 2;
    s.at = 4 * w;
    switch (s.what) {
    case Double:
      first[0] = 2, first[1] = 3;
      // What is left of neighbours is none.
      if (w && words[w - 1] == 2)
        words[w - 1] = -1;
      if (w < 14 && words[w + 2] == 3)
        words[w + 2] = -1;
      break;
    case Float:
    case Int:
      if (first[0] == 2)
        words[w + 1] = -1;
      if (first[0] == 3)
        words[w - 1] = -1;
      first[0] = s.what == Float;
      // As the upper half of a double it is a small one.
      if (s.what == Int)
        s.with = 0x3f000000 + below(1000);
      break;
    case Read:
      if (!whole && (first[0] || first[1]))
        continue;
      break;
    case ReadFloat:
      if (first[0] != 1 && first[0] != 0)
        continue;
      break;
    default:
      if (w + length > 16 || v + length > 16)
        continue;
      if (s.what == Fill)
        v = w;
      // Neither what is moved nor what is overwritten is cut.
      if (first[0] == 3 || first[length - 1] == 2 || words[v] == 3 ||
          words[v + length - 1] == 2)
        continue;
      if (s.what >= Word && abs(v - w) < 2)
        continue;
      s.other = 4 * v;
      s.bytes = 4 * length;
      if (s.what == Fill) {
        memset(first, 0, sizeof *words * (size_t)length);
      } else if (s.what == Swap) {
        for (int half = 0; half < 2; ++half) {
          int one = first[half];
          first[half] = words[v + half];
          words[v + half] = one;
        }
      } else {
        memmove(&words[v], first, sizeof *words * (size_t)length);
      }
    }
    steps[k++] = s;
  }
}

static double chosen_6(double *x) { return chosen(x, N); }
static double sorted_6(double *x) { return sorted(x, N); }
static double pooled_6(double *x) { return pooled(x, N); }
static double run_steps(double *x) { return run(x, steps, Steps); }

// Differences of what goes through floats have an error of 1e-7 over a step of
// 1e-3.
#define TOLERANCE 2e-4

int main(void) {
  double x[N] = {0.5, 1, 0.25, -1, 1.5, 0.75};
  double a[N] = {0}, b[N] = {0}, c[N] = {0};
  __verso_grad_void((void *)chosen, verso_dup, x, a, verso_const, N);
  CHECK_GRADIENT(chosen_6, N, x, a, TOLERANCE);
  __verso_grad_void((void *)sorted, verso_dup, x, b, verso_const, N);
  CHECK_GRADIENT(sorted_6, N, x, b, TOLERANCE);
  __verso_grad_void((void *)pooled, verso_dup, x, c, verso_const, N);
  CHECK_GRADIENT(pooled_6, N, x, c, TOLERANCE);
  for (unsigned k = 1; k <= 200; ++k) {
    double d[N] = {0};
    make_steps(k);
    __verso_grad_void((void *)run, verso_dup, x, d, verso_const, steps, Steps);
    CHECK_GRADIENT(run_steps, N, x, d, TOLERANCE);
  }
  return check_status();
}
