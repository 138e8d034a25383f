!===- fortran-entries.f90 - what tests of Fortran share -------------------===!
!
! Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
!===----------------------------------------------------------------------===!
!
! Gradients of functions of an array, compared with tangents and with central
! differences.
!
!===----------------------------------------------------------------------===!

module entries
  use iso_c_binding
  use verso
  implicit none
  interface
    subroutine gradient(f, m1, x, dx, m2, n) bind(C, name="__verso_grad_void")
      import
      type(c_funptr), value :: f
      integer(c_int), value :: m1, m2
      real(c_double) :: x(*), dx(*)
      integer(c_int) :: n
    end subroutine
    real(c_double) function tangent(f, m1, x, dx, m2, n) bind(C, name="__verso_jvp")
      import
      type(c_funptr), value :: f
      integer(c_int), value :: m1, m2
      real(c_double) :: x(*), dx(*)
      integer(c_int) :: n
    end function
  end interface
  integer :: failures = 0
contains
  !> The derivative in a direction, by reverse mode, by forward mode, and as a
  !> central difference.
  subroutine check(name, reverse, forward, difference, rounding, tolerance)
    character(*), intent(in) :: name
    real(c_double), intent(in) :: reverse, forward, difference, rounding, tolerance
    if (abs(reverse - forward) > rounding * (1 + abs(forward)) .or. &
        abs(forward - difference) > tolerance * (1 + abs(forward))) then
      print *, name, reverse, forward, difference
      failures = failures + 1
    end if
  end subroutine
end module
