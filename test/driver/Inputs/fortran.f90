!===- fortran.f90 - arrays, pointers and derived types --------------------===//
!
! Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
!===----------------------------------------------------------------------===//
!
! Gradients against differences. What flang does not compute in line is in its
! library: assignments, allocation, reductions, what moves elements.
!
!===----------------------------------------------------------------------===//

module functions
  use iso_c_binding
  implicit none
  type particle
    real(8) :: x(3), v(3)
    integer :: id
  end type
  type part
    real(8) :: factors(2) = [2d0, 3d0]
    real(8) :: value
  end type
  type whole
    type(part) :: parts(2)
    logical :: used = .true.
    real(8), pointer :: elsewhere(:) => null()
  end type
  type owner
    real(8) :: scale = 4d0
    real(8), allocatable :: numbers(:)
    type(part), allocatable :: parts(:)
  end type
contains
  function intrinsics(x, n) result(e) bind(C)
    integer(c_int) :: n
    real(c_double) :: x(n), e
    real(c_double) :: a(n, n), b(n, n), c(n, n)
    integer :: i, j
    do j = 1, n
      do i = 1, n
        a(i, j) = x(i) * x(j)
        b(i, j) = x(i) + j
      end do
    end do
    c = matmul(a, b)
    c = c + transpose(a)
    e = sum(c) + sum(c(2, :)) + product(x) + norm2(x) + maxval(c) + minval(a)
    e = e + dot_product(x, c(:, 1)) + sum(matmul(x, a) * matmul(b, x))
    where (x > 1d0) x = x * 2d0
    e = e + sum(abs(x)) + sum(x, mask=x > 2d0) + sum(sum(c, dim=1)**2)
    e = e + sum(sum(c, dim=2)**2) + sum(spread(x, 1, 2)) + sum(reshape(c, [n * n]))
    e = e + sum(merge(x, 2 * x, x > 3d0)) + sum(cshift(x, 1) * x)
    e = e + sum(pack(x, x > 1d0)) + real(count(x > 0)) * x(maxloc(x, 1))
  end function

  function allocations(p, n) result(e) bind(C)
    integer(c_int) :: n
    real(c_double) :: p(n), e
    type(particle), allocatable :: s(:)
    real(c_double), pointer :: q(:)
    real(c_double), allocatable :: grown(:), copied(:)
    integer :: i
    allocate (copied, source=p)
    allocate (s(n))
    do i = 1, n
      s(i)%x = p(i)
      s(i)%v = [p(i), 2 * p(i), 3 * p(i)]
      s(i)%id = i
    end do
    s = s(n:1:-1)
    e = 0
    do i = 1, n
      e = e + i * sum(s(i)%x * s(i)%v)
    end do
    allocate (q(n))
    q = p
    q(1:n:2) = q(1:n:2)**2
    q(2:n) = q(1:n - 1)
    grown = [p(1)]
    do i = 2, n
      grown = [grown, grown(i - 1) * p(i)]
    end do
    e = e + squares(q) + first_two(q(1:n:2)) + sum(grown)
    e = e + sum(copied**3)
    deallocate (q)
    if (e < -1d30) then
      print *, 'small', e
      stop 1
    end if
  end function

  ! Components with values from the start, in what is allocated; components that
  ! are allocatable, in a variable that ends.
  function components(p, n) result(e) bind(C)
    integer(c_int) :: n
    real(c_double) :: p(n), e
    type(whole), allocatable :: w(:)
    type(part), pointer :: one
    type(owner) :: o
    real(c_double), allocatable :: more(:)
    integer :: i
    allocate (w(n), one)
    allocate (o%numbers(n), o%parts(n))
    one%value = p(2)
    e = one%value * one%factors(2)
    deallocate (one)
    do i = 1, n
      w(i)%parts(2)%value = p(i)
      o%parts(i)%value = p(i)**2
      o%numbers(i) = p(i) / 8
      if (w(i)%used .and. .not. associated(w(i)%elsewhere)) &
        e = e + i * w(i)%parts(2)%value * w(i)%parts(1)%factors(2)
      e = e + o%parts(i)%value * o%parts(i)%factors(1)
    end do
    allocate (more(2 * n))
    more = 0
    more(:n) = o%numbers * o%scale
    call move_alloc(more, o%numbers)
    if (.not. allocated(more)) e = e + sum(o%numbers * o%numbers) + size(o%numbers)
  end function

  function squares(q) result(e)
    real(c_double), intent(in) :: q(:)
    real(c_double) :: e
    e = sum(q * q)
  end function

  function first_two(q) result(e)
    real(c_double), intent(in) :: q(*)
    real(c_double) :: e
    e = q(1) * q(2)
  end function

  ! Bounds after an assignment, lengths of texts, what stat= says.
  function assignments(x, n) result(e) bind(C)
    integer(c_int) :: n
    real(c_double) :: x(n), e
    real(c_double), allocatable :: a(:), history(:)
    real(4) :: short(n)
    character(:), allocatable :: text
    character(2) :: two(2)
    character(6) :: six(2)
    integer :: k, failed, again
    allocate(a(n + 3), history(0:1))
    history = x(1)
    do k = 2, n
      a = history
      deallocate(history)
      allocate(history(0:k))
      history(0:k - 1) = a(0:k - 1)
      history(k) = x(k) * history(k - 1)
    end do
    a = history
    e = sum(a * a) * (1 + lbound(a, 1)) + a(0) * a(n)
    text = 'ab'
    e = e + x(2) * len(text)
    text = text // 'cde'
    if (text == 'abcde') e = e + x(3)**2 * len(text)
    six = ['abcdef', 'ghijkl']
    two = six
    if (two(2) == 'gh') e = e + x(4)**2
    six = two
    if (six(1) == 'ab    ') e = e + x(1)**3
    allocate(a(2), stat=failed)
    if (failed /= 0) e = e + sum(a)
    deallocate(history, stat=failed)
    deallocate(history, stat=again)
    if (failed == 0 .and. again /= 0) e = e + x(1) * x(4)
    short = [(k, k=1, n)]
    e = e + dot_product(short, x) + dot_product(x, [(k * k, k=1, n)])
  end function
end module

program main
  use functions
  use verso
  implicit none
  interface
    function gradient(f, by_x, x, dx, by_n, n) bind(C, name="__verso_value_and_grad")
      import
      type(c_funptr), value :: f
      integer(c_int), value :: by_x, by_n
      real(c_double) :: x(*), dx(*), gradient
      integer(c_int) :: n
    end function
  end interface
  real(c_double) :: x(4), dx(4), value
  x = start()
  dx = 0
  value = gradient(c_funloc(intrinsics), verso_dup, x, dx, verso_const, 4_c_int)
  call check(intrinsics, value)
  x = start()
  dx = 0
  value = gradient(c_funloc(allocations), verso_dup, x, dx, verso_const, 4_c_int)
  call check(allocations, value)
  x = start()
  dx = 0
  value = gradient(c_funloc(components), verso_dup, x, dx, verso_const, 4_c_int)
  call check(components, value)
  x = start()
  dx = 0
  value = gradient(c_funloc(assignments), verso_dup, x, dx, verso_const, 4_c_int)
  call check(assignments, value)
contains
  function start()
    real(c_double) :: start(4)
    start = [0.5d0, 1.4d0, 2.25d0, 3.7d0]
  end function

  subroutine check(f, value)
    interface
      function f(x, n) bind(C)
        import
        integer(c_int) :: n
        real(c_double) :: x(n), f
      end function
    end interface
    real(c_double), intent(in) :: value
    real(c_double) :: above, below, slope, y(4)
    real(c_double), parameter :: h = 1d-6
    integer :: i
    y = start()
    if (abs(f(y, 4_c_int) - value) > 1d-13 * abs(value)) error stop 'value'
    do i = 1, 4
      y = start()
      y(i) = y(i) + h
      above = f(y, 4_c_int)
      y = start()
      y(i) = y(i) - h
      below = f(y, 4_c_int)
      slope = (above - below) / (2 * h)
      if (.not. abs(dx(i) - slope) < 1d-7 * (1 + abs(slope))) error stop 'gradient'
    end do
  end subroutine
end program
