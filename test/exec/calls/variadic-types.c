//===- variadic-types.c - variable arguments of every type ----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Integers, doubles, long doubles, pointers, 128-bit integers, vectors and
// complex numbers, each in registers and on the stack, behind named arguments
// that take some of either, all of them included. A format says what comes.
// Values are compared with closed forms too, outside of requests and inside.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <complex.h>
#include <stdarg.h>

typedef double pair __attribute__((vector_size(16)));

static double complex make_complex(double re, double im) {
  return __builtin_complex(re, im);
}
static long double complex make_long(long double re, long double im) {
  return __builtin_complex(re, im);
}

/// Reads what format says, multiplies the numbers by 1, 2, 3, ... and adds.
static double read_list(const char *format, va_list list) {
  double sum = 0;
  for (int k = 1; *format; ++format, ++k)
    switch (*format) {
    case 'i':
      sum += k * va_arg(list, int);
      break;
    case 'l':
      sum += k * (double)va_arg(list, long);
      break;
    case 'q':
      sum += k * (double)(va_arg(list, __int128) >> 64);
      break;
    case 'd':
      sum += k * va_arg(list, double);
      break;
    case 'L':
      sum += k * (double)va_arg(list, long double);
      break;
    case 'p':
      sum += k * *va_arg(list, const double *);
      break;
    case 'z': {
      double complex z = va_arg(list, double complex);
      sum += k * (creal(z) + 2 * cimag(z));
      break;
    }
    case 'f': {
      float complex z = va_arg(list, float complex);
      sum += k * (crealf(z) + 2 * cimagf(z));
      break;
    }
    case 'Z': {
      long double complex z = va_arg(list, long double complex);
      sum += k * (double)(creall(z) + 2 * cimagl(z));
      break;
    }
    case 'v': {
      pair v = va_arg(list, pair);
      sum += k * (v[0] + 2 * v[1]);
      break;
    }
    }
  return sum;
}

CHECK_NOINLINE static double total(const char *format, ...) {
  va_list list;
  va_start(list, format);
  double sum = read_list(format, list);
  va_end(list);
  return sum;
}
/// Named arguments in both kinds of registers and on the stack.
CHECK_NOINLINE static double behind_some(double a, long double b, float c,
                                         const char *format, ...) {
  va_list list;
  va_start(list, format);
  double sum = read_list(format, list) + a * (double)b * c;
  va_end(list);
  return sum;
}
/// All registers are taken, and 8 bytes of the stack: 16-byte alignment counts
/// from there.
CHECK_NOINLINE static double behind_all(const char *format, long b, long c,
                                        long d, long e, long f, double g,
                                        double h, double i, double j, double k,
                                        double l, double m, double n, double o,
                                        ...) {
  va_list list;
  va_start(list, o);
  double sum = read_list(format, list);
  va_end(list);
  return sum + b + c + d + e + f + g + h + i + j + k + l + m + n + o;
}

static double in_registers(double x) {
  double y = x * x;
  return total("idpzvf", 3, x, &y, make_complex(x, y), (pair){y, x},
               __builtin_complex((float)x, 1.0f));
}
static double on_the_stack(double x) {
  double y = x * x;
  return total("iLLdqlqqqp", 3, (long double)x, (long double)y, y,
               (__int128)5 << 64, 7l, (__int128)6 << 64, -((__int128)7 << 64),
               (__int128)8 << 64, &y);
}
static double many_vectors(double x) {
  pair v = {x, x * x};
  return total("dvzvzvzvzLd", x, v, make_complex(x, 1), v, make_complex(1, x),
               v, make_complex(x, x), v, make_complex(2, x), (long double)x,
               x * x);
}
static double long_complex(double x) {
  return total("dZiZd", x, make_long(x, x * x), 4, make_long(1, x), x);
}
static double with_names(double x) {
  return behind_some(x, x, (float)2, "dLid", x, (long double)x, 2, x * x);
}
static double with_all_names(double x) {
  double y = x * x;
  return behind_all("dLipvq", 1, 2, 3, 4, 5, x, x, x, x, x, x, x, x, y, x,
                    (long double)y, 7, &y, (pair){x, y}, (__int128)9 << 64);
}

struct result {
  double value, slope;
};
struct result __verso_value_and_grad_both(void *, ...);

#define CHECK_BOTH(f, x, expected, expected_slope)                             \
  do {                                                                         \
    struct result r = __verso_value_and_grad_both(f, x);                       \
    CHECK_CLOSE(f(x), expected, 1e-15);                                        \
    CHECK_CLOSE(r.value, expected, 1e-15);                                     \
    CHECK_CLOSE(r.slope, expected_slope, 1e-15);                               \
  } while (0)

int main(void) {
  double x = 1.25, y = x * x;
  // 3 + 2 x + 3 y + 4 (x + 2 y) + 5 (y + 2 x) + 6 (x + 2)
  CHECK_BOTH(in_registers, x, 15 + 22 * x + 16 * y, 22 + 32 * x);
#if __clang_major__ > 19 // Which passes half of an __int128 in the last register.
  // 3 + 2 x + 3 y + 4 y + 25 + 42 + 42 - 56 + 72 + 10 y
  CHECK_BOTH(on_the_stack, x, 128 + 2 * x + 17 * y, 2 + 34 * x);
#endif
  // x + (2 + 4 + 6 + 8) (x + 2 y) + 3 (x + 2) + 5 (1 + 2 x) + 7 * 3 x
  //   + 9 (2 + 2 x) + 10 x + 11 y
  CHECK_BOTH(many_vectors, x, 29 + 83 * x + 51 * y, 83 + 102 * x);
  // x + 2 (x + 2 y) + 12 + 4 (1 + 2 x) + 5 x
  CHECK_BOTH(long_complex, x, 16 + 16 * x + 4 * y, 16 + 8 * x);
  // 2 y + x + 2 x + 6 + 4 y
  CHECK_BOTH(with_names, x, 6 + 3 * x + 6 * y, 3 + 12 * x);
  // 15 + 8 x + y + x + 2 y + 21 + 4 y + 5 (x + 2 y) + 54
  CHECK_BOTH(with_all_names, x, 90 + 14 * x + 17 * y, 14 + 34 * x);
  return check_status();
}
