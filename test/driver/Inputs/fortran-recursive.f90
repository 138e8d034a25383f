!===- fortran-recursive.f90 - an internal procedure for a recursive one ---===!
!
! Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
!===----------------------------------------------------------------------===!

module kernels
  use iso_c_binding
contains
  recursive function halves(g, a, b, depth) result(s)
    interface
      function g(t) result(y)
        import
        real(c_double), intent(in) :: t
        real(c_double) :: y
      end function
    end interface
    real(c_double), intent(in) :: a, b
    integer, intent(in) :: depth
    real(c_double) :: s
    if (depth == 0) then
      s = (b - a) * g((a + b) / 2)
    else
      s = halves(g, a, (a + b) / 2, depth - 1) + halves(g, (a + b) / 2, b, depth - 1)
    end if
  end function
  function sines(x, n) result(r) bind(C)
    integer(c_int), intent(in) :: n
    real(c_double), intent(in) :: x(n)
    real(c_double) :: r
    r = halves(inner, x(1), x(2), n)
  contains
    function inner(t) result(y)
      real(c_double), intent(in) :: t
      real(c_double) :: y
      y = sin(t * x(2))
    end function
  end function
end module
program main
  use kernels
  use entries
  implicit none
  real(c_double) :: x(2) = [1, 2], g(2) = 0
  call gradient(c_funloc(sines), verso_dup, x, g, verso_const, 2)
end program
