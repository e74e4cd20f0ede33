// SPDX-License-Identifier: Apache-2.0
//
// Houses on a map, from a file of lines "x y" with numbers from 0 to 1, or made: their cells,
// neighbours, noise and ways.
//
//     pipeline [houses.txt]
#include "pipeline.hpp"

#include <cstdio>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>

#include <pleat/oblivious/reduce.hpp>
#include <pleat/oblivious/search.hpp>
#include <pleat/runtime/machine.hpp>

namespace {

std::vector<gallery::house> read_houses(const std::string& name) {
  std::ifstream file(name);
  std::vector<gallery::house> houses;
  for (gallery::house h{}; file >> h.x >> h.y; houses.push_back(h))
    if (!(h.x >= 0 && h.x < 1 && h.y >= 0 && h.y < 1))
      throw std::runtime_error(name + ", house " + std::to_string(houses.size() + 1) +
                               ": x and y are from 0 to less than 1");
  if (!file.eof() || houses.empty())
    throw std::runtime_error("cannot read " + name + ": every line is a house's x and y");
  return houses;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    using namespace gallery;
    std::vector<house> houses = argc > 1 ? read_houses(argv[1]) : made_houses(60'000, 1);
    const map_size map{.cells = 128, .districts = 16};
    pleat::machine on;

    const std::vector<std::uint32_t> begins = sort_by_cell(on, houses, map);
    std::vector<joint> joints = join_neighbours(on, houses, begins, map);
    sort_joints(on, joints);
    const joint none{no_path, 0, 0};  // of houses that have too few neighbours
    joints.resize(static_cast<std::size_t>(
        std::ranges::lower_bound(joints, none.length, {}, &joint::length) - joints.begin()));
    const std::vector<double> totals = total_lengths(on, joints);
    if (!totals.empty())
      std::printf("%zu houses, %zu joints of %.2f in all; the shorter half: %.2f\n", houses.size(),
                  joints.size(), totals.back(), totals[totals.size() / 2]);

    const std::vector<double> noise = spread_noise(on, begins, map, 100);
    const auto loudest = static_cast<std::size_t>(pleat::max_element(on, noise) - noise.begin());
    std::printf("loudest in cell (%zu, %zu): %.2f\n", loudest % map.cells, loudest / map.cells,
                noise[loudest]);

    std::vector<float> ways = district_streets(on, houses, joints, map);
    const std::size_t n = std::size_t{map.districts} * map.districts;
    pleat::closure<pleat::min_plus>(on, matrix(ways.data(), n, n, n));
    const float longest = pleat::transform_reduce(
        on, ways, 0.0f, pleat::maximum(), [](float way) { return way == no_path ? 0 : way; });
    std::printf("the farthest districts that are joined: %.3f\n", longest);

    const double heard = pleat::reduce(on, noise, 0.0);
    const auto all = static_cast<double>(houses.size());
    return std::abs(heard - all) < 1e-6 * all ? 0 : 1;
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "pipeline: %s\n", failure.what());
    return 1;
  }
}
