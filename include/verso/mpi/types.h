/*===- types.h - where numbers are, by what MPI's types say -------*- C -*-===*\
|*                                                                            *|
|* Part of Verso, under the Apache License v2.0 with LLVM Exceptions.         *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef VERSO_MPI_TYPES_H
#define VERSO_MPI_TYPES_H

/* What is known of a type, once it was used. */
typedef struct verso_mpi_layout {
  int users;    /* The type, and what has begun with it. */
  int numbers;  /* verso_mpi_numbers */
  int is_dense; /* One item behind the other, without gaps. */
  int is_complex;
  size_t count;       /* Numbers in an item. */
  ptrdiff_t extent;   /* From one item to the next, in numbers. */
  ptrdiff_t *offsets; /* Of the numbers in an item, in the order in which they
                         are sent. */
} verso_mpi_layout;

VERSO_MPI_SHARED int verso_mpi_key_of_type = MPI_KEYVAL_INVALID;

static VERSO_MPI_UNUSED int verso_mpi_numbers_in(MPI_Datatype type,
                                                 int *is_complex) {
  int integers, addresses, types, combiner, k, found = -1;
  int *i;
  MPI_Aint *a;
  MPI_Datatype *all;
  PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  if (!types)
    return verso_mpi_named(type, combiner, is_complex);
  i = (int *)verso_mpi_take_memory((size_t)integers * sizeof *i);
  a = (MPI_Aint *)verso_mpi_take_memory((size_t)addresses * sizeof *a);
  all = (MPI_Datatype *)verso_mpi_take_memory((size_t)types * sizeof *all);
  PMPI_Type_get_contents(type, integers, addresses, types, i, a, all);
  for (k = 0; k != types; ++k) {
    int here = verso_mpi_numbers_in(all[k], is_complex), n, m, d, of;
    found = found < 0 || found == here ? here : VERSO_MPI_MIXED;
    PMPI_Type_get_envelope(all[k], &n, &m, &d, &of);
    if (d)
      PMPI_Type_free(&all[k]);
  }
  free(i);
  free(a);
  free(all);
  return found;
}

/* A type may be freed before what was begun with it is complete. */
static VERSO_MPI_UNUSED const verso_mpi_layout *
verso_mpi_hold_layout(const verso_mpi_layout *layout) {
  if (layout)
    ++((verso_mpi_layout *)layout)->users;
  return layout;
}

static VERSO_MPI_UNUSED void
verso_mpi_leave_layout(const verso_mpi_layout *layout) {
  verso_mpi_layout *own = (verso_mpi_layout *)layout;
  if (own && !--own->users) {
    free(own->offsets);
    free(own);
  }
}

static VERSO_MPI_UNUSED int verso_mpi_drop_layout(MPI_Datatype type, int key,
                                                  void *value, void *extra) {
  (void)type, (void)key, (void)extra;
  verso_mpi_leave_layout((const verso_mpi_layout *)value);
  return MPI_SUCCESS;
}

/* Where MPI finds the numbers of an item: those of a row that are counted, in
   the order in which it packs them. */
static VERSO_MPI_UNUSED void verso_mpi_find_offsets(verso_mpi_layout *layout,
                                                    MPI_Datatype type) {
  size_t size = layout->numbers == VERSO_MPI_DOUBLES ? 8 : 4, k, span;
  MPI_Aint low, extent;
  int bytes, at = 0;
  char *row, *packed;
  PMPI_Type_size(type, &bytes);
  layout->count = (size_t)bytes / size;
  layout->offsets =
      (ptrdiff_t *)verso_mpi_take_memory(layout->count * sizeof(ptrdiff_t));
  PMPI_Type_get_extent(type, &low, &extent);
  layout->extent = extent / (ptrdiff_t)size;
  if (extent % (MPI_Aint)size)
    verso_mpi_fail("MPI",
                   "a type's extent is no multiple of its numbers' size");
  PMPI_Type_get_true_extent(type, &low, &extent);
  span = (size_t)extent / size;
  if (low % (MPI_Aint)size || (size_t)extent % size)
    verso_mpi_fail("MPI", "numbers of a type are not aligned to their size");
  row = (char *)verso_mpi_take_memory((size_t)extent);
  packed = (char *)verso_mpi_take_memory((size_t)bytes);
  for (k = 0; k != span; ++k) {
    unsigned long long wide = k;
    unsigned narrow = (unsigned)k;
    memcpy(row + k * size, size == 8 ? (void *)&wide : (void *)&narrow, size);
  }
  verso_mpi_must(
      PMPI_Pack(row - low, 1, type, packed, bytes, &at, MPI_COMM_SELF),
      "MPI_Pack");
  layout->is_dense = layout->extent == (ptrdiff_t)layout->count && low == 0;
  for (k = 0; k != layout->count; ++k) {
    unsigned long long wide = 0;
    unsigned narrow = 0;
    memcpy(size == 8 ? (void *)&wide : (void *)&narrow, packed + k * size,
           size);
    layout->offsets[k] = (ptrdiff_t)(size == 8 ? wide : narrow) +
                         (ptrdiff_t)low / (ptrdiff_t)size;
    layout->is_dense &= layout->offsets[k] == (ptrdiff_t)k;
  }
  free(row);
  free(packed);
}

VERSO_MPI_INACTIVE const verso_mpi_layout *
verso_mpi_layout_of(MPI_Datatype type) {
  void *value;
  int found;
  verso_mpi_layout *own;
  if (verso_mpi_key_of_type == MPI_KEYVAL_INVALID)
    PMPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, verso_mpi_drop_layout,
                            &verso_mpi_key_of_type, 0);
  PMPI_Type_get_attr(type, verso_mpi_key_of_type, &value, &found);
  if (found)
    return (const verso_mpi_layout *)value;
  own = (verso_mpi_layout *)verso_mpi_take_memory(sizeof *own);
  memset(own, 0, sizeof *own);
  own->users = 1;
  own->numbers = verso_mpi_numbers_in(type, &own->is_complex);
  if (own->numbers == VERSO_MPI_MIXED)
    verso_mpi_fail("MPI",
                   "a type has numbers and something else, or doubles and "
                   "floats, and is communicated in a differentiated "
                   "function; send numbers and the rest in messages of "
                   "their own");
  if (own->numbers)
    verso_mpi_find_offsets(own, type);
  PMPI_Type_set_attr(type, verso_mpi_key_of_type, own);
  return own;
}

/* verso_mpi_numbers, known when the program is compiled for the most common. */
static VERSO_MPI_UNUSED VERSO_MPI_INLINE int
verso_mpi_numbers_of(MPI_Datatype type) {
  if (type == MPI_DOUBLE)
    return VERSO_MPI_DOUBLES;
  if (type == MPI_FLOAT)
    return VERSO_MPI_FLOATS;
  if (type == MPI_INT || type == MPI_CHAR || type == MPI_LONG)
    return VERSO_MPI_NO_NUMBERS;
  return verso_mpi_layout_of(type)->numbers;
}

#endif /* VERSO_MPI_TYPES_H */
