// Found by seed 5012 (-O0): forward mode over a reverse request in which a struct
// with a pointer to tracked memory was copied and read back. The derivative of
// the gradient with respect to what the pointer points to is silently zero:
// SECOND, where every first-order oracle holds.
#define SECOND
#include "../program.h"
double f(double *x, double *y, FLT *w, T *t, double **m, N *l, double a, int n) {
  T copy = *t;
  *t = copy;
  l->v = t->z[2] * t->z[2] * t->z[1];
  return 0;
}
#include "../oracle.h"
