// A thread_local variable that another file defines, and may initialise when it
// is first touched.

// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %clangxx_verso -O0 one.cpp two.cpp %verso_libs -o program && ./program
// RUN: %clangxx_verso -O2 one.cpp two.cpp %verso_libs -o program && ./program
// RUN: %clangxx_verso -O2 -mllvm -verso-strategy=taped one.cpp two.cpp %verso_libs -o program
// RUN: ./program
// RUN: %clangxx -O2 -flto -c one.cpp -o one.o
// RUN: %clangxx -O2 -flto -c two.cpp -o two.o
// RUN: %clangxx -O2 -flto -fuse-ld=lld -Wl,--load-pass-plugin=%verso_plugin \
// RUN:   one.o two.o %verso_libs -o program
// RUN: ./program

//--- one.cpp
#include <cstdio>
extern int verso_dup, verso_const;
extern "C" double __verso_grad(void *, ...);
extern thread_local double scratch, started;
static double f(const double *x, int n) {
  scratch = x[0] * x[1];
  double sum = started * x[0];
  for (int i = 0; i < n; ++i)
    sum += scratch * x[i];
  return sum;
}
int main() {
  double x[3] = {1, 2, 3}, d[3] = {};
  __verso_grad((void *)f, verso_dup, x, d, verso_const, 3);
  std::printf("%g %g %g\n", d[0], d[1], d[2]);
  return !(d[0] == 19 && d[1] == 8 && d[2] == 2);
}

//--- two.cpp
double five() { return 5; }
thread_local double scratch = 0, started = five();
