// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

#include <pleat/oblivious/detail/fft/plan.hpp>

namespace pleat::detail::distribution {

/// What Bluestein's algorithm makes of n points, as a cyclic convolution of m ≥ 2n − 1 numbers:
/// X_k = c_k · Σ (x_j · c_j) · conj(c_{k − j}), c_j = e^(−πi·j²/n).
class chirp_numbers {
 public:
  chirp_numbers(std::size_t n, std::size_t m) : n_(n), m_(m), roots_(2 * n) {}

  /// c_j. Requires: j < n.
  [[nodiscard]] fourier::root chirp(std::size_t j) const noexcept {
    return roots_(static_cast<std::size_t>(wide{j} * j % roots_.order()));
  }
  /// Number j < m of what the points are convolved with.
  [[nodiscard]] fourier::root response(std::size_t j) const noexcept {
    const std::size_t distance = std::min(j, m_ - j);
    if (distance >= n_) return {0, 0};
    const fourier::root c = chirp(distance);
    return {c.re, -c.im};
  }

 private:
  __extension__ using wide = unsigned __int128;

  std::size_t n_, m_;
  fourier::root_table roots_;
};

}  // namespace pleat::detail::distribution
