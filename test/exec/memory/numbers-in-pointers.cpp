//===- numbers-in-pointers.cpp - unions that LLVM moves as pointers -------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a union or a std::variant holds is copied by the type of any member:
// three numbers become three pointers for a while if another member is a
// vector. The numbers keep their derivatives, and pointers their shadows.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <array>
#include <utility>
#include <variant>
#include <vector>

extern "C" double __verso_jvp(void *, ...);

using Numbers = std::array<double, 3>;
using Either = std::variant<std::vector<double>, double, Numbers>;

CHECK_NOINLINE static double array(double *x) {
  Either v = Numbers{x[2], x[0], x[1] * x[1]};
  Either moved = std::move(v);
  double s = 0;
  for (double q : std::get<2>(moved))
    s += q * q;
  return s;
}

CHECK_NOINLINE static double any(double *x) {
  Either v;
  double s = 0;
  for (int k = 0; k < 4; ++k) {
    if (k % 3 == 0)
      v = std::vector<double>{x[0] * k, x[1], x[2]};
    else if (k % 3 == 1)
      v = x[1] * x[2];
    else
      v = Numbers{x[2], x[0], x[1] * x[1]};
    Either copy = v, moved = std::move(v);
    s += copy.index() == 1 ? std::get<1>(copy) : 0;
    if (auto *numbers = std::get_if<Numbers>(&moved))
      s += (*numbers)[0] * (*numbers)[1] * (*numbers)[2];
    else if (auto *numbers = std::get_if<0>(&moved))
      s += (*numbers)[0] * (*numbers)[1] * (*numbers)[2];
  }
  return s;
}

CHECK_NOINLINE static void exchange(Either &a, Either &b) {
  if (!a.valueless_by_exception())
    std::swap(a, b);
}

/// On the heap, moved as it grows, and by reference.
CHECK_NOINLINE static double growing(double *x) {
  std::vector<Either> all;
  for (int k = 0; k < 6; ++k) {
    if (k % 3 == 0)
      all.push_back(Numbers{x[2] * k, x[0], x[1] * x[1]});
    else if (k % 3 == 1)
      all.emplace_back(x[1] * x[2]);
    else
      all.emplace_back(std::vector<double>{x[0] * k, x[1]});
  }
  exchange(all[0], all[1]);
  exchange(all[1], all[2]);
  exchange(all[3], all[5]);
  double s = 0;
  for (const Either &v : all)
    s = s * x[0] + (v.index() == 0   ? std::get<0>(v)[0] * std::get<0>(v)[1]
                    : v.index() == 1 ? std::get<1>(v)
                                     : std::get<2>(v)[0] * std::get<2>(v)[1]);
  return s;
}

struct Link {
  Either value;
  Link *next;
};

/// Nodes that change what they hold.
CHECK_NOINLINE static double nodes(double *x) {
  Link *head = nullptr;
  for (int k = 0; k < 3; ++k)
    head = new Link{x[k] * x[0], head};
  head->value = Numbers{x[0], x[1], x[2] * x[2]};
  exchange(head->value, head->next->value);
  Link *last = head->next->next;
  last->value = std::move(head->next->value);
  double s = 0;
  while (head) {
    if (auto *numbers = std::get_if<Numbers>(&head->value))
      s += (*numbers)[0] * (*numbers)[1] * (*numbers)[2];
    else
      s += std::get<double>(head->value);
    delete std::exchange(head, head->next);
  }
  return s;
}

union Cells {
  double *pointers[3];
  double numbers[3];
};

CHECK_NOINLINE static Cells chosen(const Cells &a, const Cells &b, bool first) {
  return first ? a : b;
}

CHECK_NOINLINE static double unions(double *x) {
  Cells p, q, all[2];
  p.pointers[0] = x;
  p.pointers[1] = x + 1;
  p.pointers[2] = x + 2;
  for (int i = 0; i < 3; ++i)
    q.numbers[i] = x[i] * x[(i + 1) % 3];
  all[x[0] > 0] = chosen(p, q, x[1] > 100);
  all[x[0] <= 0] = chosen(p, q, x[1] <= 100);
  return all[1].numbers[0] * all[1].numbers[2] * *all[0].pointers[1];
}

static void check(const char *name, double (*f)(double *), const double *x,
                  const double *d, double slope, const double *v) {
  check_gradient(name, __FILE__, __LINE__, f, 3, x, d, 1e-7);
  CHECK_CLOSE(slope, d[0] * v[0] + d[1] * v[1] + d[2] * v[2], 1e-12);
}

#define RUN(f)                                                                 \
  do {                                                                         \
    double x[3] = {0.7, -0.45, 1.3}, v[3] = {1, 0.5, -2}, d[3] = {0, 0, 0};    \
    __verso_grad((void *)f, x, d);                                             \
    double slope = __verso_jvp((void *)f, verso_dup, x, v);                    \
    check(#f, f, x, d, slope, v);                                              \
  } while (0)

int main() {
  RUN(array);
  RUN(any);
  RUN(unions);
  RUN(growing);
  RUN(nodes);
  return check_status();
}
