//===- FftwBodies.h - bodies of FFTW for one type of numbers ----*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included by Fftw.c, which defines the macros, for float and for double.
//
//===----------------------------------------------------------------------===//

//===----------------------------------------------------------------------===//
// Functions that execute
//===----------------------------------------------------------------------===//

// A staged call: (to, from, bytes of both, what it is given beside numbers,
// kept bytes, kept, -). Nothing is kept: the derivatives read no numbers. The
// program's plan is for the way forward only; 0 is none.

#define SHAPE                                                                  \
  int64_t Shape, int64_t Transposed, int64_t Plan, size_t KeptBytes,           \
      const REAL *Kept, void *Last

__attribute__((noinline, weak)) void OURS(fourier)(REAL *To, const REAL *From,
                                                   size_t Bytes,
                                                   SHAPE) __asm__(STAGED);
void OURS(fourier)(REAL *To, const REAL *From, size_t Bytes, SHAPE) {
  __verso_fftw_apply(Shape, Transposed, Plan, To, From);
}

/// To = A From, which the tape of a tape, and a map that is kept, have number
/// by number.
static void OURS(runByColumns)(REAL *To, const REAL *From, int64_t Shape,
                               int64_t Transposed) {
  const int64_t Ins = __verso_fftw_numbers(Shape, Transposed);
  const int64_t Outs = __verso_fftw_numbers(Shape, !Transposed);
  const size_t Bytes = sizeof(REAL) * Outs;
  REAL *Column = __verso_take_block(Bytes);
  for (int64_t I = 0; I < Outs; ++I)
    To[I] = 0;
  for (int64_t J = 0; J < Ins; ++J) {
    __verso_fftw_column(Column, Bytes, Shape, Transposed, J);
    for (int64_t I = 0; I < Outs; ++I)
      if (Column[I] != 0)
        To[I] += Column[I] * From[J];
  }
  __verso_give_block(Column);
}

static void OURS(run)(REAL *To, const REAL *From, size_t Bytes, int64_t Shape,
                      int64_t Transposed, void *Plan) {
  if (mayStage())
    OURS(fourier)(To, From, Bytes, Shape, Transposed, (int64_t)Plan, 0, 0, 0);
  else
    OURS(runByColumns)(To, From, Shape, Transposed);
}

/// To += A From, of blocks.
__attribute__((noinline)) static void
OURS(add)(REAL *To, const REAL *From, int64_t Shape, int64_t Transposed) {
  const int64_t Ins = __verso_fftw_numbers(Shape, Transposed);
  const int64_t Outs = __verso_fftw_numbers(Shape, !Transposed);
  const size_t Bytes = sizeof(REAL) * countOf(Shape);
  REAL *Sum = __verso_take_block(Bytes);
  const ptrdiff_t Zero = unseenZero();
  if (verso_is_differentiated()) { // By a request for a derivative of this.
    REAL *Copy = __verso_take_block(Bytes);
    for (int64_t I = 0; I < Ins; ++I)
      Copy[Zero + I] = From[I];
    OURS(run)(Sum, Copy, Bytes, Shape, Transposed, 0);
    __verso_give_block(Copy);
  } else {
    OURS(fourier)(Sum, From, Bytes, Shape, Transposed, 0, 0, 0, 0);
  }
  for (int64_t I = 0; I < Outs; ++I)
    To[I] += Sum[Zero + I];
  __verso_give_block(Sum);
}

void OURS(fourierJvp)(REAL *Dots, const REAL *From, const REAL *OfFrom,
                      SHAPE) __asm__(STAGED ".jvp");
void OURS(fourierJvp)(REAL *Dots, const REAL *From, const REAL *OfFrom, SHAPE) {
  OURS(add)(Dots, OfFrom, Shape, Transposed);
}
void OURS(fourierVjp)(REAL *Bars, const REAL *From, const REAL *OfTo,
                      SHAPE) __asm__(STAGED ".vjp");
void OURS(fourierVjp)(REAL *Bars, const REAL *From, const REAL *OfTo, SHAPE) {
  OURS(add)(Bars, OfTo, Shape, !Transposed);
}
#undef SHAPE

static void OURS(execute)(void *Plan, int64_t Kind, REAL *In, REAL *Out,
                          const char *Where) {
  const int64_t Shape = shapeOf(Plan, Kind, Where);
  const int64_t Ins = __verso_fftw_numbers(Shape, 0);
  const int64_t Outs = __verso_fftw_numbers(Shape, 1);
  const ptrdiff_t *InPlaces = __verso_fftw_places(Shape, 0);
  const ptrdiff_t *OutPlaces = __verso_fftw_places(Shape, 1);
  const size_t Bytes = sizeof(REAL) * countOf(Shape);
  REAL *From = __verso_take_block(Bytes), *To = __verso_take_block(Bytes);
  const ptrdiff_t Zero = unseenZero();
  if (InPlaces)
    for (int64_t I = 0; I < Ins; ++I)
      From[Zero + I] = In[InPlaces[I]];
  else
    for (int64_t I = 0; I < Ins; ++I)
      From[Zero + I] = In[I];
  OURS(run)(To, From, Bytes, Shape, 0, Plan);
  if (OutPlaces)
    for (int64_t I = 0; I < Outs; ++I)
      Out[OutPlaces[I]] = To[Zero + I];
  else
    for (int64_t I = 0; I < Outs; ++I)
      Out[I] = To[Zero + I];
  __verso_give_block(To);
  __verso_give_block(From);
}

// Where is the program's line, for messages.

/// \p Holder is where the program has the plan, as far as is seen.
void BODY(execute_from)(void *Plan, void *Holder, const char *Where) {
  REAL **Arrays = (REAL **)__verso_fftw_arrays(Plan, Holder, Where);
  if (!Arrays)
    shapeOf(Plan, -1, Where); // It fails.
  OURS(execute)(Plan, -1, Arrays[0], Arrays[1], Where);
}
void BODY(execute)(void *Plan) { BODY(execute_from)(Plan, 0, "fftw_execute"); }
/// The same of a plan whose arrays are in sight.
void BODY(execute_on)(void *Plan, REAL *In, REAL *Out, const char *Where) {
  OURS(execute)(Plan, -1, In, Out, Where);
}
void BODY(execute_dft)(void *Plan, REAL *In, REAL *Out, const char *Where) {
  OURS(execute)(Plan, VERSO_FFTW_COMPLEX, In, Out, Where);
}
void BODY(execute_dft_r2c)(void *Plan, REAL *In, REAL *Out, const char *Where) {
  OURS(execute)(Plan, VERSO_FFTW_REAL_TO_COMPLEX, In, Out, Where);
}
void BODY(execute_dft_c2r)(void *Plan, REAL *In, REAL *Out, const char *Where) {
  OURS(execute)(Plan, VERSO_FFTW_COMPLEX_TO_REAL, In, Out, Where);
}
void BODY(execute_r2r)(void *Plan, REAL *In, REAL *Out, const char *Where) {
  OURS(execute)(Plan, VERSO_FFTW_REAL, In, Out, Where);
}

// Behind a call that plans, in differentiated code.

static void OURS(clear)(REAL *Array, int64_t Shape, int64_t OfOutput) {
  const int64_t Count = __verso_fftw_numbers(Shape, OfOutput);
  const ptrdiff_t *Places = __verso_fftw_places(Shape, OfOutput);
  if (Places)
    for (int64_t I = 0; I < Count; ++I)
      Array[Places[I]] = 0;
  else
    for (int64_t I = 0; I < Count; ++I)
      Array[I] = 0;
}

/// What planning has overwritten are constants, and it does not say which.
void BODY(overwrite)(void *Plan, REAL *In, REAL *Out) {
  if (!__verso_fftw_overwrote(Plan))
    return;
  const int64_t Shape = shapeOf(Plan, -1, 0);
  OURS(clear)(In, Shape, 0);
  OURS(clear)(Out, Shape, 1);
}

/// The arrays once more, with the shadows that they have here.
void BODY(keep)(void *Plan, REAL *In, REAL *Out) {
  void **Arrays = __verso_fftw_arrays(Plan, 0, 0);
  if (!Arrays)
    return;
  Arrays[0] = In;
  Arrays[1] = Out;
}

__attribute__((malloc)) void *FFTW(malloc)(size_t Bytes);
void FFTW(free)(void *);
void *BODY(alloc_real)(size_t Count) {
  return FFTW(malloc)(Count * sizeof(REAL));
}
void *BODY(alloc_complex)(size_t Count) {
  return FFTW(malloc)(Count * 2 * sizeof(REAL));
}

//===----------------------------------------------------------------------===//
// Functions that plan
//===----------------------------------------------------------------------===//

verso_fftw_plan_complex FFTW(plan_guru64_dft);
verso_fftw_plan_half FFTW(plan_guru64_dft_r2c), FFTW(plan_guru64_dft_c2r);
verso_fftw_plan_real FFTW(plan_guru64_r2r);
void FFTW(execute_dft)(void *, void *, void *);
void FFTW(execute_dft_r2c)(void *, void *, void *);
void FFTW(execute_dft_c2r)(void *, void *, void *);
void FFTW(execute_r2r)(void *, void *, void *);
void FFTW(destroy_plan)(void *);
int FFTW(alignment_of)(void *);
void FFTW(cleanup)(void);
void FFTW(cleanup_threads)(void);

static const struct verso_fftw_functions OURS(functions) = {
    sizeof(REAL),
    FFTW(plan_guru64_dft),
    FFTW(plan_guru64_dft_r2c),
    FFTW(plan_guru64_dft_c2r),
    FFTW(plan_guru64_r2r),
    {FFTW(execute_dft), FFTW(execute_dft_r2c), FFTW(execute_dft_c2r),
     FFTW(execute_r2r)},
    FFTW(destroy_plan),
    FFTW(alignment_of),
    FFTW(malloc),
    FFTW(free)};

void BODY(destroy_plan)(void *Plan) {
  if (!__verso_fftw_begin)
    return FFTW(destroy_plan)(Plan);
  __verso_fftw_begin();
  __verso_fftw_forget(Plan);
  FFTW(destroy_plan)(Plan);
  __verso_fftw_end();
}
void BODY(cleanup)(void) {
  if (__verso_fftw_cleanup)
    __verso_fftw_cleanup(&OURS(functions));
  FFTW(cleanup)();
}
void BODY(cleanup_threads)(void) {
  if (__verso_fftw_cleanup)
    __verso_fftw_cleanup(&OURS(functions));
  FFTW(cleanup_threads)();
}

// A saved plan is used without a look at the arrays: that is tried first, so
// that it is known whether they were overwritten.
#define PLAN(NAME, PARAMETERS, ARGUMENTS, KIND, SIGN, KINDS, NOTE)             \
  void *FFTW(NAME) PARAMETERS;                                                 \
  PLAN_KNOWN(NAME, PARAMETERS, ARGUMENTS, KIND, SIGN, KINDS, NOTE)
#define PLAN_KNOWN(NAME, PARAMETERS, ARGUMENTS, KIND, SIGN, KINDS, NOTE)       \
  void *BODY(NAME) PARAMETERS {                                                \
    if (!__verso_fftw_begin)                                                   \
      return FFTW(NAME) ARGUMENTS;                                             \
    const _Bool Measures = !(Flags & (Estimate | WisdomOnly));                 \
    const unsigned Asked = Flags;                                              \
    void *Plan = 0;                                                            \
    _Bool Overwrote = 0;                                                       \
    __verso_fftw_begin();                                                      \
    if (Measures) {                                                            \
      Flags |= WisdomOnly;                                                     \
      Plan = FFTW(NAME) ARGUMENTS;                                             \
      Flags = Asked;                                                           \
    }                                                                          \
    if (!Plan) {                                                               \
      Plan = FFTW(NAME) ARGUMENTS;                                             \
      Overwrote = Measures;                                                    \
    }                                                                          \
    const struct verso_fftw_noted Noted = {                                    \
        Plan, &OURS(functions), KIND, In, Out, SIGN, KINDS, Flags, Overwrote}; \
    NOTE;                                                                      \
    __verso_fftw_end();                                                        \
    return Plan;                                                               \
  }
#define NOTE_ROWS(RANK, COUNTS)                                                \
  __verso_fftw_note_rows(&Noted, (&(const struct verso_fftw_rows){             \
                                     RANK, COUNTS, 1, 0, 1, 0, 0, 1, 0}))
#define NOTE_1 NOTE_ROWS(1, ((const int[]){N0}))
#define NOTE_2 NOTE_ROWS(2, ((const int[]){N0, N1}))
#define NOTE_3 NOTE_ROWS(3, ((const int[]){N0, N1, N2}))
#define NOTE_MANY                                                              \
  __verso_fftw_note_rows(                                                      \
      &Noted, (&(const struct verso_fftw_rows){Rank, N, HowMany, InEmbed,      \
                                               InStep, InDistance, OutEmbed,   \
                                               OutStep, OutDistance}))
#define NOTE_GURU(IS_LONG)                                                     \
  __verso_fftw_note_dimensions(&Noted, Rank, Dims, HowMany, OfMany, IS_LONG)

// Of any rank; what comes behind the arrays is P, and A where it is handed on.
#define UNWRAP(...) __VA_ARGS__
#define ANY_RANK(SUFFIX, KIND, SIGN, KINDS, P, A)                              \
  PLAN(plan_##SUFFIX,                                                          \
       (int Rank, const int *N, void *In, void *Out, UNWRAP P unsigned Flags), \
       (Rank, N, In, Out, UNWRAP A Flags), KIND, SIGN, KINDS,                  \
       NOTE_ROWS(Rank, N))                                                     \
  PLAN(plan_many_##SUFFIX,                                                     \
       (int Rank, const int *N, int HowMany, void *In, const int *InEmbed,     \
        int InStep, int InDistance, void *Out, const int *OutEmbed,            \
        int OutStep, int OutDistance, UNWRAP P unsigned Flags),                \
       (Rank, N, HowMany, In, InEmbed, InStep, InDistance, Out, OutEmbed,      \
        OutStep, OutDistance, UNWRAP A Flags),                                 \
       KIND, SIGN, KINDS, NOTE_MANY)                                           \
  PLAN(plan_guru_##SUFFIX,                                                     \
       (int Rank, const void *Dims, int HowMany, const void *OfMany, void *In, \
        void *Out, UNWRAP P unsigned Flags),                                   \
       (Rank, Dims, HowMany, OfMany, In, Out, UNWRAP A Flags), KIND, SIGN,     \
       KINDS, NOTE_GURU(0))                                                    \
  PLAN_KNOWN(plan_guru64_##SUFFIX,                                             \
             (int Rank, const struct verso_fftw_dimension *Dims, int HowMany,  \
              const struct verso_fftw_dimension *OfMany, void *In, void *Out,  \
              UNWRAP P unsigned Flags),                                        \
             (Rank, Dims, HowMany, OfMany, In, Out, UNWRAP A Flags), KIND,     \
             SIGN, KINDS, NOTE_GURU(1))
#define EACH_RANK(SUFFIX, KIND, SIGN, P, A)                                    \
  PLAN(plan_##SUFFIX##_1d,                                                     \
       (int N0, void *In, void *Out, UNWRAP P unsigned Flags),                 \
       (N0, In, Out, UNWRAP A Flags), KIND, SIGN, 0, NOTE_1)                   \
  PLAN(plan_##SUFFIX##_2d,                                                     \
       (int N0, int N1, void *In, void *Out, UNWRAP P unsigned Flags),         \
       (N0, N1, In, Out, UNWRAP A Flags), KIND, SIGN, 0, NOTE_2)               \
  PLAN(plan_##SUFFIX##_3d,                                                     \
       (int N0, int N1, int N2, void *In, void *Out, UNWRAP P unsigned Flags), \
       (N0, N1, N2, In, Out, UNWRAP A Flags), KIND, SIGN, 0, NOTE_3)           \
  ANY_RANK(SUFFIX, KIND, SIGN, 0, P, A)

EACH_RANK(dft, VERSO_FFTW_COMPLEX, Sign, (int Sign, ), (Sign, ))
EACH_RANK(dft_r2c, VERSO_FFTW_REAL_TO_COMPLEX, 0, (), ())
EACH_RANK(dft_c2r, VERSO_FFTW_COMPLEX_TO_REAL, 0, (), ())
ANY_RANK(r2r, VERSO_FFTW_REAL, 0, Kinds, (const int *Kinds, ), (Kinds, ))
PLAN(plan_r2r_1d, (int N0, void *In, void *Out, int K0, unsigned Flags),
     (N0, In, Out, K0, Flags), VERSO_FFTW_REAL, 0, ((const int[]){K0}), NOTE_1)
PLAN(plan_r2r_2d,
     (int N0, int N1, void *In, void *Out, int K0, int K1, unsigned Flags),
     (N0, N1, In, Out, K0, K1, Flags), VERSO_FFTW_REAL, 0,
     ((const int[]){K0, K1}), NOTE_2)
PLAN(plan_r2r_3d,
     (int N0, int N1, int N2, void *In, void *Out, int K0, int K1, int K2,
      unsigned Flags),
     (N0, N1, N2, In, Out, K0, K1, K2, Flags), VERSO_FFTW_REAL, 0,
     ((const int[]){K0, K1, K2}), NOTE_3)

#undef PLAN
#undef PLAN_KNOWN
#undef NOTE_ROWS
#undef NOTE_1
#undef NOTE_2
#undef NOTE_3
#undef NOTE_MANY
#undef NOTE_GURU
#undef UNWRAP
#undef ANY_RANK
#undef EACH_RANK
#undef REAL
#undef FFTW
#undef BODY
#undef OURS
#undef STAGED
