/*===- enzyme.h - attributes of Enzyme's ------------------------*- C++ -*-===*\
|*                                                                            *|
|* Part of Verso, under the Apache License v2.0 with LLVM Exceptions.         *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Enzyme's plugin for clang has attributes of its own. A plugin of passes    *|
|* cannot have any, and clang would leave them out with a warning; these are  *|
|* the same by annotations. For a program that was written for Enzyme:        *|
|*                                                                            *|
|*   clang -fpass-plugin=libVerso.so -include verso/enzyme.h ...              *|
|*                                                                            *|
|* Known: enzyme_inactive, enzyme_inactive_noblock, enzyme_function_like. Of  *|
|* no meaning to Verso, and left out: enzyme_notypeanalysis,                  *|
|* enzyme_no_escaping_allocation, enzyme_sparse_accumulate.                   *|
|* An error: enzyme_shadow.                                                   *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef VERSO_ENZYME_H
#define VERSO_ENZYME_H

#define enzyme_inactive annotate("enzyme_inactive")
#define enzyme_inactive_noblock annotate("enzyme_inactive")
#define enzyme_function_like(NAME) annotate("enzyme_function_like=" NAME)
#define enzyme_shadow(GLOBAL) annotate("enzyme_shadow")
#define enzyme_notypeanalysis annotate("enzyme_notypeanalysis")
#define enzyme_no_escaping_allocation annotate("enzyme_no_escaping_allocation")
#define enzyme_sparse_accumulate annotate("enzyme_sparse_accumulate")

#endif /* VERSO_ENZYME_H */
