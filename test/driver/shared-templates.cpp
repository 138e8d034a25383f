// ThinLTO: two files differentiate the same template. In one of them its copy
// does not prevail, and would be dropped before requests are lowered.

// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %clangxx -O2 -flto=thin -I%t -c one.cpp -o one.o
// RUN: %clangxx -O2 -flto=thin -I%t -c two.cpp -o two.o
// RUN: %clangxx -O2 -flto=thin -fuse-ld=lld -Wl,--load-pass-plugin=%verso_plugin \
// RUN:   one.o two.o %verso_libs -o program
// RUN: ./program

//--- cube.h
#include <verso/verso.h>
template <typename T> __attribute__((noinline)) T cube(T x) {
  return x * x * x;
}
template <typename T> __attribute__((noinline)) T sum(const T *x, int n) {
  T s = 0;
  for (int i = 0; i < n; ++i)
    s += cube(x[i]);
  return s;
}

//--- one.cpp
#include "cube.h"
#include <cstdio>
void gradient(const double *x, double *d, int n);
int main() {
  double x[2] = {1, 2}, d[2] = {}, e[2] = {};
  __verso_grad_void((void *)(double (*)(const double *, int))sum<double>,
                    verso_dup, x, d, verso_const, 2);
  gradient(x, e, 2);
  std::printf("%g %g %g %g\n", d[0], d[1], e[0], e[1]);
  return !(d[0] == 3 && d[1] == 12 && e[0] == 3 && e[1] == 12);
}

//--- two.cpp
#include "cube.h"
void gradient(const double *x, double *d, int n) {
  __verso_grad_void((void *)(double (*)(const double *, int))sum<double>,
                    verso_dup, x, d, verso_const, n);
}
