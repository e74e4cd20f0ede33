// SPDX-License-Identifier: Apache-2.0
#include "collective_data.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace pleat::bench {
namespace {

// Element i of the input of a rank; neighbouring elements, ranks and seeds differ.
template <class T> T element(std::size_t rank, std::size_t i, std::uint64_t seed) {
  const auto mixed = static_cast<std::uint32_t>(i + (i >> 8) * 5 + rank * 61 + seed * 29);
  return static_cast<T>(static_cast<std::uint8_t>(mixed));
}

template <class T> std::span<T> as(std::span<std::byte> bytes) {
  return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
}
template <class T> std::span<const T> as(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
}

template <class T, class Expected>
std::optional<std::string> first_difference(const collective_share& mine, std::span<const T> result,
                                            const Expected& expected) {
  for (std::size_t i = 0; i < result.size(); ++i) {
    const T right = expected(i);
    if (result[i] == right) continue;
    return "element " + std::to_string(i) + " of " + std::string(name_of(mine.one.what)) +
           "'s result on rank " + std::to_string(mine.rank) + " is " + std::to_string(result[i]) +
           ", not " + std::to_string(right);
  }
  return std::nullopt;
}

}  // namespace

std::size_t collective_share::input_bytes() const {
  switch (one.what) {
    case operation::broadcast:
    case operation::scatter:
      return rank == 0 ? one.bytes : 0;
    case operation::gather:
    case operation::all_gather:
    case operation::all_gather_v:
      return counts_of(one, ranks)[rank];
    default:
      return one.bytes;
  }
}

std::size_t collective_share::result_bytes() const {
  switch (one.what) {
    case operation::broadcast:
      return rank == 0 ? 0 : one.bytes;
    case operation::gather:
    case operation::reduce:
      return rank == 0 ? one.bytes : 0;
    case operation::scatter:
      return counts_of(one, ranks)[rank];
    case operation::reduce_scatter:
    case operation::reduce_scatter_v:
      return counts_of(one, ranks)[rank] * sizeof(double);
    default:
      return one.bytes;
  }
}

void collective_share::fill_input(std::span<std::byte> input, std::uint64_t seed) const {
  auto fill = [&]<class T>(std::span<T> elements) {
    for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = element<T>(rank, i, seed);
  };
  if (combines(one.what)) {
    fill(as<double>(input));
  } else {
    fill(as<std::uint8_t>(input));
  }
}

void collective_share::spoil(std::span<std::byte> result) const {
  // A byte can be right by chance, but not many; no sum is negative.
  if (combines(one.what)) {
    std::ranges::fill(as<double>(result), -1.0);
  } else {
    std::ranges::fill(result, std::byte{0xA5});
  }
}

std::optional<std::string> collective_share::first_wrong(std::span<const std::byte> result,
                                                         std::uint64_t seed) const {
  const auto counts = counts_of(one, ranks);
  std::vector<std::size_t> begin(ranks, 0);
  std::exclusive_scan(counts.begin(), counts.end(), begin.begin(), std::size_t{0});

  if (combines(one.what)) {
    const bool scattered =
        one.what == operation::reduce_scatter || one.what == operation::reduce_scatter_v;
    const std::size_t first = scattered ? begin[rank] : 0;
    const std::size_t summed = one.what == operation::scan ? rank + 1 : ranks;
    return first_difference(*this, as<double>(result), [&](std::size_t i) {
      double sum = 0;
      for (std::size_t r = 0; r < summed; ++r) sum += element<double>(r, first + i, seed);
      return sum;
    });
  }
  const auto bytes = as<std::uint8_t>(result);
  switch (one.what) {
    case operation::broadcast:
    case operation::scatter: {
      const std::size_t first = one.what == operation::scatter ? begin[rank] : 0;
      return first_difference(
          *this, bytes, [&](std::size_t i) { return element<std::uint8_t>(0, first + i, seed); });
    }
    default: {  // gather, all_gather, all_to_all: a block of every rank
      const std::size_t first = one.what == operation::all_to_all ? begin[rank] : 0;
      std::size_t from = 0;
      return first_difference(*this, bytes, [&](std::size_t i) {
        while (i >= begin[from] + counts[from]) ++from;
        return element<std::uint8_t>(from, first + i - begin[from], seed);
      });
    }
  }
}

}  // namespace pleat::bench
