// SPDX-License-Identifier: Apache-2.0
#include "sort/word_spread.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <vector>

#include <pleat/oblivious/detail/sort/word_column.hpp>
#include <pleat/oblivious/detail/sort/word_kernels.hpp>
#include <pleat/runtime/view.hpp>

namespace pleat::detail::sorting {
namespace {

/// Fewer words of a VP are not worth counting buckets for.
constexpr std::size_t least_words = std::size_t{1} << 14;

}  // namespace

template <sort_word U> bool word_spread<U>::fits(std::size_t n, std::size_t vps) noexcept {
  const std::size_t block = n / vps;
  // Every VP adds up what all of them counted: that is not to take longer than its own words do.
  return block >= least_words && block / leading_digit<U>::most_buckets >= vps / 16 &&
         block < std::numeric_limits<std::uint32_t>::max() - line_words<U>;
}

template <sort_word U>
word_spread<U>::word_spread(const word_source<U>& keys, std::size_t n, std::size_t vps)
    : keys_(keys),
      n_(n),
      vps_(vps),
      places_(n, vps),
      by_(kernel_of_buckets<U>()),
      digit_(leading_digit_of<U>(keys.keys, n, keys.map, vps)) {}

template <sort_word U> void word_spread<U>::plan(memory_layout& layout) {
  const std::size_t buckets = digit_.buckets();
  counts_ = layout.add<std::uint32_t>(2 * buckets + 1, vps_);
  filled_ = layout.add<std::uint32_t>(buckets, vps_);
  begins_ = layout.add<std::size_t>(buckets + 1, vps_);
  first_ = layout.add<std::size_t>(buckets, vps_);
  lines_ = layout.add<U>(buckets * line_words<U>, vps_);
  room_ = layout.add<U>(largest_bucket, vps_);
  out_ = layout.add<U>(largest_bucket, vps_);
}

template <sort_word U> void word_spread<U>::lie_in(std::byte* memory, U* sorted) noexcept {
  memory_ = memory;
  sorted_ = sorted;
}

/// The counts of the buckets, and behind them: are other words there than the common ones?
template <sort_word U> void word_spread<U>::count(std::size_t rank) {
  const auto [first, last] = places_.block(rank);
  std::uint32_t* const counts = counts_.in(memory_, rank);
  const void* const keys = keys_.from(first).keys;
  bool common = false;
  if (digit_.repeats())
    common = count_common<U>(keys, last - first, keys_.map, digit_, counts);
  else
    count_digits<U>(keys, last - first, keys_.map, digit_, counts);
  counts[digit_.buckets()] = common ? 0 : 1;
}

template <sort_word U>
bool word_spread<U>::place_buckets(std::size_t rank, const bucket_places::counts_of_all& all) {
  return places_.find(rank, all, digit_.buckets(), begins_.in(memory_, rank),
                      first_.in(memory_, rank));
}

template <sort_word U> void word_spread<U>::spread(std::size_t rank) {
  const auto [first, last] = places_.block(rank);
  const spread_room<U> room{first_.in(memory_, rank), filled_.in(memory_, rank),
                            lines_.in(memory_, rank)};
  spread_words<U>(keys_.from(first).keys, last - first, keys_.map, digit_, room, sorted_,
                  keys_.stream || vps_ > 1);  // else lines go from one cache to another
}

template <sort_word U> void word_spread<U>::sort_share(std::size_t rank) {
  const std::size_t* const begins = begins_.in(memory_, rank);
  const auto [first, last] = places_.buckets_of(rank, begins, digit_.buckets());
  U* const room = room_.in(memory_, rank);
  U* const out = out_.in(memory_, rank);
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
  const std::size_t* const begins = begins_.in(memory_, rank);
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

template <sort_word U> void word_spread<U>::alone() {
  count(0);
  const bucket_places::counts_of_all all{counts_.in(memory_)};
  static_cast<void>(place_buckets(0, all));
  if (all[0][digit_.buckets()] == 0) return fill_share(0);
  spread(0);
  writing_.store(true, std::memory_order_relaxed);
  sort_share(0);
}

template <sort_word U> task<bool> word_spread<U>::together(vp& me) {
  count(me.rank());
  const std::size_t buckets = digit_.buckets();
  const std::span<const std::uint32_t> counted(counts_.in(memory_, me.rank()), buckets + 1);
  for (std::size_t q = 0; q < vps_; ++q) me.lend(q, counted);
  co_await me.sync(0);
  bucket_places::counts_of_all all(vps_);
  while (auto m = me.receive()) all[m->source()] = m->template view<const std::uint32_t>().data;
  const bool balanced = place_buckets(me.rank(), all);
  const bool common = std::ranges::none_of(all, [=](const auto* c) { return c[buckets] != 0; });
  if (common) {
    co_await me.sync(0);  // nobody fails any more, so nobody writes what another could not
    fill_share(me.rank());
    co_return true;
  }
  if (!balanced || (digit_.repeats() && !spreads())) co_return false;
  spread(me.rank());
  co_await me.sync(0);
  writing_.store(true, std::memory_order_relaxed);
  sort_share(me.rank());
  co_return true;
}

template <sort_word U> bool word_spread<U>::restore() const noexcept {
  // The end of the run ordered it before us.
  if (!writing_.load(std::memory_order_relaxed)) return false;
  word_column<U>::restore(sorted_, keys_, n_);
  return true;
}

template class word_spread<std::uint32_t>;
template class word_spread<std::uint64_t>;

}  // namespace pleat::detail::sorting
