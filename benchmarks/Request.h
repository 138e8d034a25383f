// Included by requests/*.cpp, which are compiled with the plugin, once for each
// strategy that is measured: VERSO_BENCH_STRATEGY is the name of the variant,
// Verso (whatever the plugin chooses), Taped, or Forward: the same arguments
// ask for a tangent in place of a gradient. The entry points are found by
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
// and may add, for the kernels of which the driver says so,
//
//   VERSO_BENCH_WIDE(Class)             of requestWide(const Class<double> &,
//                                         std::unique_ptr<Class<double>> *, the
//                                         index sequence of the directions)
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_BENCHMARKS_REQUEST_H
#define VERSO_BENCHMARKS_REQUEST_H

#include "Harness.h"

#include <utility>

extern "C" {
extern int verso_dup;
extern int verso_const;
extern int verso_out;
extern int verso_width;

/// Every derivative goes into a shadow.
void __verso_grad_into(void *, ...);

/// The tangent of the value.
double __verso_jvp_value(void *, ...);

/// Bytes of tape of this thread's last request.
size_t verso_tape_bytes(void);
}

/// In Width directions.
template <size_t Width> struct verso_bench_tangents {
  double At[Width];
};
template <typename Tangents> Tangents __verso_jvp_wide(void *, ...);

#define VERSO_BENCH_JOIN_(A, B, C) A##B##C
#define VERSO_BENCH_JOIN(A, B, C) VERSO_BENCH_JOIN_(A, B, C)

#ifdef VERSO_BENCH_FORWARD

static double verso_bench_tangent;
#define __verso_grad_into(...)                                                 \
  (verso_bench_tangent = __verso_jvp_value(__VA_ARGS__))

#define VERSO_BENCH_VARIANT(CLASS, REQUEST)                                    \
  ForwardVariant<CLASS<double>, 1,                                             \
                 [](const CLASS<double> &P,                                    \
                    std::unique_ptr<CLASS<double>> *D, double *Tangent) {      \
                   REQUEST(P, *D[0]);                                          \
                   *Tangent = verso_bench_tangent;                             \
                 }>

#else

#define VERSO_BENCH_VARIANT(CLASS, REQUEST)                                    \
  ShadowVariant<CLASS<double>, REQUEST, verso_tape_bytes>

#endif

#define VERSO_BENCH_FACTORY(MAKER, CLASS, REQUEST)                             \
  std::unique_ptr<verso_bench::Variant> VERSO_BENCH_JOIN(                      \
      make, VERSO_BENCH_STRATEGY, MAKER##CLASS)(size_t N) {                    \
    using namespace verso_bench;                                               \
    return std::make_unique<VERSO_BENCH_VARIANT(CLASS, (REQUEST))>(N);         \
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

/// requestWide() with the directions' numbers.
#define VERSO_BENCH_WIDE_FACTORY(CLASS, WIDTH)                                 \
  std::unique_ptr<verso_bench::Variant> makeWide##WIDTH##CLASS(size_t N) {     \
    using namespace verso_bench;                                               \
    return std::make_unique<                                                   \
        ForwardVariant<CLASS<double>, WIDTH,                                   \
                       [](const CLASS<double> &P,                              \
                          std::unique_ptr<CLASS<double>> *D, double *T) {      \
                         auto Tangents = requestWide(                          \
                             P, D, std::make_index_sequence<WIDTH>());         \
                         std::copy_n(Tangents.At, WIDTH, T);                   \
                       }>>(N);                                                 \
  }
#ifdef VERSO_BENCH_FORWARD
#define VERSO_BENCH_WIDE(CLASS)                                                \
  VERSO_BENCH_WIDE_FACTORY(CLASS, 4)                                           \
  VERSO_BENCH_WIDE_FACTORY(CLASS, 8)                                           \
  VERSO_BENCH_WIDE_FACTORY(CLASS, 16)                                          \
  VERSO_BENCH_WIDE_FACTORY(CLASS, 26)
#else
#define VERSO_BENCH_WIDE(CLASS)
#endif

#endif // VERSO_BENCHMARKS_REQUEST_H
