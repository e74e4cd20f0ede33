// SPDX-License-Identifier: Apache-2.0
#include "sort/record_spread.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <ranges>
#include <utility>
#include <vector>

#include <hwy/cache_control.h>

#include <pleat/oblivious/detail/program/past_caches.hpp>
#include <pleat/oblivious/detail/sort/word_source.hpp>
#include <pleat/runtime/view.hpp>

namespace pleat::detail::sorting {
namespace {

/// Number of records of that size that are gathered in a buffer before they are moved to their
/// bucket together: whole cache lines, two at least.
constexpr std::size_t records_in_line(std::size_t bytes) noexcept {
  std::size_t records = 1;
  while (records * bytes < 128 || records * bytes % 64 != 0) records *= 2;
  return records;
}

/// Places of a block's records in the buckets.
struct record_places {
  const std::uint16_t* bucket;  ///< of each record
  std::size_t buckets;
  std::size_t* first;     ///< of each bucket: where the block's share of it begins in `to`
  std::uint32_t* filled;  ///< of each bucket
  std::byte* lines;       ///< records_in_line of each bucket; aligned to 64 bytes
};

/// Calls f with the size as a constant, so that a record is moved in a few instructions.
template <class F, std::size_t... Fours>
void with_size(std::size_t bytes, const F& f, std::index_sequence<Fours...>) {
  static_cast<void>(
      ((bytes == 4 * (Fours + 1) ? (f(std::integral_constant<std::size_t, 4 * (Fours + 1)>()), true)
                                 : false) ||
       ...));
}
template <class F> void with_size(std::size_t bytes, const F& f) {
  with_size(bytes, f, std::make_index_sequence<16>());
}

template <std::size_t Bytes>
void spread(const record_access& records, std::size_t first, std::size_t count,
            const record_places& places, std::byte* to) {
  constexpr std::size_t line = records_in_line(Bytes);
  // Copies `places`: the compiler must assume that stored bytes alias it.
  const auto [bucket, buckets, begin, filled, lines] = places;
  // Counts places from the beginning of the cache line in which the share begins.
  for (std::size_t b = 0; b < buckets; ++b) filled[b] = static_cast<std::uint32_t>(begin[b] % line);
  alignas(64) std::byte room[record_group * Bytes];
  for (std::size_t i = 0; i < count; i += record_group) {
    const std::size_t some = std::min(record_group, count - i);
    const std::byte* const here = records.look(first + i, some, room);
    for (std::size_t j = 0; j < some; ++j) {
      const std::size_t b = bucket[i + j];
      const std::uint32_t place = filled[b]++;
      std::byte* const gathered = lines + b * line * Bytes;
      std::memcpy(gathered + place % line * Bytes, here + j * Bytes, Bytes);
      if (place % line != line - 1) [[likely]]
        continue;
      const std::size_t before = begin[b] % line;
      std::byte* const origin = to + (begin[b] - before) * Bytes;
      if (place >= line) [[likely]]
        copy_past_caches(gathered, line * Bytes, origin + (place - (line - 1)) * Bytes);
      else  // the first line, shared with the bucket before
        std::memcpy(origin + before * Bytes, gathered + before * Bytes, (line - before) * Bytes);
    }
  }
  for (std::size_t b = 0; b < buckets; ++b) {
    const std::size_t before = begin[b] % line;
    std::byte* const origin = to + (begin[b] - before) * Bytes;
    const std::size_t end = filled[b];
    const std::size_t rest = std::max(before, end / line * line);
    if (rest < end)
      std::memcpy(origin + rest * Bytes, lines + (b * line + rest % line) * Bytes,
                  (end - rest) * Bytes);
  }
  hwy::FlushStream();
}

template <std::size_t Bytes>
void put(const record_access& records, const std::byte* from, const std::uint32_t* order,
         std::size_t first, std::size_t count, bool stream) {
  alignas(64) std::byte group[record_group * Bytes];
  for (std::size_t i = 0; i < count; i += record_group) {
    const std::size_t some = std::min(record_group, count - i);
    for (std::size_t j = 0; j < some; ++j)
      std::memcpy(group + j * Bytes, from + order[i + j] * Bytes, Bytes);
    records.put(first + i, some, group, stream);
  }
}

/// Copies records [first, first + count) to their buckets in `to`. Lines are gathered in cache and
/// written past it. Other VPs may fill the memory before and after a share at the same time.
/// Requires: count < 2^32; `to` aligned to 64 bytes.
void spread_records(const record_access& records, std::size_t first, std::size_t count,
                    const record_places& places, std::byte* to) {
  with_size(records.bytes(),
            [&](auto bytes) { spread<decltype(bytes)::value>(records, first, count, places, to); });
}

/// Puts from[order[i]] at place first + i, i < count.
void put_in_order(const record_access& records, const std::byte* from, const std::uint32_t* order,
                  std::size_t first, std::size_t count, bool stream) {
  with_size(records.bytes(), [&](auto bytes) {
    put<decltype(bytes)::value>(records, from, order, first, count, stream);
  });
}

/// Bytes of a bucket's records. These, their words and the memory of word_order stay in 256 KiB of
/// cache.
constexpr std::size_t bucket_bytes = std::size_t{1} << 16;

std::size_t wanted(std::size_t bytes) { return std::min(words_of_bucket, bucket_bytes / bytes); }

leading_digit<std::uint64_t> digit_of(const record_access& records, std::size_t n,
                                      std::size_t vps) {
  const auto word = [&records](std::size_t i, std::uint64_t w = 0) {
    records.words(i, 1, &w);
    return w;
  };
  return {word, n, vps, {.full = wanted(records.bytes()), .separable = true}};
}

}  // namespace

void store_bytes(const std::byte* from, std::size_t bytes, std::byte* to, bool stream) noexcept {
  if (stream)
    copy_bytes_past_caches(from, bytes, to);
  else
    std::memcpy(to, from, bytes);
}

record_spread::record_spread(const record_access& records, std::size_t n, std::size_t vps,
                             bool whole)
    : bucket_spread(n, vps),
      records_(records),
      n_(n),
      stream_(passes_caches(2 * n * records.bytes())),
      whole_(whole) {
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
  lay_out_counts(in, buckets, digit_->heavy().size());
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
  bucket_spread::alone();
}

void record_spread::restore() const {
  if (has_written()) records_.put(0, n_, moved_, false);
}

}  // namespace pleat::detail::sorting
