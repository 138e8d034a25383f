/*===- named.h - numbers in the types that MPI has ----------------*- C -*-===*\
|*                                                                            *|
|* Part of Verso, under the Apache License v2.0 with LLVM Exceptions.         *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

/* What is not known to be constant, and not known to be doubles or floats, is
   an error: it would have no derivative, in silence. An implementation may have
   no such type, then its name is MPI_DATATYPE_NULL, or not the name. */

#ifndef VERSO_MPI_NAMED_H
#define VERSO_MPI_NAMED_H

enum verso_mpi_numbers {
  VERSO_MPI_NO_NUMBERS,
  VERSO_MPI_DOUBLES,
  VERSO_MPI_FLOATS,
  VERSO_MPI_MIXED
};

static VERSO_MPI_UNUSED int
verso_mpi_is_one_of(MPI_Datatype type, const MPI_Datatype *all, size_t n) {
  size_t k;
  for (k = 0; k != n; ++k)
    if (all[k] == type)
      return 1;
  return 0;
}
#define VERSO_MPI_IS_ONE_OF(TYPE, ALL)                                         \
  verso_mpi_is_one_of(TYPE, ALL, sizeof ALL / sizeof *ALL)

static VERSO_MPI_UNUSED int verso_mpi_is_constant(MPI_Datatype type,
                                                  int combiner) {
  const MPI_Datatype all[] = {
      MPI_CHAR,
      MPI_SIGNED_CHAR,
      MPI_UNSIGNED_CHAR,
      MPI_SHORT,
      MPI_UNSIGNED_SHORT,
      MPI_INT,
      MPI_UNSIGNED,
      MPI_LONG,
      MPI_UNSIGNED_LONG,
      MPI_LONG_LONG_INT,
      MPI_UNSIGNED_LONG_LONG,
      MPI_WCHAR,
      MPI_C_BOOL,
      MPI_INT8_T,
      MPI_INT16_T,
      MPI_INT32_T,
      MPI_INT64_T,
      MPI_UINT8_T,
      MPI_UINT16_T,
      MPI_UINT32_T,
      MPI_UINT64_T,
      MPI_AINT,
      MPI_OFFSET,
      MPI_COUNT,
      MPI_2INT,
      MPI_SHORT_INT,
      MPI_LONG_INT,
      MPI_CHARACTER,
      MPI_LOGICAL,
      MPI_INTEGER,
#ifdef MPI_CXX_BOOL
      MPI_CXX_BOOL,
#endif
#ifdef MPI_2INTEGER
      MPI_2INTEGER,
#endif
#ifdef MPI_INTEGER1
      MPI_INTEGER1,
#endif
#ifdef MPI_INTEGER2
      MPI_INTEGER2,
#endif
#ifdef MPI_INTEGER4
      MPI_INTEGER4,
#endif
#ifdef MPI_INTEGER8
      MPI_INTEGER8,
#endif
#ifdef MPI_INTEGER16
      MPI_INTEGER16,
#endif
#ifdef MPI_LOGICAL1
      MPI_LOGICAL1,
      MPI_LOGICAL2,
      MPI_LOGICAL4,
      MPI_LOGICAL8,
#endif
#ifdef VERSO_MPI_BYTES_ARE_CONSTANT
      MPI_BYTE,
      MPI_PACKED,
#endif
  };
  return combiner == MPI_COMBINER_F90_INTEGER || VERSO_MPI_IS_ONE_OF(type, all);
}

static VERSO_MPI_UNUSED int verso_mpi_is_real(MPI_Datatype type, int combiner) {
  const MPI_Datatype all[] = {
      MPI_DOUBLE, MPI_FLOAT, MPI_REAL, MPI_DOUBLE_PRECISION,
#ifdef MPI_REAL4
      MPI_REAL4,
#endif
#ifdef MPI_REAL8
      MPI_REAL8,
#endif
  };
  return combiner == MPI_COMBINER_F90_REAL || VERSO_MPI_IS_ONE_OF(type, all);
}

/* Two numbers each. */
static VERSO_MPI_UNUSED int verso_mpi_is_pair(MPI_Datatype type) {
  const MPI_Datatype all[] = {
      MPI_DATATYPE_NULL,
#ifdef MPI_2REAL
      MPI_2REAL,
#endif
#ifdef MPI_2DOUBLE_PRECISION
      MPI_2DOUBLE_PRECISION,
#endif
  };
  return VERSO_MPI_IS_ONE_OF(type, all);
}

static VERSO_MPI_UNUSED int verso_mpi_is_complex(MPI_Datatype type,
                                                 int combiner) {
  const MPI_Datatype all[] = {
      MPI_C_COMPLEX,         MPI_C_FLOAT_COMPLEX,    MPI_C_DOUBLE_COMPLEX,
      MPI_COMPLEX,           MPI_DOUBLE_COMPLEX,
#ifdef MPI_CXX_FLOAT_COMPLEX
      MPI_CXX_FLOAT_COMPLEX, MPI_CXX_DOUBLE_COMPLEX,
#endif
#ifdef MPI_COMPLEX8
      MPI_COMPLEX8,
#endif
#ifdef MPI_COMPLEX16
      MPI_COMPLEX16,
#endif
  };
  return combiner == MPI_COMBINER_F90_COMPLEX || VERSO_MPI_IS_ONE_OF(type, all);
}

/* What is made of other types is another file's (types.h). */
static VERSO_MPI_UNUSED int verso_mpi_named(MPI_Datatype type, int combiner,
                                            int *is_complex) {
  static char reason[MPI_MAX_OBJECT_NAME + 200];
  char name[MPI_MAX_OBJECT_NAME + 1] = "";
  const int is_number_pair = verso_mpi_is_pair(type);
  const int has_two = is_number_pair || verso_mpi_is_complex(type, combiner);
  int bytes, length;
  if (verso_mpi_is_constant(type, combiner))
    return VERSO_MPI_NO_NUMBERS;
  PMPI_Type_size(type, &bytes);
  if (has_two || verso_mpi_is_real(type, combiner)) {
    const int each = has_two ? bytes / 2 : bytes;
    *is_complex |= has_two && !is_number_pair;
    if (each == sizeof(double))
      return VERSO_MPI_DOUBLES;
    if (each == sizeof(float))
      return VERSO_MPI_FLOATS;
  }
  if (type == MPI_BYTE || type == MPI_PACKED)
    verso_mpi_fail(
        "MPI",
        "what is communicated as MPI_BYTE or MPI_PACKED in a differentiated "
        "function may be numbers; say MPI_DOUBLE or MPI_FLOAT of numbers "
        "(of a structure, a type by MPI_Type_create_struct), or define "
        "VERSO_MPI_BYTES_ARE_CONSTANT before verso/mpi.h is included, if "
        "no number that varies is sent so");
  PMPI_Type_get_name(type, name, &length);
  snprintf(reason, sizeof reason,
           "%s cannot be communicated in differentiated functions; send "
           "doubles or floats (not long doubles, nor numbers in pairs with "
           "an integer), and integers by themselves",
           *name ? name : "a type that is not known");
  verso_mpi_fail("MPI", reason);
}

#endif /* VERSO_MPI_NAMED_H */
