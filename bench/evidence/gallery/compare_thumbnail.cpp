// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>

#include "gallery_benchmark.hpp"
#include "thumbnail_check.hpp"

namespace pleat::bench {

void measure_thumbnail(testbed& on, const benchmark_options& options, const runner& run) {
  constexpr std::size_t times = 4;
  const std::size_t side = options.n.value_or(2048);
  const unsigned threads = on.ours.processors();
  const gallery::picture large = gallery::made_picture(side, side, options.seed);
  gallery::picture small;
  const thumbnail_check check(large, times);
  const compared_program program{
      .measure = "blur, and a fourth of the size",
      .n = side,
      .prepare = [&] { small = {}; },
      .right = [&] { return check.right(small, 1 + small.pixels.size() / 4000); }};
  comparison compared = comparison_of(program, on, options,
                                      [&] { small = gallery::thumbnail(on.ours, large, times); });
  add_openmp(compared, options, program, threads,
             [&](auto workers) { small = openmp::thumbnail(workers, large, times); });
  add_tbb(compared, options, program, threads,
          [&](auto workers) { small = onetbb::thumbnail(workers, large, times); });
  run(compared);
}

}  // namespace pleat::bench
