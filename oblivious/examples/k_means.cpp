// SPDX-License-Identifier: Apache-2.0
//
// k-means, Lloyd's algorithm: the 8 colours that stand best for a picture. Each round finds for
// every pixel the centre that is nearest to it, and moves the centres to the middle of their
// pixels. Both are one pass: an aggregate of the pixels. Sums are integers, so that every machine
// finds the same colours.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include <pleat/oblivious/aggregate.hpp>
#include <pleat/runtime/machine.hpp>

namespace {

constexpr std::size_t k = 8;
using pixel = std::array<std::uint8_t, 3>;
using colour = std::array<float, 3>;
using palette = std::array<colour, k>;

struct clusters {
  std::array<std::uint64_t, k> count{};
  std::array<std::array<std::uint64_t, 3>, k> sum{};

  friend clusters operator+(clusters a, const clusters& b) {
    for (std::size_t i = 0; i < k; ++i) {
      a.count[i] += b.count[i];
      for (std::size_t c = 0; c < 3; ++c) a.sum[i][c] += b.sum[i][c];
    }
    return a;
  }
};

std::size_t nearest_centre(const palette& centres, const pixel& one) {
  const auto distance = [&](const colour& centre) {
    float sum = 0;
    for (std::size_t c = 0; c < 3; ++c) sum += (centre[c] - one[c]) * (centre[c] - one[c]);
    return sum;
  };
  const auto nearest = std::ranges::min_element(centres, {}, distance);
  return static_cast<std::size_t>(nearest - centres.begin());
}

clusters assigned(pleat::machine& on, std::span<const pixel> pixels, const palette& centres) {
  return pleat::aggregate(on, pixels, clusters(), [&](clusters& all, const pixel& one) {
    const std::size_t centre = nearest_centre(centres, one);
    ++all.count[centre];
    for (std::size_t c = 0; c < 3; ++c) all.sum[centre][c] += one[c];
  });
}

}  // namespace

int main() {
  std::vector<pixel> pixels(640 * 480);
  std::mt19937 random(1);
  for (pixel& one : pixels) {  // a sky, a meadow, and noise on both
    const bool sky = random() % 3 != 0;
    const auto noise = static_cast<std::uint8_t>(random() % 40);
    one = sky ? pixel{90, static_cast<std::uint8_t>(140 + noise), 215}
              : pixel{noise, static_cast<std::uint8_t>(120 + noise), 30};
  }
  palette centres{};
  for (std::size_t i = 0; i < k; ++i)
    std::ranges::copy(pixels[pixels.size() * (2 * i + 1) / (2 * k)], centres[i].begin());

  pleat::machine machine;
  clusters found;
  for (int round = 0; round < 20; ++round) {
    found = assigned(machine, pixels, centres);
    for (std::size_t i = 0; i < k; ++i)  // one without pixels stays where it is
      for (std::size_t c = 0; c < 3 && found.count[i] > 0; ++c)
        centres[i][c] = static_cast<float>(found.sum[i][c]) / static_cast<float>(found.count[i]);
  }
  for (std::size_t i = 0; i < k; ++i)
    std::printf("%3.0f %3.0f %3.0f: %5.1f %%\n", centres[i][0], centres[i][1], centres[i][2],
                100.0 * static_cast<double>(found.count[i]) / static_cast<double>(pixels.size()));
  const auto all = std::accumulate(found.count.begin(), found.count.end(), std::uint64_t{0});
  return all == pixels.size() ? 0 : 1;
}
