/* Calls what ../rust.ll defines, with an allocator that keeps its own books:
   the blocks are no blocks of malloc's. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double grow(const double *x, long n);
void grow_gradient(const double *x, double *d, long n);
double grow_tangent(const double *x, const double *d, long n);
double push(const double *x, long n);
void push_gradient(const double *x, double *d, long n);
double push_tangent(const double *x, const double *d, long n);

static _Alignas(64) char room[1 << 20];
static size_t used;
static long blocks;

#define RUST(Name) __asm__("_RNvCsfLfy6EI15iL_7___rustc" Name)
void *rust_alloc(size_t size, size_t align) RUST("12___rust_alloc");
void *rust_alloc_zeroed(size_t size, size_t align)
    RUST("19___rust_alloc_zeroed");
void *rust_realloc(void *p, size_t old, size_t align, size_t size)
    RUST("14___rust_realloc");
void rust_dealloc(void *p, size_t size, size_t align) RUST("14___rust_dealloc");
void rust_shim(void) RUST("35___rust_no_alloc_shim_is_unstable_v2");
void rust_fail(void) __asm__(
    "_RNvNtCslNYArtu3iFV_5alloc7raw_vec12handle_error");
void rust_wait(int *) __asm__("_RNvMNtNtNtNtCsjrHSEGnQ3l9_3std3sys4sync5mutex5"
                              "futexNtB2_5Mutex14lock_contended");
_Bool rust_calm(void) __asm__("_RNvNtNtCsjrHSEGnQ3l9_3std9panicking11"
                              "panic_count17is_zero_slow_path");

/* A size stands before each block, eight bytes further on than malloc's would.
 */
void *rust_alloc(size_t size, size_t align) {
  char *p = room + used;
  if (align > 64 || (used += (size + 191) / 64 * 64) > sizeof room)
    return NULL;
  memcpy(p + 56, &size, 8);
  ++blocks;
  return memset(p + 64, 0xff, size);
}
void *rust_alloc_zeroed(size_t size, size_t align) {
  void *p = rust_alloc(size, align);
  return p ? memset(p, 0, size) : NULL;
}
void rust_dealloc(void *p, size_t size, size_t align) {
  if (memcmp((char *)p - 8, &size, 8) || align != 8)
    abort();
  --blocks;
  memset(p, 0xff, size);
}
void *rust_realloc(void *p, size_t old, size_t align, size_t size) {
  void *q = rust_alloc(size, align);
  memcpy(q, p, old < size ? old : size);
  rust_dealloc(p, old, align);
  return q;
}
void rust_shim(void) {}
void rust_fail(void) { abort(); }
void rust_wait(int *lock) { abort(); }
_Bool rust_calm(void) { return 1; }

enum { N = 19 };
static int check(double f(const double *, long),
                 void gradient(const double *, double *, long),
                 double tangent(const double *, const double *, long)) {
  double x[N], d[N] = {0}, dx[N], up[N], down[N], dot = 0;
  for (int i = 0; i < N; ++i) {
    x[i] = 1 + 0.1 * sin(3 * i);
    dx[i] = cos(i);
    up[i] = x[i] + 1e-6 * dx[i];
    down[i] = x[i] - 1e-6 * dx[i];
  }
  gradient(x, d, N);
  for (int i = 0; i < N; ++i)
    dot += d[i] * dx[i];
  double forward = tangent(x, dx, N);
  double difference = (f(up, N) - f(down, N)) / 2e-6;
  if (fabs(dot - forward) <= 1e-12 * fabs(dot) &&
      fabs(dot - difference) <= 1e-7 * fabs(dot) && !blocks)
    return 0;
  printf("%.17g %.17g %.17g, %ld blocks left\n", dot, forward, difference,
         blocks);
  return 1;
}

int main(void) {
  return check(grow, grow_gradient, grow_tangent) |
         check(push, push_gradient, push_tangent);
}
