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
end module

program main
  use kernels
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
  integer(c_int) :: n = 6
  real(dp) :: x(6) = [0.7_dp, 1.1_dp, 0.8_dp, 1.6_dp, 0.9_dp, 1.3_dp]
  real(dp) :: v(6) = [0.3_dp, -0.8_dp, 0.5_dp, 1.2_dp, -0.4_dp, 0.6_dp]
  real(dp) :: g(6), h = 1.0e-6_dp ! Of a difference.
  integer :: failures = 0

  g = 0
  call gradient(c_funloc(turned), verso_dup, x, g, verso_const, n)
  call check('turned', tangent(c_funloc(turned), verso_dup, x, v, verso_const, n), &
             turned(x + h * v, n) - turned(x - h * v, n))
  g = 0
  call gradient(c_funloc(scattered), verso_dup, x, g, verso_const, n)
  call check('scattered', tangent(c_funloc(scattered), verso_dup, x, v, verso_const, n), &
             scattered(x + h * v, n) - scattered(x - h * v, n))
  g = 0
  call gradient(c_funloc(places), verso_dup, x, g, verso_const, n)
  call check('places', tangent(c_funloc(places), verso_dup, x, v, verso_const, n), &
             places(x + h * v, n) - places(x - h * v, n))
  g = 0
  call gradient(c_funloc(ranks), verso_dup, x, g, verso_const, n)
  call check('ranks', tangent(c_funloc(ranks), verso_dup, x, v, verso_const, n), &
             ranks(x + h * v, n) - ranks(x - h * v, n))
  g = 0
  call gradient(c_funloc(read_in), verso_dup, x, g, verso_const, n)
  call check('read_in', tangent(c_funloc(read_in), verso_dup, x, v, verso_const, n), &
             read_in(x + h * v, n) - read_in(x - h * v, n))
  h = 1.0e-3_dp ! It rounds to four bytes.
  g = 0
  call gradient(c_funloc(reduced), verso_dup, x, g, verso_const, n)
  call check('reduced', tangent(c_funloc(reduced), verso_dup, x, v, verso_const, n), &
             reduced(x + h * v, n) - reduced(x - h * v, n))
  if (failures /= 0) error stop
contains
  subroutine check(name, t, difference)
    character(*), intent(in) :: name
    real(dp), intent(in) :: t, difference
    real(dp) :: tolerance
    tolerance = merge(1.0e-7_dp, 1.0e-3_dp, h < 1.0e-4_dp)
    if (abs(dot_product(g, v) - t) > 1.0e-5_dp * tolerance * (1 + abs(t)) .or. &
        abs(t - difference / (2 * h)) > tolerance * (1 + abs(t))) then
      print *, name, dot_product(g, v), t, difference / (2 * h)
      failures = failures + 1
    end if
  end subroutine
end program
