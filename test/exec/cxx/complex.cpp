//===- complex.cpp - std::complex -----------------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arithmetic (with the library's own multiplication and division), elementary
// functions, arrays of complex numbers, and a small Fourier transform.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <complex>
#include <vector>

using Complex = std::complex<double>;

CHECK_NOINLINE static double arithmetic(double x, double y) {
  Complex z(x, y), w(y, 2);
  Complex a = z * w, b = z / w;
  a += b * 3.0;
  return std::norm(a) + std::abs(b) + std::arg(z) + std::real(std::conj(a) * w);
}
CHECK_NOINLINE static double elementary(double x, double y) {
  Complex z(x, y);
  return std::real(std::exp(z)) + std::imag(std::log(z)) +
         std::real(std::sqrt(z)) + std::real(std::sin(z) * std::cosh(z)) +
         std::real(std::pow(z, 3)) + std::imag(std::polar(x, y));
}
CHECK_NOINLINE static double transform(double x, double y) {
  const int n = 8;
  std::vector<Complex> in(n), out(n);
  for (int k = 0; k < n; ++k)
    in[static_cast<std::size_t>(k)] = Complex(x * k, y * k * k);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k)
      out[static_cast<std::size_t>(i)] +=
          in[static_cast<std::size_t>(k)] *
          std::polar(1.0, -2 * M_PI * i * k / n);
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += std::abs(out[static_cast<std::size_t>(i)]) * (i + 1);
  return sum;
}
CHECK_NOINLINE static double in_float(double x, double y) {
  std::complex<float> z(static_cast<float>(x), static_cast<float>(y));
  return static_cast<double>(std::norm(z * z));
}

struct Two {
  double x, y;
};
extern "C" Two __verso_grad_two(void *, ...);

template <double (*F)(double, double)> static void compare(double x, double y) {
  Two g = __verso_grad_two((void *)F, x, y);
  double in[] = {x, y}, gradient[] = {g.x, g.y};
  CHECK_GRADIENT([](double *v) { return F(v[0], v[1]); }, 2, in, gradient,
                 1e-8);
}

int main() {
  compare<arithmetic>(1.25, 0.75);
  compare<elementary>(1.25, 0.75);
  compare<transform>(1.25, 0.75);
  // |z|^4: 4 x |z|^2; exact in float.
  Two g = __verso_grad_two((void *)in_float, 1.0, 2.0);
  CHECK_EQUAL(g.x, 20);
  CHECK_EQUAL(g.y, 40);
  return check_status();
}
