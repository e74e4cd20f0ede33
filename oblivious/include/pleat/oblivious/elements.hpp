// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <ranges>
#include <span>
#include <vector>

#include <pleat/channels/byte_copyable.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat::detail {

/// One element for each virtual processor, in one block of memory.
template <class R>
concept elements_of_vps = std::ranges::contiguous_range<R> && std::ranges::sized_range<R> &&
    byte_copyable<std::ranges::range_value_t<R>> && std::copyable<std::ranges::range_value_t<R>>;

/// Runs `program(me, x)` on M(v), v elements, with x element r of `values` for VP r. The elements
/// are copies, written back when all went well: whatever a VP throws, the values are as they were.
/// What it throws is thrown from here as it is, not wrapped in vp_failed. No run for no elements.
template <class T, class Program>
run_report run_on_elements(machine& on, std::span<T> values, const Program& program) {
  struct element {  // a vector of these is an array of T, also for bool
    T value;
  };
  if (values.empty()) return {};
  std::vector<element> copies;
  copies.reserve(values.size());
  for (const T& value : values) copies.push_back({value});
  try {
    run_report report = on.run(values.size(), [&copies, &program](vp& me) -> task<> {
      return program(me, copies[me.rank()].value);
    });
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = copies[i].value;
    return report;
  } catch (const vp_failed& failure) {
    failure.rethrow_cause();
  }
}

}  // namespace pleat::detail
