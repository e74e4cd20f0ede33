// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <pleat/oblivious/detail/distributed/rectangles.hpp>
#include <pleat/oblivious/detail/matmul/any_product.hpp>
#include <pleat/oblivious/detail/matmul/operands.hpp>
#include <pleat/oblivious/matrix_op.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat::detail::matmul {

/// Summand to which a product is added.
enum class onto {
  nothing,  ///< C ← A·B
  scaled,   ///< C ← A·B + beta·C, of the user's beta
  sum       ///< C ← A·B + C
};

/// Options of a product, whatever the type of its elements.
struct request {
  matrix_op op_a = matrix_op::none, op_b = matrix_op::none;
  onto kind = onto::nothing;
  const char* wrong = nullptr;  ///< the error, of options that do not go together
  bool reads_factors = true;    ///< else alpha is 0
  bool in_rounds = false;       ///< by the recursion that needs no memory for sums
  std::optional<std::size_t> vps = std::nullopt;
  /// Bits of alpha and beta that ranks compare.
  std::array<std::uint64_t, 4> scales{};
};

/// Multiplies matrices of one memory; what a VP throws is thrown. Throws: usage_error for what
/// cannot be multiplied, and for 0 VPs.
PLEAT_API run_report multiply(machine& named, const char* caller, any_product& what,
                              const window& a, const window& b, const window& c,
                              const request& asked);

/// Distributed matrix as a rank sees it.
struct rank_matrix {
  const void* object;  ///< tells it from others
  distribution::rank_rectangles all;
  std::size_t rank;
  window local;
};

/// Multiplies distributed matrices, on all ranks. Collective.
PLEAT_API run_report multiply_over_ranks(machine& on, any_product& what, const rank_matrix& a,
                                         const rank_matrix& b, const rank_matrix& c,
                                         const request& asked);

}  // namespace pleat::detail::matmul
