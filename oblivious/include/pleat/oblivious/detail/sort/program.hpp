// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include <pleat/oblivious/detail/sort/array_sort.hpp>
#include <pleat/oblivious/detail/sort/columnsort.hpp>
#include <pleat/oblivious/detail/sort/shape.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::sorting {

/// The sort of one array by columns: how it is cut, the memory it needs, and the coroutine. As
/// array_sort says, but not virtual.
template <class Column> class columnsort_program {
 public:
  using key = typename Column::key;
  using source = typename Column::source;

  /// Requires n ≥ 1.
  columnsort_program(const source& keys, std::size_t n) : keys_(keys), n_(n) {}
  columnsort_program(const columnsort_program&) = delete;
  columnsort_program& operator=(const columnsort_program&) = delete;

  [[nodiscard]] bool is_sorted() const { return Column::is_sorted(keys_, 0, n_); }
  [[nodiscard]] std::size_t alone_bytes() const noexcept {
    return Column::alone_keys(n_) * sizeof(key);
  }
  void sort_alone(std::byte* memory) {
    Column::sort_alone(keys_, n_, reinterpret_cast<key*>(memory));
  }

  void prepare(machine& on, std::size_t vps, const memory_range& where) {
    plan_ = make_sort_plan(n_, vps);
    shape_ = recursive() ? last_matrix(vps, plan_.block, Column::quantum)
                         : make_block_shape(n_, plan_.holders, Column::quantum);
    const std::size_t array = round_up(n_ * sizeof(key), alignment);
    work_bytes_ =
        shape_.keys == 0 ? 0 : round_up(Column::work_keys(shape_) * sizeof(key), alignment);
    const std::size_t arrays = recursive() ? 2 : 1;
    const std::size_t bytes = arrays * array + plan_.holders * work_bytes_;
    std::byte* const memory =
        on.scratch(std::max(where.first + bytes, where.last)).data() + where.first;
    sorted_ = reinterpret_cast<key*>(memory);
    home_ = reinterpret_cast<key*>(memory + (arrays - 1) * array);
    work_ = memory + arrays * array;
    if constexpr (!trusted_column<Column>) checks_.assign(vps, 0);
  }

  task<bool> program(vp& me) {
    if (recursive()) {
      const sort_space<Column> space{keys_,       home_,         sorted_, work_of(me.rank()),
                                     plan_.block, checks_.data()};
      const std::span<key> mine = space.block_of(me.rank());
      Column::load(keys_, me.rank() * plan_.block, plan_.block, mine.data());
      co_await columnsort(me, me.all(), space);
      Column::store(mine.data(), keys_, me.rank() * plan_.block, plan_.block);
      co_return true;
    }
    if (co_await sorted_already(me)) {
      if (me.rank() < plan_.holders)
        Column::leave(keys_, me.rank() * shape_.rows, shape_.block(me.rank()));
      co_return false;
    }
    std::optional<Column> column;
    if (me.rank() < plan_.holders)
      column.emplace(shape_, me.rank(), keys_, sorted_, work_of(me.rank()));
    co_await sort_columns(me, me.all(), shape_, column ? &*column : nullptr, checks_.data(),
                          &writing_);
    co_return true;
  }

  void restore() noexcept {
    if (writing_.load(std::memory_order_relaxed))  // the end of the run ordered it before us
      Column::restore(sorted_, keys_, n_);
  }

 private:
  [[nodiscard]] bool recursive() const noexcept { return plan_.block != 0; }
  [[nodiscard]] key* work_of(std::size_t rank) const noexcept {
    return reinterpret_cast<key*>(work_ + rank * work_bytes_);
  }

  /// Are all blocks in order, one after the other? VP 0 asks all and tells all. Most arrays need
  /// one look at their first keys to say no. Two 0-supersteps.
  task<bool> sorted_already(vp& me) {
    const std::size_t first = std::min(me.rank() * shape_.rows, n_);
    const std::size_t last = std::min(first + shape_.rows + 1, n_);  // and the next block's first
    me.send(0, me.rank() >= plan_.holders || Column::is_sorted(keys_, first, last - first));
    co_await me.sync(0);
    if (me.rank() == 0) {
      bool all = true;
      while (auto m = me.receive()) all = m->template get<bool>() && all;
      for (std::size_t q = 0; q < me.size(); ++q) me.send(q, all);
    }
    co_await me.sync(0);
    co_return me.receive()->template get<bool>();
  }

  source keys_;
  std::size_t n_;
  sort_plan plan_{};
  block_shape shape_{};
  key* sorted_ = nullptr;
  key* home_ = nullptr;
  std::byte* work_ = nullptr;
  std::size_t work_bytes_ = 0;
  std::vector<std::uint64_t> checks_;
  std::atomic<bool> writing_{false};
};

}  // namespace pleat::detail::sorting
