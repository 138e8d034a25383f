//===- written-once-constants.c - rows of constant length -----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernels of written-once.c, for one number of rows that all calls agree on,
// so that the optimiser puts it in its place.
//
//===----------------------------------------------------------------------===//

#define CONSTANTS
#include "written-once.c"
