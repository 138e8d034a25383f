//===- shared-object.c - requests in a library loaded at run time ---------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program without any request loads a library with requests by dlopen, twice,
// and closes it before the thread ends; with the shared runtime and with one of
// the library's own.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O1 -fPIC -shared -DLIBRARY %s -o %t.so %shared_runtime
// RUN: %clang -O1 %s -o %t -ldl -lpthread
// RUN: env LD_LIBRARY_PATH=%runtime_directory %t %t.so
// RUN: %clang_verso -O1 -fPIC -shared -DLIBRARY -mllvm -verso-strategy=taped %s -o %t.so %verso_libs
// RUN: %t %t.so

#ifdef LIBRARY
double __verso_grad(void *, ...);
static _Thread_local double last = 1;
static double f(double x) {
  last = x * x;
  return last * x;
}
double slope(double x) { return __verso_grad(f, x); }
#else
#include <dlfcn.h>
#include <pthread.h>

static void *use(void *file) {
  for (int round = 0; round < 2; ++round) {
    void *library = dlopen(file, RTLD_NOW);
    if (!library)
      return "no library";
    double (*slope)(double) = (double (*)(double))dlsym(library, "slope");
    if (!slope || slope(2.0) != 12)
      return "wrong";
    dlclose(library);
  }
  return 0;
}

int main(int count, char **arguments) {
  for (int round = 0; round < 2; ++round) {
    pthread_t thread;
    void *wrong;
    if (pthread_create(&thread, 0, use, arguments[count - 1]) ||
        pthread_join(thread, &wrong) || wrong)
      return 1;
  }
  return 0;
}
#endif
