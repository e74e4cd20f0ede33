// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <iterator>
#include <memory>
#include <span>
#include <vector>

#include <pleat/oblivious/detail/program/key_messages.hpp>
#include <pleat/runtime/segment.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail {

/// Writes the first `count` keys of the merge of two sorted sequences to `to`, memory without keys.
/// Of two keys neither of which is before the other, that of `a` comes first.
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
  const std::size_t rank = me.rank() - seg.first;
  const std::size_t b = mine.size();
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
