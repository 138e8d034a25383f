//===- sparse-large.cpp - nothing of the size rows times columns ----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// n = 100000: sweeps do not grow with n, values are those of closed forms, and
// operator new and the process as a whole take some kilobytes a number, for all
// five matrices together.
//
// AddressSanitizer keeps freed memory.
// REQUIRES: unsanitized
// HEAVY: verso.hpp is made of templates
//
//===----------------------------------------------------------------------===//

#define CHECK_NO_API
#include "../check.h"
#include "sparse-functions.h"
#include <new>
#include <sys/resource.h>

VERSO_INACTIVE static std::size_t allocated;

VERSO_INACTIVE void *operator new(std::size_t bytes) {
  allocated += bytes;
  if (void *memory = std::malloc(bytes))
    return memory;
  std::abort();
}
VERSO_INACTIVE void operator delete(void *memory) noexcept {
  std::free(memory);
}
VERSO_INACTIVE void operator delete(void *memory, std::size_t) noexcept {
  std::free(memory);
}

constexpr std::size_t N = 100000;

/// Bytes of the process, at most so far.
static std::size_t peak() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return std::size_t(usage.ru_maxrss) * 1024;
}

int main() {
  const Vector x = point(N);
  allocated = 0;
  auto band = verso::sparse_jacobian(burgers, x);
  CHECK(band.sweeps() == 3 && band.nonZeros() == 3 * N - 2);
  const double h = 0.5;
  for (std::size_t i = 1; i + 1 != N; ++i) {
    CHECK_CLOSE(band(i, i - 1), 1 / (h * h) + x[i] / (2 * h), 1e-13);
    CHECK_CLOSE(band(i, i), -2 / (h * h) - (x[i + 1] - x[i - 1]) / (2 * h),
                1e-13);
    CHECK_CLOSE(band(i, i + 1), 1 / (h * h) - x[i] / (2 * h), 1e-13);
  }

  auto head = verso::sparse_jacobian(arrow, x);
  CHECK(head.sweeps() == 3 && head.nonZeros() == 3 * N - 2);
  CHECK_EQUAL(head(0, 0), 2 * x[0]);
  for (std::size_t i = 1; i != N; ++i)
    CHECK(head(0, i) == 2 * x[i] && head(i, i) == 2 * x[i] && head(i, 0) == 3);

  auto random = verso::sparse_jacobian(scattered, x);
  CHECK(random.sweeps() >= 3 && random.sweeps() < 40);
  for (std::size_t i = 0; i != N; ++i) {
    const std::size_t a = place(i, 0, N), b = place(i, 1, N),
                      c = place(i, 2, N);
    if (a != b && a != c && b != c)
      CHECK_CLOSE(random(i, a), (x[b] + 2) * (x[c] + 2), 1e-13);
  }

  auto curve = verso::sparse_hessian(verso::fn<chain>, x);
  CHECK(curve.sweeps() == 3 && curve.nonZeros() == 3 * N - 2);
  for (std::size_t i = 1; i + 1 != N; ++i) {
    CHECK_CLOSE(curve(i, i + 1), 2 * x[i] * std::cos(x[i + 1]), 1e-13);
    CHECK_CLOSE(curve(i, i),
                2 * std::sin(x[i + 1]) - x[i - 1] * x[i - 1] * std::sin(x[i]),
                1e-13);
  }
  auto star = verso::sparse_hessian(verso::fn<hub>, x);
  CHECK_EQUAL(star.sweeps(), 2);
  for (std::size_t i = 1; i != N; ++i)
    CHECK(star(i, 0) == 2 * x[i] && star(0, i) == 2 * x[i] &&
          star(i, i) == 2 * x[0]);

  // A dense matrix would take 8 * N * N = 800000 N bytes.
  CHECK(allocated < 2000 * N);
  CHECK(peak() < 5000 * N);
#ifdef REPORT
  std::printf("random: %zu sweeps; new: %zu bytes a number in all, peak %zu\n",
              random.sweeps(), allocated / N, peak() / N);
#endif
  return check_status();
}
