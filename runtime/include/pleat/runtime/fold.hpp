// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>

#include <pleat/runtime/interval.hpp>

namespace pleat {

/// L, the number of labels of M(v): sync(i) takes 0 ≤ i < L, L = max(1, ⌈log2 v⌉).
[[nodiscard]] constexpr unsigned label_count(std::size_t v) noexcept {
  return std::max(1u, static_cast<unsigned>(std::bit_width(v - 1)));
}

/// Range of consecutive ranks.
using rank_range = interval<std::size_t>;

/// The label-cluster of `rank` in M(v): the ranks whose L-bit index agrees with it in the `label`
/// most significant bits; 0 ≤ label ≤ L. When v is not a power of two the last clusters are
/// shorter.
[[nodiscard]] constexpr rank_range cluster_of(std::size_t v, std::size_t rank,
                                              unsigned label) noexcept {
  const unsigned bits = label_count(v) - label;
  const std::size_t first = rank >> bits << bits;
  return {first, std::min(v, first + (std::size_t{1} << bits))};
}

/// Number of leading index bits that two ranks of M(v) share: the finest label whose barrier joins
/// them.
[[nodiscard]] constexpr unsigned shared_bits(std::size_t v, std::size_t a, std::size_t b) noexcept {
  return label_count(v) - static_cast<unsigned>(std::bit_width(a ^ b));
}

/// M(v) folded onto p ≤ v processors: processor j carries out a balanced contiguous range of ranks,
/// exactly v/p of them if p divides v.
///
/// Source: Bilardi, Pietracaprina, Pucci, Scquizzato, Silvestri, "Network-Oblivious Algorithms",
/// section 2 (folding); the balanced ranges for p ∤ v are ours.
class fold {
 public:
  constexpr fold(std::size_t v, std::size_t p) noexcept
      : v_(v),
        p_(p),
        shift_(v % p == 0 && std::has_single_bit(v / p) ? static_cast<int>(std::countr_zero(v / p))
                                                        : -1) {}

  [[nodiscard]] constexpr std::size_t vps() const noexcept { return v_; }
  [[nodiscard]] constexpr std::size_t processors() const noexcept { return p_; }

  /// The ranks of processor j.
  [[nodiscard]] constexpr rank_range ranks(std::size_t j) const noexcept {
    return {(j * v_ + p_ - 1) / p_, ((j + 1) * v_ + p_ - 1) / p_};
  }
  /// The processor of a rank.
  [[nodiscard]] constexpr std::size_t owner(std::size_t rank) const noexcept {
    return shift_ >= 0 ? rank >> shift_ : rank * p_ / v_;
  }

 private:
  std::size_t v_;
  std::size_t p_;
  int shift_;
};

}  // namespace pleat
