//===- arrays-beside-members.cpp - arrays end where others are declared ---===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An array in a structure is accessed by an index of which nothing is known,
// and structures are copied: what is declared behind the array is not of it
// (floats were moved as doubles, without a word). And one double is copied
// beside floats that are accessed so.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

struct Array {
  double x[3];
  float w[4];
};
struct Members {
  double x[3];
  int id;
  float m;
};
struct Beside {
  float v[4];
  struct {
    double a, b;
    float c;
    double e;
  } s[4];
};

struct Record {
  double a;
  unsigned long n;
  float f;
  double b[4];
};
struct Records {
  struct {
    Record r[3], last;
    double rest[3];
  } part[2];
  Record more[2];
};

CHECK_NOINLINE static double assigned(Array *p, int i, int j, int k) {
  p[i] = p[j];
  return p[0].x[k];
}
CHECK_NOINLINE static double copied(Array *p, int i, int j, int k) {
  memcpy(&p[i], &p[j], sizeof *p);
  return p[0].x[k];
}
CHECK_NOINLINE static double moved(Array *p, int i, int j, int k) {
  memmove(p + j, p + i, sizeof *p * (i + 1));
  return p[0].x[k];
}
CHECK_NOINLINE static double exchanged(Array *p, int i, int j, int k) {
  Array t = p[i];
  p[i] = p[j];
  p[j] = t;
  double sum = 0;
  for (int q = 0; q < k + 2; q++)
    sum += p[i].x[q];
  return sum;
}
CHECK_NOINLINE static double members(Members *p, int i, int j, int k) {
  p[i] = p[j];
  return p[0].x[k];
}
CHECK_NOINLINE static double beside(Beside *p, int i, int n) {
  for (int k = 0; k < n; k++)
    p->v[k] = p->v[k + 1];
  memcpy(&p->s[0].b, &p->s[i].b, sizeof(double));
  return 0;
}
// A number of another array, five records and 16 bytes behind part[1].r, where
// its records have a float.
CHECK_NOINLINE static double elsewhere(Records *p, int i, int j) {
  memcpy(&p->part[1].r[i], &p->part[j].r[j], sizeof(Record));
  p->part[1].last.a *= p->more[0].b[3];
  return 0;
}

CHECK_NOINLINE static double through(Array *p, int i, int j, int k) {
  Array *to = &p[i], *from = &p[j];
  *to = *from;
  return p[0].x[k];
}
/// The end of an array, and what is behind it.
CHECK_NOINLINE static double ends(Array *p, int i, int j, int k) {
  memcpy(&p[i].x[2], &p[j].x[2], sizeof(double) + sizeof p->w);
  return p[0].x[k];
}

int One = 1, Two = 2, Three = 3;

/// Each w of p[1] is handed on to that of p[0], which is there already.
#define CHECK_ARRAY(F, I, J, IS_EXCHANGE)                                      \
  {                                                                            \
    Array p[3] = {}, d[3] = {};                                                \
    for (int k = 0; k < 4; k++)                                                \
      d[1].w[k] = 3 + k, d[0].w[k] = 1;                                        \
    __verso_vjp_void((void *)F, verso_dup, p, d, verso_const, I, verso_const,  \
                     J, verso_const, One, 1.0);                                \
    for (int k = 0; k < 4; k++) {                                              \
      CHECK_CLOSE(d[0].w[k], IS_EXCHANGE ? 3 + k : 4 + k, 0);                  \
      CHECK_CLOSE(d[1].w[k], IS_EXCHANGE, 0);                                  \
    }                                                                          \
  }

int main() {
  CHECK_ARRAY(assigned, One, One - 1, 0)
  CHECK_ARRAY(copied, One, One - 1, 0)
  CHECK_ARRAY(moved, One - 1, One, 0)
  CHECK_ARRAY(exchanged, One, One - 1, 1)
  CHECK_ARRAY(through, One, One - 1, 0)
  CHECK_ARRAY(ends, One, One - 1, 0)

  Members m[2] = {}, dm[2] = {};
  dm[0].m = 1, dm[1].m = 3;
  __verso_vjp_void((void *)members, verso_dup, m, dm, verso_const, One,
                   verso_const, One - 1, verso_const, One, 1.0);
  CHECK_CLOSE(dm[0].m, 4, 0);
  CHECK_CLOSE(dm[1].m, 0, 0);
  CHECK_CLOSE(dm[0].x[1], 1, 0);

  static Beside b, db;
  db.s[0].b = 0.7, db.s[2].b = 0.75;
  db.v[0] = 1;
  __verso_vjp_void((void *)beside, verso_dup, &b, &db, verso_const, Two,
                   verso_const, Three, 0.0);
  CHECK_CLOSE(db.s[2].b, 1.45, 1e-15);
  CHECK_CLOSE(db.s[0].b, 0, 0);
  CHECK_CLOSE(db.v[1], 1, 0);

  static Records r, dr;
  dr.part[1].r[1].f = 0.75f, dr.part[0].r[0].f = 0.875f;
  __verso_vjp_void((void *)elsewhere, verso_dup, &r, &dr, verso_const, One,
                   verso_const, One - 1, 0.0);
  CHECK_CLOSE(dr.part[0].r[0].f, 1.625, 0);
  CHECK_CLOSE(dr.part[1].r[1].f, 0, 0);
  return check_status();
}
