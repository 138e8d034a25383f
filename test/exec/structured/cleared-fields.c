//===- cleared-fields.c - fields of records that a memset clears ----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Zeros that are stored in a row are one memset for LLVM, of no type. What they
// overwrite is known by accesses that go by the same pointer, whatever else a
// structure of the caller leads to: lists of integers, and other records, with
// a pointer where the first have numbers. Compared with forward mode.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

double __verso_jvp(void *, ...);

enum { N = 5, PAIRS = 7 };

struct atom {
  double x[3], f[3];
  int kind;
};
struct bond {
  double length;
  double *stiffness;
  double f[3];
};
struct molecule {
  int n, bonds;
  int *first, *second;
  struct atom *atoms;
  struct bond *all;
  double strength;
};

CHECK_NOINLINE static double forces(struct molecule *m) {
  for (int i = 0; i < m->n; ++i)
    m->atoms[i].f[0] = m->atoms[i].f[1] = m->atoms[i].f[2] = 0;
  double energy = 0;
  for (int k = 0; k < m->bonds; ++k) {
    struct atom *a = &m->atoms[m->first[k]], *b = &m->atoms[m->second[k]];
    for (int c = 0; c < 3; ++c) {
      double d = a->x[c] - b->x[c];
      energy += m->strength * d * d * d;
      a->f[c] += 3 * m->strength * d * d;
      b->f[c] -= 3 * m->strength * d * d;
    }
  }
  for (int i = 0; i < m->n; ++i)
    for (int c = 0; c < 3; ++c)
      m->atoms[i].x[c] += 0.1 * m->atoms[i].f[c];
  return energy;
}

/// A record is cleared with its pointer: nothing is pulled back from there on.
CHECK_NOINLINE static double broken(struct molecule *m) {
  double energy = 0;
  for (int k = 0; k < m->bonds; ++k) {
    struct bond *b = &m->all[k];
    energy += *b->stiffness * b->length * b->length;
    if (energy > 2) {
      b->length = 0;
      b->stiffness = 0;
      b->f[0] = b->f[1] = b->f[2] = 0;
    }
    for (int c = 0; c < 3; ++c)
      energy += b->f[c] * (c + 1);
    if (b->stiffness)
      energy += *b->stiffness;
  }
  return energy;
}

/// Two steps: what is cleared in the second was computed in the first.
CHECK_NOINLINE static double simulate(struct molecule *m) {
  return forces(m) + forces(m) + broken(m);
}

static struct atom atoms[N], shadows[N], tangents[N];
static struct bond all[PAIRS], all_shadows[PAIRS], all_tangents[PAIRS];
static double stiffness[3], stiffness_shadow[3], stiffness_tangent[3];
static int first[PAIRS], second[PAIRS];

static struct molecule fill(void) {
  for (int i = 0; i < N; ++i)
    for (int c = 0; c < 3; ++c) {
      atoms[i].x[c] = 0.1 * i * i - 0.03 * c * i + 0.2;
      atoms[i].f[c] = i + c;
    }
  for (int k = 0; k < PAIRS; ++k) {
    first[k] = k % N;
    second[k] = (2 * k + 1) % N;
    all[k].length = 0.5 + 0.2 * k;
    all[k].stiffness = &stiffness[k % 3];
    for (int c = 0; c < 3; ++c)
      all[k].f[c] = 0.01 * (k + c);
  }
  for (int k = 0; k < 3; ++k)
    stiffness[k] = 0.7 + 0.1 * k;
  return (struct molecule){N, PAIRS, first, second, atoms, all, 0.3};
}

int main(void) {
  memset(shadows, 0, sizeof shadows);
  for (int k = 0; k < PAIRS; ++k)
    all_shadows[k].stiffness = &stiffness_shadow[k % 3];
  struct molecule m = fill(), shadow = m, tangent;
  shadow.atoms = shadows;
  shadow.all = all_shadows;
  shadow.strength = 0;
  __verso_grad(simulate, verso_dup, &m, &shadow);
  for (int k = 0; k < PAIRS; ++k)
    CHECK(all_shadows[k].stiffness ==
          (all[k].stiffness ? &stiffness_shadow[k % 3] : 0));
#define COMPARE(set, got)                                                      \
  do {                                                                         \
    m = tangent = fill();                                                      \
    memset(tangents, 0, sizeof tangents);                                      \
    memset(stiffness_tangent, 0, sizeof stiffness_tangent);                    \
    for (int k = 0; k < PAIRS; ++k)                                            \
      all_tangents[k] = (struct bond){0, &stiffness_tangent[k % 3], {0}};      \
    tangent.atoms = tangents;                                                  \
    tangent.all = all_tangents;                                                \
    tangent.strength = 0;                                                      \
    set = 1;                                                                   \
    CHECK_CLOSE(got, __verso_jvp(simulate, verso_dup, &m, &tangent), 1e-12);   \
  } while (0)
  COMPARE(tangent.strength, shadow.strength);
  for (int i = 0; i < N; ++i)
    for (int c = 0; c < 3; ++c) {
      COMPARE(tangents[i].x[c], shadows[i].x[c]);
      COMPARE(tangents[i].f[c], shadows[i].f[c]);
    }
  for (int k = 0; k < PAIRS; ++k) {
    COMPARE(all_tangents[k].length, all_shadows[k].length);
    for (int c = 0; c < 3; ++c)
      COMPARE(all_tangents[k].f[c], all_shadows[k].f[c]);
  }
  for (int k = 0; k < 3; ++k)
    COMPARE(stiffness_tangent[k], stiffness_shadow[k]);
  return check_status();
}
