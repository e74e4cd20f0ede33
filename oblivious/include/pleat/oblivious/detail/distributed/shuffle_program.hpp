// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <pleat/oblivious/detail/distributed/agreement.hpp>
#include <pleat/oblivious/detail/distributed/collective_call.hpp>
#include <pleat/oblivious/detail/distributed/placing.hpp>
#include <pleat/oblivious/detail/distributed/vp_parts.hpp>
#include <pleat/oblivious/detail/everyday/drawn_order.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/view.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::distribution {

/// A random order of distributed elements, that of one array (everyday/drawn_order.hpp), by a seed
/// that all ranks compare first.
///
///     group      each VP moves its elements to the buckets that they draw, in memory of its own,
///                and lends every VP those of the buckets that it shuffles
///     shuffle    each VP lays its buckets out and shuffles them; where they begin, among all
///                elements, the others have told it
///     place      its elements go to the VPs that make them
template <class T> class shuffle_program {
 public:
  /// So many VPs are of this rank. `out` has room for as many elements as the block.
  shuffle_program(std::size_t n, std::uint64_t seed, std::size_t rank, std::size_t vps,
                  std::span<const T> block)
      : n_(n), seed_(seed), drawn_(n, seed), rank_(rank), block_(block), shuffled_(vps) {}

  task<> operator()(vp& me, const rank_places& places, T* out) {
    const agreed_words words{seed_};
    co_await agree(me, places, rank_, words, "random_shuffle: seeds");
    const vp_parts parts(n_, places);
    const interval<> here = parts.block(rank_);
    const interval<> mine = parts.part(me.rank());
    group(me, mine, here.first, out + (mine.first - here.first));
    co_await me.sync(0);
    std::unique_ptr<T[]>& memory = shuffled_[me.rank() - places[rank_].first];
    std::size_t first = 0;
    const std::span<const T> shuffled = shuffle(me, memory, first);
    lend_to_makers(me, parts, first, shuffled);
    co_await me.sync(0);
    take_pieces(me, here.first, out);
  }

 private:
  /// The buckets that VP q shuffles.
  [[nodiscard]] interval<> buckets_of(std::size_t q, const vp& me) const noexcept {
    return interval<>{0, drawn_.buckets()}.share(q, me.size());
  }

  void group(vp& me, const interval<>& mine, std::size_t block_first, T* grouped) const {
    std::vector<std::uint64_t> counts(drawn_.buckets());
    for (std::size_t i = mine.first; i < mine.last; ++i) ++counts[drawn_.bucket_of(i)];
    std::vector<std::size_t> next(counts.size());
    std::size_t sum = 0;
    for (std::size_t b = 0; b < counts.size(); ++b) {
      next[b] = sum;
      sum += counts[b];
    }
    for (std::size_t i = mine.first; i < mine.last; ++i)
      std::construct_at(grouped + next[drawn_.bucket_of(i)]++, block_[i - block_first]);
    for (std::size_t q = 0; q < me.size(); ++q) {
      const interval<> buckets = buckets_of(q, me);
      if (buckets.empty()) continue;
      const std::size_t first = next[buckets.first] - counts[buckets.first];
      const std::size_t last = next[buckets.last - 1];
      me.send(q, static_cast<std::uint64_t>(first));
      me.send(q, std::span<const std::uint64_t>(counts).subspan(buckets.first, buckets.size()));
      if (first < last) me.lend(q, std::span<const T>(grouped + first, last - first));
    }
  }

  /// Returns the elements of this VP's buckets, and the place of the first.
  std::span<const T> shuffle(vp& me, std::unique_ptr<T[]>& memory, std::size_t& first) const {
    struct piece {
      std::span<const std::uint64_t> counts;
      const T* values = nullptr;
    };
    const interval<> buckets = buckets_of(me.rank(), me);
    std::vector<piece> pieces;
    std::vector<std::size_t> begins(buckets.size() + 1);
    for (auto m = me.receive(); m; m = me.receive()) {
      if (m->lent()) {
        pieces.back().values = m->template view<const T>().data;
        continue;
      }
      first += m->template get<std::uint64_t>();
      const auto counts = me.receive();
      pieces.push_back({counts->template span<std::uint64_t>()});
      for (std::size_t b = 0; b < buckets.size(); ++b) begins[b + 1] += pieces.back().counts[b];
    }
    for (std::size_t b = 0; b < buckets.size(); ++b) begins[b + 1] += begins[b];
    memory = std::make_unique_for_overwrite<T[]>(begins.back());
    std::vector<std::size_t> next(begins);
    for (piece& from : pieces) {
      for (std::size_t b = 0; b < buckets.size(); ++b) {
        std::copy_n(from.values, from.counts[b], memory.get() + next[b]);
        from.values += from.counts[b];
        next[b] += from.counts[b];
      }
    }
    for (std::size_t b = 0; b < buckets.size(); ++b)
      drawn_.shuffle(memory.get() + begins[b], {first + begins[b], first + begins[b + 1]});
    return {memory.get(), begins.back()};
  }

  std::size_t n_;
  std::uint64_t seed_;
  everyday::drawn_order drawn_;
  std::size_t rank_;
  std::span<const T> block_;
  std::vector<std::unique_ptr<T[]>> shuffled_;  // of each VP of this rank, until the run has ended
};

}  // namespace pleat::detail::distribution
