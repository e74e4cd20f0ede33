// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include <pleat/oblivious/detail/program/arena.hpp>
#include <pleat/oblivious/detail/program/execution.hpp>
#include <pleat/oblivious/detail/program/key_messages.hpp>
#include <pleat/oblivious/detail/sort/choose.hpp>
#include <pleat/oblivious/detail/sort/keys.hpp>
#include <pleat/runtime/detail/call_machine.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/segment.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::sorting {

/// Tells whether the order of a column's keys is known to be a strict weak order.
template <class Column> inline constexpr bool trusted_column = true;
template <class Column>
requires requires { typename Column::order_type; }
inline constexpr bool trusted_column<Column> = trusted_order<typename Column::order_type>;

/// Keys of a sort and its working memory, the same for all VPs.
template <class Column> struct sort_space {
  using key = typename Column::key;
  using source = typename Column::source;
  static constexpr bool of_blocks = std::same_as<Column, typename Column::home_column>;

  sort_plan plan;
  source keys;
  key* sorted;  ///< room for as many keys
  vp_arrays<key> work;
  std::uint64_t* checks;       ///< one for each VP
  std::atomic<bool>* writing;  ///< set before the user's array is first written; or null

  // Memory of the recursion, which moves the keys out of the user's array first.
  key* blocks = nullptr;     ///< block i is what VP i sorts, sends from and receives into
  key* originals = nullptr;  ///< the keys as they came
  bool at_home = false;      ///< the keys are in the blocks, not in the user's array

  [[nodiscard]] std::span<key> block_of(std::size_t rank) const noexcept {
    return {blocks + rank * plan.block, plan.block};
  }
  [[nodiscard]] source keys_of(segment seg) const noexcept {
    if constexpr (of_blocks)
      if (at_home) return Column::home(block_of(seg.first).data(), keys);
    return keys;
  }
};

template <class Column> task<> columnsort(vp& me, segment seg, const sort_space<Column>& space);

/// Sorts a matrix whose columns are the blocks of single VPs: one sort, one merge, one windowed
/// finish. VPs without a column only take part in the supersteps. The user's array is unchanged
/// until `space.writing` is set; from then on `space.sorted` holds all keys.
/// Cost: h = r, then about two keys per key merged in all chunks together; 2 + chunks supersteps
/// with the segment's label.
///
/// A user's comparator may be no strict weak order. So the VPs check whether their shares make up a
/// permutation of the keys: each writes to `space.checks` where it found the columns to be cut. If
/// the check fails, each block is put back in the user's array, in whatever order it is.
template <class Column>
task<> sort_columns(vp& me, segment seg, block_shape shape, const sort_space<Column>& space) {
  using key = typename Column::key;
  const std::size_t rank = me.rank() - seg.first;
  std::optional<Column> column;
  if (rank < shape.columns) {
    column.emplace(shape, rank, space.keys_of(seg), space.sorted + seg.first * space.plan.block,
                   space.work[me.rank()]);
    column->sort();
    for (std::size_t q = 0; q < shape.columns; ++q) me.lend(seg.first + q, column->run_for(q));
  }
  co_await me.sync(seg.label);
  while (auto m = me.receive())
    column->take_run(m->source() - seg.first, m->template view<const key>());
  // Runs are read beyond the next barrier, because they stay unchanged to the end.
  for (std::size_t t = 0; t < shape.chunks(); ++t) {
    if (column) {
      column->merge(t);
      for (std::size_t q = 0; q < shape.columns; ++q)
        me.lend(seg.first + q, column->slice_for(t, q));
    }
    co_await me.sync(seg.label);
    while (auto m = me.receive())
      column->take_slice(m->source() - seg.first, m->template view<const key>());
    if (t == 0 && space.writing != nullptr) space.writing->store(true, std::memory_order_relaxed);
    if (column) column->finish(t);
  }
  if constexpr (!trusted_column<Column>)
    if (column) space.checks[me.rank()] = column->cuts();
  co_await me.sync(seg.label);
  if constexpr (!trusted_column<Column>) {
    const std::uint64_t* const checks = space.checks + seg.first;
    if (column && std::accumulate(checks, checks + shape.columns, std::uint64_t{0}) != 0)
      column->leave_block();
  }
}

/// Sorts the keys of a segment that is too small for columns of several VPs: each VP sorts its
/// block, then a bitonic network merges and splits the blocks.
template <class Column>
task<> sort_by_network(vp& me, segment seg, const sort_space<Column>& space) {
  using key = typename Column::key;
  constexpr deciding by = trusted_column<Column> ? deciding::both : deciding::lower;
  const std::span<key> mine = space.block_of(me.rank());
  const auto before = [&space](const key& a, const key& b) {
    return Column::before(space.keys, a, b);
  };
  if (mine.size() > 1) Column::sort_home(Column::home(mine.data(), space.keys), mine.size());
  co_await detail::bitonic_network<by>(me, seg, mine, before);
}

/// Runs the eight phases of Columnsort on a matrix whose columns are sub-segments, which are sorted
/// recursively.
template <class Column>
task<> sort_by_phases(vp& me, segment seg, const sort_space<Column>& space) {
  using key = typename Column::key;
  const std::span<key> mine = space.block_of(me.rank());
  const std::size_t m = seg.size * mine.size();
  const matrix_shape matrix = make_matrix_shape(m);
  const std::size_t r = matrix.rows, s = matrix.columns;
  const segment column = seg.divide(s, me.rank()).part;
  const auto transposed = [r, s](std::size_t g) { return g % s * r + g / s; };
  const auto back = [r, s](std::size_t g) { return g % r * s + g / r; };
  const auto shifted = [m, r](std::size_t g) { return (g + r / 2) % m; };
  const auto unshifted = [m, r](std::size_t g) { return (g + m - r / 2) % m; };
  co_await sorting::columnsort(me, column, space);              // 1
  co_await detail::permute(me, seg, mine, transposed, back);    // 2
  co_await sorting::columnsort(me, column, space);              // 3
  co_await detail::permute(me, seg, mine, back, transposed);    // 4
  co_await sorting::columnsort(me, column, space);              // 5
  co_await detail::permute(me, seg, mine, shifted, unshifted);  // 6
  // Phase 7: keys that wrapped round count as less than all others, so the first column, two sorted
  // halves, is already in order. It still performs the supersteps, as all VPs must.
  std::vector<key> kept;
  if (column.first == seg.first) kept.assign(mine.begin(), mine.end());
  co_await sorting::columnsort(me, column, space);
  std::copy(kept.begin(), kept.end(), mine.begin());
  co_await detail::permute(me, seg, mine, unshifted, shifted);  // 8
}

/// Runs the recursion on the user's array: moves the keys to the blocks, sorts them there, and
/// moves them back.
template <class Column> task<> sort_at_home(vp& me, segment seg, const sort_space<Column>& space) {
  using key = typename Column::key;
  const std::span<key> mine = space.block_of(me.rank());
  const std::size_t first = me.rank() * mine.size();
  Column::load(space.keys, first, mine.size(), mine.data());
  std::uninitialized_copy(mine.begin(), mine.end(), space.originals + first);
  const sort_space<typename Column::home_column> home{
      space.plan,   Column::home(space.blocks, space.keys),
      space.sorted, space.work,
      space.checks, nullptr,
      space.blocks, nullptr,
      true};
  co_await sorting::columnsort(me, seg, home);
  // Other VPs may still compare and throw; `restore` then puts the originals back.
  space.writing->store(true, std::memory_order_relaxed);
  Column::store(mine.data(), space.keys, first, mine.size());
}

/// Recursive Columnsort: sorts the keys of a segment, or of all VPs.
///
/// - Where blocks of single VPs make up a matrix, the kernels sort its columns. In production that
///   is the whole sort, and the blocks are parts of the user's array, of any length.
/// - Where blocks are shorter than there are VPs, both powers of two, columns are sub-segments.
/// - Few VPs with short blocks are sorted by a network.
///
/// With one key a VP it is the program of the model: O(1) messages per VP in each of Θ(4^i)
/// supersteps of level i, with its segments' label.
///
/// Source: Bilardi, Pietracaprina, Pucci, Scquizzato, Silvestri, Network-Oblivious Algorithms,
/// section 4; Leighton, Tight Bounds on the Complexity of Parallel Sorting, 1985.
template <class Column> task<> columnsort(vp& me, segment seg, const sort_space<Column>& space) {
  const block_shape matrix = space.plan.matrix(seg.size, Column::quantum);
  if (matrix.columns != 0) return sorting::sort_columns(me, seg, matrix, space);
  if constexpr (sort_space<Column>::of_blocks) {
    if (space.at_home)
      return seg.size <= network_vps ? sorting::sort_by_network(me, seg, space)
                                     : sorting::sort_by_phases(me, seg, space);
  }
  return sorting::sort_at_home(me, seg, space);
}

// Execution of a sort: allocates its memory, runs the program of each VP, then the step after it.

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
