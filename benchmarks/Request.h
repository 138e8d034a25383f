//===- Request.h - how a kernel asks Verso for its gradient -----*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included by requests/*.cpp, which are compiled with the plugin. The entry
// points are found by prefix, so the names after it choose the return type.
// VERSO_BENCH_REQUEST(Class) makes the driver's factory out of the file's
// request(const Class<double> &, Class<double> &).
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_BENCHMARKS_REQUEST_H
#define VERSO_BENCHMARKS_REQUEST_H

#include "Harness.h"

extern "C" {
extern int verso_dup;
extern int verso_const;
extern int verso_out;

/// Every derivative goes into a shadow.
void __verso_grad_into(void *, ...);

/// Bytes of tape of this thread's last request.
size_t verso_tape_bytes(void);
}

#define VERSO_BENCH_REQUEST(CLASS)                                             \
  std::unique_ptr<verso_bench::Variant> makeVerso##CLASS(size_t N) {           \
    using namespace verso_bench;                                               \
    return std::make_unique<                                                   \
        ShadowVariant<CLASS<double>, request, verso_tape_bytes>>(N);           \
  }

#endif // VERSO_BENCHMARKS_REQUEST_H
