// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include <pleat/oblivious/kernels.hpp>

namespace pleat::bench {

/// A table of which kernel does which work here, why, and what the others took. Ends in a newline.
[[nodiscard]] std::string kernels_text(std::span<const kernel_choice> choices);

/// Makes JSON of it: `[{"work", "chosen", "why", "candidates": [{"name", "ns"}]}]`; `ns`, of an
/// element, is null where nothing was measured.
[[nodiscard]] nlohmann::ordered_json kernels_json(std::span<const kernel_choice> choices);

}  // namespace pleat::bench
