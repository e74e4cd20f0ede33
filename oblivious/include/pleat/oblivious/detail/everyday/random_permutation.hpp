// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include <pleat/runtime/interval.hpp>

// Random permutations that depend on the seed and places only, so that they are the same for any
// number of VPs.
namespace pleat::detail::everyday {

/// Counter-based generator: random numbers by their index. Source: Steele, Lea, Flood, Fast
/// Splittable Pseudorandom Number Generators, 2014 (the mixing function of SplitMix64).
class random_stream {
 public:
  explicit random_stream(std::uint64_t seed) noexcept : seed_(mix(seed + gamma)) {}

  [[nodiscard]] std::uint64_t operator()(std::uint64_t i) const noexcept {
    return mix(seed_ + (i + 1) * gamma);
  }
  /// Random number less than `bound`, by the upper half of a product; the bias is less than
  /// bound/2^64.
  [[nodiscard]] std::size_t below(std::size_t bound, std::uint64_t i) const noexcept {
    __extension__ using wide = unsigned __int128;
    return static_cast<std::size_t>((static_cast<wide>((*this)(i)) * bound) >> 64);
  }

 private:
  static constexpr std::uint64_t gamma = 0x9e3779b97f4a7c15;
  [[nodiscard]] static std::uint64_t mix(std::uint64_t x) noexcept {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
  }
  std::uint64_t seed_;
};

/// Random permutation of n elements: each draws a bucket that fits a cache, where those of lower
/// indices come first; then each bucket is shuffled by itself. Source: Sanders, Random Permutations
/// on Distributed, External and Hierarchical Memory, 1998.
class random_permutation {
 public:
  random_permutation(std::size_t n, std::uint64_t seed) noexcept
      : buckets_(n <= bucket_size ? 1 : std::bit_ceil(n / bucket_size + 1)),
        bucket_(seed),
        place_(bucket_(~std::uint64_t{0})) {}

  [[nodiscard]] std::size_t buckets() const noexcept { return buckets_; }
  [[nodiscard]] std::size_t bucket_of(std::size_t i) const noexcept {
    return static_cast<std::size_t>(bucket_(i)) & (buckets_ - 1);
  }
  /// Shuffles a bucket that lies at `first`; `places` are its elements', among all n.
  /// Source: Durstenfeld, Algorithm 235: Random Permutation, 1964.
  template <std::random_access_iterator J> void shuffle(J first, const interval<>& places) const {
    const auto to = [first](std::size_t i) {
      return first + static_cast<std::iter_difference_t<J>>(i);
    };
    for (std::size_t i = places.size(); i > 1; --i) {
      const std::size_t other = place_.below(i, places.first + i);
      if (other != i - 1) std::ranges::iter_swap(to(i - 1), to(other));
    }
  }

 private:
  static constexpr std::size_t bucket_size = std::size_t{1} << 16;

  std::size_t buckets_;
  random_stream bucket_;
  random_stream place_;
};

}  // namespace pleat::detail::everyday
