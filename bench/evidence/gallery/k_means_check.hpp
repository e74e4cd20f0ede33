// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gallery/picture.hpp"

namespace pleat::bench {

/// Rounds of k-means as the textbook has them, one pixel after the other. `centres` are red, green
/// and blue of each; returns how many pixels each has in the last round.
inline std::vector<std::size_t> serial_k_means(const gallery::picture& of, std::size_t rounds,
                                               std::vector<std::array<float, 3>>& centres) {
  std::vector<std::size_t> count(centres.size());
  for (std::size_t round = 0; round < rounds; ++round) {
    std::vector<std::array<std::uint64_t, 3>> sums(centres.size());
    count.assign(centres.size(), 0);
    for (const auto& [red, green, blue] : of.pixels) {
      std::size_t nearest = 0;
      float least = 0;
      for (std::size_t i = 0; i < centres.size(); ++i) {
        const float r = centres[i][0] - red, g = centres[i][1] - green, b = centres[i][2] - blue;
        const float distance = (r * r + g * g) + b * b;
        if (i == 0 || distance < least) {
          least = distance;
          nearest = i;
        }
      }
      ++count[nearest];
      sums[nearest][0] += red;
      sums[nearest][1] += green;
      sums[nearest][2] += blue;
    }
    for (std::size_t i = 0; i < centres.size(); ++i)
      for (std::size_t c = 0; c < 3 && count[i] > 0; ++c)
        centres[i][c] = static_cast<float>(sums[i][c]) / static_cast<float>(count[i]);
  }
  return count;
}

}  // namespace pleat::bench
