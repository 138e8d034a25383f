//===- types-of-pointers.cpp - memory that holds several kinds of pointers
//-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What was stored as one type is not read as another (!tbaa): where the
// language allows it, it is. Storage that holds one object after another, void
// pointers, unions and variants of pointers, copies of fields into another
// structure.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <functional>
#include <map>
#include <memory>
#include <new>
#include <variant>
#include <vector>

static constexpr int n = 6;

struct A {
  double *p;
  long n;
};
struct B {
  struct A *a;
  double *q;
};
struct V {
  virtual double f(double) const = 0;
  virtual ~V() = default;
};
struct V1 : V {
  double *k;
  V1(double *k) : k(k) {}
  double f(double x) const override { return *k * x; }
};
struct V2 : V {
  A *a;
  double c;
  V2(A *a, double c) : a(a), c(c) {}
  double f(double x) const override { return a->p[0] * c + x; }
};
// storage reused with another type
CHECK_NOINLINE static double reused_storage(double *x) {
  alignas(16) char room[64];
  double s = 0;
  for (int i = 0; i < n; i++) {
    if (i % 2) {
      A *a = new (room) A{&x[i], 1};
      s += a->p[0] * a->p[0];
    } else {
      A t{&x[i], 2};
      B *b = new (room) B{&t, &x[0]};
      s += b->a->p[0] * b->q[0];
    }
  }
  return s;
}
// generic container of void*
struct Vec {
  void **data;
  int n, room;
};
static void push(Vec *v, void *p) {
  if (v->n == v->room) {
    v->room = 2 * v->room + 1;
    v->data = (void **)realloc(v->data, v->room * sizeof(void *));
  }
  v->data[v->n++] = p;
}
CHECK_NOINLINE static double generic_container(double *x) {
  Vec v{nullptr, 0, 0};
  for (int i = 0; i < n; i++) {
    if (i % 3 == 2) {
      A *a = (A *)malloc(sizeof(A));
      a->p = (double *)malloc(8);
      *a->p = x[i] * x[0];
      push(&v, a);
    } else {
      double *d = (double *)malloc(8);
      *d = x[i] * 2;
      push(&v, d);
    }
  }
  double s = 0;
  for (int i = 0; i < n; i++) {
    if (i % 3 == 2)
      s += *((A *)v.data[i])->p * x[1];
    else
      s += *(double *)v.data[i] * x[2];
  }
  return s;
}
// virtual objects in a recycled pool
CHECK_NOINLINE static double recycled_objects(double *x) {
  void *pool = operator new(64);
  double s = 1;
  for (int i = 0; i < n; i++) {
    A a{&x[(i + 1) % n], 3};
    V *v = i % 2 ? (V *)new (pool) V1(&x[i]) : (V *)new (pool) V2(&a, x[i]);
    s = v->f(s) * 0.5;
    v->~V();
  }
  operator delete(pool);
  return s;
}
// memcpy between types that hold pointers
struct P {
  double *a;
  A *b;
};
struct Q {
  double *a;
  A *b;
  double w;
};
CHECK_NOINLINE static double copied_fields(double *x) {
  double s = 0;
  A a{x, 1};
  for (int i = 0; i < n; i++) {
    P p{&x[i], &a};
    Q q;
    memcpy(&q, &p, sizeof p);
    q.w = x[n - 1 - i];
    s += *q.a * q.b->p[1] * q.w;
  }
  return s;
}
// variant of pointers, any, function
CHECK_NOINLINE static double chosen_pointers(double *x) {
  std::vector<std::variant<double *, A *, std::shared_ptr<A>>> v;
  std::vector<A> as(n);
  for (int i = 0; i < n; i++) {
    as[i] = {&x[i], 1};
    if (i % 3 == 0)
      v.push_back(&x[i]);
    else if (i % 3 == 1)
      v.push_back(&as[i]);
    else
      v.push_back(std::make_shared<A>(A{&x[i], 2}));
  }
  double s = 1;
  for (auto &e : v)
    s *= std::visit(
        [](auto &p) {
          if constexpr (std::is_same_v<std::decay_t<decltype(p)>, double *>)
            return 1 + *p;
          else
            return 2 + p->p[0] * p->p[0];
        },
        e);
  return s;
}
// union of pointers
union U {
  double *d;
  A *a;
  V *v;
  void *any;
};
CHECK_NOINLINE static double pointers_in_unions(double *x) {
  U u[8];
  A a{x, 1};
  double s = 0;
  V1 v(x + 1);
  for (int i = 0; i < n; i++) {
    if (i % 3 == 0)
      u[i].d = &x[i];
    else if (i % 3 == 1)
      u[i].a = &a;
    else
      u[i].v = &v;
  }
  for (int i = 0; i < n; i++) {
    U c = u[i];
    void *p = c.any;
    if (i % 3 == 0)
      s += *(double *)p * x[2];
    else if (i % 3 == 1)
      s += ((A *)p)->p[0] * x[3];
    else
      s += ((V *)p)->f(x[0]);
  }
  return s;
}
// intrusive list through a base pointer, map of names to pointers
struct Base {
  Base *next;
};
struct Item : Base {
  double *at;
  double w;
};
CHECK_NOINLINE static double lists_and_maps(double *x) {
  Base *head = nullptr;
  std::map<int, Item *> index;
  double s = 0;
  for (int i = 0; i < n; i++) {
    Item *it = new Item;
    it->next = head;
    it->at = &x[i];
    it->w = x[(i * 3) % n];
    head = it;
    index[(i * 5) % n] = it;
  }
  for (Base *b = head; b; b = b->next)
    s += *static_cast<Item *>(b)->at * static_cast<Item *>(b)->w;
  for (auto &[k, it] : index)
    s += it->w * x[k];
  for (auto &[k, it] : index)
    delete it;
  return s;
}
// (void **)&p
static int make(void **p, size_t n) {
  *p = malloc(n);
  return *p == nullptr;
}
CHECK_NOINLINE static double written_through_void(double *x) {
  double *t, *u[3];
  double s = 0;
  if (make((void **)&t, n * 8))
    return 0;
  for (int i = 0; i < n; i++)
    t[i] = x[i] * x[i];
  for (int i = 0; i < 3; i++) {
    void *q;
    posix_memalign(&q, 16, 16);
    memcpy(&u[i], &q, sizeof q);
    u[i][0] = t[i] * x[0];
  }
  for (int i = 0; i < 3; i++)
    s += u[i][0] * t[n - 1 - i];
  free(t);
  return s;
}
int main() {
  double x[n] = {1.1, 0.7, 1.3, 0.9, 1.2, 0.8};
#define CHECK_ONE(F)                                                           \
  {                                                                            \
    double dx[n] = {};                                                         \
    __verso_grad_void((void *)F, verso_dup, x, dx);                            \
    CHECK_GRADIENT(F, n, x, dx, 1e-7);                                         \
  }
  CHECK_ONE(reused_storage)
  CHECK_ONE(generic_container)
  CHECK_ONE(recycled_objects)
  CHECK_ONE(copied_fields)
  CHECK_ONE(chosen_pointers)
  CHECK_ONE(pointers_in_unions)
  CHECK_ONE(lists_and_maps)
  CHECK_ONE(written_through_void)
  return check_status();
}
