// SPDX-License-Identifier: Apache-2.0
//
// A picture made smaller: blurred as far as its pixels fall together, then resized. The blur is a
// Gauss filter, first down the columns, then along the rows, of one row of results after the other:
// what lies between stays in the cache. Borders are mirrors.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <pleat/oblivious/for_each.hpp>

#include "picture.hpp"

namespace gallery {

/// The weights of a pixel and of those at distances 1, 2, … on either side. They add up to 1.
inline std::vector<float> gauss_weights(double sigma) {
  std::vector<float> weights(1 + static_cast<std::size_t>(std::ceil(3 * sigma)));
  double sum = 0;
  for (std::size_t j = 0; j < weights.size(); ++j) {
    const double at = static_cast<double>(j) / std::max(sigma, 1e-9);
    const double weight = std::exp(-0.5 * at * at);
    weights[j] = static_cast<float>(weight);
    sum += j == 0 ? weight : 2 * weight;
  }
  for (float& weight : weights) weight /= static_cast<float>(sum);
  return weights;
}

/// Index of place i, which may lie outside, in a mirror at both ends of n places.
inline std::size_t mirrored(std::ptrdiff_t i, std::size_t n) {
  const auto size = static_cast<std::ptrdiff_t>(n);
  i = ((i % (2 * size)) + 2 * size) % (2 * size);
  return static_cast<std::size_t>(std::min(i, 2 * size - 1 - i));
}

inline std::uint8_t to_byte(float x) {
  return static_cast<std::uint8_t>(std::clamp(x + 0.5f, 0.0f, 255.0f));
}

/// Row y of the blurred picture: colours follow each other as 3 · width numbers.
inline void blur_row(const picture& in, const std::vector<float>& weights, std::size_t y,
                     std::uint8_t* out) {
  const std::size_t reach = weights.size() - 1, n = 3 * in.width;
  std::vector<float> padded(n + 6 * reach), sums(n);
  float* const down = padded.data() + 3 * reach;
  const auto bytes = [&in](std::ptrdiff_t row) { return in.bytes(mirrored(row, in.height)); };
  const std::uint8_t* const here = bytes(static_cast<std::ptrdiff_t>(y));
  for (std::size_t i = 0; i < n; ++i) down[i] = weights[0] * static_cast<float>(here[i]);
  for (std::size_t j = 1; j <= reach; ++j) {
    const std::uint8_t* const above = bytes(static_cast<std::ptrdiff_t>(y - j));
    const std::uint8_t* const below = bytes(static_cast<std::ptrdiff_t>(y + j));
    for (std::size_t i = 0; i < n; ++i)
      down[i] += weights[j] * static_cast<float>(above[i] + below[i]);
  }
  for (std::size_t x = 1; x <= reach; ++x) {
    const auto far = static_cast<std::ptrdiff_t>(x);
    const std::size_t left = 3 * mirrored(-far, in.width);
    const std::size_t right =
        3 * mirrored(far + static_cast<std::ptrdiff_t>(in.width) - 1, in.width);
    for (std::size_t c = 0; c < 3; ++c) {
      padded[3 * (reach - x) + c] = down[left + c];
      padded[3 * (reach + in.width + x - 1) + c] = down[right + c];
    }
  }
  for (std::size_t i = 0; i < n; ++i) sums[i] = weights[0] * down[i];
  for (std::size_t j = 1; j <= reach; ++j) {
    const float* const left = down - 3 * j;
    const float* const right = down + 3 * j;
    for (std::size_t i = 0; i < n; ++i) sums[i] += weights[j] * (left[i] + right[i]);
  }
  for (std::size_t i = 0; i < n; ++i) out[i] = to_byte(sums[i]);
}

/// Row y of the resized picture: every pixel is drawn from the four around its place.
inline void resize_row(const picture& in, picture& out, std::size_t y) {
  const auto place = [](std::size_t i, std::size_t from, std::size_t to) {
    const float at =
        (static_cast<float>(i) + 0.5f) * static_cast<float>(from) / static_cast<float>(to) - 0.5f;
    return std::clamp(at, 0.0f, static_cast<float>(from - 1));
  };
  const float down = place(y, in.height, out.height);
  const auto top = static_cast<std::size_t>(down);
  const float lower = down - static_cast<float>(top);
  const pixel* const above = in.row(top);
  const pixel* const below = in.row(std::min(top + 1, in.height - 1));
  pixel* const to = out.row(y);
  for (std::size_t x = 0; x < out.width; ++x) {
    const float along = place(x, in.width, out.width);
    const auto left = static_cast<std::size_t>(along);
    const std::size_t right = std::min(left + 1, in.width - 1);
    const float righter = along - static_cast<float>(left);
    for (std::size_t c = 0; c < 3; ++c) {
      const float a = static_cast<float>(above[left][c]), b = static_cast<float>(above[right][c]);
      const float d = static_cast<float>(below[left][c]), e = static_cast<float>(below[right][c]);
      const float upper_part = a + righter * (b - a), lower_part = d + righter * (e - d);
      to[x][c] = to_byte(upper_part + lower * (lower_part - upper_part));
    }
  }
}

inline picture blurred(pleat::machine& on, const picture& in, double sigma) {
  picture out(in.width, in.height);
  const std::vector<float> weights = gauss_weights(sigma);
  pleat::for_each_index(on, in.height,
                        [&](std::size_t y) { blur_row(in, weights, y, out.bytes(y)); });
  return out;
}

/// Requires: a picture of at least one pixel.
inline picture resized(pleat::machine& on, const picture& in, std::size_t width,
                       std::size_t height) {
  picture out(width, height);
  pleat::for_each_index(on, height, [&](std::size_t y) { resize_row(in, out, y); });
  return out;
}

/// `times` times as small in each direction.
inline picture thumbnail(pleat::machine& on, const picture& in, std::size_t times) {
  const picture soft = blurred(on, in, 0.5 * static_cast<double>(times));
  return resized(on, soft, (in.width + times - 1) / times, (in.height + times - 1) / times);
}

}  // namespace gallery
