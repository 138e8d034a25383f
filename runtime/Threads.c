//===- Threads.c - bodies of library functions that start threads ---------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread that a differentiated function starts runs where it is started, to
// its end: an order in which threads may run, unless they wait for one another
// (an error, Threads.cpp). Embedded in the plugin as bitcode, as Library.c is.
//
//===----------------------------------------------------------------------===//

#include <stddef.h>

#define NOTHROW __attribute__((nothrow))

NOTHROW void *malloc(size_t);
NOTHROW void free(void *);
NOTHROW int __verso_begin_once(void *);
NOTHROW void __verso_mark_done(void *);
NOTHROW void __verso_end_once(void);
NOTHROW unsigned long __verso_begin_thread(void);
NOTHROW void __verso_leave_thread(void);
NOTHROW void __verso_end_thread(unsigned long);

static void leaveOnce(int *Begun) {
  if (*Begun)
    __verso_end_once();
}

/// If \p Function throws, it counts as not called.
int __verso_body_pthread_once(int *Control, void (*Function)(void)) {
  __attribute__((cleanup(leaveOnce))) int Begun = __verso_begin_once(Control);
  if (Begun) {
    Function();
    __verso_mark_done(Control);
  }
  return 0;
}

/// What std::call_once of libstdc++ gives to pthread_once.
extern __thread void (*OnceCall)(void) __asm__("_ZSt11__once_call");
void __verso_body___once_proxy(void) { OnceCall(); }

/// What threads gave back that nobody has asked for yet.
typedef struct Given {
  struct Given *Next;
  void *Result;
  unsigned long Thread;
} Given;
// One, however often bodies are linked, and for all files.
__attribute__((weak, visibility("hidden"))) __thread Given *__verso_given;

static void give(unsigned long Thread, void *Result) {
  if (!Result)
    return;
  Given *New = malloc(sizeof *New);
  New->Next = __verso_given;
  New->Result = Result;
  New->Thread = Thread;
  __verso_given = New;
}

static void *take(unsigned long Thread) {
  for (Given **At = &__verso_given; *At; At = &(*At)->Next)
    if ((*At)->Thread == Thread) {
      Given *Found = *At;
      void *Result = Found->Result;
      *At = Found->Next;
      free(Found);
      return Result;
    }
  return NULL;
}

int __verso_body_pthread_create(unsigned long *Thread, const void *Attributes,
                                void *(*Start)(void *), void *Argument) {
  (void)Attributes;
  unsigned long New = __verso_begin_thread();
  *Thread = New;
  void *Result = Start(Argument);
  __verso_leave_thread();
  give(New, Result);
  return 0;
}

int __verso_body_pthread_join(unsigned long Thread, void **Result) {
  __verso_end_thread(Thread);
  if (Result)
    *Result = take(Thread);
  return 0;
}

int __verso_body_pthread_detach(unsigned long Thread) {
  __verso_end_thread(Thread);
  return 0;
}

int __verso_body_thrd_create(unsigned long *Thread, int (*Start)(void *),
                             void *Argument) {
  unsigned long New = __verso_begin_thread();
  *Thread = New;
  int Result = Start(Argument);
  __verso_leave_thread();
  give(New, (void *)(ptrdiff_t)Result);
  return 0;
}

int __verso_body_thrd_join(unsigned long Thread, int *Result) {
  __verso_end_thread(Thread);
  if (Result)
    *Result = (int)(ptrdiff_t)take(Thread);
  return 0;
}

/// What std::thread of libstdc++ calls; virtual functions are two destructors,
/// then this. The caller of std::thread::_M_start_thread destroys the state.
typedef struct State {
  void (**Virtual)(struct State *);
} State;

void __verso_body__ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE(
    unsigned long *Thread, State **Unique, void (*Depend)(void)) {
  (void)Depend;
  *Thread = __verso_begin_thread();
  (*Unique)->Virtual[2](*Unique);
  __verso_leave_thread();
}

void __verso_body__ZNSt6thread4joinEv(unsigned long *Thread) {
  __verso_end_thread(*Thread);
  *Thread = 0;
}

void __verso_body__ZNSt6thread6detachEv(unsigned long *Thread) {
  __verso_end_thread(*Thread);
  *Thread = 0;
}
