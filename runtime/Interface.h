//===- Interface.h - the functions that others call -------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// RuntimeABI.def in C++, and the part of the user's API that is the runtime's:
//
//   verso_watch         the calling thread's outermost requests from now on
//                       compute the adjoints of this memory
//   verso_unwatch       ends that for ranges that start there
//   verso_adjoint_of    where the adjoint of a watched cell is, until the next
//                       request of the thread; null if it is not watched
//   verso_pushforward, verso_pullback, verso_tape_*, verso_pattern_free,
//   verso_is_differentiated, verso_forget,
//   verso_detach                          see verso.h
//   verso_set_tape_limit  bytes that the tape of a request may take, for
//                       requests that start later; 0: VERSO_TAPE_LIMIT counts
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RUNTIME_INTERFACE_H
#define VERSO_RUNTIME_INTERFACE_H

#include "verso/Layout.h"

#define VERSO_EXPORT extern "C" __attribute__((visibility("default")))

namespace verso::entry {

using Void = void;
using Ptr = void *;
using I32 = uint32_t;
using I64 = int64_t;

#define VERSO_RUNTIME_FUNCTION(NAME, SYMBOL, RESULT, PARAMETERS)               \
  VERSO_EXPORT RESULT SYMBOL PARAMETERS;
#include "verso/RuntimeABI.def"

} // namespace verso::entry

VERSO_EXPORT void verso_watch(void *Memory, size_t Bytes);
VERSO_EXPORT void verso_unwatch(void *Memory);
VERSO_EXPORT void *verso_adjoint_of(const void *Memory);
typedef struct verso_tape verso_tape;
VERSO_EXPORT void verso_pushforward(verso_tape *Tape, const double *Tangents,
                                    double *Results);
VERSO_EXPORT void verso_pullback(verso_tape *Tape, const double *Cotangents,
                                 double *Derivatives);
VERSO_EXPORT size_t verso_tape_inputs(const verso_tape *Tape);
VERSO_EXPORT size_t verso_tape_outputs(const verso_tape *Tape);
VERSO_EXPORT const double *verso_tape_values(const verso_tape *Tape);
VERSO_EXPORT void verso_tape_free(verso_tape *Tape);
struct verso_cells;
struct verso_pattern;
VERSO_EXPORT verso_pattern *verso_tape_sparsity(const verso_tape *Tape,
                                                const verso_cells *Inputs,
                                                size_t InputLists,
                                                const verso_cells *Outputs,
                                                size_t OutputLists);
VERSO_EXPORT void verso_pattern_free(verso_pattern *Pattern);
VERSO_EXPORT int verso_is_differentiated(void) __attribute__((nothrow));
VERSO_EXPORT void verso_forget(void *Memory, size_t Bytes);
VERSO_EXPORT void verso_detach(void *Memory, size_t Bytes) noexcept;
// The same of pointers too (pass/prepare/UnseenWrites.h).
VERSO_EXPORT void __verso_forget_bytes(void *Memory, size_t Bytes) noexcept;
// Whether what is in memory and beside it may be a pointer and its shadow.
VERSO_EXPORT int __verso_are_addresses(uint64_t Primal, uint64_t Shadow);
// What lies in memory before a call that may overwrite it unseen
// (pass/prepare/UnseenWrites.h): a copy, null for null and beyond 16 KiB;
// whether bytes differ from it.
VERSO_EXPORT void *__verso_save_bytes(const void *Memory, size_t Bytes);
VERSO_EXPORT int __verso_bytes_differ(const void *Memory, const void *Copy,
                                      size_t Bytes);
VERSO_EXPORT void __verso_drop_bytes(void *Copy);
// e.what() of a std::exception, by its table of virtual functions: the runtime
// knows nothing of the C++ library.
VERSO_EXPORT const char *__verso_what(const void *Exception);
// Around what is done once (Threads.c).
VERSO_EXPORT int __verso_begin_once(void *Control);
VERSO_EXPORT void __verso_mark_done(void *Control);
VERSO_EXPORT void __verso_end_once(void);
// Around each call of FFTW's planner (Fftw.c); plans are noted and forgotten.
struct verso_fftw_noted;
struct verso_fftw_rows;
struct verso_fftw_functions;
VERSO_EXPORT void __verso_fftw_begin(void);
VERSO_EXPORT void __verso_fftw_end(void);
VERSO_EXPORT void __verso_fftw_note_rows(const verso_fftw_noted *Noted,
                                         const verso_fftw_rows *Rows);
VERSO_EXPORT void __verso_fftw_note_dimensions(const verso_fftw_noted *Noted,
                                               int Rank, const void *Dimensions,
                                               int Batches,
                                               const void *OfBatches,
                                               int AreLong);
/// The variables that the arrays are in begin at \p In and \p Out; 0 bytes if
/// nobody knows how large they are.
VERSO_EXPORT void __verso_fftw_note_variables(void *Plan, void *In,
                                              int64_t InBytes, void *Out,
                                              int64_t OutBytes);
VERSO_EXPORT void __verso_fftw_forget(void *Plan);
VERSO_EXPORT void __verso_fftw_cleanup(const verso_fftw_functions *Functions);
// What a plan computes, of a kind unless that is -1; 0 if that is not known.
VERSO_EXPORT int64_t __verso_fftw_find(void *Plan, int64_t Kind);
// Where its two arrays are, or null (Holder is for the pass; no Where: of a
// plan that differentiated code has just made, which notes their shadows);
// whether planning has overwritten them.
VERSO_EXPORT void *__verso_fftw_arrays(void *Plan, void *Holder,
                                       const char *Where);
VERSO_EXPORT int64_t __verso_fftw_overwrote(void *Plan);
// How many numbers its input or output has, and where these are in the array,
// or null.
VERSO_EXPORT int64_t __verso_fftw_numbers(int64_t Shape, int64_t OfOutput);
VERSO_EXPORT void *__verso_fftw_places(int64_t Shape, int64_t OfOutput);
// The transform, or its transpose, from block to block; a column of its matrix.
VERSO_EXPORT void __verso_fftw_apply(int64_t Shape, int64_t Transposed,
                                     int64_t Plan, void *To, const void *From);
VERSO_EXPORT void __verso_fftw_column(void *To, uint64_t Bytes, int64_t Shape,
                                      int64_t Transposed, int64_t Column);
// Blocks that transforms work on; never null.
VERSO_EXPORT void *__verso_take_block(uint64_t Bytes);
VERSO_EXPORT void __verso_give_block(void *Block);
// Around the threads of differentiated functions (Threads.c).
VERSO_EXPORT unsigned long __verso_begin_thread(void);
VERSO_EXPORT void __verso_leave_thread(void);
VERSO_EXPORT void __verso_end_thread(unsigned long Thread);
// What such threads cannot do, and a construct of OpenMP that a team shares
// (pass/prepare/OpenMP.h), end the program.
VERSO_EXPORT void __verso_check_thread_local(const char *Where);
VERSO_EXPORT void __verso_check_wait(const char *Where);
VERSO_EXPORT void __verso_wait_for_semaphore(void *Semaphore,
                                             const char *Where);
VERSO_EXPORT void __verso_wait_for_word(const int *Word, int Expected,
                                        const char *Where);
// Wakes threads that nobody differentiates.
VERSO_EXPORT void __verso_wake_word(const int *Word, int Operation,
                                    int Threads);
VERSO_EXPORT void __verso_check_team(int Threads, const char *Where);
// The tangents of a block of the heap (pass/forward/LocalObjects.h): zeros.
VERSO_EXPORT void *__verso_new_tangents(size_t Bytes);
VERSO_EXPORT void __verso_delete_tangents(void *Block);
VERSO_EXPORT void verso_set_tape_limit(size_t Bytes);
VERSO_EXPORT size_t verso_tape_bytes(void);

/// Sweep.c, for requests that were not linked with its bitcode.
extern "C" void __verso_release(verso_context *Context);
extern "C" void __verso_resolve(verso_context *Context);

#endif // VERSO_RUNTIME_INTERFACE_H
