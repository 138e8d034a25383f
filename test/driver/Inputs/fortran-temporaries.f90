!===- fortran-temporaries.f90 - values that wait, text that is read -------===!
!
! Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
!===----------------------------------------------------------------------===!
!
! FORALL over what it reads, vector subscripts, REDUCE, places along a dimension,
! SELECT RANK; and parameters in text. Gradients are compared with tangents and
! with differences.
!
!===----------------------------------------------------------------------===!

module kernels
  use iso_c_binding
  implicit none
  integer, parameter :: dp = c_double
  type :: row
    integer, allocatable :: k(:)
  end type
  type :: block_t
    type(row) :: r
    real(dp) :: m(4, 4)
  end type
contains
  function turned(x, n) result(r) bind(C)
    integer(c_int), intent(in) :: n
    real(dp), intent(in) :: x(n)
    real(dp) :: r, w(n)
    integer :: i
    w = x**2
    forall (i = 1:n) w(i) = w(n + 1 - i) * x(i) + i
    forall (i = 1:n, w(i) > 2) w(i) = w(1 + mod(i, n)) * w(i)
    r = sum(w * x)
  end function

  function scattered(x, n) result(r) bind(C)
    integer(c_int), intent(in) :: n
    real(dp), intent(in) :: x(n)
    real(dp) :: r
    type(block_t) :: b
    integer :: k
    allocate (b%r%k(3))
    b%r%k = [3, 1, 2]
    b%m = 1
    do k = 1, 3
      b%m(b%r%k, b%r%k(k)) = b%m(b%r%k, k) * x(k) + x(k + 1)
    end do
    r = sum(b%m**2)
  end function

  pure function combined(a, b) result(c)
    real(dp), intent(in) :: a, b
    real(dp) :: c
    c = a * b + 0.5_dp * a
  end function
  pure function least(a, b) result(c)
    real, intent(in) :: a, b
    real :: c
    c = min(a, b)
  end function
  function reduced(x, n) result(r) bind(C)
    integer(c_int), intent(in) :: n
    real(dp), intent(in) :: x(n)
    real(dp) :: r
    real :: s(n)
    s = real(x)
    r = reduce(x, combined) + reduce(x(::2), combined, mask=x(::2) > 0.75_dp)
    r = r + reduce(s, least) + reduce(x, combined, mask=x > 100, identity=2 * x(1))
  end function

  function places(x, n) result(r) bind(C)
    integer(c_int), intent(in) :: n
    real(dp), intent(in) :: x(n)
    real(dp) :: r, w(2, 3), t(2, 2, 2)
    integer :: k(2), l(3), p(2, 2)
    w = reshape(x(1:6), [2, 3])
    k = maxloc(w, dim=2)
    l = minloc(w, dim=1, mask=w > 0.6_dp)
    t = reshape([x(1:6), x(2), x(1)], [2, 2, 2])
    p = maxloc(t, dim=2)
    r = w(1, k(1)) * w(2, k(2)) + t(1, p(1, 2), 2) * t(2, p(2, 1), 1)
    if (l(2) > 0) r = r + w(l(2), 2) ** 3
  end function

  subroutine scaled(a, s)
    real(dp), intent(inout) :: a(..)
    real(dp), intent(in) :: s
    select rank (a)
    rank (1)
      a(1) = a(1) * s
      a = a * s
    rank (2)
      a(2, 1) = a(2, 1) + s
    end select
  end subroutine
  function ranks(x, n) result(r) bind(C)
    integer(c_int), intent(in) :: n
    real(dp), intent(in) :: x(n)
    real(dp) :: r, v(n), w(2, 2)
    v = x
    w = reshape(x(1:4), [2, 2])
    call scaled(v, x(2))
    call scaled(w, x(3))
    r = sum(v**2) + sum(w**2)
  end function

  function read_in(x, n) result(r) bind(C)
    integer(c_int), intent(in) :: n
    real(dp), intent(in) :: x(n)
    real(dp) :: r, p(3), rest(4), last
    complex(dp) :: z
    integer :: k, i(2), status
    integer(8) :: long
    logical :: flag
    character(80) :: text
    character(4) :: word
    p = x(1:3)
    rest = x(1:4)
    text = '3 2.5 0.25 -1.5'
    read (text, *) k, p
    read (text, *) long, p(1)
    text = '(1.5, -2.5) 4 5 T word'
    read (text, *) z, i, flag, word
    text = '7.5 8.5'                       ! Two numbers for four.
    read (text, *, iostat=status) rest
    last = x(4)
    text = ' '
    read (text, *, iostat=status) last
    r = last * x(4) + k * x(1)**2 + sum(p * x(1:3)) + real(z * x(2), dp) + i(2) * x(3) + long * x(2)
    if (flag .and. word == 'word' .and. status /= 0) r = r + sum(rest**2)
  end function

  ! Of what is between two commas, or behind a slash, nothing is said.
  function left_out(x, n) result(r) bind(C)
    integer(c_int), intent(in) :: n
    real(dp), intent(in) :: x(n)
    real(dp) :: r, p(3), q(4), last
    real :: s
    complex(dp) :: z(2)
    character(80) :: text
    p = x(1:3)**2
    q = x(1:4)
    last = x(5)
    s = 2
    z = cmplx(x(1), x(2), dp)
    text = '1.5, , 2.5'
    read (text, *) p
    text = '1.25, , 2*0.5, 3*'
    read (text, *) q(1), last, q(2:3), q(4), s
    text = '(1.0, 2.0) /'
    read (text, *) z, last
    text = ' NaN'
    read (text, *) s
    if (s /= s) s = 3
    r = sum(p * x(1:3)) + sum(q * x(1:4)) + last * x(6) + s * x(1) + real(sum(z * z) * x(3), dp)
  end function
end module

program main
  use kernels
  use entries
  implicit none
  integer(c_int) :: n = 6
  real(dp) :: x(6) = [0.7_dp, 1.1_dp, 0.8_dp, 1.6_dp, 0.9_dp, 1.3_dp]
  real(dp) :: v(6) = [0.3_dp, -0.8_dp, 0.5_dp, 1.2_dp, -0.4_dp, 0.6_dp]
  real(dp) :: g(6), h = 1e-6_dp ! Of a difference.

  g = 0
  call gradient(c_funloc(turned), verso_dup, x, g, verso_const, n)
  call check('turned', dot_product(g, v), &
             tangent(c_funloc(turned), verso_dup, x, v, verso_const, n), &
             (turned(x + h * v, n) - turned(x - h * v, n)) / (2 * h), 1e-12_dp, 1e-7_dp)
  g = 0
  call gradient(c_funloc(scattered), verso_dup, x, g, verso_const, n)
  call check('scattered', dot_product(g, v), &
             tangent(c_funloc(scattered), verso_dup, x, v, verso_const, n), &
             (scattered(x + h * v, n) - scattered(x - h * v, n)) / (2 * h), 1e-12_dp, 1e-7_dp)
  g = 0
  call gradient(c_funloc(places), verso_dup, x, g, verso_const, n)
  call check('places', dot_product(g, v), &
             tangent(c_funloc(places), verso_dup, x, v, verso_const, n), &
             (places(x + h * v, n) - places(x - h * v, n)) / (2 * h), 1e-12_dp, 1e-7_dp)
  g = 0
  call gradient(c_funloc(ranks), verso_dup, x, g, verso_const, n)
  call check('ranks', dot_product(g, v), &
             tangent(c_funloc(ranks), verso_dup, x, v, verso_const, n), &
             (ranks(x + h * v, n) - ranks(x - h * v, n)) / (2 * h), 1e-12_dp, 1e-7_dp)
  g = 0
  call gradient(c_funloc(read_in), verso_dup, x, g, verso_const, n)
  call check('read_in', dot_product(g, v), &
             tangent(c_funloc(read_in), verso_dup, x, v, verso_const, n), &
             (read_in(x + h * v, n) - read_in(x - h * v, n)) / (2 * h), 1e-12_dp, 1e-7_dp)
  g = 0
  call gradient(c_funloc(left_out), verso_dup, x, g, verso_const, n)
  call check('left_out', dot_product(g, v), &
             tangent(c_funloc(left_out), verso_dup, x, v, verso_const, n), &
             (left_out(x + h * v, n) - left_out(x - h * v, n)) / (2 * h), 1e-12_dp, 1e-7_dp)
  h = 1e-3_dp ! It rounds to four bytes.
  g = 0
  call gradient(c_funloc(reduced), verso_dup, x, g, verso_const, n)
  call check('reduced', dot_product(g, v), &
             tangent(c_funloc(reduced), verso_dup, x, v, verso_const, n), &
             (reduced(x + h * v, n) - reduced(x - h * v, n)) / (2 * h), 1e-8_dp, 1e-3_dp)
  if (failures /= 0) error stop
end program
