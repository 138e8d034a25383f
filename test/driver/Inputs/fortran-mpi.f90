!===- fortran-mpi.f90 - Fortran that communicates -------------------------===!
!
! Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
!===----------------------------------------------------------------------===!
!
! Each subroutine makes a number on process 0 of what all processes have. The
! dot-product test over all of them, and central differences.
!
!===----------------------------------------------------------------------===!

module kernels
  use iso_c_binding
  implicit none
  include 'mpif.h'
  integer, parameter :: world = MPI_COMM_WORLD, real8 = MPI_DOUBLE_PRECISION
contains
  ! Heat with halos that are on their way while nothing else is done.
  subroutine heat(x, n, r) bind(C)
    integer(c_int), intent(in) :: n
    real(c_double), intent(in) :: x(n)
    real(c_double), intent(out) :: r
    real(c_double) :: u(0:n+1), v(0:n+1), own
    integer :: rank, size, left, right, t, e, requests(4), statuses(MPI_STATUS_SIZE, 4)
    call MPI_COMM_RANK(world, rank, e)
    call MPI_COMM_SIZE(world, size, e)
    left = merge(rank - 1, MPI_PROC_NULL, rank > 0)
    right = merge(rank + 1, MPI_PROC_NULL, rank < size - 1)
    u = 0
    u(1:n) = x
    do t = 1, 3
      call MPI_IRECV(u(0), 1, real8, left, 1, world, requests(1), e)
      call MPI_IRECV(u(n+1), 1, real8, right, 2, world, requests(2), e)
      call MPI_ISEND(u(1), 1, real8, left, 2, world, requests(3), e)
      call MPI_ISEND(u(n), 1, real8, right, 1, world, requests(4), e)
      if (t == 1) then
        call MPI_WAITALL(4, requests, statuses, e)
        if (any(requests /= MPI_REQUEST_NULL)) error stop 'requests'
      else
        call MPI_WAITALL(4, requests, MPI_STATUSES_IGNORE, e)
      end if
      v(1:n) = u(1:n) + 0.1d0 * (u(0:n-1) - 2 * u(1:n) + u(2:n+1)) * (1 + 0.1d0 * u(1:n)**2)
      u(1:n) = v(1:n)
    end do
    own = sum(u(1:n)**2)
    r = 0
    call MPI_REDUCE(own, r, 1, real8, MPI_SUM, 0, world, e)
    if (rank /= 0) r = 0
  end subroutine

  ! A pipeline whose receivers do not know who sends, and ask.
  subroutine pipeline(x, n, r) bind(C)
    integer(c_int), intent(in) :: n
    real(c_double), intent(in) :: x(n)
    real(c_double), intent(out) :: r
    real(c_double) :: sum_before(n)
    integer :: rank, size, e, count, status(MPI_STATUS_SIZE)
    call MPI_COMM_RANK(world, rank, e)
    call MPI_COMM_SIZE(world, size, e)
    sum_before = 0
    if (rank < size - 1) then
      call MPI_RECV(sum_before, n, real8, MPI_ANY_SOURCE, 7, world, status, e)
      call MPI_GET_COUNT(status, real8, count, e)
      if (status(MPI_SOURCE) /= rank + 1 .or. count /= n) error stop 'status'
    end if
    sum_before = sin(sum_before) + x * x(n) * (rank + 1)
    if (rank > 0) call MPI_SEND(sum_before, n, real8, rank - 1, 7, world, e)
    r = 0
    if (rank == 0) r = sum(sum_before**2)
  end subroutine

  ! Collective functions, in place where that may be.
  subroutine together(x, n, r) bind(C)
    integer(c_int), intent(in) :: n
    real(c_double), intent(in) :: x(n)
    real(c_double), intent(out) :: r
    integer, parameter :: most = 8
    real(c_double) :: all(2 * most), own(2), swapped(most), total, greatest
    complex(c_double) :: z
    integer :: rank, size, e, i, half, counts(most), places(most)
    call MPI_COMM_RANK(world, rank, e)
    call MPI_COMM_SIZE(world, size, e)
    own = [x(1) * x(2), exp(x(n))]
    call MPI_ALLGATHER(own, 2, real8, all, 2, real8, world, e)
    total = dot_product(all(1:2*size), cos(all(1:2*size)))
    call MPI_ALLREDUCE(MPI_IN_PLACE, total, 1, real8, MPI_SUM, world, e)
    swapped = 0
    do i = 1, size
      all(i) = x(2) * i + x(3)**2 * rank
    end do
    call MPI_ALLTOALL(all, 1, MPI_REAL8, swapped, 1, MPI_REAL8, world, e)
    total = total * sum(swapped(1:size)**2 * [(i, i = 1, size)])
    call MPI_COMM_SPLIT(world, mod(rank, 2), rank, half, e)
    call MPI_ALLREDUCE(x(2), greatest, 1, real8, MPI_MAX, half, e)
    call MPI_COMM_FREE(half, e)
    if (half /= MPI_COMM_NULL) error stop 'comm_free'
    z = cmplx(total, greatest, c_double)
    call MPI_BCAST(z, 1, MPI_DOUBLE_COMPLEX, size - 1, world, e)
    counts(1:size) = 1
    places(1:size) = [(i - 1, i = 1, size)]
    all(rank + 1) = real(z) / 10 + x(1)**3 * aimag(z)
    if (rank == 0) then
      call MPI_GATHERV(MPI_IN_PLACE, 1, real8, all, counts, places, real8, 0, world, e)
    else
      call MPI_GATHERV(all(rank + 1), 1, real8, all, counts, places, real8, 0, world, e)
    end if
    r = 0
    if (rank == 0) r = product(1 + sin(all(1:size)) / 2)
  end subroutine

  ! A grid of processes; requests that are started again, and asked for in turn.
  subroutine grid(x, n, r) bind(C)
    integer(c_int), intent(in) :: n
    real(c_double), intent(in) :: x(n)
    real(c_double), intent(out) :: r
    real(c_double) :: out(2), in(2), own
    integer :: ring, rank, size, e, below, above, t, i, which, requests(2)
    logical :: done
    call MPI_COMM_SIZE(world, size, e)
    call MPI_CART_CREATE(world, 1, [size], [.true.], .false., ring, e)
    call MPI_COMM_RANK(ring, rank, e)
    call MPI_CART_SHIFT(ring, 0, 1, below, above, e)
    call MPI_SEND_INIT(out, 2, real8, above, 0, ring, requests(1), e)
    call MPI_RECV_INIT(in, 2, real8, below, 0, ring, requests(2), e)
    in = x(1:2)
    do t = 1, 3
      out = in * x(3) + sin(x(1:2))
      call MPI_STARTALL(2, requests, e)
      do i = 1, 2
        call MPI_WAITANY(2, requests, which, MPI_STATUS_IGNORE, e)
        if (which < 1 .or. which > 2) error stop 'waitany'
      end do
    end do
    do i = 1, 2
      call MPI_REQUEST_FREE(requests(i), e)
    end do
    call MPI_IRECV(own, 1, real8, below, 1, ring, requests(1), e)
    call MPI_SEND(in, 1, real8, above, 1, ring, e)
    done = .false.
    do while (.not. done)
      call MPI_TEST(requests(1), done, MPI_STATUS_IGNORE, e)
    end do
    own = own * in(2)
    r = 0
    call MPI_REDUCE(own, r, 1, real8, MPI_SUM, 0, ring, e)
    if (rank /= 0) r = 0
    call MPI_COMM_FREE(ring, e)
  end subroutine
end module

program test
  use verso
  use kernels
  implicit none
  interface
    subroutine vjp(f, m1, x, dx, m2, n, m3, r, dr) bind(C, name="__verso_vjp")
      import
      type(c_funptr), value :: f
      integer(c_int), value :: m1, m2, m3
      real(c_double) :: x(*), dx(*), r, dr
      integer(c_int) :: n
    end subroutine
    subroutine jvp(f, m1, x, dx, m2, n, m3, r, dr) bind(C, name="__verso_jvp")
      import
      type(c_funptr), value :: f
      integer(c_int), value :: m1, m2, m3
      real(c_double) :: x(*), dx(*), r, dr
      integer(c_int) :: n
    end subroutine
  end interface
  integer(c_int), parameter :: n = 5
  real(c_double), parameter :: h = 1d-6
  real(c_double) :: x(n), dx(n, 4), v(n), r, seeds(4), tangent(4), slope(4)
  integer :: rank, i, e
  call MPI_INIT(e)
  call MPI_COMM_RANK(world, rank, e)
  do i = 1, n
    x(i) = 0.1d0 * i + 0.07d0 * rank + 0.4d0 * sin(3d0 * i + rank)
    v(i) = cos(i + 0.5d0 * rank)
  end do
  dx = 0
  seeds = merge(1, 0, rank == 0)
  call vjp(c_funloc(heat), verso_dup, x, dx(:, 1), verso_const, n, verso_dup, r, seeds(1))
  call vjp(c_funloc(pipeline), verso_dup, x, dx(:, 2), verso_const, n, verso_dup, r, seeds(2))
  call vjp(c_funloc(together), verso_dup, x, dx(:, 3), verso_const, n, verso_dup, r, seeds(3))
  call vjp(c_funloc(grid), verso_dup, x, dx(:, 4), verso_const, n, verso_dup, r, seeds(4))
  tangent = 0
  call jvp(c_funloc(heat), verso_dup, x, v, verso_const, n, verso_dup, r, tangent(1))
  call jvp(c_funloc(pipeline), verso_dup, x, v, verso_const, n, verso_dup, r, tangent(2))
  call jvp(c_funloc(together), verso_dup, x, v, verso_const, n, verso_dup, r, tangent(3))
  call jvp(c_funloc(grid), verso_dup, x, v, verso_const, n, verso_dup, r, tangent(4))
  slope = (values(x + h * v) - values(x - h * v)) / (2 * h)
  do i = 1, 4
    call compare(i)
  end do
  call MPI_FINALIZE(e)
contains
  function values(y)
    real(c_double) :: y(n), values(4)
    call heat(y, n, values(1))
    call pipeline(y, n, values(2))
    call together(y, n, values(3))
    call grid(y, n, values(4))
  end function
  subroutine compare(i)
    integer, intent(in) :: i
    real(c_double) :: own, product
    integer :: e
    own = sum(dx(:, i) * v)
    call MPI_REDUCE(own, product, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, world, e)
    if (rank /= 0) return
    if (.not. (abs(product - tangent(i)) <= 1d-12 * abs(tangent(i)) .and. &
               abs(tangent(i) - slope(i)) <= 1d-6 * max(abs(tangent(i)), 1d-2) .and. tangent(i) /= 0)) then
      print *, 'kernel', i, 'vjp', product, 'jvp', tangent(i), 'difference', slope(i)
      call MPI_ABORT(world, 1, e)
    end if
  end subroutine
end program
