! SPDX-License-Identifier: Apache-2.0
! Calls of each family through the module, judged by what Fortran has itself.
program fortran
  use pleat
  implicit none
  integer, parameter :: n = 10000
  integer(c_size_t), parameter :: none(1) = [0_c_size_t]
  type(c_ptr) :: machine, plan
  integer(c_int) :: workers, keys(1) = 0
  call check(pleat_machine_create(2, c_null_ptr, c_null_ptr, machine))
  call check(pleat_machine_processors(machine, workers))
  call require(workers == 2, 'workers')
  call sorting
  call transforms
  call arrays
  call everyday
  call require(pleat_sort(machine, 99, keys, 1_c_size_t) == pleat_usage, 'a wrong type')
  call require(index(pleat_error(), 'no type 99') > 0, pleat_error())
  call require(len(pleat_version()) >= 5, pleat_version())
  call require(pleat_status_name(pleat_usage) == 'PLEAT_USAGE', pleat_status_name(pleat_usage))
  call require(index(pleat_topology_text(), 'core') > 0, pleat_topology_text())
  call pleat_machine_destroy(machine)

contains

  subroutine check(status)
    integer(c_int), intent(in) :: status
    call require(status == pleat_ok, pleat_error())
  end subroutine

  subroutine require(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (holds) return
    print *, 'failed: ', what
    error stop 1
  end subroutine

  subroutine sorting
    real(c_double) :: x(n), sorted(n)
    integer(c_int64_t) :: places(n)
    integer(c_int) :: values(n), i
    call random_number(x)
    sorted = x
    values = [(i, i = 1, n)]
    call check(pleat_argsort(machine, pleat_f64, x, int(n, c_size_t), places))
    call check(pleat_sort(machine, pleat_f64, sorted, int(n, c_size_t)))
    call require(all(sorted(2:) >= sorted(:n - 1)) .and. all(sorted == x(places + 1)), 'sort')
    call check(pleat_sort_by_key(machine, pleat_f64, x, 4_c_size_t, values, int(n, c_size_t)))
    call require(all(x == sorted) .and. all(values == places + 1), 'sort_by_key')
  end subroutine

  subroutine transforms
    integer(c_size_t), parameter :: size_of_line = 8
    complex(c_double_complex) :: z(8), spectrum(8), half(5)
    real(c_double) :: x(8), again(8)
    integer :: i
    x = [(real(i * i, c_double), i = 1, 8)]
    z = x
    call check(pleat_fft(machine, pleat_c128, pleat_forward, pleat_norm_backward, 1_c_size_t, &
                         size_of_line, z, spectrum))
    call require(abs(spectrum(1) - sum(x)) < 1d-9, 'fft')
    call check(pleat_rfft(machine, pleat_f64, pleat_norm_backward, 1_c_size_t, size_of_line, x, &
                          half))
    call require(all(abs(half - spectrum(:5)) < 1d-9), 'rfft')
    call check(pleat_plan_create(pleat_f64, pleat_inverse, pleat_norm_backward, 1_c_size_t, &
                                 size_of_line, plan))
    call check(pleat_plan_execute(plan, half, again))
    call require(all(abs(again - x) < 1d-9), 'plan')
    call pleat_plan_destroy(plan)
    call check(pleat_fftn(machine, pleat_c128, pleat_forward, pleat_norm_backward, 2_c_size_t, &
                          [2_c_size_t, 4_c_size_t], 0_c_size_t, none, z, spectrum))
    call require(abs(spectrum(5) - (sum(x(:4)) - sum(x(5:)))) < 1d-9, 'fftn')
    call check(pleat_dct(machine, pleat_f64, 2, pleat_forward, pleat_norm_backward, 1_c_size_t, &
                         [size_of_line], 0_c_size_t, none, x, again))
    call require(abs(again(1) - 2 * sum(x)) < 1d-9, 'dct')
  end subroutine

  ! Stored by columns: A and B, and the sizes, are exchanged.
  subroutine arrays
    real(c_float) :: a(30, 20), b(20, 40), c(30, 40)
    real(c_double) :: cells(6, 5), expected(6, 5), of(3, 3)
    integer :: i, j
    call random_number(a)
    call random_number(b)
    call check(pleat_matmul(machine, pleat_f32, pleat_plus_times, 40_c_size_t, 20_c_size_t, &
                            30_c_size_t, pleat_as_it_is, b, 20_c_size_t, pleat_as_it_is, a, &
                            30_c_size_t, 0, c, 30_c_size_t))
    call require(all(abs(c - matmul(a, b)) < 1e-4), 'matmul')
    call random_number(cells)
    call random_number(of)
    expected = cells
    do j = 2, 4
      do i = 2, 5
        expected(i, j) = sum(of * cells(i - 1:i + 1, j - 1:j + 1))
      end do
    end do
    call check(pleat_stencil(machine, pleat_f64, 2_c_size_t, [5_c_size_t, 6_c_size_t], of, &
                             [pleat_fixed, pleat_fixed], 1_c_size_t, cells))
    call require(all(abs(cells - expected) < 1d-12), 'stencil')
  end subroutine

  subroutine everyday
    integer(c_int), target :: x(n), running(n)
    integer(c_int64_t) :: total, counts(0:6)
    integer(c_size_t) :: place
    integer :: i
    x = [(mod(3 * i, 7), i = 1, n)]
    call check(pleat_sum(machine, pleat_i32, x, int(n, c_size_t), total))
    call require(total == sum(x), 'sum')
    call check(pleat_argmax(machine, pleat_i32, x, int(n, c_size_t), place))
    call require(place + 1 == maxloc(x, 1), 'argmax')
    call check(pleat_inclusive_scan(machine, pleat_i32, x, int(n, c_size_t), running))
    call require(pleat_sum(machine, pleat_i32, x, -1_c_size_t, total) == pleat_usage, 'n < 0')
    call require(index(pleat_error(), 'a count is -1') > 0, pleat_error())
    call require(running(n) == total .and. running(5) == sum(x(:5)), 'inclusive_scan')
    call check(pleat_histogram(machine, pleat_i32, x, int(n, c_size_t), 7_c_size_t, counts))
    call require(all([(counts(i) == count(x == i), i = 0, 6)]), 'histogram')
    call check(pleat_for_each_index(machine, 0_c_size_t, int(n, c_size_t), c_funloc(double_one), &
                                    c_loc(x)))
    call require(sum(x) == 2 * total, 'for_each_index')
  end subroutine

  subroutine double_one(i, context) bind(c)
    integer(c_size_t), value :: i
    type(c_ptr), value :: context
    integer(c_int), pointer :: x(:)
    call c_f_pointer(context, x, [n])
    x(i + 1) = 2 * x(i + 1)
  end subroutine
end program
