!===- fortran-internal.f90 - internal procedures as arguments -------------===!
!
! Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
!===----------------------------------------------------------------------===!
!
! Quadrature and Newton's method over procedures that use, and change, variables
! of the function around them. Gradients are compared with tangents and with
! differences.
!
!===----------------------------------------------------------------------===!

module kernels
  use iso_c_binding
  implicit none
  integer, parameter :: dp = c_double
  abstract interface
    function scalar(t) result(y)
      import
      real(dp), intent(in) :: t
      real(dp) :: y
    end function
  end interface
contains
  function integrate(g, a, b) result(s)
    procedure(scalar) :: g
    real(dp), intent(in) :: a, b
    real(dp) :: s
    integer :: i
    s = 0
    do i = 1, 20
      s = s + g(a + (b - a) * (i - 0.5_dp) / 20) * (b - a) / 20
    end do
  end function
  function newton(g, start) result(t)
    procedure(scalar) :: g
    real(dp), intent(in) :: start
    real(dp) :: t, d
    integer :: i
    t = start
    do i = 1, 12
      d = (g(t + 1e-4_dp) - g(t - 1e-4_dp)) / 2e-4_dp
      t = t - g(t) / d
    end do
  end function
  function twice(g, a, b) result(s)
    procedure(scalar) :: g
    real(dp), intent(in) :: a, b
    real(dp) :: s
    s = integrate(g, a, b) + integrate(g, b, a + 2 * b)
  end function
  function quadrature(x, n) result(r) bind(C)
    integer(c_int), intent(in) :: n
    real(dp), intent(in) :: x(n)
    real(dp) :: r, w(n)
    integer :: calls
    calls = 0
    w = x**2
    r = twice(inner, x(1), x(2)) + calls
  contains
    function inner(t) result(y)
      real(dp), intent(in) :: t
      real(dp) :: y
      calls = calls + 1
      y = exp(-t * x(3)) * sum(w(1:2)) + w(3) * t
      w(1) = w(1) + 0.01_dp * y
    end function
  end function
  function root(x, n) result(r) bind(C)
    integer(c_int), intent(in) :: n
    real(dp), intent(in) :: x(n)
    real(dp) :: r, scale
    scale = x(4)
    r = newton(cubic, x(1)) + integrate(line, x(2), x(3))
  contains
    function cubic(t) result(y)
      real(dp), intent(in) :: t
      real(dp) :: y
      y = t**3 * scale + x(2) * t - x(3)
    end function
    function line(t) result(y)
      real(dp), intent(in) :: t
      real(dp) :: y
      y = t * scale
    end function
  end function
end module
program main
  use kernels
  use entries
  implicit none
  integer(c_int) :: n = 4
  real(dp), parameter :: h = 1e-6_dp
  real(dp) :: x(4) = [0.7_dp, 1.1_dp, 0.8_dp, 1.6_dp]
  real(dp) :: v(4) = [0.3_dp, -0.8_dp, 0.5_dp, 1.2_dp], g(4)
  g = 0
  call gradient(c_funloc(quadrature), verso_dup, x, g, verso_const, n)
  call check('quadrature', dot_product(g, v), &
             tangent(c_funloc(quadrature), verso_dup, x, v, verso_const, n), &
             (quadrature(x + h * v, n) - quadrature(x - h * v, n)) / (2 * h), 1e-13_dp, 1e-7_dp)
  g = 0
  call gradient(c_funloc(root), verso_dup, x, g, verso_const, n)
  call check('root', dot_product(g, v), &
             tangent(c_funloc(root), verso_dup, x, v, verso_const, n), &
             (root(x + h * v, n) - root(x - h * v, n)) / (2 * h), 1e-13_dp, 1e-7_dp)
  if (failures /= 0) error stop
end program
