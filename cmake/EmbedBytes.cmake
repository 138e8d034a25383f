#===- EmbedBytes.cmake - a file as a C array ------------------------------===//
#
# Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
#
#   cmake -DINPUT=<file> -DOUTPUT=<header> -P EmbedBytes.cmake
#
# Writes the bytes of INPUT as the initialiser list of an array of unsigned
# char, sixteen a line, to be included between braces:
#   static const unsigned char Bytes[] = {
#   #include "SweepBitcode.inc"
#   };
#
#===------------------------------------------------------------------------===//

file(READ "${INPUT}" bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
set(byte "0x[0-9a-f][0-9a-f],")
string(REPEAT "${byte}" 16 line)
string(REGEX REPLACE "(${line})" "\\1\n" bytes "${bytes}")
file(WRITE "${OUTPUT}" "${bytes}\n")
