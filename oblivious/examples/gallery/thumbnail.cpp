// SPDX-License-Identifier: Apache-2.0
//
// A picture four times as small in each direction.
//
//     thumbnail [large.ppm small.ppm]
#include "thumbnail.hpp"

#include <cmath>
#include <cstdio>
#include <exception>
#include <numeric>
#include <stdexcept>

#include <pleat/runtime/machine.hpp>

namespace {

double brightness(const gallery::picture& shown) {
  double sum = 0;
  for (const auto& one : shown.pixels) sum += std::accumulate(one.begin(), one.end(), 0.0);
  return sum / static_cast<double>(3 * shown.pixels.size());
}

}  // namespace

int main(int argc, char** argv) {
  try {
    using namespace gallery;
    const picture large = argc > 2 ? read_picture(argv[1]) : made_picture(640, 480, 1);
    if (large.pixels.empty()) throw std::runtime_error("the picture has no pixels");
    pleat::machine machine;
    const picture small = thumbnail(machine, large, 4);
    std::printf("%zu x %zu pixels, brightness %.1f\n%zu x %zu pixels, brightness %.1f\n",
                large.width, large.height, brightness(large), small.width, small.height,
                brightness(small));
    if (argc > 2) write_picture(small, argv[2]);
    return std::abs(brightness(small) - brightness(large)) < 3 ? 0 : 1;
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "thumbnail: %s\n", failure.what());
    return 1;
  }
}
