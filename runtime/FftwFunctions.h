//===- FftwFunctions.h - what the runtime calls of FFTW ---------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtime links no FFTW: whoever plans hands on the functions of the one
// that it is linked with (runtime/Fftw.c), in C, and the runtime reads them
// (runtime/FourierPlans.h).
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RUNTIME_FFTWFUNCTIONS_H
#define VERSO_RUNTIME_FFTWFUNCTIONS_H

#include <stddef.h>

/// What the transforms of a plan are.
enum verso_fftw_kind {
  VERSO_FFTW_COMPLEX,
  VERSO_FFTW_REAL_TO_COMPLEX,
  VERSO_FFTW_COMPLEX_TO_REAL,
  VERSO_FFTW_REAL,
};

/// fftw_iodim64
struct verso_fftw_dimension {
  ptrdiff_t Count, InStep, OutStep;
};

typedef void *
verso_fftw_plan_complex(int Rank, const struct verso_fftw_dimension *,
                        int Batches, const struct verso_fftw_dimension *,
                        void *In, void *Out, int Sign, unsigned Flags);
typedef void *verso_fftw_plan_half(int Rank,
                                   const struct verso_fftw_dimension *,
                                   int Batches,
                                   const struct verso_fftw_dimension *,
                                   void *In, void *Out, unsigned Flags);
typedef void *
verso_fftw_plan_real(int Rank, const struct verso_fftw_dimension *, int Batches,
                     const struct verso_fftw_dimension *, void *In, void *Out,
                     const int *Kinds, unsigned Flags);

struct verso_fftw_functions {
  size_t BytesOfNumber;
  verso_fftw_plan_complex *PlanComplex;
  verso_fftw_plan_half *PlanRealToComplex, *PlanComplexToReal;
  verso_fftw_plan_real *PlanReal;
  /// By kind.
  void (*Execute[4])(void *Plan, void *In, void *Out);
  void (*Destroy)(void *Plan);
  int (*AlignmentOf)(void *Numbers);
  void *(*Malloc)(size_t Bytes);
  void (*Free)(void *);
};

/// A plan and what it was made of.
struct verso_fftw_noted {
  void *Plan;
  const struct verso_fftw_functions *Functions;
  enum verso_fftw_kind Kind;
  void *In, *Out;
  int Sign;
  const int *Kinds;
  unsigned Flags;
  int Overwrote; ///< Planning has overwritten the arrays.
};

/// As fftw_plan_many_dft is given it.
struct verso_fftw_rows {
  int Rank;
  const int *Counts;
  int Batches;
  const int *InEmbed;
  int InStep, InDistance;
  const int *OutEmbed;
  int OutStep, OutDistance;
};

#endif // VERSO_RUNTIME_FFTWFUNCTIONS_H
