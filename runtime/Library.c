//===- Library.c - bodies of library functions that call back -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// qsort, qsort_r and bsearch move numbers and call the user's code, others move
// pointers; so in a differentiated function they are replaced by these bodies,
// which are then differentiated like the user's own. Embedded in the plugin as
// bitcode, together with Sweep.c. And what is done behind calls that write
// unseen.
//
//===----------------------------------------------------------------------===//

#include <errno.h>
#include <stddef.h>

typedef int Compare(const void *, const void *);
typedef int CompareWith(const void *, const void *, void *);

void *malloc(size_t);
void *aligned_alloc(size_t, size_t);
void free(void *);
void *memcpy(void *, const void *, size_t);
void *memmove(void *, const void *, size_t);

void __verso_forget_bytes(void *, size_t);
int __verso_bytes_differ(void *, void *, size_t);

/// Numbers of \p Size bytes that differ from their copy are constants, pointers
/// have no shadow
/// (prepare/UnseenWrites.h).
void __verso_detach_changed(char *Memory, char *Copy, size_t Bytes,
                            size_t Size) {
  if (!Copy || !__verso_bytes_differ(Memory, Copy, Bytes))
    return;
  for (size_t I = 0; I + Size <= Bytes; I += Size)
    if (__verso_bytes_differ(Memory + I, Copy + I, Size))
      __verso_forget_bytes(Memory + I, Size);
}

/// Stable merge sort, bottom up, as glibc's qsort was for decades; the order of
/// equal elements is unspecified by C. One of the two comparators is null.
static inline __attribute__((always_inline)) void
mergeSort(void *Array, size_t Count, size_t Size, Compare *Less,
          CompareWith *LessWith, void *Context) {
  if (Count < 2 || Size == 0)
    return;
  char *From = Array, *Scratch = malloc(Count * Size), *To = Scratch;
  for (size_t Width = 1; Width < Count; Width *= 2) {
    for (size_t Start = 0; Start < Count; Start += 2 * Width) {
      size_t Middle = Start + Width < Count ? Start + Width : Count;
      size_t End = Middle + Width < Count ? Middle + Width : Count;
      size_t L = Start, R = Middle;
      for (size_t Out = Start; Out < End; ++Out) {
        const char *A = From + L * Size, *B = From + R * Size;
        int TakeLeft = L < Middle &&
                       (R >= End ||
                        (LessWith ? LessWith(A, B, Context) : Less(A, B)) <= 0);
        size_t Taken = TakeLeft ? L++ : R++;
        memcpy(To + Out * Size, From + Taken * Size, Size);
      }
    }
    char *T = From;
    From = To;
    To = T;
  }
  if (From != (char *)Array)
    memcpy(Array, From, Count * Size);
  free(Scratch);
}

void __verso_body_qsort(void *Array, size_t Count, size_t Size, Compare *Less) {
  mergeSort(Array, Count, Size, Less, NULL, NULL);
}

void __verso_body_qsort_r(void *Array, size_t Count, size_t Size,
                          CompareWith *Less, void *Context) {
  mergeSort(Array, Count, Size, NULL, Less, Context);
}

/// The block is one that the function itself allocates.
int __verso_body_posix_memalign(void **Block, size_t Alignment, size_t Bytes) {
  if (!Alignment || Alignment % sizeof(void *) || (Alignment & (Alignment - 1)))
    return EINVAL;
  void *New = aligned_alloc(Alignment, Bytes);
  if (!New)
    return ENOMEM;
  *Block = New;
  return 0;
}

/// Wide characters have four bytes.
void *__verso_body_wmemcpy(void *To, const void *From, size_t Count) {
  return memcpy(To, From, 4 * Count);
}

void *__verso_body_wmemmove(void *To, const void *From, size_t Count) {
  return memmove(To, From, 4 * Count);
}

void *__verso_body_bsearch(const void *Key, const void *Array, size_t Count,
                           size_t Size, Compare *Order) {
  const char *Low = Array;
  while (Count) {
    const char *Middle = Low + Count / 2 * Size;
    int C = Order(Key, Middle);
    if (C == 0)
      return (void *)Middle;
    if (C > 0) {
      Low = Middle + Size;
      --Count;
    }
    Count /= 2;
  }
  return NULL;
}
