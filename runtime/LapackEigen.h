//===- LapackEigen.h - symmetric eigenvalue problems ------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// S = V diag(w) V^T is the program's library's, as products are (Products.h):
// a staged call from S to {w, V}. With M = V^T dS V and F = 1 / (wj - wi) off
// the diagonal (M. Giles, Collected matrix derivative results for forward and
// reverse mode algorithmic differentiation, 2008),
//
//   dw = diag(M),   dV = V (F o M)
//
// Vectors of equal eigenvalues, or of such as are nearly so, are any basis of
// what they span, and how they turn in there is lost, also where what is
// computed of them has a derivative. So tangents, and adjoints, that ask for it
// are no numbers.
//
//===----------------------------------------------------------------------===//

__attribute__((weak)) void FORTRAN(syev)(const char *, const char *,
                                         const int *, REAL *, const int *,
                                         REAL *, REAL *, const int *, int *,
                                         size_t, size_t);
__attribute__((weak)) void FORTRAN(syevd)(const char *, const char *,
                                          const int *, REAL *, const int *,
                                          REAL *, REAL *, const int *, int *,
                                          const int *, int *, size_t, size_t);
__attribute__((weak)) int LAPACKE(syev)(int, char, char, int, REAL *, int,
                                        REAL *);
__attribute__((weak)) int LAPACKE(syevd)(int, char, char, int, REAL *, int,
                                         REAL *);

/// What syevd asks for, and syev is content with.
static Count BLAS(roomOfEigen)(Count N) { return 1 + 6 * N + 2 * N * N; }

/// The vectors take the place of the matrix. The call is the program's: others
/// find vectors with other signs.
static int BLAS(solveEigen)(enum EigenSolver Which, char Uplo, int Room, int N,
                            REAL *V, REAL *W) {
  if (Which == DivideOfC)
    return LAPACKE(syevd)(ColumnMajor, 'V', Uplo, N, V, N, W);
  if (Which == RotateOfC)
    return LAPACKE(syev)(ColumnMajor, 'V', Uplo, N, V, N, W);
  // Values alone need less.
  const Count Least = Which == Divide ? BLAS(roomOfEigen)(N) : 3 * N;
  requireLegal(Least <= INT_MAX, "syev");
  if (Room < Least)
    Room = Least;
  const int IntRoom = 3 + 5 * N;
  REAL *Work = malloc(Room * sizeof(REAL));
  int *Ints = malloc(IntRoom * sizeof(int)), Info = -1;
  if (!Work || !Ints)
    __verso_fail("no memory to work in", "syev");
  if (Which == Divide)
    FORTRAN(syevd)
  ("V", &Uplo, &N, V, &N, W, Work, &Room, Ints, &IntRoom, &Info, 1, 1);
  else FORTRAN(syev)("V", &Uplo, &N, V, &N, W, Work, &Room, &Info, 1, 1);
  free(Ints);
  free(Work);
  return Info;
}

#define SHAPE                                                                  \
  long Which, long Uplo, long Room, long N, size_t KeptBytes,                  \
      const REAL *Kept, const REAL *Found

__attribute__((noinline, weak)) void BLAS(eigen)(REAL *To, const REAL *From,
                                                 size_t Bytes,
                                                 SHAPE) __asm__(STAGED "eigen");
void BLAS(eigen)(REAL *To, const REAL *From, size_t Bytes, SHAPE) {
  for (Count I = 0; I < N * N; ++I)
    To[N + I] = From[I];
  if (BLAS(solveEigen)(Which, Uplo, Room, N, To + N, To))
    for (Count I = 0; I < N * N + N; ++I)
      To[I] = __builtin_nanf("");
}

/// V^T X, or V^T X V.
static void BLAS(projected)(Count N, const REAL *V, const REAL *X, REAL *Half,
                            REAL *Result) {
  BLAS(clear)(Half, N * N);
  BLAS(addProduct)(1, 0, N, N, N, V, X, Half);
  if (!Result)
    return;
  BLAS(clear)(Result, N * N);
  BLAS(addProduct)(0, 0, N, N, N, Half, V, Result);
}

/// How far eigenvalues have to be apart, so that a first derivative, or a
/// second one where this is differentiated, has some four digits: they are lost
/// with the distance, and with its square.
static REAL BLAS(leastDistance)(Count N, const REAL *W) {
  const REAL First = MATH(fabs)(W[0]), Last = MATH(fabs)(W[N - 1]);
  const REAL Least =
      verso_is_differentiated() ? 32 * MATH(sqrt)(EPSILON) : 4096 * EPSILON;
  return Least * (First > Last ? First : Last);
}

/// \p Between over the distance of two eigenvalues. Where they are too near,
/// that is no number unless \p Asked is zero.
static REAL BLAS(turn)(REAL Least, REAL Distance, REAL Between, REAL Asked) {
  if (MATH(fabs)(Distance) > Least)
    return Between / Distance;
  return Asked == 0 ? 0 : (REAL)__builtin_nanf("");
}

static REAL *BLAS(newMatrix)(Count N) {
  REAL *New = malloc(N * N * sizeof(REAL));
  if (!New)
    __verso_fail("no memory to work in", "syev");
  return New;
}

void BLAS(eigenJvp)(REAL *Dots, const REAL *From, const REAL *OfFrom,
                    SHAPE) __asm__(STAGED "eigen.jvp");
void BLAS(eigenJvp)(REAL *Dots, const REAL *From, const REAL *OfFrom, SHAPE) {
  const REAL *W = Found, *V = Found + N, Least = BLAS(leastDistance)(N, W);
  REAL *Half = BLAS(newMatrix)(N), *M = BLAS(newMatrix)(N);
  BLAS(projected)(N, V, OfFrom, Half, M);
  for (Count J = 0; J < N; ++J)
    for (Count I = 0; I < N; ++I) {
      if (I == J)
        Dots[I] += M[I + J * N];
      Half[I + J * N] =
          I == J ? 0
                 : BLAS(turn)(Least, W[J] - W[I], M[I + J * N], M[I + J * N]);
    }
  BLAS(addProduct)(0, 0, N, N, N, V, Half, Dots + N);
  free(M);
  free(Half);
}

void BLAS(eigenVjp)(REAL *Bars, const REAL *From, const REAL *OfTo,
                    SHAPE) __asm__(STAGED "eigen.vjp");
void BLAS(eigenVjp)(REAL *Bars, const REAL *From, const REAL *OfTo, SHAPE) {
  const REAL *W = Found, *V = Found + N, Least = BLAS(leastDistance)(N, W);
  // Nobody asks for it, as where the program has seen that there is none. (A
  // derivative of this may not be zero where there is one.)
  _Bool IsAsked = verso_is_differentiated() && W[0] == W[0];
  for (Count I = 0; I < N * N + N; ++I)
    IsAsked |= OfTo[I] != 0;
  if (!IsAsked)
    return;
  REAL *K = BLAS(newMatrix)(N), *Inner = BLAS(newMatrix)(N);
  BLAS(projected)(N, V, OfTo + N, K, 0);
  for (Count J = 0; J < N; ++J)
    for (Count I = 0; I < N; ++I) {
      const REAL A = K[I + J * N], B = K[J + I * N];
      Inner[I + J * N] =
          I == J ? OfTo[I] : BLAS(turn)(Least, W[J] - W[I], (A - B) / 2, A);
    }
  // Bars += V Inner V^T
  BLAS(clear)(K, N * N);
  BLAS(addProduct)(0, 0, N, N, N, V, Inner, K);
  BLAS(addProduct)(0, 1, N, N, N, K, V, Bars);
  free(Inner);
  free(K);
}
#undef SHAPE

/// Of the triangle below the diagonal, where \p Row and \p Column are the
/// steps; vectors are left with a step of one, or of \p Rows, from row to row.
static int BLAS(syev)(enum EigenSolver Which, char Uplo, Count Room,
                      _Bool Vectors, _Bool ByRows, Count N, REAL *A, Count Row,
                      Count Column, Count Rows, REAL *W) {
  if (N == 0)
    return 0;
  const size_t Bytes = (N * N + N) * sizeof(REAL);
  REAL *S = takeStaged(Bytes), *Found = takeStaged(Bytes);
  if (!S || !Found)
    __verso_fail("no memory for a copy of the matrix", "syev");
  const Count Zero = unseenZero();
  for (Count J = 0; J < N; ++J)
    for (Count I = J; I < N; ++I) {
      const REAL Element = A[I * Row + J * Column];
      S[Zero + I + J * N] = Element;
      S[Zero + J + I * N] = Element;
    }
  BLAS(eigen)(Found, S, Bytes, Which, Uplo, Room, N, 0, 0, Found);
  for (Count I = 0; I < N; ++I)
    W[I] = Found[Zero + I];
  if (Vectors)
    for (Count J = 0; J < N; ++J)
      for (Count I = 0; I < N; ++I)
        A[ByRows ? I * Rows + J : I + J * Rows] = Found[Zero + N + I + J * N];
  const int Failed = !(Found[0] == Found[0]);
  giveStaged(Found);
  giveStaged(S);
  return Failed;
}

static int BLAS(syevByColumns)(enum EigenSolver Which, char Job, char Uplo,
                               Count Room, Count N, REAL *A, Count Rows,
                               REAL *W) {
  const _Bool Turned = !isLower(Uplo, "syev");
  requireLegal(N >= 0 && Rows >= atLeastOne(N), "syev");
  return BLAS(syev)(Which, Uplo, Room, isThisOf(Job, 'V', 'N', "syev"), 0, N, A,
                    Turned ? Rows : 1, Turned ? 1 : Rows, Rows, W);
}

static int BLAS(syevByOrder)(enum EigenSolver Which, int Order, char Job,
                             char Uplo, Count N, REAL *A, Count Rows, REAL *W) {
  const _Bool ByRows = isRowMajor(Order, "syev");
  const _Bool Turned = ByRows == isLower(Uplo, "syev");
  requireLegal(N >= 0 && Rows >= atLeastOne(N), "syev");
  return BLAS(syev)(Which, Uplo, 0, isThisOf(Job, 'V', 'N', "syev"), ByRows, N,
                    A, Turned ? Rows : 1, Turned ? 1 : Rows, Rows, W);
}

void BODY(syev)(const char *Job, const char *Uplo, const int *N, REAL *A,
                const int *Rows, REAL *W, REAL *Work, const int *Room,
                int *Info) {
  *Info = 0;
  *Work = BLAS(roomOfEigen)(*N);
  if (*Room != -1)
    *Info = BLAS(syevByColumns)(Rotate, *Job, *Uplo, *Room, *N, A, *Rows, W);
}
void BODY(syevd)(const char *Job, const char *Uplo, const int *N, REAL *A,
                 const int *Rows, REAL *W, REAL *Work, const int *Room,
                 int *Ints, const int *IntRoom, int *Info) {
  *Info = 0;
  *Work = BLAS(roomOfEigen)(*N);
  *Ints = 3 + 5 * *N;
  if (*Room != -1 && *IntRoom != -1)
    *Info = BLAS(syevByColumns)(Divide, *Job, *Uplo, *Room, *N, A, *Rows, W);
}
int EBODY(syev)(int Order, char Job, char Uplo, int N, REAL *A, int Rows,
                REAL *W) {
  return BLAS(syevByOrder)(RotateOfC, Order, Job, Uplo, N, A, Rows, W);
}
int EBODY(syevd)(int Order, char Job, char Uplo, int N, REAL *A, int Rows,
                 REAL *W) {
  return BLAS(syevByOrder)(DivideOfC, Order, Job, Uplo, N, A, Rows, W);
}
