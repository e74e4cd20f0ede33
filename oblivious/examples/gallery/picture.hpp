// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace gallery {

using pixel = std::array<std::uint8_t, 3>;  ///< red, green, blue

struct picture {
  std::size_t width = 0, height = 0;
  std::vector<pixel> pixels;  ///< row by row

  picture() = default;
  picture(std::size_t columns, std::size_t rows)
      : width(columns), height(rows), pixels(columns * rows) {}

  [[nodiscard]] const pixel* row(std::size_t y) const { return pixels.data() + y * width; }
  [[nodiscard]] pixel* row(std::size_t y) { return pixels.data() + y * width; }
  /// A row as 3 · width numbers.
  [[nodiscard]] const std::uint8_t* bytes(std::size_t y) const {
    return reinterpret_cast<const std::uint8_t*>(row(y));
  }
  [[nodiscard]] std::uint8_t* bytes(std::size_t y) {
    return reinterpret_cast<std::uint8_t*>(row(y));
  }
};

/// Overlapping discs of a few colours, each with its own noise: the same for the same seed.
inline picture made_picture(std::size_t width, std::size_t height, std::uint64_t seed) {
  picture made(width, height);
  std::mt19937_64 random(seed);
  const auto below = [&random](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  for (pixel& one : made.pixels) one = {40, 60, 90};
  for (std::size_t disc = 0; disc < 24 && !made.pixels.empty(); ++disc) {
    const std::size_t cx = below(width), cy = below(height);
    const std::size_t radius = 1 + below(1 + std::max(width, height) / 6);
    pixel colour{};
    for (auto& part : colour) part = static_cast<std::uint8_t>(below(256));
    for (std::size_t y = cy - std::min(cy, radius); y < std::min(height, cy + radius); ++y)
      for (std::size_t x = cx - std::min(cx, radius); x < std::min(width, cx + radius); ++x) {
        const double dx = static_cast<double>(x) - static_cast<double>(cx);
        const double dy = static_cast<double>(y) - static_cast<double>(cy);
        if (std::hypot(dx, dy) < static_cast<double>(radius)) made.row(y)[x] = colour;
      }
  }
  for (pixel& one : made.pixels) {
    const std::uint64_t noise = random();
    for (std::size_t c = 0; c < one.size(); ++c)
      one[c] = static_cast<std::uint8_t>(one[c] - one[c] / 8 + ((noise >> (8 * c)) & 31));
  }
  return made;
}

/// Portable pixmaps, binary (P6), of one byte a colour. Throws: std::runtime_error.
inline picture read_picture(const std::string& name) {
  std::ifstream file(name, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + name + ": give it a picture, a .ppm file");
  std::string kind;
  std::size_t width = 0, height = 0, most = 0;
  constexpr std::size_t largest = std::size_t{1} << 16;
  if (!(file >> kind >> width >> height >> most) || kind != "P6" || most != 255 ||
      width > largest || height > largest)
    throw std::runtime_error(name + " is no binary portable pixmap (P6, 255); convert it to one");
  file.get();
  picture made(width, height);
  const auto bytes = static_cast<std::streamsize>(made.pixels.size() * sizeof(pixel));
  if (!file.read(reinterpret_cast<char*>(made.pixels.data()), bytes))
    throw std::runtime_error(name + " ends before its last pixel");
  return made;
}

inline void write_picture(const picture& shown, const std::string& name) {
  std::ofstream file(name, std::ios::binary);
  file << "P6\n" << shown.width << ' ' << shown.height << "\n255\n";
  file.write(reinterpret_cast<const char*>(shown.pixels.data()),
             static_cast<std::streamsize>(shown.pixels.size() * sizeof(pixel)));
  if (!file.flush()) throw std::runtime_error("cannot write " + name);
}

}  // namespace gallery
