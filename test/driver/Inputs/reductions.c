/* Checks what ../reductions.ll defines against derivatives by hand. */

#include <math.h>
#include <stdio.h>

void reduced_gradient(const double *x, double *d);
double reduced_tangent(const double *x, const double *d);

int main(void) {
  const double x[4] = {0.5, -0.25, 1.25, 0.75};
  double d[4] = {0}, sum = x[0], product = x[0], all = 0;
  for (int i = 0; i < 4; ++i) {
    sum += x[i];
    all += x[i];
    product *= x[i];
  }
  int failures = 0;
  reduced_gradient(x, d);
  for (int i = 0; i < 4; ++i) {
    double unit[4] = {0}, times = i ? 1 : 2;
    unit[i] = 1;
    double expected =
        times * (product + sum * product / x[i]) + 2 * all + 2 * x[i];
    /* The largest is x[2], and so is its sine; the least square is that of
     * x[1]. */
    if (i == 2)
      expected += 100 + cos(x[2]) / (x[1] * x[1]);
    if (i == 1)
      expected += 20 * x[1] - 2 * sin(x[2]) / (x[1] * x[1] * x[1]);
    double tangent = reduced_tangent(x, unit);
    if (fabs(d[i] - expected) > 1e-12 * fabs(expected) ||
        fabs(tangent - expected) > 1e-12 * fabs(expected)) {
      printf("%d: %.17g %.17g, not %.17g\n", i, d[i], tangent, expected);
      ++failures;
    }
  }
  return failures != 0;
}
