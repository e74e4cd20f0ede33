// SPDX-License-Identifier: Apache-2.0
//
// The shortest path between two places of a network, of which every line names two places and the
// length of the street between them, in both directions.
//
//     all_paths [network.txt from to]
#include "all_paths.hpp"

#include <cmath>
#include <cstdio>
#include <exception>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string>
#include <tuple>

#include <pleat/runtime/machine.hpp>

namespace {

struct network {
  std::size_t n = 0;
  std::vector<float> streets;
};

network network_of(const std::vector<std::tuple<std::size_t, std::size_t, float>>& lines) {
  network made;
  for (const auto& [u, v, length] : lines) made.n = std::max({made.n, u + 1, v + 1});
  made.streets.assign(made.n * made.n, gallery::no_path);
  for (const auto& [u, v, length] : lines) {
    float& there = made.streets[u * made.n + v];
    float& back = made.streets[v * made.n + u];
    there = back = std::min(there, length);
  }
  return made;
}

network read_network(const std::string& name) {
  std::ifstream file(name);
  if (!file) throw std::runtime_error("cannot read " + name + ": give it a network");
  std::vector<std::tuple<std::size_t, std::size_t, float>> lines;
  std::size_t u = 0, v = 0;
  float length = 0;
  while (file >> u >> v >> length) {
    if (std::max(u, v) > 20'000 || !(length > 0))
      throw std::runtime_error(name + ", line " + std::to_string(lines.size() + 1) +
                               ": places are below 20000 and lengths above 0");
    lines.emplace_back(u, v, length);
  }
  if (!file.eof()) throw std::runtime_error(name + ": a line is two places and a length");
  return network_of(lines);
}

/// A ring of n places, with streets across.
network made_network(std::size_t n) {
  std::mt19937_64 random(1);
  std::vector<std::tuple<std::size_t, std::size_t, float>> lines;
  for (std::size_t u = 0; u < n; ++u) {
    lines.emplace_back(u, (u + 1) % n, 10);
    lines.emplace_back(u, random() % n, static_cast<float>(50 + random() % 100));
  }
  return network_of(lines);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const network roads = argc > 3 ? read_network(argv[1]) : made_network(300);
    const std::size_t from = argc > 3 ? std::stoul(argv[2]) : 0;
    const std::size_t to = argc > 3 ? std::stoul(argv[3]) : 150;
    if (std::max(from, to) >= roads.n) throw std::runtime_error("there is no such place");
    pleat::machine machine;
    const gallery::shortest_paths all = gallery::find_paths(machine, roads.streets, roads.n);
    const std::vector<std::size_t> path = all.path(from, to);
    if (path.empty()) throw std::runtime_error("no path leads there");

    float length = 0;
    std::printf("%g:", all.length[from * roads.n + to]);
    for (std::size_t i = 0; i < path.size(); ++i) {
      if (i > 0) length += roads.streets[path[i - 1] * roads.n + path[i]];
      std::printf(" %zu", path[i]);
    }
    std::printf("\n");
    return std::abs(length - all.length[from * roads.n + to]) <= 1e-4f * length ? 0 : 1;
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "all_paths: %s\n", failure.what());
    return 1;
  }
}
