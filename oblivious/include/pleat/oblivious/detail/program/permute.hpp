// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include <pleat/oblivious/detail/program/key_messages.hpp>
#include <pleat/runtime/segment.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail {

/// Sends b keys, a bundle to each VP that gets any; `to` as below.
template <class Key, class Permutation>
void send_permuted(vp& me, segment seg, std::span<const Key> mine, const Permutation& to) {
  const std::size_t b = mine.size();
  const std::size_t rank = me.rank() - seg.first;
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
  const std::size_t b = mine.size();
  const std::size_t rank = me.rank() - seg.first;
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

}  // namespace pleat::detail
