// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <pleat/oblivious/detail/program/permute.hpp>
#include <pleat/oblivious/detail/sort/checked_sort.hpp>
#include <pleat/oblivious/detail/sort/shape.hpp>
#include <pleat/runtime/segment.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::sorting {

/// Is the order of its keys known to be one?
template <class Column> inline constexpr bool trusted_column = true;
template <class Column>
requires requires { typename Column::order_type; }
inline constexpr bool trusted_column<Column> = trusted_order<typename Column::order_type>;

/// The matrix whose columns are the blocks of single VPs: one sort, one merge, one windowed finish.
/// `column` is this VP's column of the kernels, or null if it holds no keys and only takes part in
/// the supersteps. `writing` is set before the user's array is first written; until then it is
/// untouched, from then on `sorted` holds all keys. Cost: h = r, then about two keys per key merged
/// in all chunks together; 2 + chunks supersteps with the segment's label.
///
/// Where the order is a user's, the VPs find out whether they have finished one permutation: each
/// tells in `checks`, one for each column, how it took it to be cut. If not, because the order is
/// none, the blocks are left where they were, each in whatever order it is.
template <class Column>
task<> sort_columns(vp& me, segment seg, const block_shape& shape, Column* column,
                    std::uint64_t* checks, std::atomic<bool>* writing = nullptr) {
  using key = typename Column::key;
  if (column != nullptr) {
    column->sort();
    for (std::size_t q = 0; q < shape.columns; ++q) me.lend(seg.first + q, column->run_for(q));
  }
  co_await me.sync(seg.label);
  while (auto m = me.receive())
    column->take_run(m->source() - seg.first, m->template view<const key>());
  // The runs stay as they are to the end, so we go on reading them beyond the next barrier.
  for (std::size_t t = 0; t < shape.chunks(); ++t) {
    if (column != nullptr) {
      column->merge(t);
      for (std::size_t q = 0; q < shape.columns; ++q)
        me.lend(seg.first + q, column->slice_for(t, q));
    }
    co_await me.sync(seg.label);
    while (auto m = me.receive())
      column->take_slice(m->source() - seg.first, m->template view<const key>());
    if (t == 0 && writing != nullptr) writing->store(true, std::memory_order_relaxed);
    if (column != nullptr) column->finish(t);
  }
  if constexpr (!trusted_column<Column>)
    if (column != nullptr) checks[me.rank() - seg.first] = column->cuts();
  co_await me.sync(seg.label);
  if constexpr (!trusted_column<Column>)
    if (column != nullptr && std::accumulate(checks, checks + shape.columns, std::uint64_t{0}) != 0)
      column->leave_block();
}

/// Where the blocks of the recursion live. All blocks have `block` keys; block i of the home memory
/// belongs to VP i, and is what the VP sorts and what it sends from and receives into.
template <class Column> struct sort_space {
  using key = typename Column::key;
  typename Column::source like;  ///< how keys compare
  key* home;                     ///< n keys
  key* sorted;                   ///< n keys
  key* work;                     ///< this VP's
  std::size_t block;
  std::uint64_t* checks;  ///< one for each VP

  [[nodiscard]] std::span<key> block_of(std::size_t rank) const noexcept {
    return {home + rank * block, block};
  }
};

/// Batcher's bitonic network on w VPs, a power of two, with b keys each: where the recursion ends.
/// log2 w · (log2 w + 1)/2 supersteps with labels from the segment's down to the finest; h = b. In
/// an order of the user's twice as many: one of two VPs decides for both, for it may not answer
/// twice alike. Source: Batcher, Sorting Networks and their Applications, 1968.
template <class Column>
task<> sort_by_network(vp& me, segment seg, const sort_space<Column>& space) {
  using key = typename Column::key;
  const std::span<key> mine = space.block_of(me.rank());
  const std::size_t rank = me.rank() - seg.first;
  const std::size_t b = mine.size();
  if (b > 1) Column::home_column::sort_home(Column::home(mine.data(), space.like), b);
  std::vector<key> own;
  for (std::size_t size = 2; size <= seg.size; size *= 2) {
    for (std::size_t distance = size / 2; distance != 0; distance /= 2) {
      // The first step of a merge reads the upper half backwards: all sequences ascend.
      const std::size_t partner = rank ^ (2 * distance == size ? size - 1 : distance);
      const auto finer = std::countr_zero(seg.size / (2 * distance));
      const unsigned label = seg.label + static_cast<unsigned>(finer);
      if constexpr (!trusted_column<Column>) {
        if (rank > partner) send_keys<key>(me, seg.first + partner, mine);
        co_await me.sync(label);
        if (rank < partner) {
          const message m = *me.receive();
          const std::span<const key> other = received_keys<key>(m);
          own.clear();
          for (std::size_t i = 0, j = 0; i + j < 2 * b;) {
            const bool theirs = i == b || (j < b && Column::before(space.like, other[j], mine[i]));
            own.push_back(theirs ? other[j++] : mine[i++]);
          }
          std::copy_n(own.begin(), b, mine.begin());
          send_keys<key>(me, seg.first + partner, std::span<const key>(own).subspan(b));
        }
        co_await me.sync(label);
        if (rank > partner) {
          const message m = *me.receive();
          const std::span<const key> kept = received_keys<key>(m);
          std::copy(kept.begin(), kept.end(), mine.begin());
        }
        continue;
      }
      send_keys<key>(me, seg.first + partner, mine);
      co_await me.sync(label);
      const message m = *me.receive();
      const std::span<const key> other = received_keys<key>(m);
      own.assign(mine.begin(), mine.end());
      if (rank < partner) {  // keep the b least; of equals, the lower VP's are less
        for (std::size_t i = 0, j = 0; i + j < b;) {
          const bool theirs = Column::before(space.like, other[j], own[i]);
          const std::size_t place = i + j;
          mine[place] = theirs ? other[j++] : own[i++];
        }
      } else {
        for (std::size_t i = b, j = b; i + j > b;) {
          const bool theirs = Column::before(space.like, own[i - 1], other[j - 1]);
          const std::size_t place = i + j - b - 1;
          mine[place] = theirs ? other[--j] : own[--i];
        }
      }
    }
  }
}

/// Recursive Columnsort on a segment whose VPs hold `block` keys each, both powers of two. Columns
/// are sub-segments, sorted recursively four times; where the blocks make up a matrix, a column is
/// one VP and the kernels take over. With one key a VP it is the program of the
/// model: O(1) messages per VP in each of Θ(4^i) supersteps of level i, with its segments' label.
///
/// Source: Bilardi et al., Network-Oblivious Algorithms, section 4; Leighton, 1985.
template <class Column> task<> columnsort(vp& me, segment seg, const sort_space<Column>& space) {
  using key = typename Column::key;
  const std::size_t b = space.block;
  const std::size_t w = seg.size;
  const std::span<key> mine = space.block_of(me.rank());
  if (is_matrix(w, b)) {
    const block_shape shape = make_block_shape(w * b, w, Column::quantum);
    typename Column::home_column column(shape, me.rank() - seg.first,
                                        Column::home(space.home + seg.first * b, space.like),
                                        space.sorted + seg.first * b, space.work);
    auto* const checks = space.checks == nullptr ? nullptr : space.checks + seg.first;
    co_await sort_columns(me, seg, shape, &column, checks);
    co_return;
  }
  if (w <= network_vps) {
    co_await sort_by_network(me, seg, space);
    co_return;
  }

  const std::size_t m = w * b;
  const matrix_shape matrix = make_matrix_shape(m);
  const std::size_t r = matrix.rows;
  const std::size_t s = matrix.columns;
  const segment column = seg.divide(s, me.rank()).part;
  const auto transposed = [r, s](std::size_t g) { return g % s * r + g / s; };
  const auto back = [r, s](std::size_t g) { return g % r * s + g / r; };
  const auto shifted = [m, r](std::size_t g) { return (g + r / 2) % m; };
  const auto unshifted = [m, r](std::size_t g) { return (g + m - r / 2) % m; };
  co_await columnsort(me, column, space);               // 1
  co_await permute(me, seg, mine, transposed, back);    // 2
  co_await columnsort(me, column, space);               // 3
  co_await permute(me, seg, mine, back, transposed);    // 4
  co_await columnsort(me, column, space);               // 5
  co_await permute(me, seg, mine, shifted, unshifted);  // 6
  // 7: the keys that wrapped round count as less than all others, so the first column, two sorted
  // halves, is in order as it stands. It still performs the supersteps, as all VPs must.
  std::vector<key> kept;
  if (column.first == seg.first) kept.assign(mine.begin(), mine.end());
  co_await columnsort(me, column, space);
  std::copy(kept.begin(), kept.end(), mine.begin());
  co_await permute(me, seg, mine, unshifted, shifted);  // 8
}

/// The shape of the matrices the recursion ends in, or an empty one if it ends in networks.
constexpr block_shape last_matrix(std::size_t w, std::size_t b, std::size_t quantum) {
  while (!is_matrix(w, b) && w > network_vps) w = make_matrix_shape(w * b).rows / b;
  return b < w ? block_shape{0, 1, 1, 0, quantum} : make_block_shape(w * b, w, quantum);
}

}  // namespace pleat::detail::sorting
