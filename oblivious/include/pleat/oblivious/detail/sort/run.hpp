// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>

#include <pleat/oblivious/detail/sort/array_sort.hpp>
#include <pleat/oblivious/sort_options.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

// How a sort is run: on how many VPs, in which memory, and what follows it.
namespace pleat::detail::sorting {

/// Below this many bytes per VP, waking another processor costs more than it saves.
inline constexpr std::size_t least_block_bytes = std::size_t{1} << 16;
/// Larger arrays are written past the caches.
inline constexpr std::size_t streamed_bytes = std::size_t{1} << 24;

inline std::size_t sort_vps(machine& on, std::size_t n, std::size_t key_bytes,
                            const sort_options& options) {
  if (options.vps) {
    if (*options.vps == 0)
      throw usage_error("sort: 0 virtual processors cannot sort; leave sort_options::vps unset");
    return *options.vps;
  }
  return std::clamp<std::size_t>(n * key_bytes / least_block_bytes, 1, on.processors());
}

/// What follows a sort in the same run: nothing.
struct nothing_more {
  void restore() const noexcept {}
};

/// Sorts, and goes on with `then` unless all was in order before. `bind`, called with the machine's
/// scratch memory, tells everybody where theirs is; the sort's is [where.first, …). `Sort` is
/// array_sort, or like it.
template <class Sort, class Bind, class Then>
run_report sort_with(machine& on, Sort& sort, std::size_t vps, const memory_range& where,
                     const Bind& bind, const Then& then) {
  constexpr bool more = !std::same_as<Then, nothing_more>;
  const machine::turn mine(on, machine::use::scratch);
  if (vps == 1) {
    const std::size_t bytes = sort.alone_bytes();
    std::byte* memory = nullptr;
    if (bytes != 0 || where.last != 0)
      memory = on.scratch(std::max(where.first + bytes, where.last)).data();
    bind(memory);
    if constexpr (more) {
      if (sort.is_sorted()) return {};
    }
    try {
      sort.sort_alone(memory + where.first);
      if constexpr (more) then.alone();
    } catch (...) {
      then.restore();
      throw;
    }
    return {};
  }
  sort.prepare(on, vps, where);
  bind(on.scratch(1).data());
  const auto whole = [&](vp& me) -> task<> {
    const bool changed = co_await sort.program(me);
    if constexpr (more) {
      if (changed) co_await then.together(me);
    }
  };
  try {
    return on.run(vps, whole);
  } catch (const vp_failed& failure) {
    sort.restore();
    then.restore();
    failure.rethrow_cause();
  } catch (...) {
    then.restore();
    throw;
  }
}

template <class Sort> run_report sort_with(machine& on, Sort& sort, std::size_t vps) {
  return sort_with(
      on, sort, vps, {}, [](std::byte*) {}, nothing_more());
}

}  // namespace pleat::detail::sorting
