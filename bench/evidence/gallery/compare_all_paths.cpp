// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

#include "gallery_benchmark.hpp"
#include "paths_check.hpp"

namespace pleat::bench {
namespace {

/// A fourth of all pairs have a street, of a random length.
std::vector<float> made_streets(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<float> streets(n * n, gallery::no_path);
  for (std::size_t u = 0; u < n; ++u)
    for (std::size_t v = 0; v < n; ++v)
      if (u != v && random() % 4 == 0)
        streets[u * n + v] = 1 + static_cast<float>(random() % 100'000) / 64;
  return streets;
}

}  // namespace

void measure_all_paths(testbed& on, const benchmark_options& options, const runner& run) {
  const std::size_t n = options.n.value_or(1024);
  const unsigned threads = on.ours.processors();
  const std::vector<float> streets = made_streets(n, options.seed);
  gallery::shortest_paths all;
  const auto right = [&] {
    const std::size_t every = 1 + n / 32;
    if (!lengths_right(streets, n, all.length, every)) return false;
    for (std::size_t u = 0; u < n; u += every)
      for (std::size_t v = 0; v < n; ++v)
        if (!path_right(streets, n, all.path(u, v), u, v, all.length[u * n + v])) return false;
    return true;
  };
  const compared_program program{.measure = "lengths and paths, of a fourth of all streets",
                                 .n = n,
                                 .prepare = [&] { all = {}; },
                                 .right = right};
  comparison compared =
      comparison_of(program, on, options, [&] { all = gallery::find_paths(on.ours, streets, n); });
  add_openmp(compared, options, program, threads,
             [&](auto workers) { all = openmp::find_paths(workers, streets, n); });
  run(compared);
}

}  // namespace pleat::bench
