! SPDX-License-Identifier: Apache-2.0
program tour
  use pleat
  implicit none
  integer(c_size_t), parameter :: n = 3
  real(c_double) :: x(n) = [3, 1, 2], total

  if (pleat_sort(c_null_ptr, pleat_f64, x, n) /= pleat_ok) error stop pleat_error()
  if (pleat_sum(c_null_ptr, pleat_f64, x, n, total) /= pleat_ok) error stop pleat_error()
  print '(3f4.1, ", sum ", f4.1)', x, total
end program
