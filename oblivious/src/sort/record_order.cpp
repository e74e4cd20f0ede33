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

/// Packing of a word and its index into one word. The index takes the lowest bits; above it are the
/// bits in which the words differ, without the lowest ones if there is no room for all.
template <sort_word U> struct packing {
  int index_bits;
  int dropped;  ///< number of lowest bits of the words that there is no room for
  std::uint64_t differing;

  packing(std::size_t n, int width)
      : index_bits(static_cast<int>(std::bit_width(n - 1))),
        dropped(std::max(0, width + index_bits - std::numeric_limits<U>::digits)),
        differing(~std::uint64_t{0} >> (64 - width)) {}

  /// Tells whether few of n random words will be tied.
  [[nodiscard]] bool tells_apart() const noexcept {
    return dropped == 0 || std::numeric_limits<U>::digits - index_bits >= index_bits + 4;
  }
  [[nodiscard]] U operator()(std::uint64_t word, std::size_t i) const noexcept {
    return static_cast<U>((word & differing) >> dropped << index_bits | i);
  }
  [[nodiscard]] bool tied(U a, U b) const noexcept {
    return static_cast<U>(a ^ b) >> index_bits == 0;
  }
};

/// Counts the words in [first, last) that are tied with the one before.
template <sort_word U>
std::size_t ties_in(const packing<U>& pack, const U* packed, std::size_t first, std::size_t last) {
  const U most = static_cast<U>((U{1} << pack.index_bits) - 1);
  U ties = 0;
  for (std::size_t i = first; i < last; ++i)
    ties = static_cast<U>(ties + ((packed[i - 1] ^ packed[i]) <= most ? 1 : 0));
  return ties;
}

/// Sorts the packed words and returns how many are tied with the one before. Words are tied if they
/// agree in the bits that were packed; they may differ in the dropped ones.
template <sort_word U>
std::size_t sort_by(const packing<U>& pack, std::size_t n, const word_order::room& in) {
  U* const packed = reinterpret_cast<U*>(in.packed);
  for (std::size_t i = 0; i < n; ++i) packed[i] = pack(in.words[i], i);
  sort_in_cache(packed, n, reinterpret_cast<U*>(in.spare));
  return pack.dropped == 0 ? 0 : ties_in(pack, packed, 1, n);
}

template <sort_word U>
const std::uint32_t* unpack(const packing<U>& pack, std::size_t n, std::size_t ties,
                            const word_order::room& in) {
  const U* const packed = reinterpret_cast<const U*>(in.packed);
  auto* const order = reinterpret_cast<std::uint32_t*>(in.spare);
  const U mask = static_cast<U>((U{1} << pack.index_bits) - 1);
  for (std::size_t i = 0; i < n; ++i) order[i] = static_cast<std::uint32_t>(packed[i] & mask);
  constexpr std::size_t some = 32;  // that are looked at together
  for (std::size_t i = 1; i < n && ties > 0;) {
    const std::size_t last = std::min(i + some, n);
    if (ties_in(pack, packed, i, last) == 0) {
      i = last;
      continue;
    }
    while (!pack.tied(packed[i - 1], packed[i])) ++i;
    const std::size_t first = i - 1;
    while (i < n && pack.tied(packed[first], packed[i])) ++i;
    ties -= i - first - 1;
    const auto before = [words = in.words](std::uint32_t a, std::uint32_t b) {
      return words[a] != words[b] ? words[a] < words[b] : a < b;
    };
    if (i - first == 2) {  // mostly, and either way as often
      const auto [a, b] = std::pair(order[first], order[first + 1]);
      const bool turn = before(b, a);
      order[first] = turn ? b : a;
      order[first + 1] = turn ? a : b;
    } else {
      std::sort(order + first, order + i, before);
    }
  }
  return order;
}

}  // namespace

void sort_packed(std::uint64_t* words, std::size_t n, std::uint64_t* spare) {
  sort_in_cache(words, n, spare);
}

const std::uint32_t* word_order::of(std::size_t n, const room& in) {
  std::uint64_t differing = 0;
  for (std::size_t i = 0; i < n; ++i) differing |= in.words[i] ^ in.words[0];
  const int width = static_cast<int>(std::bit_width(differing));
  if (width == 0) {
    auto* const order = reinterpret_cast<std::uint32_t*>(in.spare);
    for (std::size_t i = 0; i < n; ++i) order[i] = static_cast<std::uint32_t>(i);
    return order;
  }
  const packing<std::uint32_t> narrow(n, width);
  if (narrow.dropped == 0 || (!wide_ && narrow.tells_apart())) {
    const std::size_t ties = sort_by(narrow, n, in);
    wide_ = ties > n / 16;
    if (!wide_) return unpack(narrow, n, ties, in);
  }
  const packing<std::uint64_t> wide(n, width);
  return unpack(wide, n, sort_by(wide, n, in), in);
}

}  // namespace pleat::detail::sorting
