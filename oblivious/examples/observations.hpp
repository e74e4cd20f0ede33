// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>

#include <pleat/collectives/commutes.hpp>
#include <pleat/oblivious/distributed.hpp>
#include <pleat/oblivious/for_each.hpp>
#include <pleat/oblivious/reduce.hpp>
#include <pleat/oblivious/sort.hpp>
#include <pleat/runtime/machine.hpp>

// Summary of observations that may be distributed over several computers: one program for a machine
// of one process and for a machine over many.
namespace observations {

struct summary {
  double mean = 0, least = 0, median = 0, greatest = 0;
};

/// Returns element i of the data on all processes; the process that owns it sends it to the others.
inline double element(pleat::machine& machine, const pleat::distributed<double>& data,
                      std::size_t i) {
  const std::size_t vps = machine.threads();
  const pleat::rank_range here = machine.vps_here(vps);
  const bool ours = data.owner(i) == machine.rank();
  double value = 0;
  machine.run(vps, [&](pleat::vp& me) -> pleat::task<> {
    const bool first = me.rank() == here.first;  // of the virtual processors of this process
    if (ours && first) {
      for (std::size_t q = 0; q < me.size(); ++q) me.send(q, data.local()[data.local_index(i)]);
    }
    co_await me.sync(0);
    const auto message = me.receive();
    if (first) value = message->get<double>();
  });
  return value;
}

/// Summarises n observations, with the same bits for any number of processes and processors.
inline summary of(pleat::machine& machine, std::size_t n) {
  pleat::distributed<double> data(machine, n);  // each process has a block
  data.fill(machine, [](std::size_t i) { return static_cast<double>(i * 7919 % 1'000'003); });
  pleat::for_each(machine, data, [](double& x) { x = std::sqrt(x); });

  constexpr double infinity = std::numeric_limits<double>::infinity();
  summary found;
  found.mean = pleat::reduce(machine, data, 0.0) / static_cast<double>(n);
  found.least = pleat::reduce(machine, data, infinity, pleat::minimum());
  found.greatest = pleat::reduce(machine, data, -infinity, pleat::maximum());
  pleat::sort(machine, data);  // each process has its block of the result
  found.median = element(machine, data, n / 2);
  return found;
}

}  // namespace observations
