// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <ranges>
#include <span>
#include <vector>

#include <pleat/channels/byte_copyable.hpp>
#include <pleat/channels/refers.hpp>
#include <pleat/oblivious/detail/program/execution.hpp>
#include <pleat/runtime/detail/call_machine.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail {

/// Requires a type that a VP can send another as one value.
template <class T>
concept value_of_vp = byte_copyable<T> && std::copyable<T> && !refers_to_memory<T>;

/// Sends the value itself, also if it is a range of elements: the receiver asks for a T.
template <value_of_vp T> void send_value(vp& me, std::size_t to, const T& value) {
  if constexpr (elements_to_send<T>)
    me.send(to, std::span<const T>(&value, 1));
  else
    me.send(to, value);
}

/// One element for each virtual processor, in one block of memory.
template <class R>
concept elements_of_vps = std::ranges::contiguous_range<R> && std::ranges::sized_range<R> &&
    value_of_vp<std::ranges::range_value_t<R>>;

/// Runs `program(me, x)` on M(v), v elements, with x element r of `values` for VP r. The elements
/// are copies, written back when all went well: whatever a VP throws, the values are as they were.
/// What it throws is thrown from here as it is, not wrapped in vp_failed. No run for no elements.
template <class T, class Program>
run_report run_on_elements(machine& named, std::span<T> values, const Program& program) {
  struct element {  // a vector of these is an array of T, also for bool
    T value;
  };
  const call_machine here(named);
  machine& on = *here;
  if (values.empty()) return {};
  std::vector<element> copies;
  copies.reserve(values.size());
  for (const T& value : values) copies.push_back({value});
  run_report report = detail::run_program(on, values.size(), [&copies, &program](vp& me) -> task<> {
    return program(me, copies[me.rank()].value);
  });
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = copies[i].value;
  return report;
}

}  // namespace pleat::detail
