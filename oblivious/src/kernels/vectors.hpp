// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/oblivious/kernels.hpp>

#include "kernels/forced.hpp"

// The instruction set of the kernels that are written in Highway's vectors.
namespace pleat::detail::kernels {

/// "vectors", and the names of those that this processor has and the library is compiled for, the
/// widest first: "avx512", "avx2"; the last one, "baseline", needs no more than what the
/// compiler was told to use.
[[nodiscard]] names_of_work vector_names();

/// Lets Highway choose none that is wider than the forced one. Concerns the whole process.
/// Throws: environment_error if all kernels are for processors that have more than this one.
void use_vectors(const forced_kernels& forced);

[[nodiscard]] kernel_choice vectors_described(const forced_kernels& forced);

}  // namespace pleat::detail::kernels
