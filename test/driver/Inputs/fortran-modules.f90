!===- fortran-modules.f90 - memory that Fortran procedures share ----------===!
!
! Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
!===----------------------------------------------------------------------===!
!
! Arrays of a module that are made, assigned, grown, exchanged and kept between
! calls; COMMON blocks that procedures see differently. Gradients are compared
! with differences, and what a request leaves in the module with what the
! function leaves.
!
!===----------------------------------------------------------------------===!

module shared
  use iso_c_binding
  implicit none
  integer, parameter :: dp = c_double
  real(dp), allocatable :: field(:), other(:,:)
  real(dp), allocatable, target :: tgt(:)
  real(dp), pointer :: ptr(:)
  real(dp), allocatable :: keep(:)
contains
  subroutine eq1(x)
    real(dp) :: x(*), a(4), b(4), c(8)
    integer :: k(2)
    common /blk/ a, b, k
    equivalence (a(1), c(1))
    a(1:4) = x(1:4)
    b(1:4) = x(5:8)**2
    c(5) = c(5) * c(1)
    k = [2, 3]
  end subroutine
  subroutine over(c, n)
    integer :: n
    real(dp) :: c(n)
    c(6) = c(6) * c(2)
  end subroutine
  function equivalenced(x, n, s) result(r) bind(C)
    integer(c_int), intent(in) :: n, s
    real(dp), intent(in) :: x(n)
    real(dp) :: r
    real(dp) :: a(4), b(4)
    integer :: k(2)
    common /blk/ a, b, k
    call eq1(x)
    call over(a, 8)
    r = sum(a * b) * k(1) + b(k(2))**2
  end function
  subroutine view1(x)
    real(dp) :: x(*), v(6)
    integer :: k(2)
    common /view/ v, k
    v(1:6) = x(1:6)
    k = [1, 2]
  end subroutine
  function viewed(x, n, s) result(r) bind(C)
    integer(c_int), intent(in) :: n, s
    real(dp), intent(in) :: x(n)
    real(dp) :: r, p, q(5)
    integer :: k(2)
    common /view/ p, q, k
    call view1(x)
    p = p * q(k(2))
    call view2(x)
    r = p * sum(q**2)
  end function
  subroutine view2(x)
    real(dp) :: x(*), v(6)
    integer :: k(2)
    common /view/ v, k
    v(k(1)) = v(k(1)) * x(7)
    v(3) = v(2) * v(1)
  end subroutine
  ! target array, pointer to it, both used
  function targets(x, n, s) result(r) bind(C)
    integer(c_int), intent(in) :: n, s
    real(dp), intent(in) :: x(n)
    real(dp) :: r
    if (allocated(tgt)) deallocate(tgt)
    allocate(tgt(n))
    tgt = x
    ptr => tgt(2:n:2)
    ptr = ptr * tgt(1:n-1:2)
    tgt(4) = ptr(1) * ptr(2)
    r = sum(tgt) + sum(ptr**2)
  end function
  ! reallocation in a procedure that is given the module's array
  subroutine grow(a)
    real(dp), allocatable, intent(inout) :: a(:)
    real(dp), allocatable :: t(:)
    allocate(t(2 * size(a)))
    t(1:size(a)) = a
    t(size(a)+1:) = a * a
    call move_alloc(t, a)
  end subroutine
  function grown(x, n, s) result(r) bind(C)
    integer(c_int), intent(in) :: n, s
    real(dp), intent(in) :: x(n)
    real(dp) :: r
    integer :: i
    field = x(1:3)
    do i = 1, 3
      call grow(field)
      field = field * 0.5_dp + x(4)
    end do
    other = reshape(field, [size(field)/4, 4])
    other = matmul(transpose(other), other)
    r = sum(field) + sum(other) * size(other, 1)
    if (x(1) > 100) then
      deallocate(other)
      error stop
    end if
  end function
  ! kept between calls: allocated the first time
  function kept_sums(x, n, s) result(r) bind(C)
    integer(c_int), intent(in) :: n, s
    real(dp), intent(in) :: x(n)
    real(dp) :: r
    integer :: i
    if (.not. allocated(keep)) then
      allocate(keep(n))
      keep = 0
    end if
    do i = 1, n
      keep(i) = 0.5_dp * x(i)**2
    end do
    r = sum(keep * x)
  end function
  ! recursion over a module's array
  recursive subroutine half(lo, hi)
    integer, intent(in) :: lo, hi
    integer :: mid
    if (lo == hi) then
      field(lo) = field(lo)**2
      return
    end if
    mid = (lo + hi) / 2
    call half(lo, mid)
    call half(mid + 1, hi)
    field(lo) = field(lo) * field(hi)
  end subroutine
  function halves(x, n, s) result(r) bind(C)
    integer(c_int), intent(in) :: n, s
    real(dp), intent(in) :: x(n)
    real(dp) :: r
    field = x(1:8)
    call half(1, 8)
    field = [field, x(9)]
    r = sum(field)
  end function
  ! rank and extents that change; scalars; an empty array
  function ranks(x, n, s) result(r) bind(C)
    integer(c_int), intent(in) :: n, s
    real(dp), intent(in) :: x(n)
    real(dp) :: r
    real(dp), allocatable :: a(:), sc
    integer :: i
    r = 0
    allocate(a(0))
    do i = 0, 4
      a = x(1:i) * x(2)
      if (i == 3) a = 2 * x(3)
      r = r + sum(a) * size(a)
      sc = r
      sc = sc * x(5)
      r = sc
    end do
    deallocate(a)
    a = x(1:2)
    r = r + product(a)
  end function
  ! overlapping sections of one array, reversed
  function sections(x, n, s) result(r) bind(C)
    integer(c_int), intent(in) :: n, s
    real(dp), intent(in) :: x(n)
    real(dp) :: r
    integer :: i
    if (allocated(field)) deallocate(field)
    allocate(field(20))
    field = x(1:20)
    do i = 1, 3
      field(2:20) = field(1:19) * field(20)
      field(1:10) = field(10:1:-1)
      field(1:20:3) = field(2:20:3)
    end do
    r = sum(field**2)
  end function
end module

module states
  use iso_c_binding
  implicit none
  integer, parameter :: dp = c_double
  real(dp), allocatable :: a(:), b(:), state(:,:), tmp(:), given(:), sc
  real(4), allocatable :: single(:)
  complex(dp), allocatable :: z(:)
  integer, allocatable :: idx(:)
contains
  subroutine init(n)
    integer, intent(in) :: n
    integer :: i
    if (allocated(a)) deallocate(a, b, state, single, z, idx)
    allocate(a(n), b(0:n-1), state(n, 3), single(n), z(n), idx(n))
    do i = 1, n
      a(i) = 0.5_dp + 0.01_dp * i; b(i-1) = 1 + 0.02_dp * i; state(i, :) = [1.0_dp, 2.0_dp, 3.0_dp] * 0.1_dp * i
      single(i) = 0.1 * i; z(i) = cmplx(0.1_dp * i, 1.0_dp, dp); idx(i) = n + 1 - i
    end do
  end subroutine
  ! Reads and overwrites what was there.
  function overwritten(x, n, s) result(r) bind(C)
    integer(c_int), intent(in) :: n, s
    real(dp), intent(in) :: x(n)
    real(dp) :: r
    integer :: i, t
    do t = 1, 3
      do i = 1, n
        a(i) = a(i) * x(i) + b(i-1)
        state(i, 2) = state(i, 1) * a(i) + state(idx(i), 3)
        single(i) = single(i) * 2
        z(i) = z(i) * cmplx(x(i), a(i), dp)
      end do
      state(:, 1) = state(:, 2) * 0.5_dp
    end do
    r = sum(a) + sum(state) + sum(abs(z)) + sum(b)
  end function
  function exchanged(x, n, s) result(r) bind(C)
    integer(c_int), intent(in) :: n, s
    real(dp), intent(in) :: x(n)
    real(dp) :: r
    integer :: t, i
    do t = 1, 3
      do i = 1, n
        b(lbound(b,1)+i-1) = a(lbound(a,1)+i-1)**2 * x(i) * 0.3_dp
      end do
      call move_alloc(a, tmp)
      call move_alloc(b, a)
      call move_alloc(tmp, b)
    end do
    r = sum(a) + 2 * sum(b)
  end function
  function freed(x, n, s) result(r) bind(C)
    integer(c_int), intent(in) :: n, s
    real(dp), intent(in) :: x(n)
    real(dp) :: r
    r = sum(a * x(1:n))
    a = a(1:n:2) * x(1:n:2)
    r = r + sum(a**2)
    deallocate(a)
    allocate(a(n))
    a = x * 2
    if (.not. allocated(sc)) sc = 1
    sc = sc * x(1)
    r = r + sum(a * x) + sc
    sc = 1
  end function
  ! The argument may not be the module's array.
  function given_too(x, n, s) result(r) bind(C)
    integer(c_int), intent(in) :: n, s
    real(dp), intent(in) :: x(n)
    real(dp) :: r
    r = sum(x * given(1:n) * a(1:n))
  end function
end module

program modules
  use iso_c_binding
  use verso
  use shared, only: equivalenced, viewed, targets, grown, kept_sums, halves, &
      ranks, sections
  use states
  implicit none
  interface
    subroutine gradient(f, m1, x, dx, m2, n, m3, s) bind(C, name="__verso_grad_x")
      import
      type(c_funptr), value :: f
      integer(c_int), value :: m1, m2, m3
      real(c_double) :: x(*), dx(*)
      integer(c_int) :: n, s
    end subroutine
    function kernel(x, n, s) result(r) bind(C)
      import
      integer(c_int), intent(in) :: n, s
      real(c_double), intent(in) :: x(n)
      real(c_double) :: r
    end function
  end interface
  integer, parameter :: points = 40
  integer(c_int) :: n = points, s = 1
  real(c_double) :: x(points), g(points)
  integer :: i
  character(10) :: argument
  do i = 1, points
    x(i) = 1 + 0.3_dp * sin(0.1_dp * i)
  end do
  call get_command_argument(1, argument)
  if (argument == "given") then
    call init(points)
    given = x
    g = 0
    call gradient(c_funloc(given_too), verso_dup, given, g, verso_const, n, verso_const, s)
    print *, g(1)
    stop
  end if
  call start()
  call gradient(c_funloc(equivalenced), verso_dup, x, g, verso_const, n, verso_const, s)
  call check("equivalenced", equivalenced)
  call start()
  call gradient(c_funloc(viewed), verso_dup, x, g, verso_const, n, verso_const, s)
  call check("viewed", viewed)
  call start()
  call gradient(c_funloc(targets), verso_dup, x, g, verso_const, n, verso_const, s)
  call check("targets", targets)
  call start()
  call gradient(c_funloc(grown), verso_dup, x, g, verso_const, n, verso_const, s)
  call check("grown", grown)
  call start()
  call gradient(c_funloc(kept_sums), verso_dup, x, g, verso_const, n, verso_const, s)
  call check("kept_sums", kept_sums)
  call start()
  call gradient(c_funloc(halves), verso_dup, x, g, verso_const, n, verso_const, s)
  call check("halves", halves)
  call start()
  call gradient(c_funloc(ranks), verso_dup, x, g, verso_const, n, verso_const, s)
  call check("ranks", ranks)
  call start()
  call gradient(c_funloc(sections), verso_dup, x, g, verso_const, n, verso_const, s)
  call check("sections", sections)
  call start()
  call gradient(c_funloc(overwritten), verso_dup, x, g, verso_const, n, verso_const, s)
  call check("overwritten", overwritten)
  call start()
  call gradient(c_funloc(exchanged), verso_dup, x, g, verso_const, n, verso_const, s)
  call check("exchanged", exchanged)
  call start()
  call gradient(c_funloc(freed), verso_dup, x, g, verso_const, n, verso_const, s)
  call check("freed", freed)
  given = 2 * x
  call start()
  call gradient(c_funloc(given_too), verso_dup, x, g, verso_const, n, verso_const, s)
  call check("given_too", given_too)
contains
  subroutine start()
    call init(points)
    g = 0
  end subroutine
  function left() result(r)
    real(dp) :: r
    r = sum(state) + sum(single) + sum(abs(z))
    if (allocated(a)) r = r + sum(a) + 3 * size(a)
    if (allocated(b)) r = r + sum(b) + 5 * lbound(b, 1)
  end function
  subroutine check(name, f)
    character(*), intent(in) :: name
    procedure(kernel) :: f
    real(dp), parameter :: h = 1e-6_dp
    real(dp) :: y(points), value, difference, largest, left_here
    integer :: k
    left_here = left()
    call init(points)
    value = f(x, n, s)
    if (.not. left_here == left()) then
      print *, name, left_here, left()
      error stop "what it leaves"
    end if
    largest = maxval(abs(g))
    do k = 1, points, 3
      y = x
      y(k) = x(k) + h
      call init(points)
      difference = f(y, n, s)
      y(k) = x(k) - h
      call init(points)
      difference = (difference - f(y, n, s)) / (2 * h)
      if (.not. abs(g(k) - difference) < 1e-5_dp * (1 + largest)) then
        print *, name, k, g(k), difference
        error stop
      end if
    end do
    if (.not. largest > 1e-3_dp) error stop "no gradient"
  end subroutine
end program
