//===- Flags.cpp - environment variables of the runtime -------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flags.h"
#include "Fatal.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

using namespace verso;

bool verso::parseSize(const char *Text, size_t &Bytes) {
  if (*Text < '0' || *Text > '9')
    return false;
  uint64_t N = 0;
  for (; *Text >= '0' && *Text <= '9'; ++Text)
    if (__builtin_mul_overflow(N, UINT64_C(10), &N) ||
        __builtin_add_overflow(N, uint64_t(*Text - '0'), &N))
      return false;
  unsigned Shift = 0;
  if (*Text) {
    static const char Suffixes[] = "kmgt";
    const char *Found = strchr(Suffixes, *Text | 0x20);
    if (!Found || Text[1])
      return false;
    Shift = 10 * unsigned(Found - Suffixes + 1);
  }
  if (N > SIZE_MAX >> Shift)
    return false;
  Bytes = N << Shift;
  return true;
}

static constinit Flags TheFlags;

static void readSize(const char *Variable, size_t &Value) {
  const char *Text = getenv(Variable);
  if (Text && !parseSize(Text, Value))
    fatal(nullptr, "%s=%s is not a size such as 65536, 64k, 3M or 2G", Variable,
          Text);
}

static void readBool(const char *Variable, bool &Value) {
  const char *Text = getenv(Variable);
  if (!Text)
    return;
  if (strcmp(Text, "0") && strcmp(Text, "1"))
    fatal(nullptr, "%s=%s is neither 0 nor 1", Variable, Text);
  Value = *Text == '1';
}

static void readFlags() {
#define VERSO_FLAG_SIZE(NAME, VARIABLE, DEFAULT)                               \
  readSize("VERSO_" #VARIABLE, TheFlags.NAME);
#define VERSO_FLAG_BOOL(NAME, VARIABLE, DEFAULT)                               \
  readBool("VERSO_" #VARIABLE, TheFlags.NAME);
#include "Flags.def"
}

const Flags &verso::flags() {
  static constinit pthread_once_t Once = PTHREAD_ONCE_INIT;
  pthread_once(&Once, readFlags);
  return TheFlags;
}
