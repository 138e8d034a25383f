//===- NumericalBodies.h - bodies for one type of numbers -------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included by NumericalLibraries.c, which defines the macros, for float and for
// double. No file that is included here stands alone: BLAS(name) is a function
// of ours, BODY(name), CBODY(name) and EBODY(name) are the bodies of Fortran's
// names, of cblas_ and of LAPACKE_.
//
//===----------------------------------------------------------------------===//

// The empty lines keep the order: a group uses what is before it.
#include "Blas.h"

#include "BlasTriangular.h"

#include "BlasSymmetric.h"
#include "LapackMatrices.h"
#include "LapackTriangular.h"

#include "LapackBands.h"
#include "LapackCholesky.h"
#include "LapackEigen.h"
#include "LapackLu.h"
#include "LapackQr.h"

#include "EigenBodies.h"

#undef REAL
#undef BLAS
#undef FORTRAN
#undef CBLAS
#undef STAGED
#undef LAPACKE
#undef EPSILON
#undef BODY
#undef CBODY
#undef EBODY
#undef EIGEN
#undef AMAX
#undef CAMAX
#undef MATH
#undef TINY
#undef HUGE
#undef UP
