//===- Fftw.c - bodies of FFTW's functions --------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Embedded in the plugin as bitcode, as Library.c is. Bodies are of two kinds:
//   - functions that plan, everywhere in a file that is compiled with Verso:
//     they call FFTW and tell the runtime (FourierPlans.cpp), if there is one.
//     While requests are lowered nobody sees them
//     (pass/prepare/FourierPlans.h);
//   - functions that execute, in differentiated code: what the input holds is
//     copied to a block, and the transform is a staged call from block to block
//     (pass/prepare/StagedProducts.h), whose JVP is the same transform and
//     whose VJP is its transpose, all of them FFTW's.
//
//===----------------------------------------------------------------------===//

#include "FftwFunctions.h"

#include <stdint.h>

_Noreturn void __verso_fail(const char *Reason, const char *Where);
int verso_is_differentiated(void);
// pass/prepare/StagedProducts.h
int mayStage(void) __asm__("verso.product.may.stage");
ptrdiff_t unseenZero(void) __asm__("verso.product.zero");

// FourierPlans.cpp. A program may plan and have no runtime.
__attribute__((weak)) void __verso_fftw_begin(void);
__attribute__((weak)) void __verso_fftw_end(void);
__attribute__((weak)) void
__verso_fftw_note_rows(const struct verso_fftw_noted *,
                       const struct verso_fftw_rows *);
__attribute__((weak)) void
__verso_fftw_note_dimensions(const struct verso_fftw_noted *, int Rank,
                             const void *Dimensions, int Batches,
                             const void *OfBatches, int AreLong);
__attribute__((weak)) void __verso_fftw_note_variables(void *Plan, void *In,
                                                       int64_t InBytes,
                                                       void *Out,
                                                       int64_t OutBytes);
__attribute__((weak)) void __verso_fftw_forget(void *Plan);
__attribute__((weak)) void
__verso_fftw_cleanup(const struct verso_fftw_functions *);
int64_t __verso_fftw_find(void *Plan, int64_t Kind);
void **__verso_fftw_arrays(void *Plan, void *Holder, const char *Where);
int64_t __verso_fftw_overwrote(void *Plan);
int64_t __verso_fftw_numbers(int64_t Shape, int64_t OfOutput);
const ptrdiff_t *__verso_fftw_places(int64_t Shape, int64_t OfOutput);
void __verso_fftw_apply(int64_t Shape, int64_t Transposed, int64_t Plan,
                        void *To, const void *From);
void __verso_fftw_column(void *To, size_t Bytes, int64_t Shape,
                         int64_t Transposed, int64_t Column);

// SpareBlocks.cpp
__attribute__((malloc)) void *__verso_take_block(size_t Bytes);
void __verso_give_block(void *Block);

/// fftw3.h
enum { Estimate = 1 << 6, WisdomOnly = 1 << 21 };

static int64_t shapeOf(void *Plan, int64_t Kind, const char *Where) {
  const int64_t Shape = __verso_fftw_find(Plan, Kind);
  if (!Shape)
    __verso_fail("a plan of FFTW is executed in differentiated code, and "
                 "nothing is known of it: it is of another kind than the call, "
                 "has been destroyed, was made by a function for separate real "
                 "and imaginary parts, or by code that was compiled without "
                 "Verso (compile the file that plans with -fpass-plugin, too)",
                 Where);
  return Shape;
}

/// Behind a call that plans. 0 bytes: nobody knows.
void __verso_body_fftw_variables(void *Plan, void *In, int64_t InBytes,
                                 void *Out, int64_t OutBytes) {
  if (__verso_fftw_note_variables)
    __verso_fftw_note_variables(Plan, In, InBytes, Out, OutBytes);
}

/// Of a block that input and output fit into.
static size_t countOf(int64_t Shape) {
  const int64_t Ins = __verso_fftw_numbers(Shape, 0);
  const int64_t Outs = __verso_fftw_numbers(Shape, 1);
  return Ins > Outs ? Ins : Outs;
}

#define REAL float
#define FFTW(NAME) fftwf_##NAME
#define BODY(NAME) __verso_body_fftwf_##NAME
#define OURS(NAME) NAME##OfFloats
#define STAGED "verso.product.s.fourier"
#include "FftwBodies.h"

#define REAL double
#define FFTW(NAME) fftw_##NAME
#define BODY(NAME) __verso_body_fftw_##NAME
#define OURS(NAME) NAME##OfDoubles
#define STAGED "verso.product.d.fourier"
#include "FftwBodies.h"
