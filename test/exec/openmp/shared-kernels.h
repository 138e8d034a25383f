//===- shared-kernels.h - loops that threads share ------------- C ------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included twice: NAME(f) is the function's name, SHARED(clauses) a parallel
// directive or nothing. x has n numbers, p has m, at most 64.
//
//===----------------------------------------------------------------------===//

double NAME(points)(const double *x, const double *p, long n, long m) {
  double s = 0;
  SHARED(for reduction(+ : s))
  for (long i = 0; i < n; ++i) {
    double t = 0;
    for (long j = 0; j < m; ++j)
      t += p[j] * sin(x[i] * (j + 1));
    s += t * t;
  }
  return s;
}
double NAME(stencil)(const double *x, const double *p, long n, long m) {
  double *u = malloc(n * sizeof *u), *v = malloc(n * sizeof *v);
  SHARED(for)
  for (long i = 0; i < n; ++i)
    u[i] = v[i] = x[i];
  for (long s = 0; s < m; ++s) {
    SHARED(for)
    for (long i = 2; i < n - 2; ++i)
      v[i] = u[i] + 0.05 * p[0] * (u[i - 2] - u[i] * u[i + 1] + u[i + 2]);
    double *t = u;
    u = v;
    v = t;
  }
  double s = 0;
  SHARED(for reduction(+ : s))
  for (long i = 0; i < n; ++i)
    s += u[i] * u[i] * (1 + i % 3);
  free(u);
  free(v);
  return s;
}
double NAME(matvec)(const double *x, const double *p, long n, long m) {
  // n = m * k rows of m
  double s = 0;
  long k = n / m;
  SHARED(for reduction(+ : s))
  for (long i = 0; i < k; ++i) {
    double r = 0;
    for (long j = 0; j < m; ++j)
      r += x[i * m + j] * p[j];
    s += exp(0.1 * r);
  }
  return s;
}
double NAME(transposed)(const double *x, const double *p, long n, long m) {
  double s = 0;
  long k = n / m;
  SHARED(for reduction(+ : s))
  for (long j = 0; j < m; ++j) {
    double r = 0;
    for (long i = 0; i < k; ++i)
      r += x[i * m + j] * x[i * m + j] * p[j];
    s += r * r;
  }
  return s;
}
double NAME(inplace)(const double *x, const double *p, long n, long m) {
  double *u = malloc(n * sizeof *u);
  SHARED(for)
  for (long i = 0; i < n; ++i) {
    u[i] = x[i];
    for (long j = 0; j < m; ++j)
      u[i] = u[i] * p[j] + sin(u[i]);
  }
  double s = 0;
  SHARED(for reduction(+ : s))
  for (long i = 0; i < n; ++i)
    s += u[i];
  free(u);
  return s;
}
double NAME(scratch)(const double *x, const double *p, long n, long m) {
  double s = 0;
  SHARED(for reduction(+ : s))
  for (long i = 0; i < n; ++i) {
    double t[8];
    for (int k = 0; k < 8; ++k)
      t[k] = x[i] * p[k % m] + k;
    for (int r = 0; r < 3; ++r)
      for (int k = 1; k < 8; ++k)
        t[k] += t[k - 1] * 0.1;
    s += t[7] * t[3];
  }
  return s;
}
double NAME(gathered)(const double *x, const double *p, long n, long m) {
  double s = 0;
  SHARED(for reduction(+ : s))
  for (long i = 0; i < n; ++i) {
    long j = (i * 7919) % n;
    s += x[i] * x[j] * p[i % m];
  }
  return s;
}
double NAME(strided)(const double *x, const double *p, long n, long m) {
  double s = 0;
  SHARED(for reduction(+ : s))
  for (long i = 0; i < n - 4; i += 3)
    s += x[i] * x[i + 1] * x[i + 4] * p[0];
  return s;
}
double NAME(backwards)(const double *x, const double *p, long n, long m) {
  double s = 0, r = 0;
  SHARED(for reduction(+ : s, r))
  for (long i = n - 1; i > 0; --i) {
    s += x[i] * x[i - 1] * p[0];
    r += exp(0.1 * x[i]);
  }
  return s * r;
}
double NAME(integers)(const double *x, const double *p, long n, long m) {
  int N = n, M = m;
  double s = 0;
  SHARED(for reduction(+ : s))
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < M; ++j)
      s += x[i] * p[j] * (i + j) / (N + M);
  return s;
}
double NAME(branches)(const double *x, const double *p, long n, long m) {
  double s = 0;
  SHARED(for reduction(+ : s))
  for (long i = 0; i < n; ++i) {
    double y = x[i];
    if (y > 0.2)
      y = y * p[0];
    else if (y < -0.3)
      continue;
    s += y * y;
  }
  return s;
}
double NAME(newton)(const double *x, const double *p, long n, long m) {
  double s = 0;
  SHARED(for reduction(+ : s))
  for (long i = 0; i < n; ++i) {
    double a = 2 + x[i], y = 1;
    while (fabs(y * y - a) > 1e-12)
      y = 0.5 * (y + a / y);
    s += y * p[0];
  }
  return s;
}
double NAME(triangle)(const double *x, const double *p, long n, long m) {
  double s = 0;
  SHARED(for reduction(+ : s) schedule(dynamic))
  for (long i = 0; i < n; ++i) {
    double t = 0;
    for (long j = i > 20 ? i - 20 : 0; j < i; ++j)
      t += x[i] * x[j];
    s += t * t * p[0];
  }
  return s;
}
double NAME(pairs)(const double *x, const double *p, long n, long m) {
  double e = 0;
  long k = n > 200 ? 200 : n;
  SHARED(for reduction(+ : e) schedule(static, 4))
  for (long i = 0; i < k; ++i)
    for (long j = 0; j < k; ++j) {
      double d = x[i] - x[j];
      e += p[0] / (1 + d * d);
    }
  return e;
}
double NAME(grid)(const double *x, const double *p, long n, long m) {
  long w = 16, h = n / w;
  double *v = malloc(n * sizeof *v);
  for (long t = 0; t < 2; ++t) {
    SHARED(for)
    for (long i = 1; i < h - 1; ++i)
      for (long j = 1; j < w - 1; ++j)
        v[i * w + j] = x[i * w + j] * p[0] +
                       x[(i - 1) * w + j] * x[(i + 1) * w + j] -
                       x[i * w + j - 1] + x[i * w + j + 1];
  }
  double s = 0;
  SHARED(for reduction(+ : s) collapse(2))
  for (long i = 1; i < h - 1; ++i)
    for (long j = 1; j < w - 1; ++j)
      s += v[i * w + j] * v[i * w + j];
  free(v);
  return s;
}
static double NAME(term)(double a, const double *p) {
  return sin(a) * p[0] + a * p[1 % 1];
}
double NAME(called)(const double *x, const double *p, long n, long m) {
  double *v = malloc(n * sizeof *v);
  double s = 0;
  SHARED(for)
  for (long i = 0; i < n; ++i)
    v[i] = NAME(term)(x[i], p);
  for (long i = 0; i < n; ++i)
    s += v[i] * v[n - 1 - i];
  free(v);
  return s;
}
double NAME(localarray)(const double *x, const double *p, long n, long m) {
  double s = 0;
  SHARED(for reduction(+ : s))
  for (long i = 0; i < n; ++i) {
    double t[64], u[64];
    for (long k = 0; k < m; ++k) {
      t[k] = x[i] * p[k] + k;
      u[k] = p[k] * p[k];
    }
    for (long k = 1; k < m; ++k) {
      t[k] = t[k] * t[k - 1] * 0.01 + u[(k * 5) % m];
      u[k] += t[k - 1];
    }
    s += t[m - 1] * u[0] + t[m / 2] * u[m / 2];
  }
  return s;
}
double NAME(scattered)(const double *x, const double *p, long n, long m) {
  double *v = calloc(n, sizeof *v), s = 0;
  SHARED(for)
  for (long i = 0; i < n; ++i)
    v[(i + n / 2) % n] = x[i] * x[(i * 31) % n] * p[i % m];
  SHARED(for reduction(+ : s))
  for (long i = 0; i < n; ++i)
    s += v[i] * v[i] * i;
  free(v);
  return s;
}
typedef struct {
  double pos[3], vel[3];
  int kind;
} NAME(Body);
double NAME(bodies)(const double *x, const double *p, long n, long m) {
  long k = n / 6 < 60 ? n / 6 : 60;
  NAME(Body) *b = malloc((k + 1) * sizeof *b);
  double *f = calloc(3 * (k + 1), sizeof *f), e = 0;
  for (long i = 0; i < k; ++i) {
    for (int c = 0; c < 3; ++c)
      b[i].pos[c] = x[6 * i + c], b[i].vel[c] = x[6 * i + 3 + c];
    b[i].kind = i % 2;
  }
  for (int s = 0; s < 3; ++s) {
    SHARED(for)
    for (long i = 0; i < k; ++i)
      for (int c = 0; c < 3; ++c) {
        double a = 0;
        for (long j = 0; j < k; ++j) {
          double d0 = b[j].pos[0] - b[i].pos[0], d1 = b[j].pos[1] - b[i].pos[1],
                 d2 = b[j].pos[2] - b[i].pos[2];
          a += (b[j].pos[c] - b[i].pos[c]) /
               pow(1 + d0 * d0 + d1 * d1 + d2 * d2, 1.5) *
               (b[i].kind ? p[0] : 1);
        }
        f[3 * i + c] = a;
      }
    SHARED(for)
    for (long i = 0; i < k; ++i)
      for (int c = 0; c < 3; ++c)
        b[i].vel[c] += 0.01 * f[3 * i + c], b[i].pos[c] += 0.01 * b[i].vel[c];
  }
  for (long i = 0; i < k; ++i)
    e += b[i].vel[0] * b[i].vel[0] + b[i].pos[1] * b[i].vel[2];
  free(b);
  free(f);
  return e;
}
double NAME(matmul)(const double *x, const double *p, long n, long m) {
  long k = 1;
  while ((k + 1) * (k + 1) <= n && k < 24)
    ++k;
  double *c = calloc(k * k, sizeof *c), s = 0;
  SHARED(for)
  for (long i = 0; i < k; ++i)
    for (long l = 0; l < k; ++l)
      for (long j = 0; j < k; ++j)
        c[i * k + j] += x[i * k + l] * x[l * k + j];
  for (long i = 0; i < k * k; ++i)
    s += c[i] * c[i] * p[0];
  free(c);
  return s;
}
double NAME(sparse)(const double *x, const double *p, long n, long m) {
  long *at = malloc((n + 1) * sizeof *at), *col = malloc(3 * n * sizeof *col),
       z = 0;
  for (long i = 0; i < n; ++i) {
    at[i] = z;
    for (long j = 0; j < 1 + i % 3; ++j)
      col[z++] = (i * 13 + j * 7) % n;
  }
  at[n] = z;
  double *y = malloc(n * sizeof *y), s = 0;
  SHARED(for)
  for (long i = 0; i < n; ++i) {
    double r = 0;
    for (long k = at[i]; k < at[i + 1]; ++k)
      r += x[col[k]] * p[k % m];
    y[i] = r;
  }
  SHARED(for reduction(+ : s))
  for (long i = 0; i < n; ++i)
    s += y[i] * y[i];
  free(at);
  free(col);
  free(y);
  return s;
}
// What all iterations add to is among the cells that they look at.
double NAME(rows)(const double *x, const double *p, long n, long m) {
  long k = n / m;
  double *u = malloc((n + m) * sizeof *u), s = 0;
  for (long i = 0; i < n + m; ++i)
    u[i] = x[i % n];
  SHARED(for)
  for (long i = 1; i < k; ++i)
    for (long j = 1; j < m; ++j)
      u[i * m + j] += 0.3 * u[i * m + j - 1] * u[j] * p[0];
  for (long i = 0; i < n; ++i)
    s += u[i] * u[i] * (1 + i % 2);
  free(u);
  return s;
}
// What a variable of the function is left with matters in the next step.
double NAME(momentum)(const double *x, const double *p, long n, long m) {
  double u[1024], moved[1024] = {0}, s = 0;
  for (long i = 0; i < n; ++i)
    u[i] = x[i];
  for (long t = 0; t < m; ++t) {
    SHARED(for)
    for (long i = 0; i < n; ++i) {
      moved[i] = 0.9 * moved[i] + 0.1 * p[0] * sin(u[i]);
      u[i] -= moved[i];
    }
  }
  for (long i = 0; i < n; ++i)
    s += u[i] * u[i] * (i % 3);
  return s;
}
// Inner loops that are not entered for some m.
double NAME(unentered)(const double *x, const double *p, long n, long m) {
  double s = 0;
  int few = (int)m - 5;
  SHARED(for reduction(+ : s))
  for (long i = 0; i < n; ++i) {
    double t = x[i];
    for (int j = 0; j < few; ++j)
      for (int k = 0; k < few - 3; ++k)
        t = sin(t * p[j] + p[k]);
    s += t * t * p[0];
  }
  return s;
}
