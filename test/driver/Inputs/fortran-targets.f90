!===- fortran-targets.f90 - arrays of a module and pointers to them --------===!
!
! Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
!===----------------------------------------------------------------------===!
!
! What a module's array holds is read and overwritten through pointers that have
! led there before the request.
!
!===----------------------------------------------------------------------===!

module m
  use iso_c_binding
  implicit none
  integer, parameter :: dp = c_double
  real(dp), allocatable, target :: tgt(:)
  real(dp), pointer :: ptr(:)
  type :: holder
    real(dp), pointer :: p(:)
  end type
  type(holder) :: held
contains
  subroutine init()
    if (.not. allocated(tgt)) allocate(tgt(4))
    tgt = 1
    ptr => tgt
    held%p => tgt
  end subroutine
  function read_behind(x, n) result(r) bind(C)
    integer(c_int), intent(in) :: n
    real(dp), intent(in) :: x(n)
    real(dp) :: r
    integer :: i
    do i = 1, 4
      tgt(i) = x(i)**2
    end do
    r = 0
    do i = 1, 4
      r = r + ptr(i)
    end do
  end function
  function cut_behind(x, n) result(r) bind(C)
    integer(c_int), intent(in) :: n
    real(dp), intent(in) :: x(n)
    real(dp) :: r
    integer :: i
    do i = 1, 4
      tgt(i) = x(i)**2
    end do
    ptr(2) = 5
    r = 0
    do i = 1, 4
      r = r + tgt(i)
    end do
  end function
  function cut_in_record(x, n) result(r) bind(C)
    integer(c_int), intent(in) :: n
    real(dp), intent(in) :: x(n)
    real(dp) :: r
    integer :: i
    do i = 1, 4
      tgt(i) = x(i)**2
    end do
    held%p(3) = 7
    r = 0
    do i = 1, 4
      r = r + tgt(i) * i
    end do
  end function
  function stored_behind(x, n) result(r) bind(C)
    integer(c_int), intent(in) :: n
    real(dp), intent(in) :: x(n)
    real(dp) :: r
    integer :: i
    do i = 1, 4
      held%p(i) = x(i)**2
    end do
    r = tgt(1) * tgt(2) + tgt(3)
  end function
end module
program p
  use m
  use verso
  implicit none
  interface
    subroutine g1(f, m1, x, dx, m2, n) bind(C, name="__verso_grad_1")
      import
      type(c_funptr), value :: f
      integer(c_int), value :: m1, m2
      real(c_double) :: x(*), dx(*)
      integer(c_int) :: n
    end subroutine
  end interface
  integer(c_int) :: n = 4
  real(dp) :: x(4), g(4)
  x = [1d0, 2d0, 3d0, 4d0]
  call init()
  g = 0
  call g1(c_funloc(read_behind), verso_dup, x, g, verso_const, n)
  call check("read_behind", [2d0, 4d0, 6d0, 8d0])
  call init()
  g = 0
  call g1(c_funloc(cut_behind), verso_dup, x, g, verso_const, n)
  call check("cut_behind", [2d0, 0d0, 6d0, 8d0])
  call init()
  g = 0
  call g1(c_funloc(cut_in_record), verso_dup, x, g, verso_const, n)
  call check("cut_in_record", [2d0, 8d0, 0d0, 32d0])
  call init()
  g = 0
  call g1(c_funloc(stored_behind), verso_dup, x, g, verso_const, n)
  call check("stored_behind", [8d0, 4d0, 6d0, 0d0])
contains
  subroutine check(name, expected)
    character(*), intent(in) :: name
    real(dp), intent(in) :: expected(4)
    if (any(abs(g - expected) > 1e-12_dp)) then
      print *, name, g
      error stop
    end if
  end subroutine
end program
