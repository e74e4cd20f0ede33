// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <pleat/runtime/machine.hpp>

// The bodies of list_rank and connected_components, for numbers of 32 and 64 bits.
namespace pleat::detail::graphs {

template <class I> inline constexpr bool is_number = sizeof(I) == 4 || sizeof(I) == 8;

template <class I>
PLEAT_API run_report rank_lists(machine& named, std::span<const I> next, std::span<I> ranks,
                                const std::optional<std::size_t>& vps);
template <class I>
PLEAT_API run_report join(machine& named, std::span<const std::array<I, 2>> edges,
                          std::span<I> labels, const std::optional<std::size_t>& vps);

}  // namespace pleat::detail::graphs
