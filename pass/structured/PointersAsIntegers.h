//===- PointersAsIntegers.h - pointers moved as integers --------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM moves a structure of one pointer (a std::unique_ptr) as an integer:
//
//   %i = load i64, p, !tbaa !pointer        %x = load ptr, p, !tbaa !pointer
//   %c = phi i64 [%i], [ptrtoint %q]        %y = phi ptr [%x], [%q]
//   store i64 %c, r, !tbaa !pointer    =>   store ptr %y, r, !tbaa !pointer
//   %y = inttoptr %c
//
// What the language says is a pointer is one here, what is only used as one,
// and what such are chosen from. What is computed with addresses stays an
// integer.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_POINTERSASINTEGERS_H
#define VERSO_STRUCTURED_POINTERSASINTEGERS_H

namespace llvm {
class Function;
} // namespace llvm

namespace verso {

void movePointersAsPointers(llvm::Function &F);

} // namespace verso

#endif // VERSO_STRUCTURED_POINTERSASINTEGERS_H
