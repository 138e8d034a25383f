//===- shared-classes.h - C++ whose loops threads share ---------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included twice: NAME(f) is the function's name; SHARED(clauses),
// REGION(clauses), FOR(clauses) and OMP(directive) are directives or nothing. x
// has at least eight numbers.
//
//===----------------------------------------------------------------------===//

template <class T> struct NAME(P3) {
  T a, b, c;
};
static double NAME(vecs)(const std::vector<double> &x,
                         const std::vector<double> &p) {
  std::vector<double> y(x.size());
  long n = x.size();
  SHARED(for)
  for (long i = 0; i < n; ++i) {
    y[i] = x[i] * p[i % p.size()];
    if (i)
      y[i] += x[i - 1];
  }
  double s = 0;
  SHARED(for reduction(+ : s))
  for (long i = 0; i < n; ++i)
    s += y[i] * y[n - 1 - i];
  return s;
}
static double NAME(redblack)(const std::vector<double> &x,
                             const std::vector<double> &p) {
  std::vector<double> u = x;
  long n = x.size();
  for (int t = 0; t < 4; ++t)
    for (int c = 0; c < 2; ++c) {
      SHARED(for)
      for (long i = 1 + c; i < n - 1; i += 2)
        u[i] = 0.5 * (u[i - 1] + u[i + 1]) * p[0] + 0.1 * u[i] * u[i];
    }
  double s = 0;
  for (double v : u)
    s += v * v;
  return s;
}
static double NAME(floats)(const std::vector<double> &x,
                           const std::vector<double> &p) {
  long n = x.size();
  std::vector<float> f(n);
  std::vector<double> g(n);
  SHARED(for)
  for (long i = 0; i < n; ++i) {
    f[i] = (float)(x[i] * p[0]);
    g[i] = f[i] * x[i] + (float)p[p.size() - 1];
  }
  double s = 0;
  float r = 0;
  SHARED(for reduction(+ : s, r))
  for (long i = 0; i < n; ++i) {
    s += g[i] * f[n - 1 - i];
    r += f[i];
  }
  return s + r;
}
static double NAME(structs)(const std::vector<double> &x,
                            const std::vector<double> &p) {
  long n = x.size() / 3;
  std::vector < NAME(P3) < double >> q(n + 1);
  SHARED(for)
  for (long i = 0; i < n; ++i)
    q[i] = {x[3 * i], x[3 * i + 1] * p[0], x[3 * i + 2]};
  double s = 0;
  SHARED(for reduction(+ : s))
  for (long i = 0; i < n; ++i) {
    auto &v = q[i], &w = q[(i + 1) % n];
    s += v.a * w.b + v.c * sin(w.a);
  }
  return s;
}
static double NAME(three)(const std::vector<double> &x,
                          const std::vector<double> &p) {
  long n = 2;
  while ((n + 1) * (n + 1) * (n + 1) <= (long)x.size())
    ++n;
  std::vector<double> u(x.begin(), x.begin() + n * n * n), v = u;
  for (int t = 0; t < 3; ++t) {
    SHARED(for collapse(2))
    for (long i = 1; i < n - 1; ++i)
      for (long j = 1; j < n - 1; ++j)
        for (long k = 1; k < n - 1; ++k) {
          long c = (i * n + j) * n + k;
          v[c] = u[c] + p[0] * 0.1 *
                            (u[c - 1] + u[c + 1] + u[c - n] + u[c + n] +
                             u[c - n * n] + u[c + n * n] - 6 * u[c]) *
                            u[c];
        }
    std::swap(u, v);
  }
  double s = 0;
  for (double a : u)
    s += a * a;
  return s;
}
static double NAME(lambdas)(const std::vector<double> &x,
                            const std::vector<double> &p) {
  long n = x.size();
  double s = 0;
  double c = p[0];
  auto f = [&](long i) {
    double t = 0;
    for (double q : p)
      t += sin(q * x[i]) * c;
    return t;
  };
  SHARED(for reduction(+ : s) schedule(guided))
  for (long i = 0; i < n; ++i)
    s += f(i) * x[i];
  return s;
}
static double NAME(table)(const std::vector<double> &x,
                          const std::vector<double> &p) {
  long n = x.size(), m = 7;
  std::vector<std::vector<double>> a(n, std::vector<double>(m));
  SHARED(for)
  for (long i = 0; i < n; ++i)
    for (long j = 0; j < m; ++j)
      a[i][j] = x[i] * p[j % p.size()] + j;
  double s = 0;
  SHARED(for reduction(+ : s))
  for (long j = 0; j < m; ++j) {
    double r = 0;
    for (long i = 0; i < n; ++i)
      r += a[i][j] * x[(i + j) % n];
    s += r * r;
  }
  return s;
}
static double NAME(hist)(const std::vector<double> &x,
                         const std::vector<double> &p) {
  double h[16] = {0};
  long n = x.size();
  SHARED(for reduction(+ : h[:16]))
  for (long i = 0; i < n; ++i) {
    long b = i * 7 % 16;
    h[b] += x[i] * p[0];
  }
  double s = 0;
  for (double v : h)
    s += v * v;
  return s;
}
static double NAME(lastp)(const std::vector<double> &x,
                          const std::vector<double> &p) {
  double l = 0, f = p[0], s = 0;
  long n = x.size();
  SHARED(for reduction(+ : s) lastprivate(l) firstprivate(f))
  for (long i = 0; i < n; ++i) {
    l = x[i] * f;
    s += l * l;
  }
  return s + l;
}
static double NAME(crit)(const std::vector<double> &x,
                         const std::vector<double> &p) {
  double s = 0, m = -1e9;
  long n = x.size();
  double q[4] = {0};
  SHARED(for reduction(max : m))
  for (long i = 0; i < n; ++i) {
    m = std::max(m, x[i] * p[0]);
    OMP(omp atomic)
    q[i % 4] += x[i] * x[i];
    OMP(omp critical)
    s += x[i];
  }
  return s * m + q[0] * q[3];
}
static double NAME(throws)(const std::vector<double> &x,
                           const std::vector<double> &p) {
  double s = 0;
  long n = x.size();
  SHARED(for reduction(+ : s))
  for (long i = 0; i < n; ++i) {
    try {
      if (i % 5 == 3)
        throw x[i];
      s += x[i] * p[0];
    } catch (double d) {
      s += d * d;
    }
  }
  return s;
}
static double NAME(news)(const std::vector<double> &x,
                         const std::vector<double> &p) {
  double s = 0;
  long n = x.size();
  SHARED(for reduction(+ : s))
  for (long i = 0; i < n; ++i) {
    std::vector<double> t(p.size());
    for (size_t k = 0; k < t.size(); ++k)
      t[k] = x[i] * p[k];
    for (size_t k = 0; k < t.size(); ++k)
      s += t[k] * t[t.size() - 1 - k];
  }
  return s;
}
static double NAME(region)(const std::vector<double> &x,
                           const std::vector<double> &p) {
  double s = 0;
  long n = x.size();
  std::vector<double> y(n), z(n);
  REGION(reduction(+ : s)) {
    double scale = p[0] * 2;
    double buf[8];
    FOR()
    for (long i = 0; i < n; ++i) {
      for (int k = 0; k < 8; ++k)
        buf[k] = x[i] * k;
      y[i] = buf[3] + buf[5] * scale;
    }
    FOR(nowait)
    for (long i = 0; i < n; ++i)
      z[i] = y[n - 1 - i] * x[i];
    FOR()
    for (long i = 0; i < n; ++i)
      s += y[i] * y[i] * scale;
  }
  for (long i = 0; i < n; ++i)
    s += z[i] * z[i];
  return s;
}
static double NAME(unsign)(const std::vector<double> &x,
                           const std::vector<double> &p) {
  double s = 0;
  unsigned n = x.size();
  SHARED(for reduction(+ : s))
  for (unsigned i = 0; i < n; ++i)
    s += x[n - 1u - i] * x[i] * p[i % p.size()];
  return s;
}
static double NAME(prod)(const std::vector<double> &x,
                         const std::vector<double> &p) {
  double s = 1, d = 0;
  long n = x.size();
  SHARED(for reduction(* : s) reduction(- : d))
  for (long i = 0; i < n; ++i) {
    s *= 1 + 0.001 * x[i];
    d -= x[i] * p[0];
  }
  return s * d;
}
// Tables that a thread fills on its way.
static double NAME(memo)(const std::vector<double> &x,
                         const std::vector<double> &p) {
  double s = 0;
  long n = x.size(), m = p.size();
  REGION(reduction(+ : s)) {
    double table[16];
    int have[16] = {0};
    FOR()
    for (long i = 1; i < n - 1; ++i) {
      long k = (i / 3) % m & 15;
      if (!have[k]) {
        table[k] = std::sin(p[k]) * std::exp(p[k]);
        have[k] = 1;
      }
      s += x[i - 1] * x[i + 1] * table[k];
    }
  }
  return s;
}
// Sums that each thread keeps beside the region.
static double NAME(kept)(const std::vector<double> &x,
                         const std::vector<double> &p) {
  static thread_local double sums[8];
  double s = 0;
  long n = x.size();
  REGION(reduction(+ : s)) {
    for (double &sum : sums)
      sum = 0;
    FOR()
    for (long i = 0; i < n; ++i)
      sums[(i * 5 + i / 7) & 7] += x[i] * x[i] * p[0];
    for (int k = 0; k < 8; ++k)
      s += sums[k] * (k + 1);
  }
  return s;
}
