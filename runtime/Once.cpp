//===- Once.cpp - what is done once, in differentiated code ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// pthread_once calls the program back from the C library, where nobody would
// differentiate what it calls. So a body of ours (Threads.c) calls it, between
// the functions here. Others of the program may use the same flag without
// Verso before or later, but not at the same time.
//
//===----------------------------------------------------------------------===//

#include "Interface.h"

#include <pthread.h>

/// One for all flags: what is done once may do others.
static pthread_mutex_t Doing = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

/// Whether it is to be done now; then __verso_end_once() is to follow.
int __verso_begin_once(void *Control) {
  // As the C library has it when it is done (glibc, musl).
  constexpr int Done = 2;
  pthread_mutex_lock(&Doing);
  if (*static_cast<volatile int *>(Control) != Done)
    return 1;
  pthread_mutex_unlock(&Doing);
  return 0;
}

void __verso_mark_done(void *Control) {
  pthread_once(static_cast<pthread_once_t *>(Control), [] {});
}

void __verso_end_once() { pthread_mutex_unlock(&Doing); }
