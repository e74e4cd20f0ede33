// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <pleat/oblivious/detail/program/arena.hpp>
#include <pleat/oblivious/detail/sort/choose.hpp>
#include <pleat/oblivious/detail/sort/word_column.hpp>
#include <pleat/oblivious/detail/sort/word_kernels.hpp>
#include <pleat/oblivious/detail/sort/word_source.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/view.hpp>
#include <pleat/runtime/vp.hpp>

#include "sort/bucket.hpp"
#include "sort/bucket_places.hpp"
#include "sort/spread.hpp"

namespace pleat::detail::sorting {

/// Distribution sort of many words on few VPs. All VPs spread their blocks over buckets by a
/// leading digit. Then each VP sorts a range of buckets, with as many words as the others' unless
/// the words crowd. Each word is moved twice between memory and cache, and nothing is merged. Heavy
/// words, which a sample finds, are only counted and then written to the result.
///
/// Supersteps with label 0. First the VPs lend each other the counts of their buckets. Then each
/// light word goes to the VP that sorts its bucket. If there are heavy words, the VPs tell each
/// other where their buckets begin between the sorted words. A VP writes the parts of the scratch
/// memory and of the result that its range of buckets takes, and an equal share of the heavy words.
/// Local work: n/P for each of a count, a spread and the sort of the buckets in cache; P·buckets
/// additions.
template <sort_word U> class word_spread {
 public:
  /// Draws the sample, from all blocks, before the run. Requires: fits_distribution.
  word_spread(const word_source<U>& keys, std::size_t n, std::size_t vps);

  [[nodiscard]] sampled_words sampled() const noexcept {
    return {digit_.even(), keys_.stream, by_ == bucket_kernel::digits};
  }

  /// Keys of VP `rank`.
  [[nodiscard]] interval<> block(std::size_t rank) const noexcept { return places_.block(rank); }

  /// Allocates the working memory. `sorted` is the caller's and has room for all keys.
  void lay_out(arena& in, U* sorted);

  /// Sorts as the only VP, without a machine. Returns distribution or counting.
  sort_method alone();

  /// Program of one of several VPs. Returns the same to all VPs: distribution or counting if the
  /// keys are sorted; columns, with nothing changed, if the keys crowd in so few buckets that some
  /// VP would have much more to do than others.
  task<sort_method> together(vp& me);

  /// Puts all keys into the user's array again, after a failure. Returns true if some VP had begun
  /// to write to it.
  bool restore() const noexcept;

 private:
  [[nodiscard]] bucket_places::work find(std::size_t rank,
                                         const bucket_places::counts_of_all& all) const {
    return places_.find(rank, all, digit_.lights(), digit_.inside(),
                        {begins_[rank], sizes_[rank], first_[rank]});
  }
  [[nodiscard]] const std::size_t* heavy_sizes(std::size_t rank) const noexcept {
    return sizes_[rank] + digit_.lights();
  }

  void count(std::size_t rank);
  void put_back(std::size_t rank) const noexcept;
  void spread(std::size_t rank);
  heavy_cuts sort_share(std::size_t rank, const interval<>& lights);
  void write_heavy(std::size_t rank, const std::size_t* begins);

  word_source<U> keys_;
  std::size_t n_;
  std::size_t vps_;
  bucket_places places_;
  bucket_kernel by_;
  leading_digit<U> digit_;
  static constexpr std::size_t not_taken = ~std::size_t{0};
  mutable std::vector<std::size_t> lights_;  ///< of each block, once its heavy words are taken
  U* sorted_ = nullptr;
  vp_arrays<std::uint32_t> counts_, filled_;
  vp_arrays<std::size_t> begins_, sizes_, first_, cut_;
  vp_arrays<U> lines_, room_, out_;
  std::atomic<bool> writing_{false};
};

template <sort_word U>
word_spread<U>::word_spread(const word_source<U>& keys, std::size_t n, std::size_t vps)
    : keys_(keys),
      n_(n),
      vps_(vps),
      places_(n, vps),
      by_(kernel_of_buckets<U>()),
      digit_(leading_digit_of<U>(keys.keys, n, keys.map, vps)),
      lights_(vps, not_taken) {}

template <sort_word U> void word_spread<U>::lay_out(arena& in, U* sorted) {
  const std::size_t buckets = digit_.buckets();
  sorted_ = sorted;
  counts_ = in.arrays<std::uint32_t>(2 * buckets, vps_);
  filled_ = in.arrays<std::uint32_t>(digit_.lights(), vps_);
  begins_ = in.arrays<std::size_t>(buckets, vps_);
  sizes_ = in.arrays<std::size_t>(buckets, vps_);
  first_ = in.arrays<std::size_t>(buckets, vps_);
  cut_ = in.arrays<std::size_t>(digit_.heavy().size(), vps_);
  lines_ = in.arrays<U>(digit_.lights() * line_words<U>, vps_);
  room_ = in.arrays<U>(largest_bucket, vps_);
  out_ = in.arrays<U>(largest_bucket, vps_);
}

template <sort_word U> void word_spread<U>::count(std::size_t rank) {
  const interval<> block = places_.block(rank);
  std::byte* const keys = keys_.from(block.first).keys;
  std::uint32_t* const counts = counts_[rank];
  const std::size_t buckets = digit_.lights();
  const std::size_t heavy = digit_.heavy().size();
  lights_[rank] = block.size();
  if (heavy > 0)  // counted behind what the light ones need
    lights_[rank] =
        take_heavy<U>(keys, block.size(), keys_.map, digit_.heavy(), counts + 2 * buckets);
  count_digits<U>(keys, lights_[rank], keys_.map, digit_, counts);
  std::copy_n(counts + 2 * buckets, heavy, counts + buckets);
}

/// Writes the heavy words that `count` took out of the block behind its light ones.
template <sort_word U> void word_spread<U>::put_back(std::size_t rank) const noexcept {
  if (lights_[rank] == not_taken) return;
  std::size_t place = places_.block(rank).first + lights_[rank];
  lights_[rank] = not_taken;
  for (std::size_t h = 0; h < digit_.heavy().size(); ++h) {
    const U word = digit_.heavy()[h];
    for (std::size_t i = counts_[rank][digit_.lights() + h]; i-- != 0;)
      store_keys<U>(&word, 1, keys_.map, keys_.from(place++).keys, false);
  }
}

template <sort_word U> void word_spread<U>::spread(std::size_t rank) {
  const spread_room<U> room{first_[rank], filled_[rank], lines_[rank]};
  spread_words<U>(keys_.from(places_.block(rank).first).keys, lights_[rank], keys_.map, digit_,
                  room, sorted_, keys_.stream || vps_ > 1);  // else from one cache to another
}

template <sort_word U>
heavy_cuts word_spread<U>::sort_share(std::size_t rank, const interval<>& lights) {
  const std::size_t* const begins = begins_[rank];
  const std::size_t* const sizes = sizes_[rank];
  U* const room = room_[rank];
  U* const out = out_[rank];
  std::vector<U> large;
  heavy_cuts cuts(lights, digit_.inside(), heavy_sizes(rank), cut_[rank]);
  for (std::size_t b = lights.first; b < lights.last; ++b) {
    const std::size_t n = sizes[b];
    const U* const words = sorted_ + begins[b];
    const U* sorted = out;
    if (n <= largest_bucket) {
      const bool last = b + 1 == lights.last;
      const std::span<const U> next(sorted_ + (last ? 0 : begins[b + 1]), last ? 0 : sizes[b + 1]);
      sort_bucket<U>(by_, words, n, room, out, next);
    } else if (std::is_sorted(words, words + n)) {
      sorted = words;
    } else {
      large.resize(std::max(large.size(), n));
      copy_sorted<U>(words, n, key_map<U>(), large.data());
      sorted = large.data();
    }
    const auto before = [&](std::size_t h) {
      return static_cast<std::size_t>(std::lower_bound(sorted, sorted + n, digit_.heavy()[h]) -
                                      sorted);
    };
    cuts.cut(b, n, begins[b], before, [&](std::size_t i, std::size_t end, std::size_t place) {
      store_keys<U>(sorted + i, end - i, keys_.map, keys_.from(place).keys, keys_.stream);
    });
  }
  return cuts;
}

/// Writes the VP's share of the heavy words. `begins` are the beginnings of their buckets in the
/// result.
template <sort_word U>
void word_spread<U>::write_heavy(std::size_t rank, const std::size_t* begins) {
  const std::span<const std::size_t> sizes(heavy_sizes(rank), digit_.heavy().size());
  std::array<U, 512> words;
  places_.each_heavy_part(rank, sizes, [&](std::size_t h, const interval<>& part) {
    words.fill(digit_.heavy()[h]);
    for (std::size_t i = part.first; i < part.last; i += words.size())
      store_keys<U>(words.data(), std::min(words.size(), part.last - i), keys_.map,
                    keys_.from(begins[h] + i).keys, keys_.stream);
  });
  if (keys_.stream) finish_streaming();
}

template <sort_word U> sort_method word_spread<U>::alone() {
  count(0);
  const bucket_places::work mine = find(0, {counts_[0]});
  if (mine.light_words == 0) {
    write_heavy(0, begins_[0] + digit_.lights());
    return sort_method::counting;
  }
  spread(0);
  writing_.store(true, std::memory_order_relaxed);
  write_heavy(0, sort_share(0, mine.lights).begins().data());
  return sort_method::distribution;
}

template <sort_word U> task<sort_method> word_spread<U>::together(vp& me) {
  count(me.rank());
  const std::span<const std::uint32_t> counted(counts_[me.rank()], digit_.buckets());
  for (std::size_t q = 0; q < vps_; ++q) me.lend(q, counted);
  co_await me.sync(0);
  bucket_places::counts_of_all all(vps_);
  while (auto m = me.receive()) all[m->source()] = m->template view<const std::uint32_t>().data;
  const bucket_places::work mine = find(me.rank(), all);
  if (mine.light_words == 0) {
    co_await me.sync(0);  // nobody fails any more, so nobody writes what another could not
    write_heavy(me.rank(), begins_[me.rank()] + digit_.lights());
    co_return sort_method::counting;
  }
  if (!mine.balanced) {
    put_back(me.rank());
    co_await me.sync(0);  // columns are other blocks
    co_return sort_method::columns;
  }
  spread(me.rank());
  for (std::size_t q = 0; q < vps_; ++q) me.count_crossing(q, mine.given[q]);
  co_await me.sync(0);
  writing_.store(true, std::memory_order_relaxed);
  const heavy_cuts cuts = sort_share(me.rank(), mine.lights);
  if (digit_.heavy().size() > 0) {
    const std::vector<std::size_t> begins = co_await heavy_begins_of_all(me, cuts.begins());
    write_heavy(me.rank(), begins.data());
  } else if (keys_.stream) {
    finish_streaming();
  }
  co_return sort_method::distribution;
}

template <sort_word U> bool word_spread<U>::restore() const noexcept {
  // Relaxed: the end of the run orders the store before this load.
  if (!writing_.load(std::memory_order_relaxed)) {
    for (std::size_t q = 0; q < vps_; ++q) put_back(q);
    return false;
  }
  for (std::size_t h = 0; h < digit_.heavy().size(); ++h)  // which have not been moved
    std::fill_n(sorted_ + begins_[0][digit_.lights() + h], heavy_sizes(0)[h], digit_.heavy()[h]);
  word_column<U>::restore(sorted_, keys_, n_);
  return true;
}

}  // namespace pleat::detail::sorting
