// Virtual functions of the caller's objects, called between vectors that are
// made and may be too long, are asked for before the gradient begins.

// RUN: %clangxx_verso -O2 -Rpass=verso -c %S/../exec/cxx/layers-of-the-caller.cpp -o %t.o 2>&1 | FileCheck %s

// CHECK: gradient of 'loss' by reversed control flow, and by tape for other functions than those that its pointers seem to lead to
