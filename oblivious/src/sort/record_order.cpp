// SPDX-License-Identifier: Apache-2.0
#include "sort/record_order.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include <pleat/oblivious/detail/sort/few_words.hpp>
#include <pleat/oblivious/detail/sort/keys.hpp>

#include "sort/bucket.hpp"

namespace pleat::detail::sorting {
namespace {

template <sort_word U> void sort_in_cache(U* packed, std::size_t n, U* spare) {
  if (n <= few_keys)
    sort_few_keys(packed, n, key_map<U>());
  else if (n <= largest_bucket)
    sort_bucket<U>(kernel_of_buckets<U>(), packed, n, spare, packed);
  else
    sort_by_comparing(packed, n);
}

/// Range of the words of a bucket. It may begin anywhere, so words of a narrow range may differ in
/// their leading bits.
struct word_range {
  std::uint64_t least;
  int width;  ///< in bits, of the difference between the greatest word and the least

  /// Requires n ≥ 1.
  word_range(const std::uint64_t* words, std::size_t n) noexcept {
    constexpr std::size_t chains = 4;  // one comparison does not wait for the last
    std::uint64_t low[chains], high[chains];
    std::fill_n(low, chains, words[0]);
    std::fill_n(high, chains, words[0]);
    const auto look = [&](std::size_t chain, std::uint64_t w) {
      low[chain] = std::min(low[chain], w);
      high[chain] = std::max(high[chain], w);
    };
    std::size_t i = 0;
    for (; i + chains <= n; i += chains)
      for (std::size_t c = 0; c < chains; ++c) look(c, words[i + c]);
    for (; i < n; ++i) look(0, words[i]);
    least = *std::min_element(low, low + chains);
    const std::uint64_t greatest = *std::max_element(high, high + chains);
    width = static_cast<int>(std::bit_width(greatest - least));
  }
};

/// Packing of a word and its index into one word. The index takes the lowest bits; above it is what
/// the word is above the least one, without the lowest bits if there is no room for all.
template <sort_word U> struct packing {
  int index_bits;
  int dropped;  ///< number of lowest bits of the words that there is no room for
  std::uint64_t least;

  packing(std::size_t n, const word_range& range)
      : index_bits(static_cast<int>(std::bit_width(n - 1))),
        dropped(std::max(0, range.width + index_bits - std::numeric_limits<U>::digits)),
        least(range.least) {}

  /// Tells whether few of n random words will be tied.
  [[nodiscard]] bool tells_apart() const noexcept {
    return dropped == 0 || std::numeric_limits<U>::digits - index_bits >= index_bits + 4;
  }
  [[nodiscard]] U operator()(std::uint64_t word, std::size_t i) const noexcept {
    return static_cast<U>((word - least) >> dropped << index_bits | i);
  }
  [[nodiscard]] bool tied(U a, U b) const noexcept {
    return static_cast<U>(a ^ b) >> index_bits == 0;
  }
};

/// Tells whether a word in [first, last) is tied with the one before: they agree in the bits that
/// were packed, and may differ in the dropped ones.
template <sort_word U>
bool any_tied(const packing<U>& pack, const U* packed, std::size_t first, std::size_t last) {
  const U most = static_cast<U>((U{1} << pack.index_bits) - 1);
  bool any = false;
  for (std::size_t i = first; i < last; ++i)
    any |= static_cast<U>(packed[i - 1] ^ packed[i]) <= most;
  return any;
}

/// Tells whether a word in [first, last) of the order is less than the one before.
bool descends(const std::uint64_t* words, const std::uint32_t* order, std::size_t first,
              std::size_t last) {
  bool any = false;
  for (std::size_t i = first; i < last; ++i) any |= words[order[i - 1]] > words[order[i]];
  return any;
}

/// Sorts groups of tied words that descend; others are in order, as equal words are. Returns how
/// many words were sorted.
template <sort_word U>
std::size_t sort_ties(const packing<U>& pack, const U* packed, const std::uint64_t* words,
                      std::size_t n, std::uint32_t* order) {
  constexpr std::size_t some = 16;  // that are looked at together
  std::size_t sorted = 0;
  for (std::size_t i = 1; i < n;) {
    const std::size_t last = std::min(i + some, n);
    if (!any_tied(pack, packed, i, last) || !descends(words, order, i, last)) {
      i = last;
      continue;
    }
    while (words[order[i - 1]] <= words[order[i]]) ++i;
    std::size_t first = i - 1;
    while (first > 0 && pack.tied(packed[first - 1], packed[i])) --first;
    while (i < n && pack.tied(packed[first], packed[i])) ++i;
    if (i - first == 2) {  // mostly
      std::swap(order[first], order[first + 1]);
    } else {
      std::sort(order + first, order + i, [words](std::uint32_t a, std::uint32_t b) {
        return words[a] != words[b] ? words[a] < words[b] : a < b;
      });
    }
    sorted += i - first;
  }
  return sorted;
}

/// Finds the order by sorting packed words. Returns how many words were sorted by comparing.
template <sort_word U>
std::size_t order_by(const packing<U>& pack, std::size_t n, const word_order::room& in,
                     std::uint32_t* order) {
  U* const packed = reinterpret_cast<U*>(in.packed);
  for (std::size_t i = 0; i < n; ++i) packed[i] = pack(in.words[i], i);
  sort_in_cache(packed, n, reinterpret_cast<U*>(in.spare));
  const U mask = static_cast<U>((U{1} << pack.index_bits) - 1);
  for (std::size_t i = 0; i < n; ++i) order[i] = static_cast<std::uint32_t>(packed[i] & mask);
  return pack.dropped == 0 ? 0 : sort_ties(pack, packed, in.words, n, order);
}

}  // namespace

void sort_packed(std::uint64_t* words, std::size_t n, std::uint64_t* spare) {
  sort_in_cache(words, n, spare);
}

const std::uint32_t* word_order::of(std::size_t n, const room& in) {
  const word_range range(in.words, n);
  auto* const order = reinterpret_cast<std::uint32_t*>(in.spare);
  if (range.width == 0) {
    for (std::size_t i = 0; i < n; ++i) order[i] = static_cast<std::uint32_t>(i);
    return order;
  }
  const packing<std::uint32_t> narrow(n, range);
  if (narrow.dropped == 0 || (!wide_ && narrow.tells_apart()))
    wide_ = order_by(narrow, n, in, order) > n / 8;
  else
    order_by(packing<std::uint64_t>(n, range), n, in, order);
  return order;
}

}  // namespace pleat::detail::sorting
