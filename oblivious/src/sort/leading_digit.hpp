// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <pleat/oblivious/detail/sort/keys.hpp>

namespace pleat::detail::sorting {

/// Which bucket a word falls in, by the words of a sample. Cells cut the sample's range evenly: in
/// some nothing falls, as between numbers below and above 0.0, in others nearly all. Crowded cells
/// are cut evenly again, sparse neighbours share a bucket.
class leading_digit {
 public:
  using word = std::uint64_t;

  /// Words, of which a bucket gets about so many: it and its copy stay in 512 KiB of cache.
  static constexpr std::size_t wanted = 1 << 13;

  /// `load(i)` is the i-th of n words.
  template <class Load> leading_digit(const Load& load, std::size_t n) {
    const std::vector<word> sample = drawn(load, n);
    const auto [least, greatest] = std::ranges::minmax(sample);
    const int range_bits = static_cast<int>(std::bit_width(greatest - least));
    least_ = least;
    most_ = no_key<word> >> (range_bits == 0 ? 63 : 64 - range_bits);
    shift_ = std::max(range_bits - cell_bits, 0);
    std::array<std::size_t, cells> found{};
    for (const word w : sample) ++found[above_least(w) >> shift_];
    const std::size_t full = sample.size() * wanted / n;  // so many of the sample fill a bucket
    cut(found, std::max<std::size_t>(full, 1));
  }

  [[nodiscard]] std::size_t buckets() const { return buckets_; }
  std::size_t operator()(word w) const {
    const word above = above_least(w);
    const cell& at = cells_[above >> shift_];
    return at.first + ((above & ((word{1} << shift_) - 1)) >> at.shift);
  }

 private:
  static constexpr int cell_bits = 10;
  static constexpr std::size_t cells = std::size_t{1} << cell_bits;
  struct cell {
    std::uint32_t first;  ///< bucket
    int shift;            ///< of what lies above the cell's first word, to cut it
  };

  [[nodiscard]] word above_least(word w) const {
    return std::min(w > least_ ? w - least_ : 0, most_);
  }

  template <class Load> static std::vector<word> drawn(const Load& load, std::size_t n) {
    std::vector<word> sample(std::clamp<std::size_t>(n / 64, 256, 8192));
    std::uint64_t random = n;  // fixed by n: equal inputs take equal paths
    for (word& w : sample) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      w = load(static_cast<std::size_t>((random >> 11) % n));
    }
    return sample;
  }

  void cut(const std::array<std::size_t, cells>& found, std::size_t full) {
    std::uint32_t bucket = 0;
    std::size_t shared = 0;  // by cells before, in this bucket
    for (std::size_t c = 0; c < cells; ++c) {
      if (found[c] < 2 * full) {
        cells_[c] = {bucket, shift_};
        shared += found[c];
        if (shared < full) continue;
        ++bucket;
      } else {
        if (shared > 0) ++bucket;
        const int cut_bits =
            std::min(static_cast<int>(std::bit_width(found[c] / full)) - 1, shift_);
        cells_[c] = {bucket, shift_ - cut_bits};
        bucket += std::uint32_t{1} << cut_bits;
      }
      shared = 0;
    }
    buckets_ = bucket + 1;
  }

  word least_;
  word most_;  ///< above the least
  int shift_;
  std::size_t buckets_;
  std::array<cell, cells> cells_;
};

/// Where the buckets begin, and where the last one ends.
template <class Load>
std::vector<std::size_t> bucket_places(const Load& load, std::size_t n,
                                       const leading_digit& digit) {
  std::array<std::vector<std::size_t>, 2> counts;  // equal neighbours do not wait
  for (auto& count : counts) count.resize(digit.buckets() + 1);
  for (std::size_t i = 0; i < n; ++i) ++counts[i % 2][digit(load(i)) + 1];
  for (std::size_t b = 1; b <= digit.buckets(); ++b)
    counts[0][b] += counts[0][b - 1] + counts[1][b];
  return std::move(counts[0]);
}

}  // namespace pleat::detail::sorting
