// SPDX-License-Identifier: Apache-2.0
//
// Houses on a square map, step by step: sorted by the cell they lie in; joined to their nearest
// neighbours; these joints from the shortest to the longest, with running totals of their lengths;
// how noise spreads from where houses are dense; and the shortest ways between districts.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include <pleat/oblivious/aggregate.hpp>
#include <pleat/oblivious/for_each.hpp>
#include <pleat/oblivious/histogram.hpp>
#include <pleat/oblivious/scan.hpp>
#include <pleat/oblivious/sort.hpp>
#include <pleat/oblivious/stencil.hpp>
#include <pleat/oblivious/transform.hpp>

#include "all_paths.hpp"

namespace gallery {

struct house {
  float x, y;
};  ///< from 0 to less than 1
struct joint {
  float length;
  std::uint32_t from, to;
};

inline constexpr std::size_t neighbours = 4;

/// A map of side × side cells, and a coarser one of districts.
struct map_size {
  std::uint32_t cells = 512, districts = 32;  ///< in a row

  [[nodiscard]] std::uint32_t cell_of(house h) const { return place(h, cells); }
  [[nodiscard]] std::uint32_t district_of(house h) const { return place(h, districts); }
  [[nodiscard]] static std::uint32_t place(house h, std::uint32_t side) {
    const auto along = [side](float x) {
      return std::min(side - 1, static_cast<std::uint32_t>(x * static_cast<float>(side)));
    };
    return along(h.y) * side + along(h.x);
  }
};

/// Houses in any order, more of them in the north.
inline std::vector<house> made_houses(std::size_t n, std::uint64_t seed) {
  std::vector<house> houses(n);
  std::mt19937_64 random(seed);
  const auto unit = [&random] { return static_cast<float>(random() >> 40) * 0x1p-24f; };
  for (house& h : houses) {
    h.x = unit();
    h.y = unit();
    h.y *= unit();
  }
  return houses;
}

/// Sorts houses by cell; returns where each cell begins, and the end of the last one.
inline std::vector<std::uint32_t> sort_by_cell(pleat::machine& on, std::span<house> houses,
                                               map_size map) {
  const auto cell_of = [map](house h) { return map.cell_of(h); };
  pleat::sort(on, houses, {}, cell_of);
  std::vector<std::uint32_t> begins(std::size_t{map.cells} * map.cells + 1);
  pleat::histogram(on, houses, begins, cell_of);
  pleat::exclusive_scan(on, begins, begins, std::uint32_t{0});
  return begins;
}

/// The joints of house i to its nearest neighbours in its own and the eight cells around; of
/// infinite length where there are fewer.
inline void join_house(std::span<const house> houses, std::span<const std::uint32_t> begins,
                       map_size map, std::uint32_t i, joint* to) {
  const house here = houses[i];
  std::fill_n(to, neighbours, joint{std::numeric_limits<float>::infinity(), i, i});
  const std::uint32_t side = map.cells, cell = map.cell_of(here);
  const std::uint32_t cx = cell % side, cy = cell / side;
  for (std::uint32_t y = cy - std::min(cy, 1u); y <= std::min(cy + 1, side - 1); ++y) {
    const std::uint32_t left = y * side + cx - std::min(cx, 1u);
    const std::uint32_t right = y * side + std::min(cx + 1, side - 1);
    for (std::uint32_t j = begins[left]; j < begins[right + 1]; ++j) {
      if (j == i) continue;
      const float dx = houses[j].x - here.x, dy = houses[j].y - here.y;
      joint next{std::sqrt(dx * dx + dy * dy), i, j};
      if (next.length >= to[neighbours - 1].length) continue;
      for (std::size_t k = 0; k < neighbours; ++k)
        if (next.length < to[k].length) std::swap(next, to[k]);
    }
  }
}

inline std::vector<joint> join_neighbours(pleat::machine& on, std::span<const house> houses,
                                          std::span<const std::uint32_t> begins, map_size map) {
  std::vector<joint> joints(neighbours * houses.size());
  pleat::for_each_index(
      on, static_cast<std::uint32_t>(houses.size()),
      [&](std::uint32_t i) { join_house(houses, begins, map, i, &joints[neighbours * i]); },
      {.chunk = 1024});
  return joints;
}

inline void sort_joints(pleat::machine& on, std::span<joint> joints) {
  pleat::sort(on, joints, {}, &joint::length);
}

/// Running totals: the length of each joint and all shorter ones together.
inline std::vector<double> total_lengths(pleat::machine& on, std::span<const joint> joints) {
  std::vector<double> totals(joints.size());
  pleat::inclusive_scan(on, joints, totals, std::plus<>(),
                        [](const joint& one) { return static_cast<double>(one.length); });
  return totals;
}

/// The noise of each cell: at first its houses, then after so many steps in which it spreads.
inline std::vector<double> spread_noise(pleat::machine& on, std::span<const std::uint32_t> begins,
                                        map_size map, std::size_t steps) {
  std::vector<double> noise(begins.size() - 1);
  pleat::transform(on, begins.subspan(1), begins, noise, std::minus<>());
  pleat::stencil(on, pleat::grid_view<double, 2>(noise.data(), {map.cells, map.cells}), steps,
                 [](const auto& u) {
                   return 0.5 * u(0, 0) + 0.125 * (u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1));
                 },
                 {.edges = pleat::boundary::reflecting});
  return noise;
}

/// The lengths of streets between districts: the width of one, and the shortest joint that leads
/// from one into the other.
/// Requires: joints from the shortest to the longest.
inline std::vector<float> district_streets(pleat::machine& on, std::span<const house> houses,
                                           std::span<const joint> joints, map_size map) {
  const std::size_t n = std::size_t{map.districts} * map.districts;
  const auto district = [&](std::uint32_t i) { return map.district_of(houses[i]); };
  const std::vector<joint> across = pleat::aggregate(
      on, joints, std::vector<joint>(),
      [&](std::vector<joint>& some, const joint& one) {
        if (district(one.from) != district(one.to)) some.push_back(one);
      },
      [](std::vector<joint> some, const std::vector<joint>& next) {
        some.insert(some.end(), next.begin(), next.end());
        return some;
      });
  const float width = 1 / static_cast<float>(map.districts);
  std::vector<float> streets(n * n, no_path);
  for (auto one = across.rbegin(); one != across.rend(); ++one) {  // the shortest at last
    const std::size_t u = district(one->from), v = district(one->to);
    streets[u * n + v] = streets[v * n + u] = width + one->length;
  }
  for (std::size_t u = 0; u < n; ++u) streets[u * n + u] = 0;
  return streets;
}

}  // namespace gallery
