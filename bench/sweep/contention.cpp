// SPDX-License-Identifier: Apache-2.0
#include "contention.hpp"

#include <algorithm>
#include <barrier>
#include <cmath>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/placement.hpp>
#include <pleat/runtime/topology.hpp>

#include "measure/interleave.hpp"
#include "measure/statistics.hpp"
#include "tool/sweep_program.hpp"

namespace pleat::bench {
namespace {

constexpr int rounds = 5;

/// The case of one processor, on its PU.
sweep_case share_of(const sweep_case& at, unsigned pu) {
  sweep_case share = at;
  share.processors = 1;
  share.place = "list:" + std::to_string(pu);
  if (at.batch > 1) {
    share.batch = std::max<std::size_t>(at.batch / at.processors, 1);
  } else {
    const double parts = std::pow(at.processors, 1.0 / find_sweep_program(at.program).dimensions);
    share.n = std::max<std::size_t>(std::lround(static_cast<double>(at.n) / parts), 1);
  }
  return share;
}

/// A machine of one processor and the program that it runs.
struct worker_alone {
  machine on;
  prepared_program program;

  explicit worker_alone(const sweep_case& share)
      : on(share.options()), program(find_sweep_program(share.program).prepare(on, share)) {}

  [[nodiscard]] double seconds(double least) const {
    return sample_of({"share", {}, program.sample}, {}, least).seconds;
  }
};

}  // namespace

double contention(const sweep_case& at, double seconds) {
  const machine_options options = at.options();
  const placement placed = place(topology::host(), *options.place, options.processors);
  if (placed.oversubscribed || placed.processors.size() == 1) return 1;
  std::vector<std::unique_ptr<worker_alone>> workers;
  for (const auto& one : placed.processors)
    workers.push_back(std::make_unique<worker_alone>(share_of(at, one.pu)));

  std::barrier all(static_cast<std::ptrdiff_t>(workers.size()));
  std::mutex shared;
  std::exception_ptr failure;
  std::vector<double> alone(rounds), together(rounds);
  const auto work = [&](std::size_t rank) {
    for (std::size_t round = 0; round < rounds; ++round) {
      for (const bool one : {true, false}) {
        all.arrive_and_wait();
        if (one && rank != 0) continue;
        double taken = 0;
        try {
          taken = workers[rank]->seconds(seconds);
        } catch (...) {
          const std::scoped_lock lock(shared);
          failure = std::current_exception();
        }
        const std::scoped_lock lock(shared);
        double& longest = (one ? alone : together)[round];
        longest = std::max(longest, taken);
      }
    }
  };
  {
    std::vector<std::jthread> others;
    try {
      for (std::size_t rank = 1; rank < workers.size(); ++rank) others.emplace_back(work, rank);
    } catch (...) {
      const std::scoped_lock lock(shared);
      failure = std::current_exception();
      for (std::size_t rank = others.size() + 1; rank < workers.size(); ++rank)
        all.arrive_and_drop();
    }
    work(0);
  }
  if (failure) std::rethrow_exception(failure);
  return std::max(1.0, summarise(together).median / summarise(alone).median);
}

}  // namespace pleat::bench
