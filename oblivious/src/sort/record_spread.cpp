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
/// bucket together: whole cache lines, two at least, four of small records.
constexpr std::size_t records_in_line(std::size_t bytes) noexcept {
  std::size_t records = 1;
  while (records * bytes < (bytes <= 8 ? 256 : 128) || records * bytes % 64 != 0) records *= 2;
  return records;
}

/// Number of heavy words whose records are gathered in chunks, at most. The lines of a few stay in
/// the nearest cache.
constexpr std::size_t most_gathered = 64;
constexpr std::size_t lines_in_chunk = 32;

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

/// Puts from[order[i]] at place first + i, i < count.
template <std::size_t Bytes>
void put_in_order(const record_access& records, const std::byte* from, const std::uint32_t* order,
                  std::size_t first, std::size_t count, bool stream) {
  alignas(64) std::byte group[record_group * Bytes];
  for (std::size_t i = 0; i < count; i += record_group) {
    const std::size_t some = std::min(record_group, count - i);
    for (std::size_t j = 0; j < some; ++j)
      std::memcpy(group + j * Bytes, from + order[i + j] * Bytes, Bytes);
    records.put(first + i, some, group, stream);
  }
}

constexpr int digit_bits = 12;  // at most: the counts of two digits stay in the nearest cache
constexpr std::size_t least_by_digits = 256;  // records for which the counts of digits pay

/// Tells whether records of that size are sorted by digits: moving them takes no longer than moving
/// words.
constexpr bool moved_by_digits(std::size_t bytes) noexcept { return bytes <= 16; }

/// Sorts n records, stably, by one or two digits of their words, which are `in.words` and lie in
/// that range. Neither is changed; the result lies in `in`, which has room for twice as many words.
/// Requires: n ≤ largest_bucket; range.width ≤ 2 · digit_bits.
template <std::size_t Bytes>
const std::byte* sort_by_digits(const std::byte* from, std::size_t n, const word_range& range,
                                const word_order::room& in) {
  const bool twice = range.width > digit_bits;
  const int bits = twice ? (range.width + 1) / 2 : range.width;
  const std::size_t values = std::size_t{1} << bits;
  const std::uint64_t* const words = in.words;
  const std::uint64_t least = range.least;
  std::array<std::array<std::uint16_t, std::size_t{1} << digit_bits>, 2> places;
  for (auto& digit : places) std::fill_n(digit.begin(), values, std::uint16_t{0});
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t w = words[i] - least;
    ++places[0][w & (values - 1)];
    ++places[1][w >> bits];
  }
  for (auto& digit : places)
    std::exclusive_scan(digit.begin(), digit.begin() + values, digit.begin(), std::uint16_t{0});
  auto* const high = reinterpret_cast<std::uint16_t*>(in.words + n);  // digits
  auto* const once = reinterpret_cast<std::byte*>(in.packed);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t w = words[i] - least;
    const std::size_t place = places[0][w & (values - 1)]++;
    high[place] = static_cast<std::uint16_t>(w >> bits);
    std::memcpy(once + place * Bytes, from + i * Bytes, Bytes);
  }
  if (!twice) return once;
  auto* const to = reinterpret_cast<std::byte*>(in.spare);
  for (std::size_t i = 0; i < n; ++i)
    std::memcpy(to + places[1][high[i]]++ * Bytes, once + i * Bytes, Bytes);
  return to;
}

/// Number of records of a bucket. These, their words and the memory in which they are sorted stay
/// in 256 KiB of cache.
std::size_t wanted(std::size_t bytes) {
  return std::min(words_of_bucket, (std::size_t{1} << 16) / bytes);
}

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
  if (one_bucket()) return;
  digit_.emplace(digit_of(records, n, vps));
  gathers_ = digit_->only_heavy() && digit_->heavy().size() <= most_gathered;
}

/// Number of records of a chunk.
std::size_t record_spread::chunk() const noexcept {
  return lines_in_chunk * records_in_line(records_.bytes());
}
/// Chunks of a VP, which take what its block takes and a chunk of each word, and begin at a line.
std::byte* record_spread::chunks(std::size_t rank) const noexcept {
  const std::size_t spare = rank * (digit_->heavy().size() + 1) * chunk();
  const std::size_t begin = (places_.block(rank).first + spare) * records_.bytes();
  return moved_ + (begin + 63) / 64 * 64;
}

bool record_spread::one_bucket() const noexcept {
  return vps_ == 1 && n_ <= 2 * wanted(records_.bytes());
}

void record_spread::lay_out(arena& in) {
  const std::size_t ordered = std::min(n_, largest_bucket);
  const std::size_t heavy = digit_ ? digit_->heavy().size() : 0;
  const std::size_t spare = gathers() ? vps_ * (heavy + 1) * chunk() : 0;
  moved_ = in.array<std::byte>((n_ + spare) * records_.bytes());
  const std::size_t moves = moved_by_digits(records_.bytes()) ? 2 : 1;
  words_ = in.arrays<std::uint64_t>(moves * ordered, vps_);
  packed_ = in.arrays<std::uint64_t>(moves * ordered, vps_);
  spare_ = in.arrays<std::uint64_t>(moves * ordered, vps_);
  if (one_bucket()) return;
  const std::size_t buckets = digit_->buckets();
  const std::size_t line = records_in_line(records_.bytes()) * records_.bytes();
  bucket_ = in.arrays<std::uint16_t>(n_ / vps_ + 1, vps_);
  lay_out_counts(in, buckets, heavy);
  lines_ = in.arrays<std::byte>(buckets * line, vps_);
  if (gathers()) heavy_of_ = in.arrays<std::uint8_t>(n_ / vps_ / chunk() + heavy + 2, vps_);
}

/// Counts the records of a block, and copies them to chunks. Returns false if the word of some is
/// not heavy.
template <std::size_t Bytes> bool record_spread::gather(std::size_t rank) {
  constexpr std::size_t line = records_in_line(Bytes);
  constexpr std::size_t size = lines_in_chunk * line;
  const interval<> block = places_.block(rank);
  const heavy_words<std::uint64_t>& heavy = digit_->heavy();
  const std::size_t lights = digit_->lights();
  std::uint32_t* const counts = counts_[rank] + lights;
  std::byte* const lines = lines_[rank];
  std::byte* next_chunk = chunks(rank);
  std::uint8_t* heavy_of = heavy_of_[rank];
  std::array<std::byte*, most_gathered> to{};  // end of the chunk of each word
  std::fill_n(counts_[rank], digit_->buckets(), 0U);
  const auto copy_line = [&](std::size_t h, std::size_t place) {
    if (place % size < line) {  // the first of a chunk
      to[h] = next_chunk;
      next_chunk += size * Bytes;
      *heavy_of++ = static_cast<std::uint8_t>(h);
    }
    copy_past_caches(lines + h * line * Bytes, line * Bytes, to[h]);
    to[h] += line * Bytes;
  };
  std::array<std::uint64_t, record_group> words;
  alignas(64) std::byte room[record_group * Bytes];
  for (std::size_t i = block.first; i < block.last; i += record_group) {
    const std::size_t some = std::min(record_group, block.last - i);
    std::uint16_t* const found = bucket_[rank] + (i - block.first);
    records_.words(i, some, words.data());
    std::uint64_t differing = 0;
    for (std::size_t j = 0; j < some; ++j)
      found[j] = static_cast<std::uint16_t>(lights + heavy.guess(words[j], differing));
    if (differing != 0) {
      hwy::FlushStream();  // others may write where this VP has
      return false;
    }
    const std::byte* const here = records_.look(i, some, room);
    for (std::size_t j = 0; j < some; ++j) {
      const std::size_t h = found[j] - lights;
      const std::size_t place = counts[h]++;
      std::memcpy(lines + (h * line + place % line) * Bytes, here + j * Bytes, Bytes);
      if (place % line == line - 1) [[unlikely]]
        copy_line(h, place);
    }
  }
  for (std::size_t h = 0; h < heavy.size(); ++h)
    if (counts[h] % line != 0) copy_line(h, counts[h]);
  hwy::FlushStream();
  return true;
}

/// Tells whether all VPs have gathered their blocks. VP `rank` knows the sizes of the buckets.
bool record_spread::gathered(std::size_t rank) const noexcept {
  const std::size_t* const sizes = sizes_[rank];
  return gathers() &&
         std::all_of(sizes, sizes + digit_->lights(), [](auto size) { return size == 0; });
}

/// Puts the records that the VP has gathered.
void record_spread::put_chunks(std::size_t rank, bool stream) const {
  const std::size_t lights = digit_->lights();
  const std::size_t heavy = digit_->heavy().size();
  std::array<std::size_t, most_gathered> next, left;
  std::copy_n(first_[rank] + lights, heavy, next.begin());
  std::copy_n(counts_[rank] + lights, heavy, left.begin());
  std::size_t all = places_.block(rank).size();
  const std::byte* from = chunks(rank);
  for (const std::uint8_t* of = heavy_of_[rank]; all > 0; ++of) {
    const std::size_t some = std::min(left[*of], chunk());
    records_.put(next[*of], some, from, stream);
    next[*of] += some;
    left[*of] -= some;
    all -= some;
    from += chunk() * records_.bytes();
  }
}

void record_spread::count(std::size_t rank) {
  if (gathers()) {
    bool gathered = false;
    with_size(records_.bytes(),
              [&](auto bytes) { gathered = gather<decltype(bytes)::value>(rank); });
    if (gathered) return;
    // Before all VPs meet. Words that are read again may be others, and all be heavy.
    gathers_.store(false, std::memory_order_relaxed);
  }
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
      if (heavy.size() == 0) {
        for (std::size_t j = 0; j < some; ++j)
          of[j] = static_cast<std::uint16_t>(light_bucket(words[j]));
      } else {
        std::size_t lights = 0;
        for (std::size_t j = 0; j < some; ++j) {
          const std::size_t b = heavy.find(words[j], digit_->lights(), buckets);
          of[j] = static_cast<std::uint16_t>(b);
          light[lights] = static_cast<std::uint16_t>(j);
          lights += b == buckets ? 1 : 0;
        }
        for (std::size_t k = 0; k < lights; ++k)
          of[light[k]] = static_cast<std::uint16_t>(light_bucket(words[light[k]]));
      }
      for (std::size_t j = 0; j < some; ++j) ++(j % 2 == 0 ? counts : others)[of[j]];
    }
  });
  for (std::size_t b = 0; b < buckets; ++b) counts[b] += others[b];
}

/// Copies the records of a block to their buckets. Lines are gathered in cache and written past it.
/// Other VPs may fill the memory before and after a share at the same time.
template <std::size_t Bytes> void record_spread::spread_block(std::size_t rank) const {
  constexpr std::size_t line = records_in_line(Bytes);
  // Copies members: the compiler must assume that stored bytes alias them.
  const auto [first, last] = places_.block(rank);
  const std::uint16_t* const bucket = bucket_[rank];
  const std::size_t buckets = digit_->buckets();
  const std::size_t* const begin = first_[rank];
  std::uint32_t* const filled = filled_[rank];
  std::byte* const lines = lines_[rank];
  std::byte* const to = moved_;
  // Counts places from the beginning of the cache line in which the share begins.
  for (std::size_t b = 0; b < buckets; ++b) filled[b] = static_cast<std::uint32_t>(begin[b] % line);
  alignas(64) std::byte room[record_group * Bytes];
  for (std::size_t i = 0; i < last - first; i += record_group) {
    const std::size_t some = std::min(record_group, last - first - i);
    const std::byte* const here = records_.look(first + i, some, room);
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

void record_spread::spread(std::size_t rank) {
  with_size(records_.bytes(), [&](auto bytes) { spread_block<decltype(bytes)::value>(rank); });
}

/// Sorts a bucket. If there are heavy words, room.words has the words of the records afterwards;
/// by_digits, they are in no order.
record_spread::sorted_bucket record_spread::sort_bucket(std::byte* moved, std::size_t count,
                                                        word_order& order,
                                                        const word_order::room& room,
                                                        bool by_digits) const {
  if (count == 0) return {moved, nullptr};
  if (whole_) {
    std::memcpy(room.words, moved, count * sizeof(std::uint64_t));
    sort_packed(room.words, count, room.packed);
    std::memcpy(moved, room.words, count * sizeof(std::uint64_t));
    if (digit_ && digit_->heavy().size() > 0) records_.words_of(moved, count, room.words);
    return {moved, nullptr};
  }
  records_.words_of(moved, count, room.words);
  if (std::is_sorted(room.words, room.words + count)) return {moved, nullptr};
  const word_range range(room.words, count);
  if (!by_digits || !moved_by_digits(records_.bytes()) || count < least_by_digits ||
      range.width > 2 * digit_bits)
    return {moved, order.of(count, range, room)};
  const std::byte* sorted = nullptr;
  with_size(records_.bytes(), [&](auto bytes) {
    constexpr std::size_t size = decltype(bytes)::value;
    if constexpr (moved_by_digits(size)) sorted = sort_by_digits<size>(moved, count, range, room);
  });
  return {sorted, nullptr};
}

void record_spread::put(const sorted_bucket& from, const interval<>& part,
                        std::size_t place) const {
  const std::size_t n = part.size();
  if (from.order == nullptr)
    return records_.put(place, n, from.records + part.first * records_.bytes(), stream_);
  with_size(records_.bytes(), [&](auto bytes) {
    put_in_order<decltype(bytes)::value>(records_, from.records, from.order + part.first, place, n,
                                         stream_);
  });
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
    const bool by_digits = count <= largest_bucket && !cuts.any(b);
    const sorted_bucket sorted = sort_bucket(moved, count, order, room, by_digits);
    const auto before = [&](std::size_t h) {
      const auto less = [&, heavy = digit_->heavy()[h]](std::size_t i) {
        return room.words[sorted.order == nullptr ? i : sorted.order[i]] < heavy;
      };
      return *std::ranges::partition_point(std::views::iota(std::size_t{0}, count), less);
    };
    cuts.cut(b, count, begins_[rank][b], before,
             [&](std::size_t i, std::size_t end, std::size_t place) {
               put(sorted, {i, end}, place);
             });
  }
  return cuts;
}

/// Puts the VP's share of the records of heavy words. `begins` are the beginnings of their buckets
/// in the result.
void record_spread::put_heavy(std::size_t rank, const std::size_t* begins) {
  if (gathered(rank)) {
    writing_.store(true, std::memory_order_relaxed);
    return put_chunks(rank, stream_);
  }
  places_.each_heavy_part(rank, heavy_sizes(rank), [&](std::size_t h, const interval<>& part) {
    const std::size_t moved = begins_[rank][digit_->lights() + h];
    put({moved_ + moved * records_.bytes(), nullptr}, part, begins[h] + part.first);
  });
}

void record_spread::alone() {
  word_order order;
  if (one_bucket()) {
    std::byte* const moved = moved_;
    const std::byte* const from = records_.look(0, n_, moved);
    if (from != moved) std::memcpy(moved, from, n_ * records_.bytes());
    writing_.store(true, std::memory_order_relaxed);
    put(sort_bucket(moved, n_, order, {words_[0], packed_[0], spare_[0]}, true), {0, n_}, 0);
    return;
  }
  bucket_spread::alone();
}

void record_spread::restore() const {
  if (!has_written()) return;
  if (!gathered(0)) return records_.put(0, n_, moved_, false);
  for (std::size_t q = 0; q < vps_; ++q) put_chunks(q, false);
}

}  // namespace pleat::detail::sorting
