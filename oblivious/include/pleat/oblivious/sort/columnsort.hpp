// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cassert>
#include <cstddef>
#include <span>
#include <vector>

#include <pleat/oblivious/sort/shape.hpp>
#include <pleat/runtime/segment.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::sorting {

/// The matrix whose columns are the blocks of single VPs: one sort, one merge, one windowed finish.
/// `column` is this VP's column of the kernels, or null if it holds no keys and only takes part in
/// the supersteps. `writing` is set before the user's array is first written; until then it is
/// untouched, from then on `sorted` holds all keys. Cost: h = r, then about two keys per key merged
/// in all chunks together; 2 + chunks supersteps with the segment's label.
template <class Column>
task<> sort_columns(vp& me, segment seg, const block_shape& shape, Column* column,
                    std::atomic<bool>* writing = nullptr) {
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
  co_await me.sync(seg.label);
}

/// Keys on their way: also those, like std::pair, that may be copied as bytes but do not say so.
template <class Key> struct alignas(Key) key_bytes { std::byte data[sizeof(Key)]; };
template <class Key> void send_keys(vp& me, std::size_t q, std::span<const Key> keys) {
  const auto* const bytes = reinterpret_cast<const key_bytes<Key>*>(keys.data());
  if (keys.size() == 1)
    me.send(q, *bytes);
  else
    me.send(q, std::span<const key_bytes<Key>>(bytes, keys.size()));
}
template <class Key> std::span<const Key> received_keys(const message& m) {
  const auto bytes = m.span<key_bytes<Key>>();
  return {reinterpret_cast<const Key*>(bytes.data()), bytes.size()};
}

/// The keys of a segment, w VPs with b each, change places: the one at place g goes to `to(g)`, a
/// permutation of [0, w·b). One superstep with the segment's label; h = b, and with dummy messages,
/// which make the sort wise whatever the permutation, 2b.
template <class Key, class Permutation>
task<> permute(vp& me, segment seg, std::span<Key> mine, Permutation to) {
  const std::size_t b = mine.size();
  const std::size_t rank = me.rank() - seg.first;
  const auto home = [&](std::size_t i) { return to(rank * b + i) / b; };  // of my i-th key
  std::vector<Key> bundle;
  if (b == 1) send_keys<Key>(me, seg.first + home(0), mine);
  for (std::size_t i = 0; b > 1 && i < b; ++i) {
    std::size_t k = 0;
    while (home(k) != home(i)) ++k;
    if (k < i) continue;  // it went with the first key for that VP
    bundle.clear();
    for (; k < b; ++k)
      if (home(k) == home(i)) bundle.push_back(mine[k]);
    send_keys<Key>(me, seg.first + home(i), bundle);
  }
  if (rank < seg.size / 2) me.dummy(me.rank() + seg.size / 2, b);
  co_await me.sync(seg.label);
  while (auto m = me.receive()) {
    const std::span<const Key> keys = received_keys<Key>(*m);
    const std::size_t source = m->source() - seg.first;
    std::size_t taken = 0;
    for (std::size_t i = 0; i < b; ++i) {
      const std::size_t place = to(source * b + i);
      if (place / b == rank) mine[place % b] = keys[taken++];
    }
    assert(taken == keys.size());
  }
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

  [[nodiscard]] std::span<key> block_of(std::size_t rank) const noexcept {
    return {home + rank * block, block};
  }
};

/// Segments of no more VPs than this are sorted by a network.
inline constexpr std::size_t network_vps = 32;

/// Batcher's bitonic network on w VPs, a power of two, with b keys each: where the recursion ends.
/// log2 w · (log2 w + 1)/2 supersteps with labels from the segment's down to the finest; h = b.
/// Source: Batcher, Sorting Networks and their Applications, 1968.
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
      send_keys<key>(me, seg.first + partner, mine);
      const auto finer = std::countr_zero(seg.size / (2 * distance));
      co_await me.sync(seg.label + static_cast<unsigned>(finer));
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
/// are sub-segments, sorted recursively four times; where there are no fewer keys in a block than
/// blocks, a column is one VP and the kernels take over. With one key a VP it is the program of the
/// model: O(1) messages per VP in each of Θ(4^i) supersteps of level i, with its segments' label.
///
/// Source: Bilardi et al., Network-Oblivious Algorithms, section 4; Leighton, 1985.
template <class Column> task<> columnsort(vp& me, segment seg, const sort_space<Column>& space) {
  using key = typename Column::key;
  const std::size_t b = space.block;
  const std::size_t w = seg.size;
  const std::span<key> mine = space.block_of(me.rank());
  if (b >= w) {
    const block_shape shape = make_block_shape(w * b, w, Column::quantum);
    typename Column::home_column column(shape, me.rank() - seg.first,
                                        Column::home(space.home + seg.first * b, space.like),
                                        space.sorted + seg.first * b, space.work);
    co_await sort_columns(me, seg, shape, &column);
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
  co_await columnsort(me, column, space);                  // 1
  co_await permute(me, seg, mine, [r, s](std::size_t g) {  // 2: transpose
    return g % r % s * r + g / r * (r / s) + g % r / s;
  });
  co_await columnsort(me, column, space);                  // 3
  co_await permute(me, seg, mine, [r, s](std::size_t g) {  // 4: and back
    return g % r * s + g / r;
  });
  co_await columnsort(me, column, space);                                              // 5
  co_await permute(me, seg, mine, [m, r](std::size_t g) { return (g + r / 2) % m; });  // 6
  // 7: the keys that wrapped round count as less than all others, so the first column, two sorted
  // halves, is in order as it stands. It goes through the motions: all VPs take equal supersteps.
  std::vector<key> kept;
  if (column.first == seg.first) kept.assign(mine.begin(), mine.end());
  co_await columnsort(me, column, space);
  std::copy(kept.begin(), kept.end(), mine.begin());
  co_await permute(me, seg, mine, [m, r](std::size_t g) { return (g + m - r / 2) % m; });  // 8
}

/// The shape of the matrices the recursion ends in, or an empty one if it ends in networks.
constexpr block_shape last_matrix(std::size_t w, std::size_t b, std::size_t quantum) {
  while (b < w && w > network_vps) w = make_matrix_shape(w * b).rows / b;
  return b < w ? block_shape{0, 1, 1, 0, quantum} : make_block_shape(w * b, w, quantum);
}

}  // namespace pleat::detail::sorting
