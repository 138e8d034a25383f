//===- mpi-link-time.c - begun in one file, waited for in another ---------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What has begun is known to all files of a program (-flto), also to the
// structured strategy. Where the files are compiled without the plugin, the
// header's functions are inlined before anybody knows what they stand for.
//
//===----------------------------------------------------------------------===//

// REQUIRES: mpi
// RUN: %clang_verso %mpi_flags -O2 -flto -c %s -o %t.main.o
// RUN: %clang_verso %mpi_flags -O2 -flto -DEND -c %s -o %t.end.o
// RUN: env VERSO_OPTIONS=-verso-strategy=structured %clang -O2 -flto -fuse-ld=lld -Wl,--load-pass-plugin=%verso_plugin %t.main.o %t.end.o -o %t %verso_libs %mpi_libs
// RUN: %mpiexec -n 2 %t
// RUN: env VERSO_OPTIONS=-verso-strategy=taped %clang -O2 -flto -fuse-ld=lld -Wl,--load-pass-plugin=%verso_plugin %t.main.o %t.end.o -o %t.taped %verso_libs %mpi_libs
// RUN: %mpiexec -n 2 %t.taped
// RUN: %clang %mpi_flags -I%verso_include -O2 -flto -c %s -o %t.main.o
// RUN: not %clang -O2 -flto -fuse-ld=lld -Wl,--load-pass-plugin=%verso_plugin %t.main.o %t.end.o -o %t %verso_libs %mpi_libs 2>&1 | FileCheck %s
// CHECK: error: VERSO_CUSTOM_VJP: 'verso_mpi_{{.*}}' has a body, and calls of it may have been inlined before the plugin saw them; give -fpass-plugin for the files that say its derivative when they are compiled, too

#include "../exec/mpi/processes.h"

void end(MPI_Request *r);

#ifdef END
void end(MPI_Request *r) { MPI_Waitall(2, r, MPI_STATUSES_IGNORE); }
#else
static double f(const double *x) {
  int rank = own_rank(), size = all_processes();
  double in = 0, out = x[0] * x[1];
  MPI_Request r[2];
  MPI_Irecv(&in, 1, MPI_DOUBLE, (rank + size - 1) % size, 0, MPI_COMM_WORLD,
            &r[0]);
  MPI_Isend(&out, 1, MPI_DOUBLE, (rank + 1) % size, 0, MPI_COMM_WORLD, &r[1]);
  end(r);
  return in * in + x[0];
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  CHECK_TOGETHER(f, 2);
  MPI_Finalize();
  return 0;
}
#endif
