// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <optional>
#include <string>

#include <pleat/oblivious/detail/closure/program.hpp>
#include <pleat/oblivious/detail/program/arena.hpp>
#include <pleat/oblivious/detail/program/execution.hpp>
#include <pleat/runtime/detail/call_machine.hpp>
#include <pleat/runtime/error.hpp>

#include "closure/closure_program.hpp"
#include "matmul/matmul_program.hpp"

namespace pleat::detail::closures {

run_report close_matrix(machine& named, const matmul::any_product& kernel,
                        const matmul::window& matrix, close_block close,
                        const std::optional<std::size_t>& vps) {
  matmul::check_view("closure", "the matrix", matrix);
  const std::size_t n = matrix.rows;
  if (n != matrix.columns)
    throw usage_error("closure: a matrix of " + matmul::sizes(n, matrix.columns) +
                      " elements is not square; there is an edge from each vertex to each");
  const call_machine here(named);
  machine& on = *here;
  const std::size_t working = matmul::matmul_vps(on, "closure", n, n, n, vps);
  if (n == 0) return {};
  const machine::turn mine(on, machine::use::scratch);
  closure_program program(kernel, matrix, close, working);
  arena::take(on, [&program](arena& in) { program.lie_in(in); });
  return run_program(
      on, working, [&program] { program.run_alone(); }, [&program](vp& me) { return program(me); });
}

}  // namespace pleat::detail::closures
