// A local struct that is copied in a loop, beside a loop whose count comes from
// the addresses of an argument: casts of it may come between the variables.
#include "../check.h"

struct U {
  double a, b, c[4];
};

static double f(double *x, const double *y, const int *ix, int n, double a) {
  double s = 0.1;
  struct U u = {0.3, a, {1, 2, 3, a}};
  for (int i = n - 1; i >= 2; --i)
    for (double *e = x; e < x + n; ++e) {
      struct U w = u;
      w.c[ix[i] & 3] = y[0];
      u = w;
    }
  for (unsigned k = 1; k < 20; k -= 3)
    s = s * x[4 * (int)k] / (1 + s * s);
  return s + 0.5 * a * u.a + u.c[1] * 0.1;
}

int main(void) {
  volatile int n = 4;
  int ix[4] = {0, 1, 3, 1};
  double x[5] = {1, 2, 3, 4, 1.5}, dx[5] = {0}, dy[1] = {0};
  double y[1] = {0.5};
  double da = __verso_grad(f, verso_dup, x, dx, verso_dup, y, dy, verso_const,
                           ix, verso_const, n, 0.7);
  CHECK_CLOSE(da, 0.15, 1e-15);
  CHECK_CLOSE(dy[0], 0.1, 1e-15);
  CHECK_CLOSE(dx[4], 0.1 / 1.01, 1e-15);
  return check_status();
}
