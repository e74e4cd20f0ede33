// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <span>

#include "gallery_benchmark.hpp"

namespace pleat::bench {
namespace {

constexpr benchmark program(std::string_view name, std::string_view summary,
                            std::string_view n_means,
                            void (*measure)(testbed&, const benchmark_options&, const runner&),
                            std::string_view rivals, std::size_t least_n, std::size_t most_n) {
  return {.name = name,
          .group = "gallery",
          .summary = summary,
          .n_means = n_means,
          .measure = measure,
          .rivals = rivals,
          .least_n = least_n,
          .most_n = most_n};
}

constexpr std::array benchmarks{
    program("pipeline", "houses on a map: cells, neighbours, lengths, noise, ways", "houses",
            measure_pipeline, "openmp, tbb", 1, std::size_t{1} << 28),
    program("k-means", "20 rounds of 16 colours for a picture", "pixels of a side", measure_k_means,
            "openmp, tbb", 1, std::size_t{1} << 15),
    program("thumbnail", "a picture blurred and made four times as small", "pixels of a side",
            measure_thumbnail, "openmp, tbb", 1, std::size_t{1} << 15),
    program("all-paths", "all shortest paths of a network", "places", measure_all_paths, "openmp",
            2, std::size_t{1} << 15),
    program("poisson", "two of Poisson's equations on a torus", "points of a side", measure_poisson,
            "fftw-measure", 2, std::size_t{1} << 15),
    program("log-groups", "a log parsed and grouped by page", "lines", measure_log_groups,
            "openmp, tbb", 1, std::size_t{1} << 28),
};

}  // namespace

std::span<const benchmark> gallery_benchmarks() { return benchmarks; }

}  // namespace pleat::bench
