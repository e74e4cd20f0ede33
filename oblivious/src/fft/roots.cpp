// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>

#include <pleat/oblivious/detail/fft/plan.hpp>

namespace pleat::detail::fourier {

root root_of_unity(std::size_t k, std::size_t n) noexcept {
  // The angle is folded into the first eighth of the circle, where it is as exact as can be.
  k %= n;
  const std::size_t eighths = 8 * k / n;  // n < 2^60
  const bool mirrored = eighths % 2 == 1;
  const std::size_t quarter = eighths / 2;
  // 4k/n − quarter quarters of the circle, in units of 1/(4n)-th … exact in integers.
  std::size_t within = 4 * k - quarter * n;  // of n: [0, n/2] or (n/2, n)
  if (mirrored) within = n - within;
  const long double angle = std::numbers::pi_v<long double> / 2 * static_cast<long double>(within) /
                            static_cast<long double>(n);
  auto c = static_cast<double>(std::cos(angle));
  auto s = static_cast<double>(std::sin(angle));
  if (mirrored) std::swap(c, s);
  switch (quarter) {
    case 0:
      return {c, -s};
    case 1:
      return {-s, -c};
    case 2:
      return {-c, s};
    default:
      return {s, c};
  }
}

root_table::root_table(std::size_t n) : order_(n) {
  const auto bits = static_cast<unsigned>(std::bit_width(n - 1));
  shift_ = (bits + 1) / 2;
  mask_ = (std::size_t{1} << shift_) - 1;
  fine_.clear();
  coarse_.clear();
  for (std::size_t i = 0; i <= mask_; ++i) fine_.push_back(root_of_unity(i, n));
  for (std::size_t i = 0; i << shift_ < n; ++i) coarse_.push_back(root_of_unity(i << shift_, n));
}

}  // namespace pleat::detail::fourier
