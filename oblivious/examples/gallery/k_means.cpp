// SPDX-License-Identifier: Apache-2.0
//
// The 16 colours that stand best for a picture, and how much of it each covers.
//
//     k_means [picture.ppm]
#include "k_means.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <numeric>

#include <pleat/runtime/machine.hpp>

int main(int argc, char** argv) {
  try {
    using namespace gallery;
    constexpr std::size_t k = 16;
    const picture shown = argc > 1 ? read_picture(argv[1]) : made_picture(640, 480, 1);
    pleat::machine machine;
    palette<k> centres = first_centres<k>(shown.pixels);
    const clusters<k> found = k_means<k>(machine, shown.pixels, centres, 20);
    for (std::size_t i = 0; i < k; ++i)
      std::printf("#%02x%02x%02x %5.1f %%\n", static_cast<unsigned>(centres[0][i]),
                  static_cast<unsigned>(centres[1][i]), static_cast<unsigned>(centres[2][i]),
                  100.0 * static_cast<double>(found.count[i]) /
                      static_cast<double>(std::max<std::size_t>(1, shown.pixels.size())));
    const auto all = std::accumulate(found.count.begin(), found.count.end(), std::uint64_t{0});
    return all == shown.pixels.size() ? 0 : 1;
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "k_means: %s\n", failure.what());
    return 1;
  }
}
