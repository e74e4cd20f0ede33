// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "gallery/all_paths.hpp"
#include "gallery/k_means.hpp"
#include "gallery/log_groups.hpp"
#include "gallery/pipeline.hpp"
#include "gallery/thumbnail.hpp"

// The programs of the gallery as users of OpenMP, oneTBB and FFTW write them. What is done with one
// element (a pixel, a row, a line, a house) is the gallery's; how elements are gone through,
// sorted, summed up and transformed is theirs.
namespace pleat::bench {

inline constexpr std::size_t colours = 16;

/// Loops with directives, reductions of OpenMP 4.
namespace openmp {

using namespace gallery;

clusters<colours> k_means(unsigned threads, std::span<const pixel> pixels,
                          palette<colours>& centres, std::size_t rounds);
picture thumbnail(unsigned threads, const picture& in, std::size_t times);
std::vector<joint> join_neighbours(unsigned threads, std::span<const house> houses,
                                   std::span<const std::uint32_t> begins, map_size map);
std::vector<float> district_streets(unsigned threads, std::span<const house> houses,
                                    std::span<const joint> joints, map_size map);
/// One table of each thread, by hash, then of all.
std::vector<page_report> report_pages(unsigned threads, std::string_view text);

/// Sweeps over all cells, one for each step. Compiled for this very processor, as are the paths.
std::vector<double> spread_noise(unsigned threads, std::span<const std::uint32_t> begins,
                                 map_size map, std::size_t steps);
/// Floyd's algorithm in blocks that stay in a cache.
void find_lengths(unsigned threads, std::vector<float>& lengths, std::size_t n);
/// Finds shortest paths, and notes the last place on each path. Source: Venkataraman, Sahni,
/// Mukhopadhyaya, A Blocked All-Pairs Shortest-Paths Algorithm, 2003.
shortest_paths find_paths(unsigned threads, std::vector<float> streets, std::size_t n);

}  // namespace openmp

/// parallel_sort, parallel_for, parallel_reduce, parallel_scan.
namespace onetbb {

using namespace gallery;

clusters<colours> k_means(unsigned threads, std::span<const pixel> pixels,
                          palette<colours>& centres, std::size_t rounds);
picture thumbnail(unsigned threads, const picture& in, std::size_t times);
std::vector<std::uint32_t> sort_by_cell(unsigned threads, std::span<house> houses, map_size map);
std::vector<joint> join_neighbours(unsigned threads, std::span<const house> houses,
                                   std::span<const std::uint32_t> begins, map_size map);
void sort_joints(unsigned threads, std::span<joint> joints);
std::vector<double> total_lengths(unsigned threads, std::span<const joint> joints);
std::vector<page_report> report_pages(unsigned threads, std::string_view text);

}  // namespace onetbb

/// Two real transforms there and back: FFTW has real ones of two dimensions. Planned beforehand.
class fftw_poisson {
 public:
  fftw_poisson(std::size_t n, unsigned threads);
  ~fftw_poisson();
  fftw_poisson(const fftw_poisson&) = delete;
  fftw_poisson& operator=(const fftw_poisson&) = delete;

  /// The n × n numbers of the first (0) or second (1) right-hand side, which become the solution.
  [[nodiscard]] std::span<double> side_of(int which) const;
  void solve();

 private:
  struct plans;
  std::unique_ptr<plans> plans_;
};

}  // namespace pleat::bench
