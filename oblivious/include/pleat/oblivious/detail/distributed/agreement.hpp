// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

#include <pleat/oblivious/detail/shares/vp_parts.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::distribution {

/// Words that must be the same on all ranks besides a call's name and elements; unused words are 0.
using agreed_words = std::array<std::uint64_t, 16>;

/// A VP's part in comparing them: one 0-superstep. `what` names them in the error, a phrase such as
/// "stencil: sizes". Throws: usage_error, if two ranks have different ones.
PLEAT_API task<> agree(vp& me, const rank_places& places, std::size_t rank,
                       const agreed_words& words, const char* what);

}  // namespace pleat::detail::distribution
