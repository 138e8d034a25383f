//===- UntypedCopies.h - what the runtime looks at --------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy to memory of the caller of which not every byte is accessed here, or
// with pointers in it, whose shadows have to follow:
//
//   recto:  %note = __verso_copy_untyped(to, from, their shadows, bytes, kinds)
//           memmove(to, from, bytes)
//   verso:  moved = __verso_reverse_untyped(%note, moved)
//
// What is known of each byte is a table of kinds, which repeats itself; what is
// not shows at run time (UntypedCopies.h of the runtime). Numbers that the
// program accesses are reversed as in other copies.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_UNTYPEDCOPIES_H
#define VERSO_STRUCTURED_UNTYPEDCOPIES_H

#include "structured/memory/Varied.h"

namespace verso {

/// A verso_copied_kind for each byte of \p Copy, or of the period that it
/// repeats; nothing if pointers would be lost.
std::optional<std::vector<uint8_t>> kindsOfBytes(const BulkAccess &Copy,
                                                 const llvm::Module *M);

/// Whether any function of \p M accesses half or bfloat in memory.
bool hasTwoByteNumbers(const llvm::Module &M);

} // namespace verso

#endif // VERSO_STRUCTURED_UNTYPEDCOPIES_H
