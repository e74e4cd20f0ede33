// SPDX-License-Identifier: Apache-2.0
#include "evaluated_program.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <unistd.h>

#include <pleat/runtime/error.hpp>

#include "measure/clock.hpp"
#include "measure/machine_state.hpp"
#include "tool/printable.hpp"
#include "tool/terminal.hpp"
#include "tool/words.hpp"

namespace pleat::bench {
namespace {

// Memory that processes can allocate without swapping; without /proc, all physical memory.
double available_bytes() {
  const auto line = value_of("/proc/meminfo", "MemAvailable");  // "8101096 kB"
  if (line) return 1024 * std::strtod(line->c_str(), nullptr);
  return static_cast<double>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<double>(::sysconf(_SC_PAGESIZE));
}

// Programs of the library that cannot be counted: their VPs follow pointers through common memory.
// With messages, each pointer would take a superstep.
constexpr std::array<std::string_view, 2> not_counted{"connected-components", "list-rank"};

}  // namespace

const std::vector<evaluated_program>& evaluated_programs() {
#define PLEAT_CALLED(problem) problem##_evaluations(),
  static const auto all = joined<evaluated_program>({PLEAT_EVALUATE_PROBLEMS(PLEAT_CALLED)});
#undef PLEAT_CALLED
  return all;
}

void require_memory(double bytes, std::string_view option, const std::string& what) {
  if (const double most = available_bytes(); bytes > most)
    throw environment_error(std::string(option) + ": " + what + ": these take " +
                            readable_bytes(bytes) + " at least, and " + readable_bytes(most) +
                            " are available; take a smaller n");
}

void announce_runs(const evaluated_program& program, std::size_t n, unsigned runs) {
  std::size_t large = 1024;
  if (n <= 4 * large) return;
  while (!program.sizes.accepts(large)) large *= 2;
  std::size_t small = large / 4;
  while (!program.sizes.accepts(small)) small /= 2;
  constexpr double least_bytes = 1024;  // of a virtual processor: its frame, boxes and counters
  const double bytes = least_bytes * static_cast<double>(n);
  const std::string size = std::string(program.name) + " of n = " + readable_count(n);
  require_memory(bytes, "--n", size + " has as many virtual processors");
  const auto seconds = [&](std::size_t of) {
    const auto start = benchmark_clock::now();
    static_cast<void>(program.run({.n = of}));
    return seconds_since(start);
  };
  static_cast<void>(seconds(small));  // warm-up
  const double first = seconds(small), second = seconds(large);
  const double power =
      std::max(1.0, std::log(second / first) /
                        std::log(static_cast<double>(large) / static_cast<double>(small)));
  const double all =
      runs * second * std::pow(static_cast<double>(n) / static_cast<double>(large), power);
  constexpr double long_wait = 5;
  if (all > long_wait)
    note(size + " takes about " + readable_time(all) + " and " + readable_bytes(bytes) +
         " at least; smaller sizes show the same");
}

std::string evaluated_program_names() {
  return names_of(evaluated_programs(), &evaluated_program::name);
}

const evaluated_program& find_evaluated_program(std::string_view name) {
  if (std::ranges::find(not_counted, name) != not_counted.end())
    throw usage_error(std::string(name) +
                      " follows pointers through common memory, which are no messages to count; "
                      "`pleat compare " +
                      std::string(name) + "` measures it");
  const auto found = std::ranges::find(evaluated_programs(), name, &evaluated_program::name);
  if (found == evaluated_programs().end())
    throw usage_error("'" + std::string(name) +
                      "' is no program to evaluate; known: " + evaluated_program_names());
  return *found;
}

namespace {

double lowest_gap(double least, double most) {
  const auto log = [](double sigma) { return std::log2(std::max(2.0, sigma)); };
  return log(most) / (log(least) + std::log2(std::max(2.0, log(most))));
}

// H of the tree asked for, and H and degree of the best tree, for one σ.
struct compared {
  double sigma;
  double own = 0, best = std::numeric_limits<double>::infinity();
  std::size_t degree = 0;
};

// Powers of two, up to the first at which the root sends to all at once; and the degree asked for.
std::vector<std::size_t> degrees_of(std::size_t n, std::size_t asked) {
  std::vector<std::size_t> degrees;
  for (std::size_t kappa = 2; kappa < 2 * n; kappa *= 2) degrees.push_back(kappa);
  if (std::ranges::find(degrees, asked) == degrees.end()) degrees.push_back(asked);
  return degrees;
}

}  // namespace

std::size_t gap_runs(std::size_t n) { return degrees_of(n, 2).size(); }

tree_gap gap_of(const evaluated_program& program, evaluation_request request, double least_sigma,
                double most_sigma, const std::function<void(std::size_t)>& done) {
  const std::size_t asked = request.kappa;
  const auto all = static_cast<unsigned>(std::bit_width(request.n)) - 1;
  compared ends[]{{least_sigma}, {most_sigma}};
  std::size_t counted = 0;
  for (const std::size_t kappa : degrees_of(request.n, asked)) {
    request.kappa = kappa;
    const cost_trace tree = program.run(request);
    for (compared& one : ends) {
      const double complexity = tree.H(all, one.sigma);
      if (kappa == asked) one.own = complexity;
      if (complexity >= one.best) continue;
      one.best = complexity;
      one.degree = kappa;
    }
    done(++counted);
  }
  const auto ratio = [](const compared& one) { return one.own / one.best; };
  const compared& worst = ratio(ends[1]) >= ratio(ends[0]) ? ends[1] : ends[0];
  return {least_sigma, most_sigma,   ratio(worst),
          worst.sigma, worst.degree, lowest_gap(least_sigma, most_sigma)};
}

const std::vector<model_family>& network_families() {
  static const std::vector<model_family> families{
      {"mesh", most_predicted_levels, mesh_2d, false},
      {"hypercube", most_predicted_levels, hypercube, false},
      {"fat-tree", most_predicted_levels, fat_tree, false},
      {"uniform", most_predicted_levels, [](unsigned levels) { return uniform(levels, 1, 1); },
       false}};
  return families;
}

model_family family_of(const machine_model& whole, bool seconds) {
  return {whole.name, whole.levels(),
          [whole](unsigned levels) { return submachine(whole, levels); }, seconds};
}

}  // namespace pleat::bench
