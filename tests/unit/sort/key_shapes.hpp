// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

/// Shape of keys, as words of 64 bits: where they lie, evenly, and crowded in many ways.
struct key_shape {
  const char* name;
  std::uint64_t (*at)(std::uint64_t random, std::size_t i);
};
inline constexpr key_shape key_shapes[] = {
    {"even", [](std::uint64_t r, std::size_t) { return r; }},
    {"in a corner", [](std::uint64_t r, std::size_t) { return ~(r >> 20); }},
    {"in clusters", [](std::uint64_t r, std::size_t) { return (r % 5 << 61) + (r >> 9); }},
    {"by powers", [](std::uint64_t r, std::size_t) { return r >> (r % 60); }},
    {"three values", [](std::uint64_t r, std::size_t) { return r % 3 << 62; }},
    {"two values but for one key",
     [](std::uint64_t r, std::size_t i) { return i == 5000 ? r : (r % 2 + 1) << 58; }},
    {"one value", [](std::uint64_t, std::size_t) { return std::uint64_t{7} << 40; }},
    {"mostly one value",
     [](std::uint64_t r, std::size_t) { return r % 8 == 0 ? r : std::uint64_t{1} << 50; }},
    {"few values and two corners",
     [](std::uint64_t r, std::size_t) {
       return r % 2 == 0 ? r % 3 << 40 : (r & std::uint64_t{1} << 63) + (r >> 52 << 32);
     }},
    {"outliers",
     [](std::uint64_t r, std::size_t i) {
       return i == 1 ? 0 : i == 2 ? ~std::uint64_t{0} : (std::uint64_t{1} << 63) + (r >> 24);
     }},
    {"few bits",  // each with one chance in 16
     [](std::uint64_t r, std::size_t) {
       std::uint64_t bits = r;
       for (int k = 0; k < 3; ++k) {
         r = r * 6364136223846793005u + 1442695040888963407u;
         bits &= r ^ r >> 32;
       }
       return bits;
     }},
    {"ascending", [](std::uint64_t, std::size_t i) { return std::uint64_t{i} << 40; }},
    {"descending", [](std::uint64_t, std::size_t i) { return ~(std::uint64_t{i} << 40); }},
};
