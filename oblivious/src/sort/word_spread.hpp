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

/// The distribution sort of many words on few VPs: all VPs spread their blocks over buckets by a
/// leading digit, and then each sorts a range of buckets, which are as many keys as the others'
/// unless the keys crowd. Each key is moved twice between memory and cache, and nothing is merged.
///
/// Where every word is one of few, which a sample found, the counts alone say what the result is.
///
/// Two supersteps with label 0: the VPs lend each other the counts of their buckets; each key goes
/// to the VP that sorts its bucket, or all VPs have taken the memory they need. The range of these
/// buckets is the VP's share of the scratch memory, and of the result. Local work: n/P for each of
/// a count, a spread and the sort of the buckets in cache; P·buckets additions.
template <sort_word U> class word_spread {
 public:
  /// Draws the sample, from all blocks, before the run. Requires: fits_distribution.
  word_spread(const word_source<U>& keys, std::size_t n, std::size_t vps);

  [[nodiscard]] sampled_words sampled() const noexcept {
    return {digit_.repeats(), digit_.even(), keys_.stream, by_ == bucket_kernel::digits};
  }

  /// The keys of VP `rank`.
  [[nodiscard]] interval<> block(std::size_t rank) const noexcept { return places_.block(rank); }

  /// `sorted`, room for all keys, is the caller's.
  void lay_out(arena& in, U* sorted);

  /// One VP without a machine. Returns distribution or counting.
  sort_method alone();

  /// Program of one of several VPs. Returns to all VPs what they have done, or `columns` if these
  /// are faster after all, as when the keys crowd in so few buckets that some VP would have much
  /// more to do than others; then nothing has changed.
  task<sort_method> together(vp& me);

  /// After a failure: all keys are in the user's array again. True if some VP had begun to write
  /// it.
  bool restore() const noexcept;

 private:
  void count(std::size_t rank);
  void fill_share(std::size_t rank);
  void spread(std::size_t rank);
  void sort_share(std::size_t rank);

  word_source<U> keys_;
  std::size_t n_;
  std::size_t vps_;
  bucket_places places_;
  bucket_kernel by_;
  leading_digit<U> digit_;
  U* sorted_ = nullptr;
  vp_arrays<std::uint32_t> counts_, filled_;
  vp_arrays<std::size_t> begins_, first_;
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
      digit_(leading_digit_of<U>(keys.keys, n, keys.map, vps)) {}

template <sort_word U> void word_spread<U>::lay_out(arena& in, U* sorted) {
  const std::size_t buckets = digit_.buckets();
  sorted_ = sorted;
  counts_ = in.arrays<std::uint32_t>(2 * buckets + 1, vps_);
  filled_ = in.arrays<std::uint32_t>(buckets, vps_);
  begins_ = in.arrays<std::size_t>(buckets + 1, vps_);
  first_ = in.arrays<std::size_t>(buckets, vps_);
  lines_ = in.arrays<U>(buckets * line_words<U>, vps_);
  room_ = in.arrays<U>(largest_bucket, vps_);
  out_ = in.arrays<U>(largest_bucket, vps_);
}

/// The counts of the buckets, and behind them: are other words there than the common ones?
template <sort_word U> void word_spread<U>::count(std::size_t rank) {
  const auto [first, last] = places_.block(rank);
  std::uint32_t* const counts = counts_[rank];
  const void* const keys = keys_.from(first).keys;
  bool common = false;
  if (digit_.repeats())
    common = count_common<U>(keys, last - first, keys_.map, digit_, counts);
  else
    count_digits<U>(keys, last - first, keys_.map, digit_, counts);
  counts[digit_.buckets()] = common ? 0 : 1;
}

template <sort_word U> void word_spread<U>::spread(std::size_t rank) {
  const auto [first, last] = places_.block(rank);
  const spread_room<U> room{first_[rank], filled_[rank], lines_[rank]};
  spread_words<U>(keys_.from(first).keys, last - first, keys_.map, digit_, room, sorted_,
                  keys_.stream || vps_ > 1);  // else lines go from one cache to another
}

template <sort_word U> void word_spread<U>::sort_share(std::size_t rank) {
  const std::size_t* const begins = begins_[rank];
  const auto [first, last] = places_.buckets_of(rank, begins, digit_.buckets());
  U* const room = room_[rank];
  U* const out = out_[rank];
  std::vector<U> large;
  for (std::size_t b = first; b < last; ++b) {
    const std::size_t n = begins[b + 1] - begins[b];
    const U* const words = sorted_ + begins[b];
    const U* sorted = out;
    if (n <= largest_bucket) {
      const std::span<const U> next(words + n, b + 1 < last ? begins[b + 2] - begins[b + 1] : 0);
      sort_bucket<U>(by_, words, n, room, out, next);
    } else if (std::is_sorted(words, words + n)) {  // as equal ones are
      sorted = words;
    } else {
      large.resize(std::max(large.size(), n));
      copy_sorted<U>(words, n, key_map<U>(), large.data());
      sorted = large.data();
    }
    store_keys<U>(sorted, n, keys_.map, keys_.from(begins[b]).keys, keys_.stream);
  }
  if (keys_.stream) finish_streaming();
}

/// My share of the result, of common words alone.
template <sort_word U> void word_spread<U>::fill_share(std::size_t rank) {
  const std::size_t* const begins = begins_[rank];
  std::array<U, 512> words;
  for (std::size_t b = 0; b < digit_.buckets(); ++b) {
    const auto mine = intersect(places_.block(rank), {begins[b], begins[b + 1]});
    if (mine.empty()) continue;
    words.fill(digit_.common()[b]);
    for (std::size_t i = mine.first; i < mine.last; i += words.size())
      store_keys<U>(words.data(), std::min(words.size(), mine.last - i), keys_.map,
                    keys_.from(i).keys, keys_.stream);
  }
  if (keys_.stream) finish_streaming();
}

template <sort_word U> sort_method word_spread<U>::alone() {
  count(0);
  const bucket_places::counts_of_all all{counts_[0]};
  static_cast<void>(places_.find(0, all, digit_.buckets(), begins_[0], first_[0]));
  if (all[0][digit_.buckets()] == 0) {
    fill_share(0);
    return sort_method::counting;
  }
  spread(0);
  writing_.store(true, std::memory_order_relaxed);
  sort_share(0);
  return sort_method::distribution;
}

template <sort_word U> task<sort_method> word_spread<U>::together(vp& me) {
  count(me.rank());
  const std::size_t buckets = digit_.buckets();
  const std::span<const std::uint32_t> counted(counts_[me.rank()], buckets + 1);
  for (std::size_t q = 0; q < vps_; ++q) me.lend(q, counted);
  co_await me.sync(0);
  bucket_places::counts_of_all all(vps_);
  while (auto m = me.receive()) all[m->source()] = m->template view<const std::uint32_t>().data;
  const auto given = places_.find(me.rank(), all, buckets, begins_[me.rank()], first_[me.rank()]);
  const bool common = std::ranges::none_of(all, [=](const auto* c) { return c[buckets] != 0; });
  if (common) {
    co_await me.sync(0);  // nobody fails any more, so nobody writes what another could not
    fill_share(me.rank());
    co_return sort_method::counting;
  }
  const sampled_words words = sampled();
  if (!given || (words.repeated && !words.worth_moving())) co_return sort_method::columns;
  spread(me.rank());
  for (std::size_t q = 0; q < vps_; ++q) me.count_crossing(q, (*given)[q]);
  co_await me.sync(0);
  writing_.store(true, std::memory_order_relaxed);
  sort_share(me.rank());
  co_return sort_method::distribution;
}

template <sort_word U> bool word_spread<U>::restore() const noexcept {
  // The end of the run ordered it before us.
  if (!writing_.load(std::memory_order_relaxed)) return false;
  word_column<U>::restore(sorted_, keys_, n_);
  return true;
}

}  // namespace pleat::detail::sorting
