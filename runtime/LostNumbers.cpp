//===- LostNumbers.cpp - the error of numbers that are lost ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LostNumbers.h"
#include "Fatal.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

using namespace verso;

/// The first places; the others are as a rule where these numbers went.
static thread_local const char *Places[8];

void verso::sawLost(const char *Where) {
  for (const char *&Place : Places) {
    if (!Place)
      Place = Where;
    if (strcmp(Place, Where) == 0)
      return;
  }
}

void verso::failLost(const char *Where, const char *Prefix) {
  char Seen[2048] = "; compile with -verso-check to be told where such numbers "
                    "are read";
  size_t Used = 0;
  for (const char *Place : Places)
    if (Place && Used < sizeof Seen)
      Used +=
          size_t(snprintf(Seen + Used, sizeof Seen - Used, "%s%s",
                          Used ? ", " : "; such numbers were read at ", Place));
  fatal(Where,
        "%sthe result depends on a number whose bits went through integer "
        "arithmetic or were overwritten in part; write it with floating-point "
        "operations (copysign, ldexp, ...)%s",
        Prefix, Seen);
}
