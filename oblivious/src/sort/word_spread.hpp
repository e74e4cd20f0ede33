// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <pleat/oblivious/detail/program/arena.hpp>
#include <pleat/oblivious/detail/sort/choose.hpp>
#include <pleat/oblivious/detail/sort/word_column.hpp>
#include <pleat/oblivious/detail/sort/word_source.hpp>
#include <pleat/runtime/interval.hpp>

#include "sort/leading_digit.hpp"
#include "sort/spread.hpp"

namespace pleat::detail::sorting {

/// Distribution sort of words. Heavy words are only counted and then written to the result.
template <sort_word U> class word_spread : public bucket_spread<word_spread<U>> {
 public:
  /// Draws the sample, from all blocks, before the run. Requires: fits_distribution.
  word_spread(const word_source<U>& keys, std::size_t n, std::size_t vps);

  [[nodiscard]] sampled_words sampled() const noexcept {
    return {digit_.even(), keys_.stream, by_ == bucket_kernel::digits};
  }

  /// Allocates the working memory. `sorted` is the caller's and has room for all keys.
  void lay_out(arena& in, U* sorted);

  /// Puts all keys into the user's array again, after a failure. Returns true if some VP had begun
  /// to write to it.
  bool restore() const noexcept;

 private:
  friend bucket_spread<word_spread<U>>;
  static constexpr bool only_counts_heavy = true;
  static constexpr bool places_heavy() noexcept { return true; }

  [[nodiscard]] const leading_digit<U>& digit() const noexcept { return digit_; }
  [[nodiscard]] bool streams() const noexcept { return keys_.stream; }
  void count(std::size_t rank);
  void put_back(std::size_t rank) const noexcept;
  void spread(std::size_t rank);
  heavy_cuts sort_share(std::size_t rank, const interval<>& lights);
  void put_heavy(std::size_t rank, const std::size_t* begins);

  using base = bucket_spread<word_spread<U>>;
  using base::vps_, base::places_, base::counts_, base::filled_, base::begins_, base::sizes_,
      base::first_, base::cut_, base::heavy_sizes;

  word_source<U> keys_;
  std::size_t n_;
  bucket_kernel by_;
  leading_digit<U> digit_;
  static constexpr std::size_t not_taken = ~std::size_t{0};
  mutable std::vector<std::size_t> lights_;  ///< of each block, once its heavy words are taken
  U* sorted_ = nullptr;
  vp_arrays<U> lines_, room_, out_;
};

template <sort_word U>
word_spread<U>::word_spread(const word_source<U>& keys, std::size_t n, std::size_t vps)
    : base(n, vps),
      keys_(keys),
      n_(n),
      by_(kernel_of_buckets<U>()),
      digit_(leading_digit_of<U>(keys.keys, n, keys.map, vps)),
      lights_(vps, not_taken) {}

template <sort_word U> void word_spread<U>::lay_out(arena& in, U* sorted) {
  sorted_ = sorted;
  base::lay_out_counts(in, digit_.buckets(), digit_.heavy().size());
  lines_ = in.arrays<U>(digit_.lights() * line_words<U>, vps_);
  room_ = in.arrays<U>(largest_bucket, vps_);
  out_ = in.arrays<U>(largest_bucket, vps_);
}

template <sort_word U> void word_spread<U>::count(std::size_t rank) {
  const interval<> block = places_.block(rank);
  std::byte* const keys = keys_.from(block.first).keys;
  std::uint32_t* const counts = counts_[rank];
  const std::size_t buckets = digit_.lights(), heavy = digit_.heavy().size();
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
  heavy_cuts cuts(lights, digit_.inside(), heavy_sizes(rank).data(), cut_[rank]);
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
template <sort_word U> void word_spread<U>::put_heavy(std::size_t rank, const std::size_t* begins) {
  std::array<U, 512> words;
  places_.each_heavy_part(rank, heavy_sizes(rank), [&](std::size_t h, const interval<>& part) {
    words.fill(digit_.heavy()[h]);
    for (std::size_t i = part.first; i < part.last; i += words.size())
      store_keys<U>(words.data(), std::min(words.size(), part.last - i), keys_.map,
                    keys_.from(begins[h] + i).keys, keys_.stream);
  });
}

template <sort_word U> bool word_spread<U>::restore() const noexcept {
  if (!base::has_written()) {
    for (std::size_t q = 0; q < vps_; ++q) put_back(q);
    return false;
  }
  for (std::size_t h = 0; h < digit_.heavy().size(); ++h)  // which have not been moved
    std::fill_n(sorted_ + begins_[0][digit_.lights() + h], heavy_sizes(0)[h], digit_.heavy()[h]);
  word_column<U>::restore(sorted_, keys_, n_);
  return true;
}

}  // namespace pleat::detail::sorting
