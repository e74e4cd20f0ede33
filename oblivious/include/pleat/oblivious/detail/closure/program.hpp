// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <cstddef>
#include <optional>

#include <pleat/oblivious/detail/matmul/any_product.hpp>
#include <pleat/oblivious/detail/matmul/operands.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat::detail::closures {

/// Closes a block on the diagonal, in place: the loops of Warshall's algorithm, of one VP.
using close_block = void (*)(std::byte* first, std::size_t leading, std::size_t n);

/// Closes a matrix, by products of its blocks. Throws: usage_error for a matrix that is not square,
/// rows that overlap, and 0 VPs; std::bad_alloc.
PLEAT_API run_report close_matrix(machine& named, const matmul::any_product& kernel,
                                  const matmul::window& matrix, close_block close,
                                  const std::optional<std::size_t>& vps);

}  // namespace pleat::detail::closures
