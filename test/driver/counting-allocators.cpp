// An allocator of another file may count, and the function reads the count.

// RUN: %clangxx -DOTHER -O2 -c %s -o %t.o
// RUN: %clangxx_verso -O0 %s %t.o -o %t0 %verso_libs
// RUN: %t0
// RUN: %clangxx_verso -O2 %s %t.o -o %t2 %verso_libs
// RUN: %t2

#include <cmath>
#include <cstdlib>
#include <new>
#include <verso/verso.h>

extern long allocations;

#ifdef OTHER
long allocations;
void *operator new(std::size_t bytes) {
  ++allocations;
  return std::malloc(bytes);
}
void operator delete(void *p) noexcept { std::free(p); }
void operator delete(void *p, std::size_t) noexcept { std::free(p); }
#else
static double counted(double x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    long before = allocations;
    double *p = (double *)::operator new(8 * (n + 1));
    long now = allocations;
    p[i] = x * i;
    sum += (now - before) * x * x + p[i];
    ::operator delete(p);
  }
  return sum;
}

int main() {
  // 3 x^2 + (0 + 1 + 2) x
  double slope = __verso_grad((void *)counted, 0.7, verso_const, 3);
  return std::fabs(slope - (6 * 0.7 + 3)) > 1e-12;
}
#endif
