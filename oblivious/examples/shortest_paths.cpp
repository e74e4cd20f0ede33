// SPDX-License-Identifier: Apache-2.0
//
// All shortest paths of a road network, by multiplying its matrix of distances with itself over
// (min, +): each product doubles the number of streets a path may have. The indices of the minima
// say where to change from one half of a path to the other, and so give the paths themselves.
//
//     shortest_paths [roads.txt [from to]]

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <pleat/oblivious/matmul.hpp>

namespace {

constexpr double no_path = std::numeric_limits<double>::infinity();

struct street {
  std::size_t from, to;
  double metres;
  bool one_way;
};

std::vector<street> read_streets(const std::string& name) {
  std::ifstream file(name);
  if (!file) throw std::runtime_error("cannot read " + name + ": give the name of a road network");
  std::vector<street> streets;
  std::size_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.empty() || line.front() == '#') continue;
    std::istringstream words(line);
    street one{};
    std::string way;
    if (!(words >> one.from >> one.to >> one.metres) || one.metres < 0)
      throw std::runtime_error(name + ", line " + std::to_string(number) +
                               ": a street is two crossings and its metres");
    words >> way;
    one.one_way = way == "one-way";
    streets.push_back(one);
  }
  return streets;
}

/// Shortest paths between all pairs of n crossings, and for each number of products the crossing
/// in the middle of each path it found.
class road_network {
 public:
  explicit road_network(const std::vector<street>& streets) {
    for (const street& s : streets) n_ = std::max({n_, s.from + 1, s.to + 1});
    distance_.assign(n_ * n_, no_path);
    for (std::size_t u = 0; u < n_; ++u) distance_[u * n_ + u] = 0;
    for (const street& s : streets) {
      improve(s.from, s.to, s.metres);
      if (!s.one_way) improve(s.to, s.from, s.metres);
    }
  }

  void find_all_paths(pleat::machine& machine) {
    for (std::size_t streets = 1; streets < n_; streets *= 2) {
      std::vector<double> longer = distance_;
      std::vector<std::int64_t> middle(n_ * n_, -1);  // stays where two halves are no shorter
      const pleat::strided_view<const double> d(distance_.data(), n_, n_, n_);
      pleat::matmul_argmin(machine, d, d, pleat::strided_view<double>(longer.data(), n_, n_, n_),
                           pleat::strided_view<std::int64_t>(middle.data(), n_, n_, n_),
                           {.accumulate = true});
      const bool done = longer == distance_;
      distance_ = std::move(longer);
      if (done) break;
      middles_.push_back(std::move(middle));
    }
  }

  [[nodiscard]] std::size_t crossings() const { return n_; }
  [[nodiscard]] double distance(std::size_t u, std::size_t v) const {
    return distance_[u * n_ + v];
  }
  [[nodiscard]] std::vector<std::size_t> path(std::size_t u, std::size_t v) const {
    std::vector<std::size_t> crossings{u};
    if (u != v) append(crossings, u, v, middles_.size());
    return crossings;
  }

 private:
  void improve(std::size_t u, std::size_t v, double metres) {
    distance_[u * n_ + v] = std::min(distance_[u * n_ + v], metres);
  }
  /// The crossings after u of the path to v that the first `products` products found.
  void append(std::vector<std::size_t>& crossings, std::size_t u, std::size_t v,
              std::size_t products) const {
    std::int64_t middle = -1;
    while (products > 0 && (middle = middles_[products - 1][u * n_ + v]) < 0) --products;
    if (products == 0) return crossings.push_back(v);
    append(crossings, u, static_cast<std::size_t>(middle), products - 1);
    append(crossings, static_cast<std::size_t>(middle), v, products - 1);
  }

  std::size_t n_ = 0;
  std::vector<double> distance_;
  std::vector<std::vector<std::int64_t>> middles_;
};

/// Verifies that every path is made of streets that add up to its length.
void verify(const road_network& roads, const std::vector<street>& streets) {
  for (const street& s : streets)
    if (roads.distance(s.from, s.to) > s.metres)
      throw std::runtime_error("a street is shorter than the shortest path");
  for (std::size_t u = 0; u < roads.crossings(); ++u)
    for (std::size_t v = 0; v < roads.crossings(); ++v) {
      if (roads.distance(u, v) == no_path) continue;
      const std::vector<std::size_t> path = roads.path(u, v);
      double metres = 0;
      for (std::size_t i = 1; i < path.size(); ++i) {
        double step = no_path;
        for (const street& s : streets) {
          const bool there = s.from == path[i - 1] && s.to == path[i];
          const bool back = !s.one_way && s.to == path[i - 1] && s.from == path[i];
          if (there || back) step = std::min(step, s.metres);
        }
        metres += step;
      }
      if (std::abs(metres - roads.distance(u, v)) > 1e-6)
        throw std::runtime_error("a path is not as long as its streets");
    }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::vector<street> streets = read_streets(argc > 1 ? argv[1] : PLEAT_ROADS);
    road_network roads(streets);
    pleat::machine machine;
    roads.find_all_paths(machine);
    verify(roads, streets);
    const std::size_t from = argc > 3 ? std::stoul(argv[2]) : 0;
    const std::size_t to = argc > 3 ? std::stoul(argv[3]) : roads.crossings() - 1;
    if (std::max(from, to) >= roads.crossings())
      throw std::runtime_error("crossings are numbered from 0 to " +
                               std::to_string(roads.crossings() - 1));
    if (roads.distance(from, to) == no_path)
      throw std::runtime_error("there is no way from the first to the second");
    std::printf("%g metres:", roads.distance(from, to));
    for (const std::size_t crossing : roads.path(from, to)) std::printf(" %zu", crossing);
    std::printf("\n");
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "shortest_paths: %s\n", failure.what());
    return 1;
  }
}
