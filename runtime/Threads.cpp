//===- Threads.cpp - threads of differentiated code -----------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads that differentiated functions start run at once and to their end
// (Threads.c), parallel regions of OpenMP have one thread
// (pass/prepare/OpenMP.h). What would be another program by that is an error.
//
//===----------------------------------------------------------------------===//

#include "Fatal.h"
#include "Interface.h"

#include <atomic>

#include <semaphore.h>
#include <sys/syscall.h>
#include <unistd.h>

/// How many threads, one within the other, this one runs.
static thread_local unsigned Depth;

/// Odd; the C library's are addresses.
unsigned long __verso_begin_thread() {
  static std::atomic<unsigned long> Last = 1;
  ++Depth;
  return Last += 2;
}

void __verso_leave_thread() { --Depth; }

void __verso_end_thread(unsigned long Thread) {
  if (Thread % 2 == 0)
    verso::fatal(nullptr, "a differentiated function waits for a thread that "
                          "it did not start: start it within the function");
}

void __verso_check_thread_local(const char *Where) {
  if (Depth)
    verso::fatal(Where,
                 "a thread_local variable, in a thread that a differentiated "
                 "function starts: threads run one after another here and "
                 "would share it; hand the thread a variable of its own");
}

void __verso_check_wait(const char *Where) {
  verso::fatal(Where, "a differentiated function waits for another thread: "
                      "threads that it starts run one after another");
}

void __verso_wait_for_semaphore(void *Semaphore, const char *Where) {
  if (sem_trywait(static_cast<sem_t *>(Semaphore)))
    __verso_check_wait(Where);
}

/// As the kernel does: it waits while the word is what it was.
void __verso_wait_for_word(const int *Word, int Expected, const char *Where) {
  if (__atomic_load_n(Word, __ATOMIC_SEQ_CST) == Expected)
    __verso_check_wait(Where);
}

void __verso_wake_word(const int *Word, int Operation, int Threads) {
  syscall(SYS_futex, Word, Operation, Threads, nullptr, nullptr, ~0);
}

void __verso_check_team(int Threads, const char *Where) {
  if (Threads > 1)
    verso::fatal(Where,
                 "the %d threads of a parallel region share this, and each "
                 "differentiates its part: differentiate a function that has "
                 "the whole region",
                 Threads);
}
