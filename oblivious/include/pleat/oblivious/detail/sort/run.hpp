// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <pleat/oblivious/detail/program/execution.hpp>
#include <pleat/oblivious/detail/program/memory_layout.hpp>
#include <pleat/oblivious/sort_options.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

// How a sort is run: on how many VPs, in which memory, and what follows it.
namespace pleat::detail::sorting {

inline std::size_t sort_vps(machine& on, std::size_t n, std::size_t key_bytes,
                            const sort_options& options) {
  return choose_vps("sort", options.vps, static_cast<double>(n * key_bytes / least_bytes_per_vp),
                    on.threads());
}

/// What follows a sort in the same run, if it has changed anything.
class sequel {
 public:
  sequel() = default;
  sequel(const sequel&) = delete;
  sequel& operator=(const sequel&) = delete;

  /// Prepares for that many VPs. Adds the memory it needs during the sort; returns the layout of
  /// all it needs afterwards, when the sort's memory is free.
  virtual memory_layout plan(std::size_t vps, memory_layout& during) = 0;
  virtual void lie_in(std::byte* memory) noexcept = 0;
  /// By one VP without a machine, and the program of one of several.
  virtual void alone() = 0;
  virtual task<> together(vp& me) = 0;
  /// After a failure of the sort or of this.
  virtual void restore() noexcept = 0;

 protected:
  ~sequel() = default;
};

/// Sorts. `Sort` is columnsort_program. `then` may be null.
template <class Sort>
run_report sort_with(machine& on, Sort& sort, std::size_t vps, sequel* then = nullptr) {
  const machine::turn mine(on, machine::use::scratch);
  memory_layout during;
  memory_layout after;
  if (then != nullptr) after = then->plan(vps, during);
  sort.plan(vps, during);
  std::byte* const memory = (during.bytes() < after.bytes() ? after : during).take(on);
  sort.lie_in(memory);
  if (then != nullptr) then->lie_in(memory);
  try {
    return run_program(
        on, vps,
        [&] {
          if (sort.sort_alone() && then != nullptr) then->alone();
        },
        [&](vp& me) -> task<> {
          const bool changed = co_await sort.program(me);
          if (changed && then != nullptr) co_await then->together(me);
        });
  } catch (...) {
    const alone_scope alone;
    sort.restore();
    if (then != nullptr) then->restore();
    throw;
  }
}

}  // namespace pleat::detail::sorting
