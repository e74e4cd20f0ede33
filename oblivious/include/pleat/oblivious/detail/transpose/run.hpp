// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <cstddef>
#include <optional>

#include <pleat/oblivious/detail/matmul/operands.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat::detail::transposition {

/// Transposes bytes. Requires: windows of elements of the same size. Throws: usage_error (sizes
/// that do not go together, strides, overlap, 0 VPs).
PLEAT_API run_report transpose(machine& named, const matmul::window& in, const matmul::window& out,
                               const std::optional<std::size_t>& vps);

}  // namespace pleat::detail::transposition
