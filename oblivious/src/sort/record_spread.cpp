// SPDX-License-Identifier: Apache-2.0
#include "sort/record_spread.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <numeric>
#include <ranges>
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

/// Bytes of a bucket's records. These, their words and the memory of word_order stay in 256 KiB of
/// cache.
constexpr std::size_t bucket_bytes = std::size_t{1} << 16;

std::size_t wanted(std::size_t bytes) { return std::min(words_of_bucket, bucket_bytes / bytes); }

digit digit_of(const record_ends& records, std::size_t n, std::size_t vps) {
  const auto word = [&records](std::size_t i, std::uint64_t w = 0) {
    records.words(i, 1, &w);
    return w;
  };
  return {word, n, vps, {.full = wanted(records.bytes()), .separable = true}};
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
  begins_ = in.arrays<std::size_t>(buckets, vps_);
  sizes_ = in.arrays<std::size_t>(buckets, vps_);
  cut_ = in.arrays<std::size_t>(digit_->heavy().size(), vps_);
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
  const heavy_words<std::uint64_t>& heavy = digit_->heavy();
  digit_->visit([&](const auto& light_bucket) {
    std::array<std::uint64_t, record_group> words;
    // Places of words that are not heavy: no bytes, for a store of a byte may change all that is
    // read.
    std::array<std::uint16_t, record_group> light;
    std::iota(light.begin(), light.end(), std::uint16_t{0});
    for (std::size_t i = block.first; i < block.last; i += record_group) {
      const std::size_t some = std::min(record_group, block.last - i);
      std::uint16_t* const of = bucket + (i - block.first);
      records_.words(i, some, words.data());
      std::size_t lights = some;
      if (heavy.size() > 0) {
        lights = 0;
        for (std::size_t j = 0; j < some; ++j) {
          const std::size_t b = heavy.find(words[j], digit_->lights(), buckets);
          of[j] = static_cast<std::uint16_t>(b);
          light[lights] = static_cast<std::uint16_t>(j);
          lights += b == buckets ? 1 : 0;
        }
      }
      for (std::size_t k = 0; k < lights; ++k)
        of[light[k]] = static_cast<std::uint16_t>(light_bucket(words[light[k]]));
      for (std::size_t j = 0; j < some; ++j) ++(j % 2 == 0 ? counts : others)[of[j]];
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

/// Returns the order of the records, or null if they are in order where they are. If there are
/// heavy words, room.words has the words of the records afterwards.
const std::uint32_t* record_spread::sort_bucket(std::byte* moved, std::size_t count,
                                                word_order& order,
                                                const word_order::room& room) const {
  if (count == 0) return nullptr;
  if (whole_) {
    std::memcpy(room.words, moved, count * sizeof(std::uint64_t));
    sort_packed(room.words, count, room.packed);
    std::memcpy(moved, room.words, count * sizeof(std::uint64_t));
    if (digit_ && digit_->heavy().size() > 0) records_.words_of(moved, count, room.words);
    return nullptr;
  }
  records_.words_of(moved, count, room.words);
  return std::is_sorted(room.words, room.words + count) ? nullptr : order.of(count, room);
}

void record_spread::put(const std::byte* moved, const std::uint32_t* order, const interval<>& part,
                        std::size_t place) const {
  if (order == nullptr)
    records_.put(place, part.size(), moved + part.first * records_.bytes(), stream_);
  else
    put_in_order(records_, moved, order + part.first, place, part.size(), stream_);
}

heavy_cuts record_spread::sort_share(std::size_t rank, const interval<>& lights) {
  word_order order;
  std::vector<std::uint64_t> large;
  heavy_cuts cuts(lights, digit_->inside(), heavy_sizes(rank).data(), cut_[rank]);
  for (std::size_t b = lights.first; b < lights.last; ++b) {
    const std::size_t count = sizes_[rank][b];
    std::byte* const moved = moved_ + begins_[rank][b] * records_.bytes();
    word_order::room room{words_[rank], packed_[rank], spare_[rank]};
    if (count > largest_bucket) {
      large.resize(std::max(large.size(), 3 * count));
      room = {&large[0], &large[count], &large[2 * count]};
    }
    const std::uint32_t* const at = sort_bucket(moved, count, order, room);
    const auto before = [&](std::size_t h) {
      const auto less = [&, heavy = digit_->heavy()[h]](std::size_t i) {
        return room.words[at == nullptr ? i : at[i]] < heavy;
      };
      return *std::ranges::partition_point(std::views::iota(std::size_t{0}, count), less);
    };
    cuts.cut(b, count, begins_[rank][b], before,
             [&](std::size_t i, std::size_t end, std::size_t place) {
               put(moved, at, {i, end}, place);
             });
  }
  return cuts;
}

/// Puts the VP's share of the records of heavy words. `begins` are the beginnings of their buckets
/// in the result.
void record_spread::put_heavy(std::size_t rank, const std::size_t* begins) {
  places_.each_heavy_part(rank, heavy_sizes(rank), [&](std::size_t h, const interval<>& part) {
    const std::size_t moved = begins_[rank][digit_->lights() + h];
    put(moved_ + moved * records_.bytes(), nullptr, part, begins[h] + part.first);
  });
}

void record_spread::alone() {
  word_order order;
  if (one_bucket()) {
    std::byte* const moved = moved_;
    const std::byte* const from = records_.look(0, n_, moved);
    if (from != moved) std::memcpy(moved, from, n_ * records_.bytes());
    writing_.store(true, std::memory_order_relaxed);
    put(moved, sort_bucket(moved, n_, order, {words_[0], packed_[0], spare_[0]}), {0, n_}, 0);
    return;
  }
  count(0);
  const bucket_places::work mine = find(0, {counts_[0]});
  spread(0);
  writing_.store(true, std::memory_order_relaxed);
  put_heavy(0, sort_share(0, mine.lights).begins().data());
  if (stream_) finish_streaming();
}

task<bool> record_spread::together(vp& me) {
  count(me.rank());
  const std::span<const std::uint32_t> counted(counts_[me.rank()], digit_->buckets());
  for (std::size_t q = 0; q < vps_; ++q) me.lend(q, counted);
  co_await me.sync(0);
  bucket_places::counts_of_all all(vps_);
  while (auto m = me.receive()) all[m->source()] = m->template view<const std::uint32_t>().data;
  const bucket_places::work mine = find(me.rank(), all);
  if (mine.balanced) {
    spread(me.rank());
    for (std::size_t q = 0; q < vps_; ++q)
      me.count_crossing(q, mine.given[q] + mine.heavy_given[q]);
  }
  co_await me.sync(0);
  if (!mine.balanced) co_return false;
  writing_.store(true, std::memory_order_relaxed);
  const heavy_cuts cuts = sort_share(me.rank(), mine.lights);
  if (digit_->heavy().size() > 0) {
    const std::vector<std::size_t> begins = co_await heavy_begins_of_all(me, cuts.begins());
    put_heavy(me.rank(), begins.data());
  }
  if (stream_) finish_streaming();
  co_return true;
}

void record_spread::restore() const {
  if (!writing_.load(std::memory_order_relaxed)) return;  // the end of the run ordered it before us
  records_.put(0, n_, moved_, false);
}

}  // namespace pleat::detail::sorting
