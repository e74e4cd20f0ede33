// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <utility>

#include <pleat/runtime/vp.hpp>

#include "evaluate/evaluation_input.hpp"

namespace pleat::bench {
namespace {

// The paper's example of a program that is full but not wise, section 5.
cost_trace run_unbalanced(const evaluation_request& request) {
  machine on(traced(request));
  const values sent = random_values(request);
  values received;
  run_report report = on.run(request.n, [&sent, &received](vp& me) -> task<> {
    if (me.rank() == 0) {
      for (const std::uint64_t value : sent) me.send(me.size() / 2, value);
    }
    co_await me.sync(0);
    while (const auto arrived = me.receive()) received.push_back(arrived->get<std::uint64_t>());
  });
  verify(received == sent, "unbalanced");
  return *std::move(report.costs);
}

constexpr std::array programs{
    evaluated_program{"unbalanced", "VP 0 sends n messages to VP n/2: full, but not wise", any_size,
                      run_unbalanced, "n + σ", point_to_point_lower_bound},
};

}  // namespace

std::span<const evaluated_program> runtime_evaluations() { return programs; }

}  // namespace pleat::bench
