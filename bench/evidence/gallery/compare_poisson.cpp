// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <complex>
#include <cstddef>
#include <memory>
#include <random>
#include <vector>

#include "evidence/gallery/rivals/gallery_rivals.hpp"
#include "gallery/poisson.hpp"
#include "gallery_benchmark.hpp"
#include "pleat_rivals_linked.hpp"
#include "poisson_check.hpp"

namespace pleat::bench {

void measure_poisson(testbed& on, const benchmark_options& options, const runner& run) {
  const std::size_t n = options.n.value_or(1024);
  [[maybe_unused]] const unsigned threads = on.ours.processors();
  std::vector<std::complex<double>> given(n * n);
  std::mt19937_64 random(options.seed);
  std::normal_distribution<double> normal;
  for (auto& x : given) x = {normal(random), normal(random)};

  std::vector<std::complex<double>> u;
  compared_program program{.measure = "two right-hand sides",
                           .n = n,
                           .prepare = [&] { u = given; },
                           .right = [&] { return solves_poisson(u, given, n, n); }};
  comparison compared = comparison_of(program, on, options, [&] {
    gallery::solve_poisson(on.ours, gallery::field(u.data(), n, n, n));
  });
#if PLEAT_WITH_FFTW
  const auto make = [&]() -> candidate {
    const auto rival = std::make_shared<fftw_poisson>(n, threads);
    program.prepare = [&, rival] {
      for (std::size_t i = 0; i < given.size(); ++i) {
        rival->side_of(0)[i] = given[i].real();
        rival->side_of(1)[i] = given[i].imag();
      }
    };
    program.right = [&, rival] {
      for (std::size_t i = 0; i < u.size(); ++i)
        u[i] = {rival->side_of(0)[i], rival->side_of(1)[i]};
      return solves_poisson(u, given, n, n);
    };
    return timed(program, "fftw-measure", [rival] { rival->solve(); });
  };
#else
  const auto make = [] { return candidate(); };
#endif
  compared.add_rival(options, "fftw-measure", make);
  run(compared);
}

}  // namespace pleat::bench
