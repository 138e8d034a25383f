//===- Layout.h - what emitted code and the runtime agree on ----*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every record, constant and field offset that the pass emits code for and the
// runtime reads. The pass takes offsets from these structs with offsetof, so
// nothing here is spelled a second time. Plain C, no dependency.
//
// IDs. An active real scalar carries an ID. Inside one request IDs are
// *relative*: 0 means "inactive", 1, 2, ... grow as the program runs. Memory
// holds *absolute* IDs, relative + base, which grow across requests, so an
// absolute ID outside (base, base + next) is stale and reads as 0. Absolute IDs
// stay below 2^31.
//
// Images. shadow(p) = p + delta. The image of a value has the value's own size
// and travels with its bytes:
//   float              id
//   double             id in the low word, -id in the high word
//   pointer            -id in the low word, id in the high word
//   x86_fp80           as double, in its first eight bytes, and -id once more
//   integer            whatever image its bytes have
//   half, bfloat       two in a granule share its word: the ID of a HALVES
//                      record, which has the IDs of both
//   a number at an address that is no multiple of 4: the same, of a record that
//                      has the IDs of four bytes, in each granule
// so a double, two floats and a pointer are told apart by their images alone,
// and a cell that was overwritten in part never shows a wrong ID. A *raw* leaf
// has one ID for each four-byte granule, consecutive (id, id + 1): untyped
// memory of the user that was copied before anybody read it as a number. The
// first typed load decides.
//
// A *direct* ID, with the top bit set, names a cell of the user's shadow: the
// double at direct + 8 * (id & 0x7fffffff). It stands for the value that the
// primal cell had when the request began, needs no leaf, and lives in registers
// and on the tape only: an image holds a record of it.
//
// The ID of a pointer is its *handle*: adj[handle] holds the address of the
// user's shadow of what it points to.
//
// The tape grows upwards; a record stands before its header, n << 3 | kind:
//   CONTRIBUTIONS  double partial[n]; uint32 operand[n]
//   SUM            double partial[n - 1]; uint32 operand[n]; the first
//   operand's
//                  partial is 1
//   SHARED         uint32 operand[n]; uint32 block; partial[n] is that of the
//                  block of partials at tape_begin + VERSO_BLOCK_BYTES * block
//   BLOCK          n words: padding and partials, which records in a loop share
//   RUN, REPEATS   a row: n records of one place in a loop, without headers.
//                  Each has double partial[both + partial];
//                  uint32 operand[both + operand + summand];
//                  behind them, once, what does not vary in the loop:
//                  double partial[operand]; uint32 operand[partial + unit];
//                  uint32 shape (VERSO_ROW_*). Packed rows: PackedRows.h
//   HALVES         uint32 operand[2]; n says what the halves of a granule are.
//                  Nothing to resolve; the adjoint slot of its ID, or of a raw
//                  leaf that turned out to be two halves, says where it is:
//                  VERSO_HALVES | distance of the operands from tape_begin.
//                  If n is VERSO_HALVES_ARE_PIECES: uint32 operand[4], and a
//                  word of codes, kind | index << 4, for the bytes of a granule
//                  with pieces of several numbers (packed structs, halves that
//                  are copied byte by byte); VERSO_PIECES in
//                  the place of VERSO_HALVES.
//                  If n is VERSO_HALVES_ARE_KERNEL, one run of a kernel
//                  (verso_kernel): what runtime/KernelRecord.h says, and
//                  uint32 words, of all that stands before the header
// The left-hand side of a record is not written: records are numbered. Where
// an operand of one of the first three may be a direct ID, the header has
// VERSO_RECORD_MAY_BE_DIRECT too; where the last operand of one of the first
// two is that of the loop's other iterations, VERSO_RECORD_REPEATS.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_LAYOUT_H
#define VERSO_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#define VERSO_ABI_VERSION 21

/// shadow(p) = (p + delta) & VERSO_ADDRESS_MASK: addresses wrap around within
/// the lower half, so that one distance serves low executables and high stacks.
/// Only in code that is not position-independent, where they may; there this
/// bit of the frame that a request begins with is set.
#define VERSO_ADDRESS_MASK ((UINT64_C(1) << 47) - 1)
#define VERSO_FRAME_MAY_WRAP 1
/// And where loops may be kernels, this one (verso_kernel).
#define VERSO_FRAME_TAKES_KERNELS 2
/// And where a map of the request is kept, or compared with forward mode.
#define VERSO_FRAME_KEEPS_MAP 4
// Adjoints of what has a shadow are put there later (__verso_linearize).
#define VERSO_FRAME_SEEDS_FOLLOW 8
#define VERSO_FRAME_FLAGS UINT64_C(15)

/// The word beside \p WORD in the image of a double or pointer. Never an ID's
/// for an ID's; zero, of untouched memory, beside zero.
#define VERSO_IMAGE_PARTNER(WORD) (UINT32_C(0) - (uint32_t)(WORD))

/// The kind in the low bits of a record's header. The first three have
/// contributions.
enum verso_record_kind {
  VERSO_RECORD_CONTRIBUTIONS = 0, ///< n partials, n operands.
  VERSO_RECORD_SUM = 1,           ///< The first partial is 1.
  VERSO_RECORD_SHARED = 2,        ///< The partials stand in a block.
  VERSO_RECORD_LEAF = 3,          ///< An input: its adjoint is kept.
  VERSO_RECORD_HANDLE = 4,        ///< A pointer's handle: nothing to resolve.
  VERSO_RECORD_RUN = 5,           ///< n IDs at once: raw leaves, or a gap.
  VERSO_RECORD_BLOCK = 6,         ///< n words, no ID.
  VERSO_RECORD_HALVES = 7,        ///< The image of two two-byte numbers.
};
#define VERSO_RECORD_KIND_BITS 3
#define VERSO_RECORD_HEADER(N, KIND)                                           \
  ((uint32_t)(N) << VERSO_RECORD_KIND_BITS | (uint32_t)(KIND))
/// In a header: not all operands are known to be records, leaves or 0.
#define VERSO_RECORD_MAY_BE_DIRECT UINT32_C(0x80000000)
/// In a header: records of a loop with the same last operand stand in a row, so
/// that their contributions to it may be added up first.
#define VERSO_RECORD_REPEATS UINT32_C(0x40000000)
/// The shape of a row: how many terms there are of which partial and operand
/// vary, of which only the operand does, of which only the partial, whose
/// partial is 1, and whose partial is 1 and whose operand does not vary.
#define VERSO_ROW_SHAPE(BOTH, OPERAND, PARTIAL, SUMMAND, UNIT)                 \
  ((uint32_t)(BOTH) | (uint32_t)(OPERAND) << 4 | (uint32_t)(PARTIAL) << 8 |    \
   (uint32_t)(SUMMAND) << 12 | (uint32_t)(UNIT) << 16)
#define VERSO_ROW_BOTH(SHAPE) ((SHAPE) & 15)
#define VERSO_ROW_OPERAND(SHAPE) ((SHAPE) >> 4 & 15)
#define VERSO_ROW_PARTIAL(SHAPE) ((SHAPE) >> 8 & 15)
#define VERSO_ROW_SUMMAND(SHAPE) ((SHAPE) >> 12 & 15)
#define VERSO_ROW_UNIT(SHAPE) ((SHAPE) >> 16 & 15)
#define VERSO_ROW_MAX_TERMS 15
/// In a shape: operands of the first two kinds, or of the summands as well, may
/// be direct. (Of the others any may be.)
#define VERSO_ROW_DIRECT_FACTORS UINT32_C(0x40000000)
#define VERSO_ROW_DIRECT_SUMMANDS UINT32_C(0x80000000)
/// And its number among the lines of Rows.def.
#define VERSO_ROW_NUMBER_SHIFT 20
#define VERSO_ROW_NUMBER(SHAPE) ((SHAPE) >> VERSO_ROW_NUMBER_SHIFT & 1023)
#define VERSO_RECORD_FLAGS (VERSO_RECORD_MAY_BE_DIRECT | VERSO_RECORD_REPEATS)
#define VERSO_RECORD_COUNT(HEADER)                                             \
  (((HEADER) & ~VERSO_RECORD_FLAGS) >> VERSO_RECORD_KIND_BITS)
#define VERSO_RECORD_MAX_COUNT VERSO_RECORD_COUNT(~UINT32_C(0))

/// What a block of shared partials is aligned to. Its number has 32 bits, so a
/// tape has 128 GiB at most.
#define VERSO_BLOCK_BYTES 32
#define VERSO_TAPE_MAX_BYTES ((uint64_t)VERSO_BLOCK_BYTES << 32)

/// The ID of something inactive that was stored over tracked memory: such a
/// cell must not be taken for untouched. __verso_begin makes it (a HANDLE
/// record). Its image in untyped memory is its word in every granule.
#define VERSO_ID_CONSTANT 1
/// The ID of a number whose bits went through integer arithmetic, or were
/// overwritten in part (a LEAF record without a cell). Nobody knows its
/// derivative, so a request in which its adjoint is not zero ends in an error.
#define VERSO_ID_LOST 2

/// The image of a byte that was computed from one whose image is not zero. The
/// upper half of a double's image has no such byte at its top. Odd.
#define VERSO_LOST_BYTE 0x7f

/// The bit of a direct ID, and how far before the first shadow of a request the
/// cells that direct IDs reach begin (they reach as far behind it).
#define VERSO_ID_DIRECT UINT32_C(0x80000000)
#define VERSO_DIRECT_REACH (INT64_C(1) << 33)

/// The shadow of a "pointer" that is a number, whose bits were loaded as one:
/// this plus its record's ID << VERSO_NUMBER_SHIFT, no address that anybody
/// has. Two HANDLE records: the adjoint slot of the first holds the image, that
/// of the second the bits, which tell whether the pointer has been moved since.
#define VERSO_NUMBER_AS_SHADOW (~UINT64_C(0) << 47)
#define VERSO_NUMBER_SHIFT 16

/// How the bytes of a boundary cell are read.
enum verso_cell_kind {
  VERSO_CELL_FLOAT = 0,
  VERSO_CELL_DOUBLE = 1,
  VERSO_CELL_X86_FP80 = 2,
  VERSO_CELL_HALF = 3,
  VERSO_CELL_BFLOAT = 4,
  VERSO_CELL_RAW = 5, ///< `bytes` bytes; leaf is the ID of the first granule.
  VERSO_CELL_POINTER = 6, ///< Only as the wanted kind of a mixed image.
  /// Likewise: a float where a union may have a double, and both may be read
  /// whichever is there.
  VERSO_CELL_MEMBER = 7,
};

/// A piece of the user's memory that has a shadow, logged when it is first
/// touched. `leaf` is 0 when the first touch was a store; then the last entry
/// before that has one is at least `back` entries before, so that a search need
/// not go through all between. Raw leaves of `integers` are none of numbers, by
/// a declaration and by their bits.
struct verso_cell {
  char *primal;
  char *adjoint;
  uint32_t leaf;
  uint32_t kind : 31, integers : 1;
  uint64_t bytes : 40, back : 24;
};
#define VERSO_CELL_FARTHEST_BACK ((1 << 24) - 1)

/// One request in flight: of one thread, at one depth of nesting.
struct verso_context {
  char *cursor;           ///< The first free byte of the tape.
  char *limit;            ///< Past it, __verso_grow has to be called.
  struct verso_cell *log; ///< The first free entry of the cell log.
  double *adj;            ///< Adjoints by relative ID; zero between requests.
  int64_t delta;          ///< shadow(p) = p + delta.
  char *direct;           ///< The cell of direct ID 0; set by the request.
  uint64_t next;          ///< The relative ID that is given out next; 64 bits
                          ///< wide, as code keeps it: where a zext follows the
                          ///< load, LLVM asks at each trunc whether all of a
                          ///< function's IDs might be narrow.
  uint32_t base;          ///< Absolute = relative + base.
  uint32_t run;           ///< The relative ID at which this thread's current
                          ///< run of IDs starts; 0 unless threads interleave.
  uint32_t depth;         ///< 0 for an outermost request.
  uint32_t most_ids;      ///< How many IDs have an adjoint.
  char *tape_begin;
  struct verso_cell *log_begin;
  struct verso_cell *log_end; ///< Whoever appends an entry looks.
  uint64_t members;           ///< How many leaves VERSO_CELL_MEMBER made.
};

/// Structured code's note of a pointer that was stored in the user's memory:
/// the cell of the shadow structure, what it held then, and the pointer itself.
struct verso_moved {
  struct verso_moved *before;
  void **cell;
  void *shadow;
  void *primal;
};

/// Structured code's note of an exception that it makes.
struct verso_exception {
  struct verso_exception *before;
  void *primal;
  void *shadow; ///< The exception itself where nothing in it varies.
  uint64_t bytes;
};

/// What structured code knows of a byte that is copied to memory of the caller.
enum verso_copied_kind {
  VERSO_COPIED_UNKNOWN = 0, ///< It shows at run time.
  VERSO_COPIED_KNOWN = 1,   ///< Of a number that the program accesses, say.
  VERSO_COPIED_POINTER = 2, ///< The first byte of one; the others are known.
  VERSO_COPIED_FLOAT = 3,   ///< Likewise.
  VERSO_COPIED_DOUBLE = 4,  ///< Likewise.
  VERSO_COPIED_INTEGER = 5, ///< Of an integer, if its bits look like one.
};

/// What a declaration says of bytes of a record: VERSO_COPIED_FLOAT or _DOUBLE,
/// so many of them; or VERSO_COPIED_KNOWN or _INTEGER, no numbers if they look
/// like integers: what copies of them get as adjoints ends there, unless they
/// are read as numbers.
struct verso_copied_field {
  uint32_t at, bytes, kind;
};

/// What a survey knows of memory (__verso_can_be_read): which pages of so many
/// groups can be read, and how often the kernel was asked.
#define VERSO_SURVEYED_GROUPS 256
#define VERSO_SURVEYED_WORDS (VERSO_SURVEYED_GROUPS + 1)

/// How a check of rows is to be made (__verso_rows_are_apart): at all; and
/// whether the program will read all of the first table, or the second.
enum verso_rows {
  VERSO_ROWS_ASK = 1,
  VERSO_ROWS_FIRST_IS_READ = 2,
  VERSO_ROWS_SECOND_IS_READ = 4
};

/// What structured code marks a byte of memory as in which numbers and other
/// things have the same bytes in turn: of a number, which of its bytes it is.
/// Zero: memory that is not marked.
enum verso_mark {
  VERSO_MARK_FLOAT = 0x10, ///< Its first byte; the next is one more.
  VERSO_MARK_DOUBLE = 0x20,
  VERSO_MARK_LONG_DOUBLE = 0x30,
  VERSO_MARK_LOST = 0xfe, ///< Computed from bits of a number.
  VERSO_MARK_OTHER = 0xff,
};

/// What a load of a number finds by these marks.
enum verso_found_kind {
  VERSO_FOUND_NONE = 0,  ///< No number that was stored: it is constant.
  VERSO_FOUND_WHOLE = 1, ///< One that was stored as such.
  VERSO_FOUND_PARTS = 2, ///< Bytes of one, and others.
};

/// What a kernel's parameter is.
enum verso_kernel_parameter {
  VERSO_KERNEL_WORD = 0, ///< An integer.
  VERSO_KERNEL_FLOAT = 1,
  VERSO_KERNEL_DOUBLE = 2,
  VERSO_KERNEL_CELLS = 3, ///< A pointer to numbers; to integers if RAW.
};
/// With it comes the first parameter that it is compared with: where one of
/// them leads elsewhere, in reverse, the others do so, too.
#define VERSO_KERNEL_PARAMETER(KIND, FIRST)                                    \
  ((uint32_t)(KIND) | (uint32_t)(FIRST) << 8)
#define VERSO_KERNEL_KIND(PARAMETER) ((PARAMETER) & 255)
#define VERSO_KERNEL_FIRST(PARAMETER) ((PARAMETER) >> 8)

/// An access of a kernel's: through which parameter, and to what.
struct verso_kernel_access {
  uint32_t parameter;
  uint32_t kind; ///< VERSO_CELL_FLOAT, DOUBLE, or RAW: an integer.
  uint32_t bytes;
  uint32_t is_store; ///< Or VERSO_KERNEL_CLEARS.
};
/// A store of zeros, which may reach beyond the numbers: into integers, say.
#define VERSO_KERNEL_CLEARS 2

/// The cells that such an access comes to in one run: those at
/// first + sum of k[d] * step[d], for all k[d] < count[d].
#define VERSO_KERNEL_DIMENSIONS 4
struct verso_kernel_row {
  int64_t first;
  struct {
    int64_t step, count;
  } dimension[VERSO_KERNEL_DIMENSIONS];
};

/// Where a kernel makes fewer operations for each cell, the tape is as fast
/// (measured: pass/taped/README.md).
#define VERSO_KERNEL_LEAST_WORK_OF_CELL 16
/// Instead of how little work is left to the tape: it has to be recorded.
#define VERSO_KERNEL_MUST (-1)
#define VERSO_KERNEL_MOST_PARAMETERS 32
#define VERSO_KERNEL_MOST_ACCESSES 64

/// A loop of a function that is taped, which can be reversed by itself: all
/// that it comes to is known where it begins. `reverse` gets 2 * parameters
/// slots of eight bytes: the arguments, then the shadows of pointers and, for
/// the adjoints of numbers, as doubles, room.
struct verso_kernel {
  void (*reverse)(void *slots);
  const uint32_t *parameter; ///< VERSO_KERNEL_PARAMETER
  const struct verso_kernel_access *access;
  uint32_t parameters;
  uint32_t accesses;
  /// Not 0: others wait for `reverse`, whatever varies and if all adjoints are
  /// zero.
  uint32_t communicates;
};

/// An entry of the log of stores that structured code takes back: the cell, and
/// what was in it before, to be put back in the end.
struct verso_left {
  void *cell;
  uint64_t left;
};

/// The same of a loop that stored at equal distances, once in each iteration:
/// the first cell, and what was in the cells; distances are in bytes.
struct verso_left_by_loop {
  void *cell;
  const void *left;
  uint64_t count;
  int64_t step, left_step;
};

/// How many directions a forward request may have.
#define VERSO_MAX_WIDTH 32

/// The pages that `dirty` tells apart have 2^VERSO_PAGE_SHIFT bytes.
#define VERSO_PAGE_SHIFT 12

/// One forward request in flight. The tangent of the cell at p in direction k
/// lies in the user's shadow of it, or else at p + delta[k], with the cell's
/// own size and type; beside a pointer lies the pointer's shadow, or null if
/// that is where delta says. Before anything but zero is written to p +
/// delta[k], dirty[(p + delta[0]) >> VERSO_PAGE_SHIFT] must be set:
/// __verso_touch_tangents.
struct verso_tangents {
  unsigned char *dirty;
  int64_t delta[VERSO_MAX_WIDTH];
  uint32_t width;
};

/// Beside a pointer whose shadow is the pointer itself (the direction is the
/// point): the address with this bit. The address alone stands for "none".
#define VERSO_SHADOW_IS_ITSELF (UINT64_C(1) << 63)

/// What is said of a pointer without a shadow that leads into an argument.
#define VERSO_EARLIER_POINTER                                                  \
  "a pointer that a variable held before the request leads into an argument "  \
  "that has a shadow, and has none itself; use the argument in its place or "  \
  "store it in the variable within the function, or if it stands for a "       \
  "constant, let it lead to a copy"

/// What kind of twin is looked up: 0 for one that writes a tape, else the
/// number of tangents; and 16 bits that stand for its type, since a twin that
/// is called as another type takes one argument's companion for another's.
#define VERSO_TWIN_KIND(WIDTH, TYPE) ((WIDTH) | (uint32_t)(TYPE) << 16)
#define VERSO_TWIN_WIDTH(KIND) ((KIND) & 0xffff)
#define VERSO_TWIN_TYPE(KIND) ((KIND) >> 16)

/// A raw leaf that was read as a wider number keeps what it is as the bits of
/// the adjoint slot of its second granule.
#define VERSO_SETTLED_DOUBLE UINT64_C(0x7ff4d0b1e0000001)
#define VERSO_SETTLED_X86_FP80 UINT64_C(0x7ff4d0b1e0000002)

/// See HALVES above. A NaN that no arithmetic gives, so an adjoint that was
/// added to such a slot shows.
#define VERSO_HALVES (UINT64_C(0xfff4) << 48)
#define VERSO_HALVES_MASK (UINT64_C(0xffff) << 48)
/// n of a HALVES record: the kind of half k, or 0 if nothing is known of it.
#define VERSO_HALVES_KIND(N, K) ((N) >> (3 * (K)) & 7)

/// The same of the pieces of a granule, and n of their record.
#define VERSO_PIECES (UINT64_C(0xfff5) << 48)
#define VERSO_HALVES_ARE_PIECES 64
#define VERSO_HALVES_ARE_KERNEL 65

/// Emitted code asks for room once a segment and then writes at most this many
/// bytes: `limit` lies this far before the end.
#define VERSO_TAPE_REDZONE 65536
/// A single record may not be larger; a larger one is split by the pass.
#define VERSO_RECORD_MAX_CONTRIBUTIONS 4096

#endif // VERSO_LAYOUT_H
