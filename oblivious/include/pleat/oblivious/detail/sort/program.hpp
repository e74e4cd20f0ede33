// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <pleat/oblivious/detail/program/memory_layout.hpp>
#include <pleat/oblivious/detail/sort/columnsort.hpp>
#include <pleat/oblivious/detail/sort/shape.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::sorting {

/// The sort of one array: how it is cut, the memory it needs, and the program of a VP.
template <class Column> class columnsort_program {
 public:
  using key = typename Column::key;
  using source = typename Column::source;

  /// Requires n ≥ 1.
  columnsort_program(const source& keys, std::size_t n)
      : n_(n), space_{{}, keys, {}, {}, {}, {}, {}} {}
  columnsort_program(const columnsort_program&) = delete;
  columnsort_program& operator=(const columnsort_program&) = delete;

  /// Prepares for that many VPs, or for one without a machine. Adds the memory that takes: as much
  /// as the keys, in the recursion three times, and a little for every VP.
  void plan(std::size_t vps, memory_layout& layout) {
    if (vps == 1) {
      sorted_ = layout.add<key>(Column::alone_keys(n_));
      return;
    }
    space_.plan = make_sort_plan(n_, vps);
    sorted_ = layout.add<key>(n_);
    blocks_ = layout.add<key>(recursive() ? n_ : 0);
    originals_ = layout.add<key>(recursive() ? n_ : 0);
    const block_shape matrix = space_.plan.last_matrix(Column::quantum);
    space_.work =
        layout.add<key>(matrix.columns == 0 ? 0 : Column::work_keys(matrix), space_.plan.holders);
    if constexpr (!trusted_column<Column>) checks_.assign(vps, 0);
  }
  void lie_in(std::byte* memory) noexcept {
    space_.memory = memory;
    space_.sorted = sorted_.in(memory);
    space_.blocks = blocks_.in(memory);
    space_.originals = originals_.in(memory);
    space_.checks = checks_.data();
    space_.writing = &writing_;
  }

  /// Both: false if the keys were in order as they came, to all VPs. What the order throws leaves
  /// one VP's array as it was.
  bool sort_alone() { return Column::sort_alone(space_.keys, n_, space_.sorted); }
  task<bool> program(vp& me) {
    if (!recursive()) {
      const bool in_order = co_await sorted_already(me);
      if (in_order) co_return false;
    }
    co_await sort(me);
    co_return true;
  }

  // The two steps of the program, for those who know another way to go on than the second.

  /// Are all blocks in order, one after the other? VP 0 asks all and tells all. Most arrays need
  /// one look at their first keys to say no. Two 0-supersteps.
  task<bool> sorted_already(vp& me) {
    const block_shape shape = space_.plan.matrix(me.size(), Column::quantum);
    const bool holds = me.rank() < shape.columns;
    const std::size_t first = std::min(me.rank() * shape.rows, n_);
    const std::size_t last = std::min(first + shape.rows + 1, n_);  // and the next block's first
    me.send(0, !holds || Column::is_sorted(space_.keys, first, last - first));
    co_await me.sync(0);
    if (me.rank() == 0) {
      bool all = true;
      while (auto m = me.receive()) all = m->template get<bool>() && all;
      for (std::size_t q = 0; q < me.size(); ++q) me.send(q, all);
    }
    co_await me.sync(0);
    const bool all = me.receive()->template get<bool>();
    if (all && holds) Column::leave(space_.keys, first, shape.block(me.rank()));
    co_return all;
  }

  task<> sort(vp& me) { return columnsort(me, me.all(), space_); }

  /// Where the room for all keys is that several VPs work in, or null.
  [[nodiscard]] key* sorted() const noexcept { return space_.sorted; }

  /// After a run that failed: the array holds a permutation of its keys again.
  void restore() noexcept {
    if (writing_.load(std::memory_order_relaxed))  // the end of the run ordered it before us
      Column::restore(recursive() ? space_.originals : space_.sorted, space_.keys, n_);
  }

  /// Do VPs divide their segments until a matrix fits? Then the keys leave the user's array first.
  [[nodiscard]] bool recursive() const noexcept { return space_.plan.block != 0; }

 private:
  std::size_t n_;
  sort_space<Column> space_;
  placed_arrays<key> sorted_, blocks_, originals_;
  std::vector<std::uint64_t> checks_;
  std::atomic<bool> writing_{false};
};

}  // namespace pleat::detail::sorting
