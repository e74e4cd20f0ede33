// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <pleat/oblivious/detail/program/arena.hpp>
#include <pleat/oblivious/detail/program/execution.hpp>
#include <pleat/oblivious/detail/sort/choose.hpp>
#include <pleat/oblivious/detail/sort/columnsort.hpp>
#include <pleat/oblivious/detail/sort/shape.hpp>
#include <pleat/runtime/detail/call_machine.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

// Execution of a sort: allocates its memory, runs the program of each VP, then the step after it.
namespace pleat::detail::sorting {

/// Step that follows a sort in the same run, if the sort has changed anything.
class epilogue {
 public:
  epilogue() = default;
  epilogue(const epilogue&) = delete;
  epilogue& operator=(const epilogue&) = delete;

  /// Prepares for `vps` VPs. Allocates the memory that is needed during the sort, then that for the
  /// step itself. The position then goes back to the end of the former, because the latter may
  /// overlap the sort's own memory, which is free by then.
  virtual void lay_out(arena& in, std::size_t vps) = 0;
  /// Performs the step as the only VP, without a machine; `together` is the program of one of
  /// several.
  virtual void alone() = 0;
  virtual task<> together(vp& me) = 0;
  /// Restores the values after a failure of the sort or of this step.
  virtual void restore() noexcept = 0;

 protected:
  ~epilogue() = default;
};

/// Kind of the items in the columns of a source.
template <class Source> constexpr item_kind kind_of() noexcept {
  if constexpr (requires { Source::in_place; })
    return Source::in_place ? item_kind::value : item_kind::index;
  else
    return item_kind::word;
}

/// Columnsort of one array: how it is cut, the memory it needs, and the program of a VP.
template <class Column> class columnsort_program {
 public:
  using key = typename Column::key;
  using source = typename Column::source;

  /// Requires n ≥ 1.
  columnsort_program(const source& keys, std::size_t n) : n_(n), space_{{}, keys, {}, {}, {}, {}} {}
  columnsort_program(const columnsort_program&) = delete;
  columnsort_program& operator=(const columnsort_program&) = delete;

  /// Prepares for `vps` VPs, or for one without a machine. Allocates as much memory as the keys
  /// take, in the recursion three times as much, and a little for every VP.
  void lay_out(arena& in, std::size_t vps) {
    ran_ = choose(n_, vps);
    if (vps == 1) {
      space_.sorted = in.array<key>(Column::alone_keys(n_));
      return;
    }
    space_.plan = make_sort_plan(n_, vps);
    space_.sorted = in.array<key>(n_);
    space_.blocks = in.array<key>(recursive() ? n_ : 0);
    space_.originals = in.array<key>(recursive() ? n_ : 0);
    const block_shape matrix = space_.plan.last_matrix(Column::quantum);
    space_.work =
        in.arrays<key>(matrix.columns == 0 ? 0 : Column::work_keys(matrix), space_.plan.holders);
    if constexpr (!trusted_column<Column>) checks_.assign(vps, 0);
    space_.checks = checks_.data();
    space_.writing = &writing_;
  }

  /// Sorts as the only VP, without a machine; `program` is the program of one of several. Both
  /// return false, to all VPs, if the keys were already in order. If the order throws in
  /// sort_alone, the array is unchanged.
  bool sort_alone() {
    const bool changed = Column::sort_alone(space_.keys, n_, space_.sorted);
    if (!changed) ran_ = sort_method::in_order;
    return changed;
  }
  task<bool> program(vp& me) {
    if (!recursive()) {
      const bool in_order = co_await sorted_already(me, column(me));
      if (in_order) co_return false;
    }
    co_await sort(me);
    co_return true;
  }

  // Steps of the program, for sorts that may replace the second one.

  /// Tells all VPs whether all blocks are in order, one after the other. VP 0 collects the answers.
  /// In most arrays the first keys of a block show that they are not. Two 0-supersteps.
  task<bool> sorted_already(vp& me, interval<> mine) {
    const std::size_t next = std::min(mine.last + 1, n_);  // with the next block's first key
    me.send(0, mine.empty() || Column::is_sorted(space_.keys, mine.first, next - mine.first));
    if (!mine.empty() && me.rank() != 0) me.count_crossing(me.rank() - 1, 1);
    co_await me.sync(0);
    if (me.rank() == 0) {
      bool all = true;
      while (auto m = me.receive()) all = m->template get<bool>() && all;
      for (std::size_t q = 0; q < me.size(); ++q) me.send(q, all);
    }
    co_await me.sync(0);
    const bool all = me.receive()->template get<bool>();
    if (all) Column::leave(space_.keys, mine.first, mine.size());
    if (all && me.rank() == 0) ran_ = sort_method::in_order;
    co_return all;
  }

  task<> sort(vp& me) { return sorting::columnsort(me, me.all(), space_); }

  // Results, read after the run, whose end orders the writes before the reads.

  [[nodiscard]] sort_method ran() const noexcept { return ran_; }
  [[nodiscard]] item_kind kind() const noexcept { return sorting::kind_of<source>(); }
  /// Tells whether all communication between VPs is counted in messages. It is not if comparisons
  /// read values, which may belong to any VP.
  [[nodiscard]] bool counts() const noexcept {
    if constexpr (sorting::kind_of<source>() == item_kind::index)
      return source::order_type::reads_keys_alone;
    return true;
  }

  /// Keys of a VP's column, if columns are blocks of single VPs.
  [[nodiscard]] interval<> column(const vp& me) const noexcept {
    const block_shape shape = space_.plan.matrix(me.size(), Column::quantum);
    if (me.rank() >= shape.columns) return {n_, n_};
    const std::size_t first = std::min(me.rank() * shape.rows, n_);
    return {first, first + shape.block(me.rank())};
  }

  /// Scratch memory of several VPs with room for all keys, or null.
  [[nodiscard]] key* sorted() const noexcept { return space_.sorted; }

  /// Makes the array hold a permutation of its keys again, after a run that failed.
  void restore() noexcept {
    if (writing_.load(std::memory_order_relaxed))  // the end of the run ordered it before us
      Column::restore(recursive() ? space_.originals : space_.sorted, space_.keys, n_);
  }

  /// Tells whether VPs divide their segments until a matrix fits. If so, the keys are first moved
  /// out of the user's array.
  [[nodiscard]] bool recursive() const noexcept { return space_.plan.block != 0; }

 private:
  std::size_t n_;
  sort_method ran_ = sort_method::alone;
  sort_space<Column> space_;
  std::vector<std::uint64_t> checks_;
  std::atomic<bool> writing_{false};
};

/// Runs a sort; `then` may be null. `Sort` is columnsort_program or a class with the same members.
template <class Sort>
run_report sort_with(machine& on, Sort& sort, std::size_t vps, epilogue* then = nullptr) {
  const machine::turn mine(on, machine::use::scratch);
  arena::take(on, [&](arena& in) {
    if (then != nullptr) then->lay_out(in, vps);
    sort.lay_out(in, vps);
  });
  try {
    run_report report = detail::run_program(
        on, vps,
        [&] {
          if (sort.sort_alone() && then != nullptr) then->alone();
        },
        [&](vp& me) -> task<> {
          const bool changed = co_await sort.program(me);
          if (changed && then != nullptr) co_await then->together(me);
        });
    report.algorithm = sorting::name_of(sort.ran(), sort.kind());
    const bool moved = then != nullptr && sort.ran() != sort_method::in_order;
    if (moved || !sort.counts())
      report.leave_uncounted("a sort of indices reads values of other VPs in common memory");
    return report;
  } catch (...) {
    const alone_scope alone;
    sort.restore();
    if (then != nullptr) then->restore();
    throw;
  }
}

}  // namespace pleat::detail::sorting
