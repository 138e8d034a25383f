// Memory that has no shadow: until the request writes a number there it has no
// tangent, after that it has, however it is reached. Written by its own
// pointer, by another argument, through a pointer in a structure, in the
// iteration before, by a function, a copy, an atomic operation; in new memory,
// in a global.

#include "forward.h"

typedef struct {
  double *p, *q;
} Pair;
static double global[4];
double __verso_jvp_beside(void *, ...);

static double untouched(double x, const Pair *s, double *w) {
  (void)w;
  return x * s->p[0] * s->q[1];
}
static double own(double x, const Pair *s, double *w) {
  (void)s;
  double before = w[1];
  w[1] = x * x;
  return before * x + w[1];
}
static double another(double x, const Pair *s, double *w) {
  w[1] = x * x; // s->p is w.
  return s->p[1];
}
static double throughStructure(double x, const Pair *s, double *w) {
  s->p[2] = x * x * x;
  return w[2];
}
static double iterationBefore(double x, const Pair *s, double *w) {
  double sum = 0;
  (void)s;
  for (int i = 1; i < 4; ++i) {
    w[i] = w[i - 1] + x;
    sum += w[i];
  }
  return sum;
}
static double rotating(double x, const Pair *s, double *w) {
  double *a = s->q, *b = w, sum = 0;
  for (int i = 0; i < 3; ++i) {
    sum += a[0];
    b[0] = x * (i + 1);
    double *h = a;
    a = b;
    b = h;
  }
  return sum;
}
CHECK_NOINLINE static void put(double *to, double x) { to[0] = x * 5; }
static double function(double x, const Pair *s, double *w) {
  put(s->q, x);
  (void)w;
  return s->q[0] + s->p[0] * x;
}
static double copy(double x, const Pair *s, double *w) {
  double a[2] = {x, 2 * x};
  memcpy(s->p, a, sizeof a);
  return w[0] + w[1];
}
static double exchanged(double x, const Pair *s, double *w) {
  double y = x * 3, old;
  __atomic_exchange(s->p, &y, &old, __ATOMIC_SEQ_CST);
  return w[0] + old * x;
}
static double pointers(double x, const Pair *s, double *w) {
  double a[1] = {x * 7};
  ((Pair *)s)->q = a;
  double r = s->q[0];
  ((Pair *)s)->q = w + 2;
  return r;
}
static double fresh(double x, const Pair *s, double *w) {
  double *h = malloc(2 * sizeof *h);
  h[0] = x * w[0];
  h[1] = h[0] * s->p[1];
  double r = h[1];
  free(h);
  return r;
}
static double named(double x, const Pair *s, double *w) {
  (void)s, (void)w;
  global[1] += x;
  return global[1] * global[2];
}

#define TEST(F, EXPECTED)                                                      \
  do {                                                                         \
    double w[4] = {2, 3, 4, 5}, v[4] = {6, 7, 8, 9};                           \
    Pair s = {w, v};                                                           \
    global[1] = 1, global[2] = 10;                                             \
    double d = __verso_jvp_beside((void *)F, verso_dup, x, 1.0, verso_const,   \
                                  &s, verso_const, w);                         \
    CHECK_CLOSE(d, EXPECTED, 1e-14);                                           \
  } while (0)

int main(void) {
  for (int k = 0; k < 2; ++k) {
    double x = 1.5 + k;
    TEST(untouched, 14);
    TEST(own, 3 + 2 * x);
    TEST(another, 2 * x);
    TEST(throughStructure, 3 * x * x);
    TEST(iterationBefore, 6);
    TEST(rotating, 1 + 2);
    TEST(function, 5 + 2);
    TEST(copy, 3);
    TEST(exchanged, 3 + 2);
    TEST(pointers, 7);
    TEST(fresh, 2 * 3);
    TEST(named, 10);
  }
  return check_status();
}
