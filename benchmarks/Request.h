// Included by requests/*.cpp, which are compiled with the plugin, once for each
// strategy that is measured: VERSO_BENCH_STRATEGY is the name of the variant,
// Verso (whatever the plugin chooses) or Taped. The entry points are found by
// prefix, so the names after it choose the return type.
//
// A file makes the driver's factories by one of
//
//   VERSO_BENCH_REQUEST(Class)          of request(const Class<double> &,
//                                                  Class<double> &)
//   VERSO_BENCH_REQUESTS(Class, Plain, Restrict)
//                                       of request<Plain<double>>(as above) and
//                                       request<Restrict<double>>, the twin
//                                       whose pointers are restrict
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

#define VERSO_BENCH_JOIN_(A, B, C) A##B##C
#define VERSO_BENCH_JOIN(A, B, C) VERSO_BENCH_JOIN_(A, B, C)

#define VERSO_BENCH_FACTORY(MAKER, CLASS, REQUEST)                             \
  std::unique_ptr<verso_bench::Variant> VERSO_BENCH_JOIN(                      \
      make, VERSO_BENCH_STRATEGY, MAKER##CLASS)(size_t N) {                    \
    using namespace verso_bench;                                               \
    return std::make_unique<                                                   \
        ShadowVariant<CLASS<double>, REQUEST, verso_tape_bytes>>(N);           \
  }

#define VERSO_BENCH_REQUEST(CLASS)                                             \
  VERSO_BENCH_FACTORY(, CLASS, request)                                        \
  std::unique_ptr<verso_bench::Variant> VERSO_BENCH_JOIN(                      \
      make, VERSO_BENCH_STRATEGY, Restrict##CLASS)(size_t) {                   \
    return nullptr;                                                            \
  }

#define VERSO_BENCH_REQUESTS(CLASS, PLAIN, RESTRICT)                           \
  VERSO_BENCH_FACTORY(, CLASS, request<PLAIN<double>>)                         \
  VERSO_BENCH_FACTORY(Restrict, CLASS, request<RESTRICT<double>>)

#endif // VERSO_BENCHMARKS_REQUEST_H
