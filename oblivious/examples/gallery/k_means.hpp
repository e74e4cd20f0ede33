// SPDX-License-Identifier: Apache-2.0
//
// k-means, Lloyd's algorithm: the k colours that stand best for those of a picture. Each round
// finds for every pixel the centre that is nearest to it, and moves the centres to the middle of
// their pixels. Both are one pass: an aggregate of the pixels.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include <pleat/oblivious/aggregate.hpp>

#include "picture.hpp"

namespace gallery {

/// k colours, part by part: all reds, all greens, all blues, so that loops over them are
/// vectorised.
template <std::size_t k> using palette = std::array<std::array<float, k>, 3>;

/// The pixels of each centre: how many they are, and their sum. Of integers: exact.
template <std::size_t k> struct clusters {
  std::array<std::uint64_t, k> count{};
  std::array<std::array<std::uint64_t, k>, 3> sum{};

  void add(const pixel& one, std::size_t centre) {
    ++count[centre];
    for (std::size_t c = 0; c < 3; ++c) sum[c][centre] += one[c];
  }
  friend clusters operator+(clusters a, const clusters& b) {
    for (std::size_t i = 0; i < k; ++i) a.count[i] += b.count[i];
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t i = 0; i < k; ++i) a.sum[c][i] += b.sum[c][i];
    return a;
  }
};

template <std::size_t k> std::size_t nearest_centre(const palette<k>& centres, const pixel& one) {
  std::array<float, k> distance{};
  for (std::size_t c = 0; c < 3; ++c) {
    const auto part = static_cast<float>(one[c]);
    for (std::size_t i = 0; i < k; ++i)
      distance[i] += (centres[c][i] - part) * (centres[c][i] - part);
  }
  std::size_t nearest = 0;
  float least = distance[0];
  for (std::size_t i = 1; i < k; ++i) {
    nearest = distance[i] < least ? i : nearest;  // no branch, which would be taken at random
    least = std::min(least, distance[i]);
  }
  return nearest;
}

/// The middle of each cluster. The centre of one without pixels stays where it is.
template <std::size_t k> void move_centres(palette<k>& centres, const clusters<k>& found) {
  for (std::size_t c = 0; c < 3; ++c)
    for (std::size_t i = 0; i < k; ++i)
      if (found.count[i] > 0)
        centres[c][i] = static_cast<float>(found.sum[c][i]) / static_cast<float>(found.count[i]);
}

/// Centres to begin with: pixels at equal distances.
template <std::size_t k> palette<k> first_centres(std::span<const pixel> pixels) {
  palette<k> centres{};
  for (std::size_t i = 0; i < k && !pixels.empty(); ++i)
    for (std::size_t c = 0; c < 3; ++c)
      centres[c][i] = pixels[pixels.size() * (2 * i + 1) / (2 * k)][c];
  return centres;
}

/// Rounds of k-means; returns the clusters of the last one.
template <std::size_t k>
clusters<k> k_means(pleat::machine& on, std::span<const pixel> pixels, palette<k>& centres,
                    std::size_t rounds) {
  clusters<k> found;
  for (std::size_t round = 0; round < rounds; ++round) {
    found = pleat::aggregate(on, pixels, clusters<k>(), [&](clusters<k>& sum, const pixel& one) {
      sum.add(one, nearest_centre(centres, one));
    });
    move_centres(centres, found);
  }
  return found;
}

}  // namespace gallery
