// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "gallery_benchmark.hpp"
#include "k_means_check.hpp"

namespace pleat::bench {

void measure_k_means(testbed& on, const benchmark_options& options, const runner& run) {
  constexpr std::size_t rounds = 20;
  const std::size_t side = options.n.value_or(1024);
  const unsigned threads = on.ours.processors();
  const gallery::picture shown = gallery::made_picture(side, side, options.seed);
  const auto first = gallery::first_centres<colours>(shown.pixels);
  std::vector<std::array<float, 3>> expected(colours);
  for (std::size_t i = 0; i < colours; ++i)
    for (std::size_t c = 0; c < 3; ++c) expected[i][c] = first[c][i];
  const auto counts = serial_k_means(shown, rounds, expected);

  auto centres = first;
  gallery::clusters<colours> found;
  const compared_program program{.measure = "20 rounds, 16 colours",
                                 .n = side,
                                 .prepare = [&] { centres = first; },
                                 .right =
                                     [&] {
                                       bool same = std::ranges::equal(found.count, counts);
                                       for (std::size_t i = 0; i < colours; ++i)
                                         for (std::size_t c = 0; c < 3; ++c)
                                           same = same && centres[c][i] == expected[i][c];
                                       return same;
                                     }};
  comparison compared = comparison_of(program, on, options, [&] {
    found = gallery::k_means<colours>(on.ours, shown.pixels, centres, rounds);
  });
  add_openmp(compared, options, program, threads, [&](auto workers) {
    found = openmp::k_means(workers, shown.pixels, centres, rounds);
  });
  add_tbb(compared, options, program, threads,
          [&](auto workers) { found = onetbb::k_means(workers, shown.pixels, centres, rounds); });
  run(compared);
}

}  // namespace pleat::bench
