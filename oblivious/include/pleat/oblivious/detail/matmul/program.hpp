// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include <pleat/oblivious/detail/matmul/any_product.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat::detail::matmul {

/// What a product is added to.
enum class onto {
  nothing,  ///< C ← A·B
  scaled,   ///< C ← A·B + beta·C, of the user's beta
  sum       ///< C ← A·B + C
};

/// How many VPs multiply m × k by k × n: `vps`, or as many as are worth waking. Throws usage_error
/// for 0.
[[nodiscard]] PLEAT_API std::size_t matmul_vps(machine& on, const char* caller, std::size_t m,
                                               std::size_t n, std::size_t k,
                                               const std::optional<std::size_t>& vps);

/// Multiplies, on `vps` ≥ 1 VPs; what one of them throws is thrown. With `in_rounds` the recursion
/// is the one that needs no memory for sums.
PLEAT_API run_report run_product(machine& on, any_product& what, std::size_t vps, bool in_rounds,
                                 onto kind);

}  // namespace pleat::detail::matmul
