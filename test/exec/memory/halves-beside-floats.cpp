//===- halves-beside-floats.cpp - records of halves, floats and flags -----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Records of two-byte numbers beside others, by value: derivatives are right,
// or the bits are lost (an error of the program by tape, NaN in forward mode),
// but nobody gets another one's.
//
// STRATEGY: taped
// UNCHECKED: where bits are lost, J v is NaN
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <cstdint>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

double __verso_jvp(void *, ...);

/// What Verso ends a program with.
enum { N = 5, Refused = 86 };

typedef double Function(const double *, int);

/// The sum of squares of a record's numbers.
template <typename T> static double sum(const T &R) { return R.squares(); }

struct Wide {
  _Float16 A;
  uint32_t I;
  _Float16 B;
  uint32_t J;
  float F;
  double squares() const {
    return A * (double)A + B * (double)B + F * (double)F;
  }
};

/// The optimiser moves all behind the first half, 18 bytes, by themselves.
CHECK_NOINLINE static void copy(void *To, const void *From, long Bytes) {
  memcpy(To, From, Bytes);
}

CHECK_NOINLINE static double moves(const double *x, int n) {
  Wide R[2];
  alignas(4) char Kept[18], Again[18];
  for (int I = 0; I != 2; ++I)
    R[I] = {_Float16(x[I]), 1, _Float16(x[I + 1]), 2, float(x[I + 2])};
  copy(Kept, (char *)&R[0] + 2, n + 13);
  copy(Again, Kept, n + 13);
  R[1].A = R[0].A;
  copy((char *)&R[1] + 2, Again, n + 13);
  return sum(R[1]);
}

struct Flagged {
  float F;
  _Float16 A;
  int8_t I, J;
  float G;
  double squares() const {
    return F * (double)F + A * (double)A + G * (double)G;
  }
};

CHECK_NOINLINE static Flagged clears(Flagged R) {
  R.F = float(R.A);
  R.J = 0;
  return R;
}

CHECK_NOINLINE static double flags(const double *x, int n) {
  Flagged R[3];
  for (int I = 0; I < n - 2; ++I)
    R[I] = {float(x[I]), _Float16(x[I + 1]), 1, 2, float(x[I + 2])};
  R[1] = clears(R[0]);
  return sum(R[1]);
}

struct First {
  uint8_t I;
  _Float16 A;
  int16_t J;
  double squares() const { return A * (double)A; }
};

CHECK_NOINLINE static First sets(First R) {
  R.I = 1;
  return R;
}

CHECK_NOINLINE static double inOdd(const double *x, int n) {
  First R[3];
  for (int I = 0; I != 3; ++I)
    R[I] = {uint8_t(I), _Float16(x[I]), int16_t(n)};
  R[0] = sets(R[0]);
  return sum(R[0]);
}

struct Counted {
  _Float16 A;
  uint16_t I;
  double D;
  double squares() const { return A * (double)A + D * D; }
};

CHECK_NOINLINE static Counted counts(Counted R) {
  R.I += 1;
  return R;
}

CHECK_NOINLINE static double counted(const double *x, int n) {
  Counted R[3];
  for (int I = 0; I < n - 2; ++I)
    R[I] = {_Float16(x[I]), uint16_t(n), x[I + 1]};
  for (int I = 0; I != 2; ++I)
    R[0] = counts(R[1 - I]);
  return sum(R[0]);
}

struct Vector {
  _Float16 A;
  float F;
  uint32_t I;
  double squares() const { return A * (double)A + F * (double)F; }
};

CHECK_NOINLINE static Vector turns(Vector R) {
  if (R.I & 1)
    R.A = -R.A;
  return R;
}

CHECK_NOINLINE static double turned(const double *x, int n) {
  Vector R = {_Float16(x[0]), float(x[1]), uint32_t(n)};
  return sum(turns(R));
}

static void check(Function *F, void (*Gradient)(const double *, double *),
                  double (*Along)(const double *, const double *)) {
  const double X[N] = {1.5, 0.25, 2, 0.75, 3}, H = 0.25;
  double Expected[N];
  for (int I = 0; I != N; ++I) { // Exact: sums of squares.
    double Y[N], V[N] = {};
    memcpy(Y, X, sizeof X);
    Y[I] = X[I] + H;
    Expected[I] = F(Y, N);
    Y[I] = X[I] - H;
    Expected[I] = (Expected[I] - F(Y, N)) / (2 * H);
    V[I] = 1;
    const double Tangent = Along(X, V);
    CHECK(Tangent == Expected[I] || isnan(Tangent));
  }
  int Status;
  fflush(stderr);
  const pid_t Child = fork();
  if (Child == 0) {
    double D[N] = {};
    fclose(stderr);
    Gradient(X, D);
    _exit(memcmp(D, Expected, sizeof D) != 0);
  }
  CHECK(waitpid(Child, &Status, 0) == Child);
  CHECK(WIFEXITED(Status));
  CHECK(WEXITSTATUS(Status) == 0 || WEXITSTATUS(Status) == Refused);
}

#define CHECK_RECORDS(F)                                                       \
  check(                                                                       \
      F,                                                                       \
      [](const double *X, double *D) {                                         \
        __verso_grad_void((void *)F, verso_dup, X, D, verso_const, N);         \
      },                                                                       \
      [](const double *X, const double *V) {                                   \
        return __verso_jvp((void *)F, verso_dup, X, V, verso_const, N);        \
      })

int main() {
  CHECK_RECORDS(moves);
  CHECK_RECORDS(flags);
  CHECK_RECORDS(inOdd);
  CHECK_RECORDS(counted);
  CHECK_RECORDS(turned);
  return check_status();
}
