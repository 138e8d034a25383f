!===- verso.f90 - Verso's markers in Fortran ------------------------------===!
!
! Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
!===----------------------------------------------------------------------===!
!
! Compile it with the program:
!
!   flang -O2 -fpass-plugin=libVerso.so verso.f90 program.f90 libverso.a
!
! What the markers and the entry points mean is said in verso.h. A function that
! is differentiated is bind(C), so that its arguments are plain addresses, and an
! entry point is any name that starts like one of verso.h's, with an interface
! for the arguments of that function, each after its marker:
!
!   interface
!     real(c_double) function gradient(f, m1, x, dx, m2, n) &
!         bind(C, name="__verso_value_and_grad")
!       import
!       type(c_funptr), value :: f
!       integer(c_int), value :: m1, m2
!       real(c_double) :: x(*), dx(*)
!       integer(c_int) :: n
!     end function
!   end interface
!   value = gradient(c_funloc(energy), verso_dup, x, dx, verso_const, n)
!
!===----------------------------------------------------------------------===!

module verso
  use iso_c_binding, only: c_int
  implicit none
  integer(c_int), bind(C, name="verso_const") :: verso_const
  integer(c_int), bind(C, name="verso_out") :: verso_out
  integer(c_int), bind(C, name="verso_dup") :: verso_dup
  integer(c_int), bind(C, name="verso_dupnoneed") :: verso_dupnoneed
  integer(c_int), bind(C, name="verso_dup_n") :: verso_dup_n
  integer(c_int), bind(C, name="verso_width") :: verso_width
end module
