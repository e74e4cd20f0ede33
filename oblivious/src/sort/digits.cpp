// SPDX-License-Identifier: Apache-2.0
#include "sort/digits.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <new>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <hwy/aligned_allocator.h>
#include <hwy/cache_control.h>
#include <hwy/contrib/sort/vqsort.h>
#include <hwy/targets.h>

#include "past_caches.hpp"
#include "sort/leading_digit.hpp"

namespace pleat::detail::sorting {
namespace {

using word = std::uint64_t;

// In words; on processors with 512 KiB of second-level cache.
constexpr std::size_t pays = 1 << 14;     // from here on
constexpr std::size_t largest = 1 << 15;  // bucket sorted by digits
constexpr std::size_t fewest = 256;       // smaller ones are sorted faster in vectors
constexpr int bits = 10;                  // of a digit within a bucket
constexpr std::size_t values = std::size_t{1} << bits;

void sort_in_vectors(std::span<word> words) {
  hwy::Sorter()(words.data(), words.size(), hwy::SortAscending());
}

/// Moves every word to its bucket, by lines that are gathered in cache and written past it: a
/// bucket is not read for having a word written to it.
template <class Load>
void spread(const Load& load, std::size_t n, const leading_digit& digit,
            const std::vector<std::size_t>& places, word* to) {
  constexpr std::size_t line = 16;
  const std::size_t lead = reinterpret_cast<std::uintptr_t>(to) / sizeof(word) % line;
  std::vector<std::size_t> next(places.begin(), places.end() - 1);
  for (std::size_t& place : next) place += lead;  // from the aligned place before `to` on
  const auto lines = hwy::AllocateAligned<word>(digit.buckets() * line);
  if (lines == nullptr) throw std::bad_alloc();
  for (std::size_t i = 0; i < n; ++i) {
    const word w = load(i);
    const std::size_t b = digit(w);
    const std::size_t place = next[b]++;
    word* const gathered = lines.get() + b * line;
    gathered[place % line] = w;
    if (place % line != line - 1) continue;
    const std::size_t first = place - (line - 1);
    if (first >= places[b] + lead) {
      copy_past_caches(gathered, line * sizeof(word), to + (first - lead));
    } else {  // the first line, shared with the bucket before
      for (std::size_t at = places[b] + lead; at <= place; ++at)
        to[at - lead] = gathered[at % line];
    }
  }
  for (std::size_t b = 0; b < digit.buckets(); ++b) {
    const std::size_t end = next[b];
    for (std::size_t at = std::max(places[b] + lead, end / line * line); at < end; ++at)
      to[at - lead] = lines[b * line + at % line];
  }
  hwy::FlushStream();
}

/// Sorts what is nearly sorted. False, leaving it a permutation, if it is not.
bool insertion_sort(std::span<word> words) {
  std::size_t moves = 4 * words.size();
  for (std::size_t i = 1; i < words.size(); ++i) {
    const word w = words[i];
    if (w >= words[i - 1]) continue;
    std::size_t place = i;
    do {
      words[place] = words[place - 1];
      --place;
    } while (place > 0 && w < words[place - 1]);
    words[place] = w;
    if (i - place > moves) return false;
    moves -= i - place;
  }
  return true;
}

/// Sorts a bucket by the highest bits in which its words differ, then what these leave in disorder.
/// `room` holds as many words; `next` will be wanted in cache after it.
void sort_bucket(std::span<word> words, std::span<const word> next, word* room) {
  word differing = 0;
  for (const word w : words) differing |= w ^ words[0];
  const int low = std::max(static_cast<int>(std::bit_width(differing)) - 2 * bits, 0);
  const int high = low + bits;
  std::array<std::array<std::uint32_t, values>, 2> places{};
  for (const word w : words) {
    ++places[0][(w >> low) % values];
    ++places[1][(w >> high) % values];
  }
  for (auto& digit : places)
    std::exclusive_scan(digit.begin(), digit.end(), digit.begin(), std::uint32_t{0});
  for (const word w : words) room[places[0][(w >> low) % values]++] = w;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const word w = room[i];
    words[places[1][(w >> high) % values]++] = w;
    if (i % 8 == 0 && i < next.size()) hwy::Prefetch(&next[i]);
  }
  if (low > 0 && !insertion_sort(words)) sort_in_vectors(words);
}

template <class Load> bool copy_sorted_loaded(const Load& load, std::size_t n, word* to) {
  const leading_digit digit(load, n);
  const std::vector<std::size_t> places = bucket_places(load, n, digit);
  std::size_t crowded = 0;
  std::size_t most = 0;
  for (std::size_t b = 0; b < digit.buckets(); ++b) {
    const std::size_t count = places[b + 1] - places[b];
    if (count > largest)
      crowded += count;
    else
      most = std::max(most, count);
  }
  if (crowded > n / 4) return false;
  const auto room = std::make_unique_for_overwrite<word[]>(most);
  spread(load, n, digit, places, to);
  const auto bucket = [&](std::size_t b) {
    return std::span(to + places[b], places[b + 1] - places[b]);
  };
  for (std::size_t b = 0; b < digit.buckets(); ++b) {
    const auto words = bucket(b);
    if (words.size() < fewest || words.size() > largest)
      sort_in_vectors(words);
    else
      sort_bucket(words, b + 1 < digit.buckets() ? bucket(b + 1) : words.first(0), room.get());
  }
  return true;
}

}  // namespace

bool digits_win(std::size_t n) {
  constexpr auto vectors_of_64_bytes = 2 * HWY_AVX3 - 1;  // that target and those preferred to it
  return n >= pays && (hwy::SupportedTargets() & vectors_of_64_bytes) == 0;
}

bool copy_sorted_by_digits(const void* keys, std::size_t n, const key_map<word>& map, word* to) {
  const auto bits_at = [keys](std::size_t i) {
    word w;
    std::memcpy(&w, static_cast<const std::byte*>(keys) + i * sizeof(word), sizeof(word));
    return w;
  };
  if (map.floating)
    return copy_sorted_loaded([&](std::size_t i) { return map.to_word(bits_at(i)); }, n, to);
  return copy_sorted_loaded([&, flip = map.flip](std::size_t i) { return bits_at(i) ^ flip; }, n,
                            to);
}

}  // namespace pleat::detail::sorting
