!===- fortran-arrays.f90 - arrays as Fortran programs keep them -----------===!
!
! Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
!===----------------------------------------------------------------------===!
!
! Time loops over allocatable arrays that are assigned as a whole, arrays of
! modules, of derived types and in derived types, COMMON blocks. Gradients are
! compared with differences.
!
!===----------------------------------------------------------------------===!

module kernels
  use iso_c_binding
  implicit none
  integer, parameter :: dp = c_double
  real(dp), allocatable :: field(:,:), work(:,:)
  real(dp) :: diff = 0.1_dp
  type :: state_t
    real(dp), allocatable :: u(:), v(:)
    integer :: n
    real(dp) :: dt
  end type
  type :: particle
    real(dp) :: x(3), v(3), m
  end type
  type :: cell_t
    real(dp) :: h, u
    integer :: kind
  end type
contains
  function heat(x, n, s) result(r) bind(C)
    integer(c_int), intent(in) :: n, s
    real(dp), intent(in) :: x(n)
    real(dp) :: r
    real(dp), allocatable :: u(:), v(:)
    integer :: i, t
    allocate(u(n), v(n))
    u = x
    v = x
    do t = 1, s
      do i = 2, n - 1
        v(i) = u(i) + 0.1d0 * (u(i-1) - 2d0*u(i) + u(i+1)) * (1d0 + 0.1d0 * u(i))
      end do
      u = v
    end do
    r = sum(u**2)
    deallocate(u, v)
  end function
  function cells(x, n, s) result(r) bind(C)
    integer(c_int), intent(in) :: n, s
    real(dp), intent(in) :: x(n)
    real(dp) :: r, f
    type(cell_t), allocatable :: c(:), d(:)
    integer :: i, t
    allocate(c(n), d(n))
    do i = 1, n
      c(i)%h = 1d0 + 0.1d0 * x(i)
      c(i)%u = 0.1d0 * x(i)
      c(i)%kind = mod(i, 2)
    end do
    d = c
    do t = 1, s
      do i = 2, n - 1
        f = 0.5d0 * (c(i+1)%h * c(i+1)%u - c(i-1)%h * c(i-1)%u)
        d(i)%h = c(i)%h - 0.01d0 * f
        d(i)%u = c(i)%u - 0.01d0 * 0.5d0 * (c(i+1)%h**2 - c(i-1)%h**2)
        if (c(i)%kind == 1) d(i)%u = d(i)%u * 0.999d0
      end do
      c = d
    end do
    r = 0d0
    do i = 1, n
      r = r + c(i)%h * c(i)%u
    end do
  end function
  ! Whole arrays in expressions; arguments of assumed shape.
  subroutine rhs(u, du)
    real(dp), intent(in) :: u(:)
    real(dp), intent(out) :: du(:)
    integer :: n
    n = size(u)
    du(1) = 0; du(n) = 0
    du(2:n-1) = diff * (u(1:n-2) - 2*u(2:n-1) + u(3:n)) + u(2:n-1)*(1 - u(2:n-1))
  end subroutine
  function heun(x, n, s) result(r) bind(C)
    integer(c_int), intent(in) :: n, s
    real(dp), intent(in) :: x(n)
    real(dp) :: r
    real(dp), allocatable :: u(:), a(:), b(:)
    integer :: t
    u = x
    allocate(a(n), b(n))
    do t = 1, s
      call rhs(u, a)
      b = u + 0.01_dp * a
      call rhs(b, a)
      u = 0.5_dp * (u + b + 0.01_dp * a)
    end do
    r = dot_product(u, u)
  end function
  ! Arrays of the module.
  function field_steps(x, n, s) result(r) bind(C)
    integer(c_int), intent(in) :: n, s
    real(dp), intent(in) :: x(n)
    real(dp) :: r
    integer :: i, j, m, t
    m = int(sqrt(real(n, dp)))
    if (allocated(field)) deallocate(field, work)
    allocate(field(m, m), work(m, m))
    field = reshape(x(1:m*m), [m, m])
    work = field
    do t = 1, s
      do j = 2, m - 1
        do i = 2, m - 1
          work(i, j) = field(i, j) + diff * (field(i-1, j) + field(i+1, j) + &
              field(i, j-1) + field(i, j+1) - 4*field(i, j)) * field(i, j)
        end do
      end do
      field = work
    end do
    r = sum(field**2)
  end function
  ! A derived type with allocatable components.
  function pendulum(x, n, s) result(r) bind(C)
    integer(c_int), intent(in) :: n, s
    real(dp), intent(in) :: x(n)
    real(dp) :: r
    type(state_t) :: st
    integer :: t
    st%n = n; st%dt = 0.01_dp
    allocate(st%u(n), st%v(n))
    st%u = x
    st%v = 0
    do t = 1, s
      call step(st)
    end do
    r = sum(st%u**2) + sum(st%v**2)
  end function
  subroutine step(st)
    type(state_t), intent(inout) :: st
    integer :: i
    do i = 1, st%n
      st%v(i) = st%v(i) - st%dt * st%u(i)*(1-st%u(i))
    end do
    st%u = st%u + st%dt * st%v
  end subroutine
  ! Arrays in derived types.
  function particles(x, n, s) result(r) bind(C)
    integer(c_int), intent(in) :: n, s
    real(dp), intent(in) :: x(n)
    real(dp) :: r, d(3), f(3), r2
    type(particle), allocatable :: p(:)
    integer :: i, j, t, m
    m = n / 10
    allocate(p(m))
    do i = 1, m
      p(i)%x = [x(3*i), x(3*i+1) + i, x(3*i+2) * 2]
      p(i)%v = 0
      p(i)%m = 1 + 0.1_dp * x(i)
    end do
    do t = 1, s / 10
      do i = 1, m
        f = 0
        do j = 1, m
          if (i == j) cycle
          d = p(j)%x - p(i)%x
          r2 = dot_product(d, d) + 0.1_dp
          f = f + p(j)%m * d / (r2 * sqrt(r2))
        end do
        p(i)%v = p(i)%v + 0.001_dp * f
      end do
      do i = 1, m
        p(i)%x = p(i)%x + 0.001_dp * p(i)%v
      end do
    end do
    r = 0
    do i = 1, m
      r = r + norm2(p(i)%x)
    end do
  end function
  ! A function that returns an array.
  function layer(w, b, h) result(o)
    real(dp), intent(in) :: w(:,:), b(:), h(:)
    real(dp) :: o(size(b))
    o = tanh(matmul(w, h) + b)
  end function
  function layers(x, n, s) result(r) bind(C)
    integer(c_int), intent(in) :: n, s
    real(dp), intent(in) :: x(n)
    real(dp) :: r
    real(dp) :: w(18, 18), b(18), h(18)
    integer :: t
    w = 0.05_dp * reshape(x(1:324), [18, 18])
    b = 0.1_dp * x(325:342)
    h = x(343:360)
    do t = 1, s
      h = layer(w, b, h)
    end do
    r = sum(h**2)
  end function
  ! Pointers that are exchanged.
  function exchanged(x, n, s) result(r) bind(C)
    integer(c_int), intent(in) :: n, s
    real(dp), intent(in) :: x(n)
    real(dp) :: r
    real(dp), pointer :: now(:), next(:), tmp(:)
    integer :: i, t
    allocate(now(n), next(n))
    now = x
    next = x
    do t = 1, s
      do i = 2, n - 1
        next(i) = now(i) + 0.1_dp * (now(i-1) - 2*now(i) + now(i+1)) * now(i)
      end do
      tmp => now
      now => next
      next => tmp
    end do
    r = sum(now**2)
    deallocate(now, next)
  end function
  ! Masks.
  function upwind(x, n, s) result(r) bind(C)
    integer(c_int), intent(in) :: n, s
    real(dp), intent(in) :: x(n)
    real(dp) :: r
    real(dp) :: u(n), f(0:n)
    integer :: i, t
    u = x
    do t = 1, s
      do concurrent (i = 1:n-1)
        f(i) = merge(u(i), u(i+1), u(i) + u(i+1) > 2.0_dp) ** 2 / 2
      end do
      f(0) = f(1); f(n) = f(n-1)
      u = u - 0.01_dp * (f(1:n) - f(0:n-1))
      where (u < 0.9_dp) u = 0.9_dp + 0.1_dp * (u - 0.9_dp)
    end do
    r = sum(u * u) + maxval(u)
  end function
  ! LINPACK's factors, in place.
  subroutine dgefa(a, lda, n, ipvt)
    integer :: lda, n, ipvt(n), i, j, k, l
    real(dp) :: a(lda, *), t
    do k = 1, n - 1
      l = k
      do i = k + 1, n
        if (abs(a(i, k)) > abs(a(l, k))) l = i
      end do
      ipvt(k) = l
      if (l /= k) then
        t = a(l, k); a(l, k) = a(k, k); a(k, k) = t
      end if
      do i = k + 1, n
        a(i, k) = -a(i, k) / a(k, k)
      end do
      do j = k + 1, n
        t = a(l, j)
        if (l /= k) then
          a(l, j) = a(k, j); a(k, j) = t
        end if
        do i = k + 1, n
          a(i, j) = a(i, j) + t * a(i, k)
        end do
      end do
    end do
  end subroutine
  function determinant(x, n, s) result(r) bind(C)
    integer(c_int), intent(in) :: n, s
    real(dp), intent(in) :: x(n)
    real(dp) :: r
    real(dp) :: a(40, 40)
    integer :: p(40), i, j
    do j = 1, 40
      do i = 1, 40
        a(i, j) = x(i) * x(j + 40) + sin(real(7 * i * j, dp)) * x(100 + i)
      end do
    end do
    call dgefa(a, 40, 40, p)
    r = 0
    do i = 1, 40
      r = r + log(abs(a(i, i)))
    end do
  end function
end module

subroutine setup(n0)
  integer :: n0, n
  double precision :: a(400), b(400), g
  common /state/ a, b, g, n
  n = n0
end subroutine
subroutine advance()
  double precision :: a(400), b(400), g
  integer :: n, i
  common /state/ a, b, g, n
  do i = 2, n - 1
    b(i) = a(i) + g * (a(i-1) - 2d0 * a(i) + a(i+1)) * a(i)
  end do
  do i = 2, n - 1
    a(i) = b(i)
  end do
end subroutine
function block_steps(x, m, steps) result(r) bind(C)
  use iso_c_binding
  integer(c_int), intent(in) :: m, steps
  double precision, intent(in) :: x(m)
  double precision :: r
  double precision :: a(400), b(400), g
  integer :: n, i, t
  common /state/ a, b, g, n
  call setup(m)
  g = 0.1d0
  do i = 1, n
    a(i) = x(i)
    b(i) = x(i)
  end do
  do t = 1, steps
    call advance()
  end do
  r = 0d0
  do i = 1, n
    r = r + a(i) * a(i)
  end do
end function

program arrays
  use iso_c_binding
  use verso
  use kernels
  implicit none
  interface
    subroutine gradient(f, m1, x, dx, m2, n, m3, s) bind(C, name="__verso_grad_x")
      import
      type(c_funptr), value :: f
      integer(c_int), value :: m1, m2, m3
      real(c_double) :: x(*), dx(*)
      integer(c_int) :: n, s
    end subroutine
    function block_steps(x, m, steps) result(r) bind(C)
      import
      integer(c_int), intent(in) :: m, steps
      real(c_double), intent(in) :: x(m)
      real(c_double) :: r
    end function
    function kernel(x, n, s) result(r) bind(C)
      import
      integer(c_int), intent(in) :: n, s
      real(c_double), intent(in) :: x(n)
      real(c_double) :: r
    end function
  end interface
  integer, parameter :: points = 400
  integer(c_int) :: n = points, s = 20
  real(c_double) :: x(points), g(points)
  integer :: i
  do i = 1, points
    x(i) = 1 + 0.3_dp * sin(0.1_dp * i)
  end do
  g = 0
  call gradient(c_funloc(heat), verso_dup, x, g, verso_const, n, verso_const, s)
  call check("heat", heat)
  g = 0
  call gradient(c_funloc(cells), verso_dup, x, g, verso_const, n, verso_const, s)
  call check("cells", cells)
  g = 0
  call gradient(c_funloc(heun), verso_dup, x, g, verso_const, n, verso_const, s)
  call check("heun", heun)
  g = 0
  call gradient(c_funloc(field_steps), verso_dup, x, g, verso_const, n, verso_const, s)
  call check("field_steps", field_steps)
  g = 0
  call gradient(c_funloc(pendulum), verso_dup, x, g, verso_const, n, verso_const, s)
  call check("pendulum", pendulum)
  g = 0
  call gradient(c_funloc(particles), verso_dup, x, g, verso_const, n, verso_const, s)
  call check("particles", particles)
  g = 0
  call gradient(c_funloc(layers), verso_dup, x, g, verso_const, n, verso_const, s)
  call check("layers", layers)
  g = 0
  call gradient(c_funloc(exchanged), verso_dup, x, g, verso_const, n, verso_const, s)
  call check("exchanged", exchanged)
  g = 0
  call gradient(c_funloc(upwind), verso_dup, x, g, verso_const, n, verso_const, s)
  call check("upwind", upwind)
  g = 0
  call gradient(c_funloc(determinant), verso_dup, x, g, verso_const, n, verso_const, s)
  call check("determinant", determinant)
  g = 0
  call gradient(c_funloc(block_steps), verso_dup, x, g, verso_const, n, verso_const, s)
  call check("block_steps", block_steps)
contains
  subroutine check(name, f)
    character(*), intent(in) :: name
    procedure(kernel) :: f
    real(dp), parameter :: h = 1e-6_dp
    real(dp) :: y(points), difference, largest
    integer :: k
    largest = maxval(abs(g))
    do k = 17, points, 101
      y = x
      y(k) = x(k) + h
      difference = f(y, n, s)
      y(k) = x(k) - h
      difference = (difference - f(y, n, s)) / (2 * h)
      if (.not. abs(g(k) - difference) < 1e-6_dp * (1 + largest)) then
        print *, name, k, g(k), difference
        error stop
      end if
    end do
    if (.not. largest > 1e-3_dp) error stop "no gradient"
  end subroutine
end program
