//===- last-choices-constants.c - what loops of constant length chose -----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernels of last-choices.c, for one number of rows that all calls agree on.
//
//
// Asks for structured code, which a sanitizer's checks keep out.
// REQUIRES: unsanitized
//
//===----------------------------------------------------------------------===//

#define CONSTANTS
#include "last-choices.c"
