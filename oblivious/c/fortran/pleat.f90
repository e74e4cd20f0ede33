! SPDX-License-Identifier: Apache-2.0
!
! Module of Pleat for Fortran: the functions of pleat.h, which says what they do; generate.py writes
! enumerations and interfaces from it. Compile this file with the program, and link it with
! libpleat_c. Arrays are contiguous, and of the type that the argument `number_type` names. A machine
! is a type(c_ptr); c_null_ptr is the default one. The sizes of an array of several dimensions are
! passed in reverse order: that of the first index is last. Indices count from 0.
module pleat
  use, intrinsic :: iso_c_binding
  implicit none

  enum, bind(c)
    enumerator :: pleat_ok = 0, pleat_usage, pleat_environment, pleat_memory, pleat_run, &
                  pleat_internal
  end enum
  enum, bind(c)
    enumerator :: pleat_i8 = 1, pleat_i16, pleat_i32, pleat_i64, pleat_u8, pleat_u16, &
                  pleat_u32, pleat_u64, pleat_f32, pleat_f64, pleat_c64, pleat_c128
  end enum
  enum, bind(c)
    enumerator :: pleat_forward = 0, pleat_inverse
  end enum
  enum, bind(c)
    enumerator :: pleat_norm_backward = 0, pleat_norm_forward, pleat_norm_orthogonal, &
                  pleat_norm_none
  end enum
  enum, bind(c)
    enumerator :: pleat_plus_times = 0, pleat_min_plus, pleat_max_plus, pleat_max_min, &
                  pleat_or_and
  end enum
  enum, bind(c)
    enumerator :: pleat_as_it_is = 0, pleat_transposed, pleat_adjoint
  end enum
  enum, bind(c)
    enumerator :: pleat_fixed = 0, pleat_periodic, pleat_reflecting
  end enum

  private :: text_of

  interface
    integer(c_int) function pleat_machine_create(processors, place, memory, machine) bind(c)
      import
      integer(c_int), value :: processors
      type(c_ptr), value :: place, memory
      type(c_ptr), intent(out) :: machine
    end function
    subroutine pleat_machine_destroy(machine) bind(c)
      import
      type(c_ptr), value :: machine
    end subroutine
    integer(c_int) function pleat_machine_processors(on, processors) bind(c)
      import
      type(c_ptr), value :: on
      integer(c_int), intent(out) :: processors
    end function
    integer(c_int) function pleat_available_processors(processors) bind(c)
      import
      integer(c_int), intent(out) :: processors
    end function
    integer(c_int) function pleat_sort(on, number_type, numbers, n) bind(c)
      import
      type(c_ptr), value :: on
      integer(c_int), value :: number_type
      type(*), intent(inout) :: numbers(*)
      integer(c_size_t), value :: n
    end function
    integer(c_int) function pleat_argsort(on, number_type, numbers, n, indices) bind(c)
      import
      type(c_ptr), value :: on
      integer(c_int), value :: number_type
      type(*), intent(in) :: numbers(*)
      integer(c_size_t), value :: n
      integer(c_int64_t), intent(out) :: indices(*)
    end function
    integer(c_int) function pleat_sort_by_key(on, key_type, keys, value_bytes, values, n) bind(c)
      import
      type(c_ptr), value :: on
      integer(c_int), value :: key_type
      type(*), intent(inout) :: keys(*)
      integer(c_size_t), value :: value_bytes
      type(*), intent(inout) :: values(*)
      integer(c_size_t), value :: n
    end function
    integer(c_int) function pleat_fft(on, number_type, direction, norm, batch, n, in, out) bind(c)
      import
      type(c_ptr), value :: on
      integer(c_int), value :: number_type, direction, norm
      integer(c_size_t), value :: batch, n
      type(*), intent(in) :: in(*)
      type(*), intent(inout) :: out(*)
    end function
    integer(c_int) function pleat_rfft(on, number_type, norm, batch, n, in, out) bind(c)
      import
      type(c_ptr), value :: on
      integer(c_int), value :: number_type, norm
      integer(c_size_t), value :: batch, n
      type(*), intent(in) :: in(*)
      type(*), intent(inout) :: out(*)
    end function
    integer(c_int) function pleat_fftn(on, number_type, direction, norm, dimensions, shape, &
      axis_count, axes, in, out) bind(c)
      import
      type(c_ptr), value :: on
      integer(c_int), value :: number_type, direction, norm
      integer(c_size_t), value :: dimensions
      integer(c_size_t), intent(in) :: shape(*)
      integer(c_size_t), value :: axis_count
      integer(c_size_t), intent(in) :: axes(*)
      type(*), intent(in) :: in(*)
      type(*), intent(inout) :: out(*)
    end function
    integer(c_int) function pleat_rfftn(on, number_type, norm, dimensions, shape, axis_count, &
      axes, in, out) bind(c)
      import
      type(c_ptr), value :: on
      integer(c_int), value :: number_type, norm
      integer(c_size_t), value :: dimensions
      integer(c_size_t), intent(in) :: shape(*)
      integer(c_size_t), value :: axis_count
      integer(c_size_t), intent(in) :: axes(*)
      type(*), intent(in) :: in(*)
      type(*), intent(inout) :: out(*)
    end function
    integer(c_int) function pleat_dct(on, number_type, kind, direction, norm, dimensions, shape, &
      axis_count, axes, in, out) bind(c)
      import
      type(c_ptr), value :: on
      integer(c_int), value :: number_type, kind, direction, norm
      integer(c_size_t), value :: dimensions
      integer(c_size_t), intent(in) :: shape(*)
      integer(c_size_t), value :: axis_count
      integer(c_size_t), intent(in) :: axes(*)
      type(*), intent(in) :: in(*)
      type(*), intent(inout) :: out(*)
    end function
    integer(c_int) function pleat_plan_create(number_type, direction, norm, batch, n, plan) &
      bind(c)
      import
      integer(c_int), value :: number_type, direction, norm
      integer(c_size_t), value :: batch, n
      type(c_ptr), intent(out) :: plan
    end function
    integer(c_int) function pleat_plan_execute(plan, in, out) bind(c)
      import
      type(c_ptr), value :: plan
      type(*), intent(in) :: in(*)
      type(*), intent(inout) :: out(*)
    end function
    subroutine pleat_plan_destroy(plan) bind(c)
      import
      type(c_ptr), value :: plan
    end subroutine
    integer(c_int) function pleat_matmul(on, number_type, semiring, rows, inner, columns, form_a, &
      a, lda, form_b, b, ldb, accumulate, c, ldc) bind(c)
      import
      type(c_ptr), value :: on
      integer(c_int), value :: number_type, semiring
      integer(c_size_t), value :: rows, inner, columns
      integer(c_int), value :: form_a
      type(*), intent(in) :: a(*)
      integer(c_size_t), value :: lda
      integer(c_int), value :: form_b
      type(*), intent(in) :: b(*)
      integer(c_size_t), value :: ldb
      integer(c_int), value :: accumulate
      type(*), intent(inout) :: c(*)
      integer(c_size_t), value :: ldc
    end function
    integer(c_int) function pleat_stencil(on, number_type, dimensions, shape, coefficients, &
      boundaries, steps, cells) bind(c)
      import
      type(c_ptr), value :: on
      integer(c_int), value :: number_type
      integer(c_size_t), value :: dimensions
      integer(c_size_t), intent(in) :: shape(*)
      type(*), intent(in) :: coefficients(*)
      integer(c_int), intent(in) :: boundaries(*)
      integer(c_size_t), value :: steps
      type(*), intent(inout) :: cells(*)
    end function
    integer(c_int) function pleat_sum(on, number_type, numbers, n, total) bind(c)
      import
      type(c_ptr), value :: on
      integer(c_int), value :: number_type
      type(*), intent(in) :: numbers(*)
      integer(c_size_t), value :: n
      type(*), intent(inout) :: total
    end function
    integer(c_int) function pleat_exact_sum(on, number_type, numbers, n, total) bind(c)
      import
      type(c_ptr), value :: on
      integer(c_int), value :: number_type
      type(*), intent(in) :: numbers(*)
      integer(c_size_t), value :: n
      real(c_double), intent(out) :: total
    end function
    integer(c_int) function pleat_argmin(on, number_type, numbers, n, index) bind(c)
      import
      type(c_ptr), value :: on
      integer(c_int), value :: number_type
      type(*), intent(in) :: numbers(*)
      integer(c_size_t), value :: n
      integer(c_size_t), intent(out) :: index
    end function
    integer(c_int) function pleat_inclusive_scan(on, number_type, in, n, out) bind(c)
      import
      type(c_ptr), value :: on
      integer(c_int), value :: number_type
      type(*), intent(in) :: in(*)
      integer(c_size_t), value :: n
      type(*), intent(inout) :: out(*)
    end function
    integer(c_int) function pleat_histogram(on, number_type, numbers, n, bins, counts) bind(c)
      import
      type(c_ptr), value :: on
      integer(c_int), value :: number_type
      type(*), intent(in) :: numbers(*)
      integer(c_size_t), value :: n, bins
      integer(c_int64_t), intent(out) :: counts(*)
    end function
    integer(c_int) function pleat_for_each_index(on, first, last, f, context) bind(c)
      import
      type(c_ptr), value :: on
      integer(c_size_t), value :: first, last
      type(c_funptr), value :: f
      type(c_ptr), value :: context
    end function
  end interface
  procedure(pleat_rfft), bind(c) :: pleat_irfft
  procedure(pleat_rfftn), bind(c) :: pleat_irfftn
  procedure(pleat_dct), bind(c) :: pleat_dst
  procedure(pleat_argmin), bind(c) :: pleat_argmax
  procedure(pleat_inclusive_scan), bind(c) :: pleat_exclusive_scan

contains

  ! Text of C, which ends with a 0.
  function text_of(pointer) result(text)
    type(c_ptr), intent(in) :: pointer
    character(kind=c_char), pointer :: letters(:)
    character(:), allocatable :: text
    integer :: n
    interface
      function strlen(of) bind(c)
        import
        type(c_ptr), value :: of
        integer(c_size_t) :: strlen
      end function
    end interface
    call c_f_pointer(pointer, letters, [strlen(pointer)])
    allocate(character(size(letters)) :: text)
    do n = 1, size(letters)
      text(n:n) = letters(n)
    end do
  end function

  ! Text of this thread's last failure.
  function pleat_error() result(text)
    character(:), allocatable :: text
    interface
      function of_c() bind(c, name='pleat_error')
        import
        type(c_ptr) :: of_c
      end function
    end interface
    text = text_of(of_c())
  end function

  ! Version of the library.
  function pleat_version() result(text)
    character(:), allocatable :: text
    interface
      function of_c() bind(c, name='pleat_version')
        import
        type(c_ptr) :: of_c
      end function
    end interface
    text = text_of(of_c())
  end function

  ! Name of a status.
  function pleat_status_name(status) result(text)
    integer(c_int), intent(in) :: status
    character(:), allocatable :: text
    interface
      function of_c(status) bind(c, name='pleat_status_name')
        import
        integer(c_int), value :: status
        type(c_ptr) :: of_c
      end function
    end interface
    text = text_of(of_c(status))
  end function

  ! Summary of the computer; empty if there is none, and pleat_error() says why.
  function pleat_topology_text() result(text)
    character(:), allocatable :: text
    character(kind=c_char), allocatable, target :: letters(:)
    integer(c_size_t) :: needed
    interface
      function of_c(buffer, size, needed) bind(c, name='pleat_topology_text')
        import
        type(c_ptr), value :: buffer
        integer(c_size_t), value :: size
        integer(c_size_t), intent(inout) :: needed
        integer(c_int) :: of_c
      end function
    end interface
    text = ''
    needed = 0
    if (of_c(c_null_ptr, 0_c_size_t, needed) /= pleat_ok) return
    allocate(letters(needed))
    if (of_c(c_loc(letters), needed, needed) == pleat_ok) text = text_of(c_loc(letters))
  end function

end module
