// SPDX-License-Identifier: Apache-2.0
#include "sort/record_spread.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include <pleat/oblivious/detail/program/past_caches.hpp>
#include <pleat/oblivious/detail/sort/word_kernels.hpp>
#include <pleat/runtime/view.hpp>

#include "sort/bucket.hpp"
#include "sort/record_moves.hpp"

namespace pleat::detail::sorting {
namespace {

using digit = leading_digit<std::uint64_t>;

/// Bytes of a bucket's records: they, their words and what orders these stay in 256 KiB of cache.
constexpr std::size_t bucket_bytes = std::size_t{1} << 16;

std::size_t wanted(std::size_t bytes) { return std::min(digit::wanted, bucket_bytes / bytes); }

digit digit_of(const record_ends& records, std::size_t n, std::size_t vps) {
  const auto word = [&records](std::size_t i, std::uint64_t w = 0) {
    records.words(i, 1, &w);
    return w;
  };
  return {word, n, vps, wanted(records.bytes())};
}

}  // namespace

record_spread::record_spread(const record_ends& records, std::size_t n, std::size_t vps, bool whole)
    : records_(records),
      n_(n),
      vps_(vps),
      stream_(passes_caches(2 * n * records.bytes())),
      whole_(whole),
      places_(n, vps) {
  if (!one_bucket()) digit_.emplace(digit_of(records, n, vps));
}

bool record_spread::one_bucket() const noexcept {
  return vps_ == 1 && n_ <= 2 * wanted(records_.bytes());
}

void record_spread::lay_out(arena& in) {
  const std::size_t ordered = std::min(n_, largest_bucket);
  moved_ = in.array<std::byte>(n_ * records_.bytes());
  words_ = in.arrays<std::uint64_t>(ordered, vps_);
  packed_ = in.arrays<std::uint64_t>(ordered, vps_);
  spare_ = in.arrays<std::uint64_t>(ordered, vps_);
  if (one_bucket()) return;
  const std::size_t buckets = digit_->buckets();
  const std::size_t line = records_in_line(records_.bytes()) * records_.bytes();
  bucket_ = in.arrays<std::uint16_t>(n_ / vps_ + 1, vps_);
  counts_ = in.arrays<std::uint32_t>(2 * buckets, vps_);
  filled_ = in.arrays<std::uint32_t>(buckets, vps_);
  begins_ = in.arrays<std::size_t>(buckets + 1, vps_);
  first_ = in.arrays<std::size_t>(buckets, vps_);
  lines_ = in.arrays<std::byte>(buckets * line, vps_);
}

void record_spread::count(std::size_t rank) {
  const interval<> block = places_.block(rank);
  const std::size_t buckets = digit_->buckets();
  std::uint16_t* const bucket = bucket_[rank];
  std::uint32_t* const counts = counts_[rank];
  std::uint32_t* const others = counts + buckets;  // equal neighbours do not wait
  std::fill_n(counts, 2 * buckets, 0U);
  digit_->visit([&](const auto& digit_of_word) {
    std::array<std::uint64_t, record_group> words;
    for (std::size_t i = block.first; i < block.last; i += record_group) {
      const std::size_t some = std::min(record_group, block.last - i);
      records_.words(i, some, words.data());
      for (std::size_t j = 0; j < some; ++j) {
        const std::size_t b = digit_of_word(words[j]);
        bucket[i - block.first + j] = static_cast<std::uint16_t>(b);
        ++(j % 2 == 0 ? counts : others)[b];
      }
    }
  });
  for (std::size_t b = 0; b < buckets; ++b) counts[b] += others[b];
}

void record_spread::spread(std::size_t rank) {
  const auto [first, last] = places_.block(rank);
  spread_records(records_, first, last - first,
                 {bucket_[rank], digit_->buckets(), first_[rank], filled_[rank], lines_[rank]},
                 moved_);
}

void record_spread::sort_bucket(std::size_t first, std::size_t count, word_order& order,
                                const word_order::room& room) {
  if (count == 0) return;
  std::byte* const moved = moved_ + first * records_.bytes();
  if (whole_) {
    std::memcpy(room.words, moved, count * sizeof(std::uint64_t));
    sort_packed(room.words, count, room.packed);
    std::memcpy(moved, room.words, count * sizeof(std::uint64_t));
    return records_.put(first, count, moved, stream_);
  }
  records_.words_of(moved, count, room.words);
  if (std::is_sorted(room.words, room.words + count))
    records_.put(first, count, moved, stream_);
  else
    put_in_order(records_, moved, order.of(count, room), first, count, stream_);
}

/// Of a bucket larger than there is room for, which mostly holds equal words: put as it is, until
/// a word turns up that is out of order.
void record_spread::sort_large_bucket(std::size_t first, std::size_t count, word_order& order) {
  const std::size_t bytes = records_.bytes();
  std::byte* const moved = moved_ + first * bytes;
  std::array<std::uint64_t, record_group + 1> words;
  words[0] = 0;
  bool sorted = true;
  for (std::size_t i = 0; i < count && sorted; i += record_group) {
    const std::size_t some = std::min(record_group, count - i);
    records_.words_of(moved + i * bytes, some, words.data() + 1);
    sorted = std::is_sorted(words.data(), words.data() + some + 1);
    words[0] = words[some];
    if (sorted) records_.put(first + i, some, moved + i * bytes, stream_);
  }
  if (sorted) return;
  std::vector<std::uint64_t> large(3 * count);
  sort_bucket(first, count, order, {&large[0], &large[count], &large[2 * count]});
}

void record_spread::sort_share(std::size_t rank) {
  const std::size_t* const begins = begins_[rank];
  const auto [first, last] = places_.buckets_of(rank, begins, digit_->buckets());
  const word_order::room room{words_[rank], packed_[rank], spare_[rank]};
  word_order order;
  for (std::size_t b = first; b < last; ++b) {
    const std::size_t count = begins[b + 1] - begins[b];
    if (count <= largest_bucket)
      sort_bucket(begins[b], count, order, room);
    else
      sort_large_bucket(begins[b], count, order);
  }
  if (stream_) finish_streaming();
}

void record_spread::alone() {
  if (one_bucket()) {
    std::byte* const moved = moved_;
    const std::byte* const from = records_.look(0, n_, moved);
    if (from != moved) std::memcpy(moved, from, n_ * records_.bytes());
    writing_.store(true, std::memory_order_relaxed);
    word_order order;
    sort_bucket(0, n_, order, {words_[0], packed_[0], spare_[0]});
    return;
  }
  count(0);
  static_cast<void>(places_.find(0, {counts_[0]}, digit_->buckets(), begins_[0], first_[0]));
  spread(0);
  writing_.store(true, std::memory_order_relaxed);
  sort_share(0);
}

task<bool> record_spread::together(vp& me) {
  count(me.rank());
  const std::span<const std::uint32_t> counted(counts_[me.rank()], digit_->buckets());
  for (std::size_t q = 0; q < vps_; ++q) me.lend(q, counted);
  co_await me.sync(0);
  bucket_places::counts_of_all all(vps_);
  while (auto m = me.receive()) all[m->source()] = m->template view<const std::uint32_t>().data;
  const auto given =
      places_.find(me.rank(), all, digit_->buckets(), begins_[me.rank()], first_[me.rank()]);
  if (given) {
    spread(me.rank());
    for (std::size_t q = 0; q < vps_; ++q) me.count_crossing(q, (*given)[q]);
  }
  co_await me.sync(0);
  if (!given) co_return false;
  writing_.store(true, std::memory_order_relaxed);
  sort_share(me.rank());
  co_return true;
}

void record_spread::restore() const {
  if (!writing_.load(std::memory_order_relaxed)) return;  // the end of the run ordered it before us
  records_.put(0, n_, moved_, false);
}

}  // namespace pleat::detail::sorting
