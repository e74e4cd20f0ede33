// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gallery_benchmark.hpp"
#include "paths_check.hpp"
#include "pipeline_check.hpp"

namespace pleat::bench {
namespace {

using namespace gallery;

constexpr map_size map{.cells = 512, .districts = 32};
constexpr std::size_t districts = std::size_t{map.districts} * map.districts;
constexpr std::size_t steps = 200;

/// Input and result of each step.
struct pipeline_data {
  std::vector<house> made, houses;
  std::vector<std::uint32_t> begins;
  std::vector<joint> unordered, joints;
  std::vector<double> totals, noise;
  std::vector<float> streets, ways;

  /// Runs all steps of ours.
  void run(machine& on) {
    houses = made;
    begins = gallery::sort_by_cell(on, houses, map);
    unordered = gallery::join_neighbours(on, houses, begins, map);
    joints = unordered;
    gallery::sort_joints(on, joints);
    streets = gallery::district_streets(on, houses, joints, map);
  }
};

/// The measurements of the steps, one after the other.
class pipeline_steps {
 public:
  pipeline_steps(testbed& on, const benchmark_options& options, const runner& run)
      : on_(on), options_(options), run_(run), threads_(on.ours.processors()) {
    data_.made = made_houses(options.n.value_or(std::size_t{1} << 19), options.seed);
    data_.run(on.ours);
  }

  void cells() {
    pipeline_data& d = data_;
    std::vector<house> houses;
    std::vector<std::uint32_t> begins;
    const auto program = step(
        "houses sorted by cell", [&] { houses = d.made; },
        [&] { return cells_right(d.made, houses, begins, map.cells); });
    comparison all = by_us(program, [&] { begins = gallery::sort_by_cell(on_.ours, houses, map); });
    add_tbb(all, options_, program, threads_,
            [&](auto workers) { begins = onetbb::sort_by_cell(workers, houses, map); });
    run_(all);
  }

  void neighbours_of_all() {
    pipeline_data& d = data_;
    std::vector<joint> joints;
    const std::size_t every = 1 + d.houses.size() / 50;
    const auto program = step(
        "nearest neighbours", [&] { joints = {}; },
        [&] { return joints_right(d.houses, joints, map.cells, every); });
    comparison all = by_us(
        program, [&] { joints = gallery::join_neighbours(on_.ours, d.houses, d.begins, map); });
    add_openmp(all, options_, program, threads_, [&](auto workers) {
      joints = openmp::join_neighbours(workers, d.houses, d.begins, map);
    });
    add_tbb(all, options_, program, threads_, [&](auto workers) {
      joints = onetbb::join_neighbours(workers, d.houses, d.begins, map);
    });
    run_(all);
  }

  void order() {
    pipeline_data& d = data_;
    std::vector<joint> joints;
    const auto program = step(
        "joints sorted by length", [&] { joints = d.unordered; },
        [&] { return order_right(d.unordered, joints); });
    comparison all = by_us(program, [&] { gallery::sort_joints(on_.ours, joints); });
    add_tbb(all, options_, program, threads_,
            [&](auto workers) { onetbb::sort_joints(workers, joints); });
    run_(all);
  }

  void totals() {
    pipeline_data& d = data_;
    const auto program = step(
        "running totals", [&] { d.totals = {}; }, [&] { return totals_right(d.joints, d.totals); });
    comparison all = by_us(program, [&] { d.totals = gallery::total_lengths(on_.ours, d.joints); });
    add_tbb(all, options_, program, threads_,
            [&](auto workers) { d.totals = onetbb::total_lengths(workers, d.joints); });
    run_(all);
  }

  void noise() {
    pipeline_data& d = data_;
    const auto program = step(
        "200 steps of noise on 512 x 512 cells", [&] { d.noise = {}; },
        [&] { return noise_right(d.begins, map.cells, steps, d.noise); });
    comparison all =
        by_us(program, [&] { d.noise = gallery::spread_noise(on_.ours, d.begins, map, steps); });
    add_openmp(all, options_, program, threads_, [&](auto workers) {
      d.noise = openmp::spread_noise(workers, d.begins, map, steps);
    });
    run_(all);
  }

  void streets() {
    pipeline_data& d = data_;
    std::vector<float> streets;
    const auto program = step(
        "streets between districts", [&] { streets = {}; },
        [&] { return streets_right(d.houses, d.joints, map.districts, streets); });
    comparison all = by_us(
        program, [&] { streets = gallery::district_streets(on_.ours, d.houses, d.joints, map); });
    add_openmp(all, options_, program, threads_, [&](auto workers) {
      streets = openmp::district_streets(workers, d.houses, d.joints, map);
    });
    run_(all);
  }

  void ways() {
    pipeline_data& d = data_;
    const auto program = step(
        "shortest ways between 1024 districts", [&] { d.ways = d.streets; },
        [&] { return lengths_right(d.streets, districts, d.ways, 64); });
    comparison all = by_us(program, [&] {
      closure<min_plus>(on_.ours, gallery::matrix(d.ways.data(), districts, districts, districts));
    });
    add_openmp(all, options_, program, threads_,
               [&](auto workers) { openmp::find_lengths(workers, d.ways, districts); });
    run_(all);
  }

 private:
  [[nodiscard]] compared_program step(const char* measure, const std::function<void()>& prepare,
                                      const std::function<bool()>& right) const {
    return {.measure = measure, .n = data_.made.size(), .prepare = prepare, .right = right};
  }
  [[nodiscard]] comparison by_us(const compared_program& program,
                                 const std::function<void()>& work) const {
    return comparison_of(program, on_, options_, work);
  }

  testbed& on_;
  const benchmark_options& options_;
  const runner& run_;
  unsigned threads_;
  pipeline_data data_;
};

}  // namespace

void measure_pipeline(testbed& on, const benchmark_options& options, const runner& run) {
  pipeline_steps all(on, options, run);
  all.cells();
  all.neighbours_of_all();
  all.order();
  all.totals();
  all.noise();
  all.streets();
  all.ways();
}

}  // namespace pleat::bench
