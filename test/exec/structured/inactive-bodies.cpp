//===- inactive-bodies.cpp - inactive functions inside structured code ----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an inactive function writes is constant, also where it writes the value
// that was there, moves numbers as words or bytes, hands them on by a function
// that is differentiated elsewhere, or computes what has no derivative. What it
// leaves alone varies, and pointers that it moves lead where they did.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#define INACTIVE __attribute__((annotate("verso_inactive"), noinline))

double __verso_jvp(void *, ...);
extern "C" void verso_detach(void *, size_t) noexcept;

// Written with its own value.
INACTIVE static void snap(double *x, int n) {
  for (int i = 0; i < n; ++i)
    x[i] = std::round(x[i]);
}
static double snapped(double *x) {
  double t[3] = {x[0] * x[1], x[1], x[2]};
  snap(t, 2);
  return t[0] * x[0] + t[1] * x[2] + t[2] * t[2];
}

// Some of them, as the numbers say.
INACTIVE static void clamp(double *x, int n, double limit) {
  for (int i = 0; i < n; ++i)
    if (x[i] > limit)
      x[i] = limit;
}
static double clamped(double *x) {
  double t[4];
  for (int i = 0; i < 4; ++i)
    t[i] = x[i] * x[i];
  clamp(t, 4, x[0] * 5);
  return t[0] + 2 * t[1] + 3 * t[2] + 4 * t[3];
}

// Words, bytes, and bits in a register.
typedef uint64_t __attribute__((may_alias)) Word;
INACTIVE static void words(void *to, const void *from, int n) {
  for (int i = 0; i < n; ++i)
    ((Word *)to)[i] = ((const Word *)from)[i];
}
INACTIVE static void bytes(void *to, const void *from, int n) {
  for (int i = 0; i < n; ++i)
    ((volatile char *)to)[i] = ((const char *)from)[i];
}
static double by_words(double *x) {
  double t[2] = {x[0], x[1] * x[1]};
  words(t, x, 2);
  return t[0] * x[0] + t[1] * x[1];
}
static double by_bytes(double *x) {
  double t[2] = {x[2], x[3]};
  bytes(t, t + 1, 8);
  return t[0] * x[2] + t[1] * x[3];
}
INACTIVE static void swap(double *a, double *b) { std::swap(*a, *b); }
INACTIVE static uint64_t bits(const double *x) {
  uint64_t result;
  memcpy(&result, x, sizeof(result));
  return result;
}
static double as_bits(double *x) {
  double t[3] = {x[0] * 2, x[1] * 3, x[2]};
  swap(&t[0], &t[1]);
  uint64_t b = bits(&t[2]);
  double u;
  memcpy(&u, &b, sizeof(u));
  return t[0] * x[0] + t[1] * x[1] + u * x[2] + t[2];
}

// A function that is differentiated elsewhere, and results in a structure.
static void square_all(double *x, int n) {
  for (int i = 0; i < n; ++i)
    x[i] *= x[i];
}
struct Pair {
  double a, b;
  float c;
};
INACTIVE static Pair squares(double *x, Pair p) {
  square_all(x, 2);
  return {x[0] + p.a, x[1] * p.b, p.c};
}
static double shared(double *x) {
  double t[2] = {x[0], x[1]};
  square_all(t, 2);
  double kept = t[0] * t[1];
  Pair p = squares(t, {x[2], x[3], float(x[0])});
  square_all(t, 1);
  return kept + p.a * x[0] + p.b * x[1] + p.c * x[2] + t[0] * x[3];
}

// No derivative where it would be infinite.
INACTIVE static void poles(double *x) {
  x[0] = std::sqrt(x[0]) + std::log(x[0]);
  x[1] = 1 / x[0];
}
static double at_poles(double *x) {
  double t[2] = {x[0] - x[0], x[1]};
  poles(t);
  return x[0] * x[1] + (t[0] < 0 ? t[1] * x[2] : 0);
}

// Pointers beside numbers.
struct Node {
  double value;
  Node *next;
  double weight;
};
INACTIVE static void reverse(Node **head) {
  Node *done = nullptr;
  for (Node *n = *head; n;) {
    Node *next = n->next;
    n->next = done;
    n->value += 1;
    done = n;
    n = next;
  }
  *head = done;
}
static double listed(double *x) {
  Node nodes[4];
  for (int i = 0; i < 4; ++i)
    nodes[i] = {x[i], i < 3 ? &nodes[i + 1] : nullptr, x[i] * x[i]};
  Node *head = nodes;
  reverse(&head);
  double sum = 0;
  int k = 1;
  for (Node *n = head; n; n = n->next, ++k)
    sum += n->value * n->weight * k;
  return sum;
}

INACTIVE static void take_over(Node *to, const Node *from) { *to = *from; }
static double copied_nodes(double *x) {
  double *kept = new double[2]{x[0], x[1]};
  struct Both {
    Node node;
    double *numbers;
  } from = {{x[2] * x[2], nullptr, x[3]}, kept}, to = {};
  Node last = {x[1], nullptr, x[0]};
  from.node.next = &last;
  take_over(&to.node, &from.node);
  verso_detach(&from, sizeof(from));
  double result = to.node.value * x[0] + to.node.next->value * x[1] +
                  from.node.value * x[3] + from.numbers[0] * x[2] +
                  from.node.next->weight * x[2];
  delete[] kept;
  return result;
}

// Again and again, in fresh memory and in the same.
INACTIVE static double *fresh(const double *x, int n) {
  auto *p = new double[n];
  memcpy(p, x, n * sizeof(double));
  return p;
}
static double in_loops(double *x) {
  double state[2] = {1, 1}, sum = 0;
  for (int k = 0; k < 4; ++k) {
    double *p = fresh(state, 2);
    state[0] = p[0] * x[k] + state[1];
    state[1] *= x[k];
    if (k % 2)
      swap(&state[0], &state[1]);
    sum += state[0] * state[1];
    delete[] p;
  }
  return sum;
}

// Exceptions, and a recursive one.
INACTIVE static void may_throw(double *x, bool throws) {
  x[0] = 3;
  if (throws)
    throw x[1];
  x[1] = 4;
}
static double caught(double *x) {
  double t[2] = {x[0], x[1]};
  double got = 0;
  may_throw(t, false);
  t[1] *= x[2];
  try {
    may_throw(t, true);
  } catch (double d) {
    got = d;
  }
  return t[0] * x[0] + t[1] * x[1] + got * x[3];
}
INACTIVE static void halve(double *x, int n) {
  if (n == 0)
    return;
  halve(x, n - 1);
  x[n - 1] /= 2;
}
static double recursive(double *x) {
  double t[4] = {x[0], x[1], x[2], x[3]};
  halve(t, 3);
  return t[0] * x[0] + t[1] * x[1] + t[2] * x[2] + t[3] * x[3];
}

// In the caller's memory, and in a vector that it owns.
static double in_place(double *x) {
  double before = x[0] * x[1] * x[2];
  snap(x + 1, 2);
  return before + x[0] * x[1] + x[2] * x[3];
}
INACTIVE static void renew(std::vector<double> &v) {
  v.assign(2, v[0] + v[1]);
  v.push_back(1);
}
static double in_vector(double *x) {
  std::vector<double> v{x[0], x[1]};
  double before = v[0] * v[1];
  renew(v);
  v.push_back(x[2]);
  return before + v[0] * x[0] + v[1] * x[1] + v[2] * x[2] + v[3] * x[3];
}

// A counter and a level that other threads may change, and a number that they
// may read.
static std::atomic<int> calls, level{2};
static std::atomic<double> last;
INACTIVE static void count(double *x, int n) {
  if (++calls > 1000 || level.load() < 1)
    std::abort();
  calls.fetch_or(1, std::memory_order_relaxed);
  last.store(x[0], std::memory_order_relaxed);
  for (int i = 0; i < n; ++i)
    x[i] *= level.load(std::memory_order_relaxed);
  x[n] = last.load();
}
static double counted(double *x) {
  double t[3] = {x[0] * x[1], x[1], 0};
  count(t, 1);
  t[1] *= x[2];
  return t[0] * x[0] + t[1] * x[1] + t[2] * x[3];
}

static double inner(double *x) {
  double t[2] = {x[0] * x[1], x[1] * x[2]};
  swap(&t[0], &t[1]);
  clamp(t, 1, 100);
  return t[0] * x[0] * x[0] + t[1] * x[3] * x[2];
}
/// What the inner request does not differentiate, the outer one does not.
static double inner_gradient(double *x) {
  double d[4] = {};
  __verso_grad_void((void *)inner, verso_dup, x, d);
  return d[0] + 2 * d[1] + 3 * d[2] + 4 * d[3];
}

/// By tape over structured code.
__attribute__((annotate("verso_strategy=taped"))) static double
inner_by_tape(double *x) {
  double d[4] = {};
  __verso_grad_void((void *)inner, verso_dup, x, d);
  return d[0] + 2 * d[1] + 3 * d[2] + 4 * d[3];
}

/// By reverse mode, and by forward mode one direction at a time.
#define CHECK_MODES(f, ...)                                                    \
  do {                                                                         \
    double x[4] = {2, 3, 5, 7}, d[4] = {}, expected[4] = {__VA_ARGS__};        \
    __verso_grad_void((void *)f, verso_dup, x, d);                             \
    for (int i = 0; i < 4; ++i) {                                              \
      CHECK_CLOSE(d[i], expected[i], 1e-14);                                   \
      double t[4] = {2, 3, 5, 7}, v[4] = {};                                   \
      v[i] = 1;                                                                \
      CHECK_CLOSE(__verso_jvp((void *)f, verso_dup, t, v), d[i], 1e-14);       \
    }                                                                          \
  } while (0)

int main() {
  CHECK_MODES(snapped, 6, 0, 13, 0);
  CHECK_MODES(clamped, 4, 12, 0, 0);
  CHECK_MODES(by_words, 2, 3, 0, 0);
  CHECK_MODES(by_bytes, 0, 0, 7, 14);
  CHECK_MODES(as_bits, 9, 4, 6, 0);
  CHECK_MODES(shared, 57, 591, 2, 256);
  CHECK_MODES(at_poles, 3, 2, 0, 0);
  CHECK_MODES(listed, 48, 72, 120, 112);
  CHECK_MODES(copied_nodes, 35, 6, 4, 25);
  CHECK_MODES(in_loops, 5, 0, 781, 0);
  CHECK_MODES(caught, 3, 20, 12, 20);
  CHECK_MODES(recursive, 1, 1.5, 2.5, 14);
  CHECK_MODES(in_place, 18, 10, 6, 5);
  CHECK_MODES(in_vector, 8, 7, 8, 5);
  CHECK_MODES(counted, 12, 30, 18, 0);
  CHECK(calls == 9); // Once by each of five requests, and made odd.
  CHECK_MODES(inner_gradient, 30, 0, 24, 18);
  CHECK_MODES(inner_by_tape, 30, 0, 24, 18);
  return check_status();
}
