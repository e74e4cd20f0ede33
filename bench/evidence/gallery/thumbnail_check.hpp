// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>

#include "gallery/picture.hpp"

namespace pleat::bench {

/// Tells whether `small` is what a Gauss filter of half the factor's width and two-fold linear
/// interpolation make of `large`. Both by their definitions, in double precision, at every so many
/// pixels; numbers are rounded twice and may be off by two.
class thumbnail_check {
 public:
  explicit thumbnail_check(const gallery::picture& large, std::size_t times)
      : large_(large), times_(times) {}

  [[nodiscard]] bool right(const gallery::picture& small, std::size_t every = 1) const {
    if (small.width != (large_.width + times_ - 1) / times_ ||
        small.height != (large_.height + times_ - 1) / times_)
      return false;
    for (std::size_t i = 0; i < small.pixels.size(); i += every)
      for (std::size_t c = 0; c < 3; ++c)
        if (std::abs(wanted(small, i % small.width, i / small.width, c) - small.pixels[i][c]) > 2)
          return false;
    return true;
  }

 private:
  static long mirror(long i, long n) {
    while (i < 0 || i >= n) i = i < 0 ? -1 - i : 2 * n - 1 - i;
    return i;
  }
  [[nodiscard]] double soft(long x, long y, std::size_t c) const {
    const double sigma = 0.5 * static_cast<double>(times_);
    const long reach = static_cast<long>(std::ceil(3 * sigma));
    double sum = 0, weights = 0;
    for (long j = -reach; j <= reach; ++j)
      for (long i = -reach; i <= reach; ++i) {
        const double weight = std::exp(-static_cast<double>(i * i + j * j) / (2 * sigma * sigma));
        const auto column = mirror(x + i, static_cast<long>(large_.width));
        const auto row = mirror(y + j, static_cast<long>(large_.height));
        sum += weight * large_.row(static_cast<std::size_t>(row))[column][c];
        weights += weight;
      }
    return sum / weights;
  }
  [[nodiscard]] double wanted(const gallery::picture& small, std::size_t x, std::size_t y,
                              std::size_t c) const {
    const auto place = [](std::size_t i, std::size_t from, std::size_t to) {
      const double at =
          (static_cast<double>(i) + 0.5) * static_cast<double>(from) / static_cast<double>(to) -
          0.5;
      return std::clamp(at, 0.0, static_cast<double>(from - 1));
    };
    const double u = place(x, large_.width, small.width);
    const double v = place(y, large_.height, small.height);
    const long left = static_cast<long>(u), top = static_cast<long>(v);
    const long right = std::min(left + 1, static_cast<long>(large_.width) - 1);
    const long bottom = std::min(top + 1, static_cast<long>(large_.height) - 1);
    const double a = u - static_cast<double>(left), b = v - static_cast<double>(top);
    return (1 - b) * ((1 - a) * soft(left, top, c) + a * soft(right, top, c)) +
           b * ((1 - a) * soft(left, bottom, c) + a * soft(right, bottom, c));
  }

  const gallery::picture& large_;
  std::size_t times_;
};

}  // namespace pleat::bench
