//===- OpenMP.cpp - teams of threads around differentiated code -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fatal.h"
#include "Interface.h"

void __verso_check_team(int Threads, const char *Where) {
  if (Threads > 1)
    verso::fatal(Where,
                 "the %d threads of a parallel region share this, and each "
                 "differentiates its part: differentiate a function that has "
                 "the whole region",
                 Threads);
}
