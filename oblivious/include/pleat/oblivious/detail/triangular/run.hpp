// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <cstddef>
#include <optional>

#include <pleat/oblivious/matrix_op.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/view.hpp>

namespace pleat {

/// Triangle of a matrix that is read; the other one is not.
enum class triangle { lower, upper };

/// Options of solve_triangular.
struct solve_options {
  triangle of = triangle::lower;
  matrix_op op = matrix_op::none;  ///< none or transpose
  bool unit_diagonal = false;      ///< the diagonal is not read: it is 1
  /// Number of virtual processors. Unset: one for each processor, fewer for little work.
  std::optional<std::size_t> vps = {};
};

// The bodies of cholesky and solve_triangular, for float and double.
namespace detail::triangular {

template <class T>
PLEAT_API run_report factorise(machine& named, const strided_view<T>& a,
                               const std::optional<std::size_t>& vps);
template <class T>
PLEAT_API run_report solve(machine& named, const strided_view<const T>& a, const strided_view<T>& b,
                           const solve_options& options);

}  // namespace detail::triangular
}  // namespace pleat
