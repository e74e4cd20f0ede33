// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include <pleat/collectives/detail/endpoint.hpp>
#include <pleat/runtime/error.hpp>

namespace pleat::detail {

/// Two ranks' outputs of so many bytes each. What both write to would have neither's result.
inline void check_outputs_apart(const endpoint& on, std::uint32_t rank, const std::byte* theirs,
                                std::uint32_t own_rank, const std::byte* own, std::size_t bytes) {
  const std::less<> before;
  if (!before(theirs, own + bytes) || !before(own, theirs + bytes)) return;
  throw usage_error(std::string(on.operation()) + ": the outputs of VP " +
                    std::to_string(on.vp_of(std::min(rank, own_rank))) + " and VP " +
                    std::to_string(on.vp_of(std::max(rank, own_rank))) +
                    " overlap: every rank needs an output of its own");
}

}  // namespace pleat::detail
