//===- Markers.cpp - the variables that requests are written with ---------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program that declares a marker extern links with these; one that defines it
// wins. Their addresses and names matter, their values do not. Markers that are
// passed to a request are gone after lowering; these serve -O0 debuggers and
// code outside requests.
//
// __verso_abi_<version> is referred to by every module with a request, so that
// a runtime of another version fails to link.
//
//===----------------------------------------------------------------------===//

#include "verso/Layout.h"

#define VERSO_WEAK extern "C" __attribute__((weak, visibility("default")))
#define VERSO_MARKER(NAME)                                                     \
  VERSO_WEAK int NAME;                                                         \
  int NAME = 0;

VERSO_MARKER(verso_const)
VERSO_MARKER(verso_dup)
VERSO_MARKER(verso_out)
VERSO_MARKER(verso_dupnoneed)
VERSO_MARKER(verso_dup_n)
VERSO_MARKER(verso_width)

VERSO_MARKER(enzyme_const)
VERSO_MARKER(enzyme_dup)
VERSO_MARKER(enzyme_out)
VERSO_MARKER(enzyme_dupnoneed)
VERSO_MARKER(enzyme_dupv)
VERSO_MARKER(enzyme_dupnoneedv)
VERSO_MARKER(enzyme_width)
VERSO_MARKER(enzyme_vector)
VERSO_MARKER(enzyme_tape)
VERSO_MARKER(enzyme_allocated)
VERSO_MARKER(enzyme_nofree)
VERSO_MARKER(enzyme_runtime_activity)
VERSO_MARKER(enzyme_primal_return)
VERSO_MARKER(enzyme_noret)
VERSO_MARKER(enzyme_const_return)
VERSO_MARKER(enzyme_active_return)
VERSO_MARKER(enzyme_dup_return)

#define VERSO_PASTE(A, B) A##B
#define VERSO_ABI_SYMBOL(VERSION) VERSO_PASTE(__verso_abi_, VERSION)

extern "C" __attribute__((visibility("default"))) const int
    VERSO_ABI_SYMBOL(VERSO_ABI_VERSION) = VERSO_ABI_VERSION;
