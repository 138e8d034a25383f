!===- fortran-library.f90 - what flang's library does ---------------------===!
!
! Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
!===----------------------------------------------------------------------===!
!
! Polymorphic variables, values with allocatable components, pointers and
! intrinsic functions that flang does not compute in line, each in a function
! whose gradient is compared with differences.
!
!===----------------------------------------------------------------------===!

module types
  implicit none
  type :: base_t
    real(8) :: v, q
  contains
    procedure :: area
  end type
  type, extends(base_t) :: more_t
    real(8) :: w
  end type
  type :: vector_t
    real(8), allocatable :: w(:)
  end type
  type :: box_t
    class(base_t), allocatable :: e
  end type
  type :: deep_t
    type(vector_t), allocatable :: k(:)
    character(:), allocatable :: s
  end type
contains
  function area(self) result(r)
    class(base_t), intent(in) :: self
    real(8) :: r
    r = self%v * self%q
  end function
end module
module kernels
  use iso_c_binding
  use types
  implicit none
contains
  function allocated_by_type(x, n) result(r) bind(C)
    integer(c_int), intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8) :: r
    class(base_t), allocatable :: e
    if (x(1)>0.9d0) then
      allocate(more_t :: e)
    else
      allocate(base_t :: e)
    end if
    e%v = x(1)
    e%q = x(2)
    select type(e)
    type is (more_t)
      e%w = x(3)
    end select
    r = e%area()
    select type(e)
    class is (more_t)
      r = r*e%w
    end select
  end function
  function assigned_polymorphic(x, n) result(r) bind(C)
    integer(c_int), intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8) :: r
    class(base_t), allocatable :: e, e2
    allocate(more_t :: e)
    e%v = x(1)
    e%q = x(2)
    select type(e)
    type is (more_t)
      e%w = x(3)
    end select
    e2 = e
    e%v = 0
    r = e2%area()
    select type(e2)
    class is (more_t)
      r = r*e2%w
    end select
  end function
  function components_of_class(x, n) result(r) bind(C)
    integer(c_int), intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8) :: r
    type(box_t) :: b(3)
    integer :: i
    do i = 1, 3
      if (mod(i, 2)==0) then
        allocate(more_t :: b(i)%e)
      else
        allocate(base_t :: b(i)%e)
      end if
      b(i)%e%v = x(i)
      b(i)%e%q = x(i+1)
    end do
    r = 0
    do i = 1, 3
      r = r+b(i)%e%area()
    end do
  end function
  function copied_deeply(x, n) result(r) bind(C)
    integer(c_int), intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8) :: r
    type(deep_t) :: a, b
    integer :: i
    allocate(a%k(3))
    do i = 1, 3
      a%k(i)%w = x(i:i+i)
    end do
    a%s = 'ab'
    b = a
    a%k(2)%w = 0
    deallocate(a%k)
    a = b
    b%k(1)%w(1) = 5
    r = 0
    do i = 1, 3
      r = r+i*sum(a%k(i)%w**2)
    end do
  end function
  function arrays_of_values(x, n) result(r) bind(C)
    integer(c_int), intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8) :: r
    type(vector_t), allocatable :: l(:)
    real(8), allocatable :: h(:)
    integer :: i
    allocate(l(3))
    do i = 1, 3
      l(i)%w = x(i:i+3)
    end do
    h = x(1:4)
    do i = 1, 3
      h = h*l(i)%w
      l(i)%w = h
    end do
    l = [l(3), l(1)]
    r = sum(h)+sum(l(2)%w)*size(l)
  end function
  function copied_components(x, n) result(r) bind(C)
    integer(c_int), intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8) :: r
    type(vector_t) :: a, b
    a%w = x(1:3)
    b = a
    b%w(1) = b%w(1)*2
    r = sum(a%w*b%w)
  end function
  function shifted_round(x, n) result(r) bind(C)
    integer(c_int), intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8) :: r
    real(8) :: a(20, 20)
    a = reshape(x(1:400), [20, 20])
    a = a*cshift(a, 1, 2)
    r = sum(a*cshift(a, 2, 1))
  end function
  function shifted_out(x, n) result(r) bind(C)
    integer(c_int), intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8) :: r
    real(8) :: u(n)
    u = x*eoshift(x, 1)+eoshift(x, -2, boundary = x(3))
    r = sum(u*u)
  end function
  function shifted_lines(x, n) result(r) bind(C)
    integer(c_int), intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8) :: r
    real(8) :: a(20, 20)
    a = reshape(x(1:400), [20, 20])
    r = sum(a*eoshift(a, 1, dim = 2))
  end function
  function unpacked(x, n) result(r) bind(C)
    integer(c_int), intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8) :: r
    real(8) :: u(n)
    u = unpack(x*x(2), x>1d0, x)
    r = sum(u*u)
  end function
  function norms(x, n) result(r) bind(C)
    integer(c_int), intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8) :: r
    real(8) :: a(20, 20)
    a = reshape(x(1:400), [20, 20])
    r = sum(norm2(a, 1)*x(1:20))
  end function
  function found(x, n) result(r) bind(C)
    integer(c_int), intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8) :: r
    r = x(findloc(x>1.1d0, .true., dim = 1))*x(1)
  end function
  function transferred(x, n) result(r) bind(C)
    integer(c_int), intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8) :: r
    integer(8) :: k(3)
    real(8) :: b(3)
    k = transfer(x(1:3), k)
    b = transfer(k, b)
    r = sum(b*b)
  end function
  function moulded(x, n) result(r) bind(C)
    integer(c_int), intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8) :: r
    real(8), allocatable :: a(:)
    allocate(a, mold = x)
    a = x*2
    r = sum(a*a)
  end function
  function texts(x, n) result(r) bind(C)
    integer(c_int), intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8) :: r
    character(20) :: c
    character(:), allocatable :: d
    write(c, '(f8.3)') x(1)
    d = trim(adjustl(c))//'abc'
    r = x(1)*len(d)+x(2)*index(d, 'a')+x(3)*merge(1, 0, d(1:1)=='1')
  end function
  function clocks(x, n) result(r) bind(C)
    integer(c_int), intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8) :: r
    integer :: c
    real(8) :: t
    call system_clock(c)
    call cpu_time(t)
    r = x(1)*x(2)
  end function
  function associated_sections(x, n) result(r) bind(C)
    integer(c_int), intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8) :: r
    real(8), pointer :: p(:), q(:)
    real(8), target :: a(n)
    a = x
    p=>a(1:n:2)
    q=>p(2:10)
    if (associated(q, a(3:19:2))) then
      r = sum(p*p)+sum(q)
    else
      r = sum(p)
    end if
  end function
  function remapped(x, n) result(r) bind(C)
    integer(c_int), intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8) :: r
    real(8), pointer :: p(:, :)
    real(8), target :: a(n)
    a = x
    p(1:20, 1:20)=>a
    r = sum(p(3, :)*p(:, 4))
  end function
  function complex_powers(x, n) result(r) bind(C)
    integer(c_int), intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8) :: r
    complex(8) :: z
    integer :: i
    z = cmplx(x(1), x(2), 8)
    r = 0
    do i = 1, 5
      r = r+abs(z**i+z**(-i))
    end do
    r = r+abs(z**z)
  end function
  function representations(x, n) result(r) bind(C)
    integer(c_int), intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8) :: r
    integer :: i
    i = int(x(1)*2)
    r = scale(x(2), i)+set_exponent(x(3), 2)*x(1)+fraction(x(4))*exponent(x(5))
  end function
  function neighbours(x, n) result(r) bind(C)
    integer(c_int), intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8) :: r
    r = x(1)*spacing(x(2))*1d15+x(3)*nearest(x(4), 1d0)
  end function
  function special(x, n) result(r) bind(C)
    integer(c_int), intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8) :: r
    r = erfc_scaled(x(1))+erfc(x(2))+erf(x(3))+gamma(x(4))+log_gamma(x(5)+2)+hypot(x(1), x(2))
  end function
  function bessel_sequences(x, n) result(r) bind(C)
    integer(c_int), intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8) :: r
    real(8) :: b(4)
    b = bessel_jn(0, 3, x(1))
    r = sum(b*b)
  end function
  function logical_arrays(x, n) result(r) bind(C)
    integer(c_int), intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8) :: r
    real(8) :: a(20, 20)
    a = reshape(x(1:400), [20, 20])
    r = sum(sum(a, dim = 1), mask = any(a>1.29d0, dim = 1)) &
        +sum(sum(a, 2), mask = all(a>0.7d0, dim = 2))*x(1)+count(a>1)*x(2) &
        +sum(count(a>1, dim = 1))*x(3)
  end function
  function drawn(x, n) result(r) bind(C)
    integer(c_int), intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8) :: r
    real(8) :: u(4), w(6)
    integer :: i
    u = x(1:4)
    w = x(1:6)
    r = 0
    do i = 1, 3
      call random_number(u)
      call random_number(w(1:6:2))
      r = r+sum(u)*0d0+sum(x(1:4)*x(2))+sum(w(2:6:2)**2)+sum(w)*0d0
      u = x(5)*u
    end do
  end function
  function complex_products(x, n) result(r) bind(C)
    integer(c_int), intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8) :: r
    complex(8) :: z(n)
    z = cmplx(x, x*x, 8)
    r = abs(dot_product(z, z*z(2)))
  end function
  function complex_sums(x, n) result(r) bind(C)
    integer(c_int), intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8) :: r
    complex(8) :: z(n)
    z = cmplx(x, x*x, 8)
    r = abs(sum(z))+abs(product(z(1:3)))
  end function
  function complex_matrices(x, n) result(r) bind(C)
    integer(c_int), intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8) :: r
    complex(8) :: z(5, 5)
    z = reshape(cmplx(x(1:25), x(26:50)*x(2), 8), [5, 5])
    r = abs(sum(matmul(z, z)))
  end function
  function mixed_matrices(x, n) result(r) bind(C)
    integer(c_int), intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8) :: r
    real(8) :: a(5, 5)
    integer :: b(5, 5)
    a = reshape(x(1:25), [5, 5])
    b = 2
    r = sum(matmul(a, b)**2)
  end function
end module
program library
  use iso_c_binding
  use verso
  use kernels
  implicit none
  interface
    subroutine gradient(f, m1, x, dx, m2, n) bind(C, name="__verso_grad_x")
      import
      type(c_funptr), value :: f
      integer(c_int), value :: m1, m2
      real(c_double) :: x(*), dx(*)
      integer(c_int) :: n
    end subroutine
    function kernel(x, n) result(r) bind(C)
      import
      integer(c_int), intent(in) :: n
      real(c_double), intent(in) :: x(n)
      real(c_double) :: r
    end function
  end interface
  integer, parameter :: points = 400
  integer(c_int) :: n = points
  real(c_double) :: x(points), g(points)
  integer :: i
  do i = 1, points
    x(i) = 1 + 0.3d0 * sin(0.1d0 * i)
  end do
  g = 0
  call gradient(c_funloc(allocated_by_type), verso_dup, x, g, verso_const, n)
  call check("allocated_by_type", allocated_by_type)
  g = 0
  call gradient(c_funloc(assigned_polymorphic), verso_dup, x, g, verso_const, n)
  call check("assigned_polymorphic", assigned_polymorphic)
  g = 0
  call gradient(c_funloc(components_of_class), verso_dup, x, g, verso_const, n)
  call check("components_of_class", components_of_class)
  g = 0
  call gradient(c_funloc(copied_deeply), verso_dup, x, g, verso_const, n)
  call check("copied_deeply", copied_deeply)
  g = 0
  call gradient(c_funloc(arrays_of_values), verso_dup, x, g, verso_const, n)
  call check("arrays_of_values", arrays_of_values)
  g = 0
  call gradient(c_funloc(copied_components), verso_dup, x, g, verso_const, n)
  call check("copied_components", copied_components)
  g = 0
  call gradient(c_funloc(shifted_round), verso_dup, x, g, verso_const, n)
  call check("shifted_round", shifted_round)
  g = 0
  call gradient(c_funloc(shifted_out), verso_dup, x, g, verso_const, n)
  call check("shifted_out", shifted_out)
  g = 0
  call gradient(c_funloc(shifted_lines), verso_dup, x, g, verso_const, n)
  call check("shifted_lines", shifted_lines)
  g = 0
  call gradient(c_funloc(unpacked), verso_dup, x, g, verso_const, n)
  call check("unpacked", unpacked)
  g = 0
  call gradient(c_funloc(norms), verso_dup, x, g, verso_const, n)
  call check("norms", norms)
  g = 0
  call gradient(c_funloc(found), verso_dup, x, g, verso_const, n)
  call check("found", found)
  g = 0
  call gradient(c_funloc(transferred), verso_dup, x, g, verso_const, n)
  call check("transferred", transferred)
  g = 0
  call gradient(c_funloc(moulded), verso_dup, x, g, verso_const, n)
  call check("moulded", moulded)
  g = 0
  call gradient(c_funloc(texts), verso_dup, x, g, verso_const, n)
  call check("texts", texts)
  g = 0
  call gradient(c_funloc(clocks), verso_dup, x, g, verso_const, n)
  call check("clocks", clocks)
  g = 0
  call gradient(c_funloc(associated_sections), verso_dup, x, g, verso_const, n)
  call check("associated_sections", associated_sections)
  g = 0
  call gradient(c_funloc(remapped), verso_dup, x, g, verso_const, n)
  call check("remapped", remapped)
  g = 0
  call gradient(c_funloc(complex_powers), verso_dup, x, g, verso_const, n)
  call check("complex_powers", complex_powers)
  g = 0
  call gradient(c_funloc(representations), verso_dup, x, g, verso_const, n)
  call check("representations", representations)
  g = 0
  call gradient(c_funloc(neighbours), verso_dup, x, g, verso_const, n)
  call check("neighbours", neighbours)
  g = 0
  call gradient(c_funloc(special), verso_dup, x, g, verso_const, n)
  call check("special", special)
  g = 0
  call gradient(c_funloc(bessel_sequences), verso_dup, x, g, verso_const, n)
  call check("bessel_sequences", bessel_sequences)
  g = 0
  call gradient(c_funloc(logical_arrays), verso_dup, x, g, verso_const, n)
  call check("logical_arrays", logical_arrays)
  g = 0
  call gradient(c_funloc(drawn), verso_dup, x, g, verso_const, n)
  call check("drawn", drawn)
  g = 0
  call gradient(c_funloc(complex_products), verso_dup, x, g, verso_const, n)
  call check("complex_products", complex_products)
  g = 0
  call gradient(c_funloc(complex_sums), verso_dup, x, g, verso_const, n)
  call check("complex_sums", complex_sums)
  g = 0
  call gradient(c_funloc(complex_matrices), verso_dup, x, g, verso_const, n)
  call check("complex_matrices", complex_matrices)
  g = 0
  call gradient(c_funloc(mixed_matrices), verso_dup, x, g, verso_const, n)
  call check("mixed_matrices", mixed_matrices)
contains
  subroutine check(name, f)
    character(*), intent(in) :: name
    procedure(kernel) :: f
    real(8), parameter :: h = 1d-6
    real(8) :: y(points), difference, largest
    integer :: k
    largest = maxval(abs(g))
    do k = 1, points
      if (k > 12 .and. mod(k, 37) /= 0) cycle
      y = x
      y(k) = x(k) + h
      difference = f(y, n)
      y(k) = x(k) - h
      difference = (difference - f(y, n)) / (2 * h)
      if (.not. abs(g(k) - difference) < 1d-5 * (1 + largest)) then
        print *, name, k, g(k), difference
        error stop
      end if
    end do
    if (.not. largest > 1d-3) error stop "no gradient"
  end subroutine
end program
