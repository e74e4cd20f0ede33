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
#include <pleat/oblivious/detail/program/bitonic_network.hpp>
#include <pleat/oblivious/detail/program/permute.hpp>
#include <pleat/oblivious/detail/sort/order_traits.hpp>
#include <pleat/oblivious/detail/sort/shape.hpp>
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
  const std::size_t r = matrix.rows;
  const std::size_t s = matrix.columns;
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

}  // namespace pleat::detail::sorting
