// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include <pleat/oblivious/prefix.hpp>
#include <pleat/oblivious/tree_broadcast.hpp>

#include "bound_collectives.hpp"
#include "tool/evaluation_input.hpp"

namespace pleat::bench {
namespace {

cost_trace run_broadcast(const evaluation_request& request) {
  machine on(traced(request));
  values all = random_values(request);
  const std::uint64_t sent = all.front();
  run_report report = pleat::tree_broadcast(on, all, {.root = 0, .degree = request.kappa});
  verify(static_cast<std::size_t>(std::ranges::count(all, sent)) == request.n, "broadcast");
  return *std::move(report.costs);
}

cost_trace run_prefix(const evaluation_request& request) {
  machine on(traced(request));
  values all = random_values(request);
  values sums(request.n);
  std::partial_sum(all.begin(), all.end(), sums.begin());
  run_report report = pleat::prefix(on, all);
  verify(all == sums, "prefix");
  return *std::move(report.costs);
}

constexpr std::array programs{
    evaluated_program{
        .name = "broadcast",
        .description = "one value to all, by a tree of degree κ",
        .sizes = any_size::text,
        .accepts = any_size::accepts,
        .takes_kappa = true,
        .run = run_broadcast,
        .bound = "max(2, σ) log p/log max(2, σ)",
        .lower_bound = [](std::size_t, std::size_t p,
                          double sigma) { return broadcast_lower_bound(p, sigma); },
    },
    evaluated_program{
        .name = "prefix",
        .description = "prefix sums, one value a virtual processor",
        .sizes = any_size::text,
        .accepts = any_size::accepts,
        .run = run_prefix,
        .bound = "max(2, σ) log p/log max(2, σ)",
        .lower_bound = [](std::size_t, std::size_t p,
                          double sigma) { return prefix_lower_bound(p, sigma); },
    },
};

}  // namespace

std::span<const evaluated_program> collectives_evaluations() { return programs; }

}  // namespace pleat::bench
