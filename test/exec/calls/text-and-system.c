//===- text-and-system.c - more of the C library without derivative -------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Wide characters, locales, regular expressions, numbers as text, files,
// signals and semaphores in the middle of differentiated code; what they write
// into memory that held numbers has no derivative.
//
//===----------------------------------------------------------------------===//

// FLAGS: -D_GNU_SOURCE

#include "../check.h"
#include <locale.h>
#include <pthread.h>
#include <regex.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>

CHECK_NOINLINE static double wide(double x, const char *text) {
  wchar_t line[32], more[32];
  mbstate_t state;
  memset(&state, 0, sizeof state);
  const char *from = text;
  size_t needed = mbsrtowcs(NULL, &from, 0, &state);
  size_t length = mbsrtowcs(line, &from, 32, &state);
  if (needed != length)
    return 0;
  wcsncpy(more, line, 31);
  wcscat(more, L"!");
  wchar_t *bang = wcschr(more, L'!'), *end;
  int digits = 0;
  for (wchar_t *c = line; *c; ++c)
    digits += iswdigit((wint_t)*c) != 0;
  double factor = wcstod(line, &end);
  wchar_t printed[32];
  swprintf(printed, 32, L"%g", x);
  double back = wcstod(printed, NULL); // A constant.
  return x * factor * (double)(bang - more) * digits + back +
         (double)(length + (size_t)(end - line)) * x;
}

CHECK_NOINLINE static double matched(double x, const char *text) {
  regex_t number;
  regmatch_t at[1];
  if (regcomp(&number, "[0-9]+", REG_EXTENDED))
    return 0;
  int failed = regexec(&number, text, 1, at, 0);
  regfree(&number);
  if (failed)
    return 0;
  locale_t c = newlocale(LC_ALL_MASK, "C", NULL);
  double factor = strtod_l(text + at[0].rm_so, NULL, c);
  freelocale(c);
  char digits[32];
  gcvt(x, 6, digits);
  return x * x * factor + strtod(digits, NULL);
}

CHECK_NOINLINE static double asked(double x) {
  union {
    double number;
    struct rlimit limit;
  } u;
  struct stat status;
  struct utsname system;
  struct tm day;
  sigset_t signals, before;
  sem_t gate;
  u.number = x * x; // Overwritten by the next call.
  if (getrlimit(RLIMIT_NOFILE, &u.limit) || stat("/", &status) ||
      uname(&system))
    return 0;
  double limited = u.number; // Bits of an integer.
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &signals, &before);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  sem_init(&gate, 0, 1);
  int opened = sem_trywait(&gate) == 0;
  sem_post(&gate);
  sem_destroy(&gate);
  memset(&day, 0, sizeof day);
  strptime("1970-01-03", "%Y-%m-%d", &day);
  double days = (double)timegm(&day) / 86400;
  return x * days * opened + (S_ISDIR(status.st_mode) ? x : 0) +
         (limited > 1 ? limited : 0) + (getuid() == geteuid() ? x : 0);
}

int main(void) {
  CHECK_EQUAL(__verso_grad(wide, 3.0, verso_const, "25 ab"), 25 * 5 * 2 + 7);
  CHECK_EQUAL(__verso_grad(matched, 3.0, verso_const, "about 12 m"), 6 * 12);
  CHECK_EQUAL(__verso_grad(asked, 3.0), 2 + 1 + 1);
  return check_status();
}
