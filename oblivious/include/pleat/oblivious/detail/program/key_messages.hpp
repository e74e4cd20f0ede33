// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstddef>
#include <iterator>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <pleat/runtime/message.hpp>
#include <pleat/runtime/segment.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail {

/// Keys on their way: also those, like std::pair, that may be copied as bytes but do not say so.
template <class Key> struct alignas(Key) key_bytes { std::byte data[sizeof(Key)]; };

template <class Key> const key_bytes<Key>& bytes_of(const Key& key) noexcept {
  return reinterpret_cast<const key_bytes<Key>&>(key);
}

template <class Key> void send_keys(vp& me, std::size_t q, std::span<const key_bytes<Key>> keys) {
  if (keys.size() == 1)
    me.send(q, keys.front());
  else
    me.send(q, keys);
}
template <class Key> void send_keys(vp& me, std::size_t q, std::span<const Key> keys) {
  detail::send_keys<Key>(
      me, q, std::span(reinterpret_cast<const key_bytes<Key>*>(keys.data()), keys.size()));
}
template <class Key> std::span<const Key> received_keys(const message& m) {
  const auto bytes = m.span<key_bytes<Key>>();
  return {reinterpret_cast<const Key*>(bytes.data()), bytes.size()};
}

/// Sends b keys, a bundle to each VP that gets any; `to` as below.
template <class Key, class Permutation>
void send_permuted(vp& me, segment seg, std::span<const Key> mine, const Permutation& to) {
  const std::size_t b = mine.size(), rank = me.rank() - seg.first;
  if (rank < seg.size / 2) me.dummy(me.rank() + seg.size / 2, b);
  if (b == 1) return detail::send_keys<Key>(me, seg.first + to(rank), mine);
  std::vector<std::pair<std::size_t, std::size_t>> home(b);  // of each key, and its place
  for (std::size_t i = 0; i < b; ++i) home[i] = {to(rank * b + i) / b, i};
  std::sort(home.begin(), home.end());
  std::vector<key_bytes<Key>> bundle;
  for (std::size_t i = 0; i < b;) {
    const std::size_t q = home[i].first;
    bundle.clear();
    for (; i < b && home[i].first == q; ++i)
      bundle.push_back(detail::bytes_of(mine[home[i].second]));
    detail::send_keys<Key>(me, seg.first + q, bundle);
  }
}

/// The keys of a segment, w VPs with b each, change places: the one at place g goes to `to(g)`, a
/// permutation of [0, w·b), and what comes to place g was at `from(g)`. One superstep with the
/// segment's label; h = b, and with dummy messages, which make the sort wise whatever the
/// permutation, 2b. O(b log b) local work.
template <class Key, class Permutation, class Inverse>
task<> permute(vp& me, segment seg, std::span<Key> mine, Permutation to, Inverse from) {
  detail::send_permuted<Key>(me, seg, mine, to);
  co_await me.sync(seg.label);
  const std::size_t b = mine.size(), rank = me.rank() - seg.first;
  if (b == 1) {
    const message m = *me.receive();
    mine[0] = detail::received_keys<Key>(m)[0];
    co_return;
  }
  std::vector<std::pair<std::size_t, std::size_t>> source(b);  // where each key was, and its place
  for (std::size_t i = 0; i < b; ++i) source[i] = {from(rank * b + i), i};
  std::sort(source.begin(), source.end());
  std::size_t taken = 0;  // messages come in the order of their senders, and so do these
  while (auto m = me.receive())
    for (const Key& key : detail::received_keys<Key>(*m)) mine[source[taken++].second] = key;
  assert(taken == b);
}

/// Writes the first `count` keys of the merge of two sorted sequences to `to`, memory without keys.
/// Keys neither of which is before the other: that of `a` comes first.
template <class Iterator, class Before, class Out>
void merge_first(Iterator a, Iterator a_end, Iterator b, Iterator b_end, std::size_t count,
                 const Before& before, Out to) {
  for (; count != 0; --count) {
    const bool second = a == a_end || (b != b_end && before(*b, *a));
    std::construct_at(std::addressof(*to++), second ? *b++ : *a++);
  }
}

/// Partner that decides how the keys of both are shared out.
enum class deciding {
  both,  ///< each for itself: the order answers a question alike each time
  lower  ///< the VP of the lower rank; the order may be one that contradicts itself
};

/// Batcher's bitonic network on the w VPs of a segment, w a power of two, with b keys each, sorted
/// before: the network's comparators merge two blocks and split them in halves, and for b = 1 they
/// are comparators of keys. All sequences ascend. `before(a, b)` is a strict weak order.
///
/// Cost: log w·(log w + 1)/2 supersteps, an exchange over a distance of w/2^(i+1) with the
/// segment's label + i: no coarser barrier than the two partners need; h = b. Twice as many where
/// the lower VP decides, for then the upper one waits for the answer.
/// Source: Batcher, Sorting Networks and their Applications, 1968.
template <deciding By, class Key, class Before>
task<> bitonic_network(vp& me, segment seg, std::span<Key> mine, Before before) {
  const std::size_t rank = me.rank() - seg.first, b = mine.size();
  std::vector<key_bytes<Key>> memory(By == deciding::both ? b : 2 * b);
  Key* const merged = reinterpret_cast<Key*>(memory.data());
  for (std::size_t size = 2; size <= seg.size; size *= 2) {
    for (std::size_t distance = size / 2; distance != 0; distance /= 2) {
      // The first step of a merge reads the upper half backwards: all sequences ascend.
      const std::size_t partner = rank ^ (2 * distance == size ? size - 1 : distance);
      const bool lower = rank < partner;
      const unsigned label =
          seg.label + static_cast<unsigned>(std::countr_zero(seg.size / (2 * distance)));
      if (By == deciding::both || !lower) detail::send_keys<Key>(me, seg.first + partner, mine);
      co_await me.sync(label);
      if constexpr (By == deciding::both) {
        const message m = *me.receive();
        const std::span<const Key> own = mine;
        const std::span<const Key> other = detail::received_keys<Key>(m);
        const auto after = [&before](const Key& x, const Key& y) { return before(y, x); };
        if (lower)
          detail::merge_first(own.begin(), own.end(), other.begin(), other.end(), b, before,
                              merged);
        else
          detail::merge_first(own.rbegin(), own.rend(), other.rbegin(), other.rend(), b, after,
                              std::reverse_iterator(merged + b));
        std::copy_n(merged, b, mine.begin());
      } else {
        if (lower) {
          const message m = *me.receive();
          const std::span<const Key> own = mine;
          const std::span<const Key> other = detail::received_keys<Key>(m);
          detail::merge_first(own.begin(), own.end(), other.begin(), other.end(), 2 * b, before,
                              merged);
          std::copy_n(merged, b, mine.begin());
          detail::send_keys<Key>(me, seg.first + partner, std::span<const Key>(merged + b, b));
        }
        co_await me.sync(label);
        if (!lower) {
          const message m = *me.receive();
          const std::span<const Key> kept = detail::received_keys<Key>(m);
          std::copy(kept.begin(), kept.end(), mine.begin());
        }
      }
    }
  }
}

}  // namespace pleat::detail
