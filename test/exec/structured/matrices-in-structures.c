//===- matrices-in-structures.c - rows and columns beside integers --------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// STRATEGY: structured
//
// Small matrices in structures with an integer, which a loop over rows and
// columns never comes to: by two subscripts and by one, triangles, remainders
// of counters, and structures that change places.
//
//===----------------------------------------------------------------------===//

#include "check.h"

#include <verso/verso.h>

#include <string.h>

enum { N = 3 };

typedef struct {
  double turn[3][3], at[3];
  int kind;
  double mass;
} Body;

static double bodies(Body *b, int n) {
  double energy = 0;
  for (int step = 0; step < 2; ++step)
    for (int i = 0; i < n; ++i) {
      Body *q = &b[i];
      double to[3];
      for (int r = 0; r < 3; ++r) {
        to[r] = 0;
        for (int c = 0; c < 3; ++c)
          to[r] += q->turn[r][c] * q->at[c];
      }
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < r; ++c) {
          double other = q->turn[r][c];
          q->turn[r][c] = 0.9 * q->turn[c][r] + 0.1 * to[r] / q->mass;
          q->turn[c][r] = other * (q->kind ? 1 : 0.5);
        }
      q->kind = (q->kind + 1) % 3;
      if (i) {
        Body first = b[i - 1];
        b[i - 1] = b[i];
        b[i] = first;
      }
    }
  for (int i = 0; i < n; ++i)
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c)
        energy += b[i].turn[r][c] * b[i].turn[r][c] * b[i].at[(r + c) % 3];
  return energy;
}

typedef struct {
  short parent, depth;
  double by[16];
  double weight;
} Joint;

static double skeleton(Joint *j, int n) {
  double sum = 0;
  for (int i = 1; i < n; ++i) {
    const Joint *up = &j[j[i].parent];
    double product[4][4];
    for (int r = 0; r < 4; ++r)
      for (int c = 0; c < 4; ++c) {
        product[r][c] = 0;
        for (int k = 0; k < 4; ++k)
          product[r][c] += up->by[4 * r + k] * j[i].by[4 * k + c];
      }
    memcpy(j[i].by, product, sizeof product);
    j[i].depth = (short)(up->depth + 1);
  }
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < 16; ++k)
      sum += j[i].by[k] * j[i].by[k] * j[i].weight * (1 + j[i].depth);
  return sum;
}

/// The structures' numbers come from a vector and go to one.
static void put(Body *b, Joint *j, const double *x) {
  for (int i = 0; i < N; ++i) {
    memcpy(b[i].turn, x, sizeof b[i].turn);
    memcpy(b[i].at, x + 9, sizeof b[i].at);
    b[i].mass = x[12];
    b[i].kind = i % 2;
    x += 13;
  }
  for (int i = 0; i < N; ++i) {
    memcpy(j[i].by, x, sizeof j[i].by);
    j[i].weight = x[16];
    j[i].parent = (short)(i / 2), j[i].depth = 0;
    x += 17;
  }
}
static void get(const Body *b, const Joint *j, double *x) {
  for (int i = 0; i < N; ++i) {
    memcpy(x, b[i].turn, sizeof b[i].turn);
    memcpy(x + 9, b[i].at, sizeof b[i].at);
    x[12] = b[i].mass;
    x += 13;
  }
  for (int i = 0; i < N; ++i) {
    memcpy(x, j[i].by, sizeof j[i].by);
    x[16] = j[i].weight;
    x += 17;
  }
}

static double both(double *x) {
  Body b[N];
  Joint j[N];
  put(b, j, x);
  return bodies(b, N) + skeleton(j, N);
}

int main(void) {
  double x[30 * N], gradient[30 * N];
  for (int k = 0; k < 30 * N; ++k)
    x[k] = 1.2 + sin(1.7 * k);
  Body b[N], db[N];
  Joint j[N], dj[N];
  put(b, j, x);
  memset(db, 0, sizeof db);
  memset(dj, 0, sizeof dj);
  __verso_grad_void(bodies, verso_dup, b, db, verso_const, N);
  __verso_grad_void(skeleton, verso_dup, j, dj, verso_const, N);
  get(db, dj, gradient);
  CHECK_GRADIENT(both, 30 * N, x, gradient, 1e-8);
  return check_status();
}
