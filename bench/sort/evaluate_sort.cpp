// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <utility>

#include <pleat/oblivious/bitonic.hpp>
#include <pleat/oblivious/sort.hpp>

#include "evaluate/evaluation_input.hpp"

namespace pleat::bench {
namespace {

cost_trace run_sort(const evaluation_request& request) {
  machine on(traced(request));
  values keys = random_values(request);
  const std::uint64_t fingerprint = key_fingerprint<std::uint64_t>(keys);
  run_report report = pleat::sort(on, keys, {}, {.vps = request.n});
  verify_sorted<std::uint64_t>(keys, fingerprint, "sort");
  return *std::move(report.costs);
}

cost_trace run_bitonic(const evaluation_request& request) {
  machine on(traced(request));
  values keys = random_values(request);
  const std::uint64_t fingerprint = key_fingerprint<std::uint64_t>(keys);
  run_report report = pleat::bitonic_sort(on, keys);
  verify_sorted<std::uint64_t>(keys, fingerprint, "bitonic");
  return *std::move(report.costs);
}

constexpr std::array programs{
    evaluated_program{"sort", "recursive Columnsort, one key a virtual processor", power_of_two,
                      run_sort, "n log n/(p log(n/p)) + σ", sort_lower_bound},
    evaluated_program{"bitonic", "Batcher's bitonic sort, one key a virtual processor",
                      power_of_two, run_bitonic, "n log n/(p log(n/p)) + σ", sort_lower_bound},
};

}  // namespace

std::span<const evaluated_program> sort_evaluations() { return programs; }

}  // namespace pleat::bench
