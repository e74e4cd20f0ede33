// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include <pleat/oblivious/detail/stencil/instructions.hpp>
#include <pleat/oblivious/kernels.hpp>

#include "kernels/forced.hpp"

// Instruction set of stencils, whose rows are compiled with the kernel of the calling program.
namespace pleat::detail::kernels {

/// "stencil", and the names of those that this processor has and a program that is compiled as the
/// library is, the widest first.
[[nodiscard]] names_of_work stencil_names();

[[nodiscard]] std::optional<stencils::instructions> forced_stencil(const forced_kernels& forced);

[[nodiscard]] kernel_choice stencil_described(const forced_kernels& forced);

}  // namespace pleat::detail::kernels
