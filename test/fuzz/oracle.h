//===- oracle.h - judges a generated program -------------------- -*- C -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included last by every generated program. With J the Jacobian of
// (all memory that f is given, a) -> (that memory afterwards, f's result), v and
// w random:
//
//   PRIMAL    a request leaves the value and the memory that f leaves
//   REPEAT    the same request again gives the same gradient, bit by bit
//   DOT       <J v, w> = <v, J'w>, J v by forward mode and J'w by reverse mode,
//             to 1e-12 of the sum of the absolute terms (MIXED: 2e-5, float)
//   LINEAR    (if LINEAR is defined) the kept linear map agrees with both modes
//   SECOND    (if SECOND is defined) <u, H v> = <v, H u> for H the derivative of
//             J'w, by forward mode over the reverse request; and H v agrees with
//             differences of J'w, as loosely as DIFFER: a lost block of H is
//             symmetric
//   DIFFER    J'w agrees with central differences; loosely, and only where two
//             steps agree: a witness against an error that both modes share
//
// Silent when all holds. With the argument `print` the program prints its
// gradient too, for the comparison between levels and strategies; with
// `unseeded` w is zero but for f's result: a shadow that is not zero is refused
// where only the untyped bytes of its cells are copied.
//
// ONLY_GRADIENT: without what needs forward mode or a linear map of f, when that
// was judged together with the other strategy; gradients are compared then.
//
// PLAIN: f runs without derivatives, for a compiler without the plugin: under
// sanitizers it proves that the program is defined.
//
//===----------------------------------------------------------------------===//

// What f is given, as an object of its own, and as a row of numbers.
typedef struct {
  double x[8], y[8], z[4], rows[3][4], lp[8];
  FLT w[6];
  NAME(T) t;
  double *m[3];
  NAME(N) l[2];
} NAME(State);

#ifndef VERSO_FUZZ_ORACLE_H
#define VERSO_FUZZ_ORACLE_H
typedef struct {
  double x[8], y[8], z[4], rows[12], lp[8], w[6], tv, tq, tc[4], lv[2], lq[2],
      lc[8], a;
} Numbers;
enum { Count = sizeof(Numbers) / sizeof(double) };
#endif

static void NAME(build)(NAME(State) *s, const Numbers *in) {
  memset(s, 0, sizeof *s);
  memcpy(s->x, in->x, sizeof s->x);
  memcpy(s->y, in->y, sizeof s->y);
  memcpy(s->z, in->z, sizeof s->z);
  memcpy(s->rows, in->rows, sizeof s->rows);
  memcpy(s->lp, in->lp, sizeof s->lp);
  for (int i = 0; i < 6; ++i)
    s->w[i] = (FLT)in->w[i];
  s->t.v = in->tv;
  s->t.q = (FLT)in->tq;
  s->t.n = 3;
  s->t.z = s->z;
  memcpy(s->t.c, in->tc, sizeof s->t.c);
  for (int i = 0; i < 3; ++i)
    s->m[i] = s->rows[i];
  for (int i = 0; i < 2; ++i) {
    s->l[i].v = in->lv[i];
    s->l[i].p = s->lp + 3 * i;
    s->l[i].q = (FLT)in->lq[i];
    s->l[i].k = 2 + i;
    s->l[i].next = &s->l[1 - i];
    memcpy(s->l[i].c, in->lc + 4 * i, sizeof s->l[i].c);
  }
}

/// The same of numbers that shadows hold: integers have no derivative.
static void NAME(buildShadow)(NAME(State) *s, const Numbers *in) {
  NAME(build)(s, in);
  s->t.n = s->l[0].k = s->l[1].k = 0;
}

static void NAME(collect)(Numbers *out, const NAME(State) *s) {
  memset(out, 0, sizeof *out);
  memcpy(out->x, s->x, sizeof s->x);
  memcpy(out->y, s->y, sizeof s->y);
  memcpy(out->z, s->z, sizeof s->z);
  memcpy(out->rows, s->rows, sizeof s->rows);
  memcpy(out->lp, s->lp, sizeof s->lp);
  for (int i = 0; i < 6; ++i)
    out->w[i] = s->w[i];
  out->tv = s->t.v;
  out->tq = s->t.q;
  memcpy(out->tc, s->t.c, sizeof s->t.c);
  for (int i = 0; i < 2; ++i) {
    out->lv[i] = s->l[i].v;
    out->lq[i] = s->l[i].q;
    memcpy(out->lc + 4 * i, s->l[i].c, sizeof s->l[i].c);
  }
}

/// f's result; out is the memory afterwards.
static double NAME(evaluate)(const Numbers *in, Numbers *out) {
  NAME(State) s;
  NAME(build)(&s, in);
  double r =
      NAME(f)(s.x, s.y, s.w, &s.t, s.m, s.l, in->a, 3);
  NAME(collect)(out, &s);
  return r;
}

#if defined(MIXED) && !defined(VERSO_FUZZ_REFERENCE)
#define VERSO_FUZZ_REFERENCE
#include __BASE_FILE__
#else

#ifdef MIXED
#undef NAME
#define NAME(X) X
#define REFERENCE_EVALUATE evaluate_ref
#define TOLERANCE 2e-5
#else
#define REFERENCE_EVALUATE evaluate
#define TOLERANCE 1e-12
#endif

static unsigned randomState = SEED * 2654435761u + 12345;
static double randomNumber(void) {
  randomState = randomState * 1664525u + 1013904223u;
  return (float)((randomState >> 8) / 8388608.0 - 1);
}

static void randomNumbers(Numbers *s) {
  for (int i = 0; i < Count; ++i)
    ((double *)s)[i] = randomNumber();
}

#ifdef PLAIN
int main(void) {
  Numbers in, out;
  double sum = 0;
  for (int k = 0; k < 3; ++k) {
    randomNumbers(&in);
    sum += evaluate(&in, &out);
    for (int i = 0; i < Count; ++i)
      sum += ((double *)&out)[i];
  }
  return !(fabs(sum) < 1e6);
}
#else

extern int verso_const, verso_dup, verso_out, verso_width;
typedef struct {
  double value, derivative;
} ValueAndDerivative;
ValueAndDerivative __verso_value_and_grad_pair(void *, ...);
typedef struct {
  double d[WIDTH];
} Tangents;
Tangents __verso_jvp_tangents(void *, ...);

#ifdef CONST_Y
#define Y(P, S) verso_const, (P)->y
#define YJ(P, S) verso_const, (P)->y
#else
#define Y(P, S) verso_dup, (P)->y, (S)->y
#define YJ(P, S) verso_dup, (P)->y, EACH(S, y)
#endif
#ifdef CONST_W
#define W(P, S) verso_const, (P)->w
#define WJ(P, S) verso_const, (P)->w
#else
#define W(P, S) verso_dup, (P)->w, (S)->w
#define WJ(P, S) verso_dup, (P)->w, EACH(S, w)
#endif
#ifdef CONST_M
#define M(P, S) verso_const, (P)->m
#define MJ(P, S) verso_const, (P)->m
#else
#define M(P, S) verso_dup, (P)->m, (S)->m
#define MJ(P, S) verso_dup, (P)->m, EACH(S, m)
#endif
#ifdef CONST_L
#define L(P, S) verso_const, (P)->l
#define LJ(P, S) verso_const, (P)->l
#else
#define L(P, S) verso_dup, (P)->l, (S)->l
#define LJ(P, S) verso_dup, (P)->l, EACH(S, l)
#endif
#if WIDTH == 1
#define EACH(S, X) (S)[0].X
#define EACH_T(S) &(S)[0].t
#define EACH_A(V) (V)[0].a
#elif WIDTH == 2
#define EACH(S, X) (S)[0].X, (S)[1].X
#define EACH_T(S) &(S)[0].t, &(S)[1].t
#define EACH_A(V) (V)[0].a, (V)[1].a
#elif WIDTH == 3
#define EACH(S, X) (S)[0].X, (S)[1].X, (S)[2].X
#define EACH_T(S) &(S)[0].t, &(S)[1].t, &(S)[2].t
#define EACH_A(V) (V)[0].a, (V)[1].a, (V)[2].a
#else
#define EACH(S, X) (S)[0].X, (S)[1].X, (S)[2].X, (S)[3].X
#define EACH_T(S) &(S)[0].t, &(S)[1].t, &(S)[2].t, &(S)[3].t
#define EACH_A(V) (V)[0].a, (V)[1].a, (V)[2].a, (V)[3].a
#endif

/// Zeros where an argument does not vary.
static void maskConstants(Numbers *s) {
  (void)s;
#ifdef CONST_Y
  memset(s->y, 0, sizeof s->y);
#endif
#ifdef CONST_W
  memset(s->w, 0, sizeof s->w);
#endif
#ifdef CONST_M
  memset(s->rows, 0, sizeof s->rows);
#endif
#ifdef CONST_L
  memset(s->lp, 0, sizeof s->lp);
  memset(s->lv, 0, sizeof s->lv);
  memset(s->lq, 0, sizeof s->lq);
  memset(s->lc, 0, sizeof s->lc);
#endif
}

static double dot(const Numbers *u, const Numbers *v, double *scale) {
  double sum = 0;
  for (int i = 0; i < Count; ++i) {
    double term = ((const double *)u)[i] * ((const double *)v)[i];
    sum += term;
    *scale += fabs(term);
  }
  return sum;
}

static int failures;
/// Written so that a NaN fails.
static void close(const char *what, int index, double got, double expected,
                  double bound) {
  if (got == expected || fabs(got - expected) <= bound)
    return;
  ++failures;
  printf("%s %d got %.17g expected %.17g bound %.2g\n", what, index, got,
         expected, bound);
}

static void samePrimal(int mode, double r, const NAME(State) *s,
                       double expected, const Numbers *memory) {
  Numbers out;
  collect(&out, s);
  close("PRIMAL", 1000 * mode + Count, r, expected, TOLERANCE);
  for (int i = 0; i < Count - 1; ++i)
    close("PRIMAL", 1000 * mode + i, ((double *)&out)[i],
          ((const double *)memory)[i], TOLERANCE);
}

/// g = J'w, where w weighs the memory, and f's result has weight 1.
static double reverse(const Numbers *in, const Numbers *w, Numbers *g,
                      State *s) {
  State d;
  build(s, in);
  buildShadow(&d, w);
  ValueAndDerivative r = __verso_value_and_grad_pair(
      (void *)f, verso_dup, s->x, d.x, Y(s, &d), W(s, &d), verso_dup, &s->t,
      &d.t, M(s, &d), L(s, &d), verso_out, in->a, verso_const, 3);
  collect(g, &d);
  maskConstants(g);
  g->a = r.derivative;
  return r.value;
}

#ifdef ONLY_GRADIENT
#undef LINEAR
#else
/// jv[k] = J v[k]; in jv[k].a, the tangent of f's result.
static void forward(const Numbers *in, const Numbers *v, Numbers *jv,
                    State *s) {
  State d[WIDTH];
  build(s, in);
  for (int k = 0; k < WIDTH; ++k)
    buildShadow(&d[k], &v[k]);
  Tangents r = __verso_jvp_tangents(
      (void *)f, verso_width, WIDTH, verso_dup, s->x, EACH(d, x), YJ(s, d),
      WJ(s, d), verso_dup, &s->t, EACH_T(d), MJ(s, d), LJ(s, d), verso_dup,
      in->a, EACH_A(v), verso_const, 3);
  for (int k = 0; k < WIDTH; ++k) {
    collect(&jv[k], &d[k]);
    maskConstants(&jv[k]);
    jv[k].a = r.d[k];
  }
}

#endif // ONLY_GRADIENT

#ifdef LINEAR
typedef struct verso_tape verso_tape;
verso_tape *__verso_linearize(void *, ...);
void verso_pushforward(verso_tape *, const double *, double *);
void verso_pullback(verso_tape *, const double *, double *);
void verso_tape_free(verso_tape *);

static void checkLinear(const Numbers *in, const Numbers *w, const Numbers *g,
                        const Numbers *v, const Numbers *jv) {
  State s, d;
  Numbers zero = {{0}}, got;
  build(&s, in);
  buildShadow(&d, &zero);
  verso_tape *map = __verso_linearize(
      (void *)f, verso_dup, s.x, d.x, Y(&s, &d), W(&s, &d), verso_dup, &s.t,
      &d.t, M(&s, &d), L(&s, &d), verso_out, in->a, verso_const, 3);
  for (int k = 0; k < 2 * WIDTH + 1; ++k) {
    int back = k % 2 == 0;
    const Numbers *expected = back ? g : &jv[k / 2];
    double one = 1, result, scale = 1;
    buildShadow(&d, back ? w : &v[k / 2]);
    if (back)
      verso_pullback(map, &one, &result);
    else
      verso_pushforward(map, &v[k / 2].a, &result);
    collect(&got, &d);
    maskConstants(&got);
    got.a = result;
    dot(expected, expected, &scale);
    for (int i = 0; i < Count; ++i)
      close("LINEAR", 1000 * k + i, ((double *)&got)[i],
            ((const double *)expected)[i], TOLERANCE * scale);
  }
  verso_tape_free(map);
}
#endif

#ifdef SECOND
/// J'w at s, in d, as a function to differentiate.
static NOINLINE double gradient(State *s, State *d, double a) {
  return __verso_value_and_grad_pair(
             (void *)f, verso_dup, s->x, d->x, Y(s, d), W(s, d), verso_dup,
             &s->t, &d->t, M(s, d), L(s, d), verso_out, a, verso_const, 3)
      .derivative;
}
double __verso_jvp_second(void *, ...);

/// hv = H v.
static void second(const Numbers *in, const Numbers *w, const Numbers *v,
                   Numbers *hv) {
  State s, sv, d, dv;
  Numbers zero = {{0}};
  build(&s, in);
  buildShadow(&sv, v);
  buildShadow(&d, w);
  buildShadow(&dv, &zero);
  double a = __verso_jvp_second((void *)gradient, verso_dup, &s, &sv, verso_dup,
                                &d, &dv, verso_dup, in->a, v->a);
  collect(hv, &dv);
  maskConstants(hv);
  hv->a = a;
}

/// H v against differences of J'w.
static void checkSecondDifferences(const Numbers *in, const Numbers *w,
                                   const Numbers *v, const Numbers *hv) {
  Numbers d[2], g[2];
  double h = 1e-4;
  for (int k = 0; k < 2; ++k, h /= 4) {
    for (int side = 0; side < 2; ++side) {
      Numbers at = *in;
      State s;
      for (int i = 0; i < Count; ++i)
        ((double *)&at)[i] += (side ? h : -h) * ((const double *)v)[i];
      reverse(&at, w, &g[side], &s);
    }
    for (int i = 0; i < Count; ++i)
      ((double *)&d[k])[i] =
          (((double *)&g[1])[i] - ((double *)&g[0])[i]) / (2 * h);
  }
  for (int i = 0; i < Count; ++i) {
    double coarse = ((double *)&d[0])[i], fine = ((double *)&d[1])[i],
           expected = (16 * fine - coarse) / 15,
           bound = 1e-3 * (1 + fabs(expected));
    if (fabs(coarse - fine) < bound)
      close("SECOND", 1 + i, ((const double *)hv)[i], expected, bound);
  }
}

static void checkSecond(const Numbers *in, const Numbers *w) {
  Numbers u, v, hu, hv;
  randomNumbers(&u);
  randomNumbers(&v);
  maskConstants(&u);
  maskConstants(&v);
  second(in, w, &u, &hu);
  second(in, w, &v, &hv);
  double scale = 0, left = dot(&u, &hv, &scale), right = dot(&v, &hu, &scale);
  close("SECOND", 0, left, right, TOLERANCE * scale);
#ifndef MIXED // Differences of float gradients are noise.
  checkSecondDifferences(in, w, &v, &hv);
#endif
}
#endif

/// <w, what f leaves> + f.
static double loss(const Numbers *in, const Numbers *w) {
  Numbers out;
  double ignored = 0, r = REFERENCE_EVALUATE(in, &out);
  return r + dot(&out, w, &ignored);
}

static void checkDifferences(const Numbers *in, const Numbers *w,
                             const Numbers *g) {
  Numbers varies, zeroA = *w;
  zeroA.a = 0;
  for (int i = 0; i < Count; ++i)
    ((double *)&varies)[i] = 1;
  maskConstants(&varies);
  for (int i = 0; i < Count; ++i) {
    if (!((double *)&varies)[i])
      continue;
    double d[2], h = 1e-4;
    for (int k = 0; k < 2; ++k, h /= 4) {
      Numbers above = *in, below = *in;
      ((double *)&above)[i] += h;
      ((double *)&below)[i] -= h;
      d[k] = (loss(&above, &zeroA) - loss(&below, &zeroA)) / (2 * h);
    }
    double expected = (16 * d[1] - d[0]) / 15;
    double bound = 1e-4 * (1 + fabs(expected));
    if (fabs(d[0] - d[1]) < 10 * bound)
      close("DIFFER", i, ((const double *)g)[i], expected, bound);
  }
}

int main(int argc, char **argv) {
  Numbers in, w, v[WIDTH], out, g, again;
  State s;
  int print = 0, seeded = 1;
  for (int k = 1; k < argc; ++k) {
    print |= !strcmp(argv[k], "print");
    seeded &= strcmp(argv[k], "unseeded") != 0;
  }
  randomNumbers(&in);
  randomNumbers(&w);
  if (!seeded)
    memset(&w, 0, sizeof w);
  maskConstants(&w);
  double r = evaluate(&in, &out);

  samePrimal(1, reverse(&in, &w, &g, &s), &s, r, &out);
  reverse(&in, &w, &again, &s);
  for (int i = 0; i < Count; ++i)
    close("REPEAT", i, ((double *)&again)[i], ((double *)&g)[i], 0);

  for (int k = 0; k < WIDTH; ++k) {
    randomNumbers(&v[k]);
    maskConstants(&v[k]);
  }
#ifndef ONLY_GRADIENT
  Numbers jv[WIDTH];
  forward(&in, v, jv, &s);
  samePrimal(2, r, &s, r, &out);
  for (int k = 0; k < WIDTH; ++k) {
    Numbers weights = w;
    weights.a = 1;
    double scale = 0, left = dot(&jv[k], &weights, &scale),
           right = dot(&v[k], &g, &scale);
    close("DOT", k, left, right, TOLERANCE * scale);
  }
#endif
#ifdef LINEAR
  checkLinear(&in, &w, &g, v, jv);
#endif
#ifdef SECOND
  checkSecond(&in, &w);
#endif
#ifndef ONLY_GRADIENT
  checkDifferences(&in, &w, &g);
#endif
  if (print)
    for (int i = 0; i < Count; ++i)
      printf("G %.17g\n", ((double *)&g)[i]);
  return failures != 0;
}
#endif // PLAIN
#endif // of the second pass
