// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/machine_model.hpp>

namespace pleat {

/// A measured value and its 95 % confidence interval (bootstrap, percentiles).
struct estimate {
  double value = 0;
  double low = 0;
  double high = 0;

  [[nodiscard]] bool overlaps(const estimate& other) const noexcept {
    return low <= other.high && other.low <= high;
  }
};

/// Supersteps in which every processor sends and receives `bytes`: seconds for one.
struct probe_point {
  std::size_t bytes = 0;
  double median = 0;
  std::vector<double> samples;  ///< [round], in the order they were taken, outliers included
  std::size_t outliers = 0;     ///< samples farther above the median than five deviations (MAD)
};

/// Cost of an i-superstep: T(h) = l + g · h, h in messages of 8 bytes.
struct level_costs {
  unsigned label = 0;
  std::string object;          ///< the hardware all of the largest i-cluster lies in
  std::size_t processors = 0;  ///< of the largest i-cluster
  estimate g;                  ///< seconds a message of 8 bytes
  estimate l;  ///< seconds a superstep without messages: latency and synchronisation
  std::vector<probe_point> points;  ///< by size, the empty superstep first
};

struct probe_options {
  unsigned machines = 10;  ///< made for the probe, at least 5
  unsigned rounds = 40;    ///< on each of them: samples of every size, at least 1
  std::uint64_t seed = 1;  ///< of the pairs and of the order
  /// Time limit for each level: no sample begins later, fewer are taken then. More than 0.
  double most_seconds = 8;
  /// Called after each round, on the calling thread, with the rounds taken and those planned.
  std::function<void(std::size_t done, std::size_t planned)> progress = {};
};

/// Measures g_i and l_i of D-BSP on the processors a machine of these options has, for every label
/// i whose clusters span at least two of them.
///
/// The halves of each i-cluster are paired at random, anew for each sample; in a superstep the two
/// of a pair exchange 0 or 8 bytes … 1 MiB: up to 48 bytes sent, more lent and copied out by the
/// receiver, the data freshly written each time. All clusters of a level work at the same time. A
/// round takes one sample of every size of every level, in random order. g and l are the line that
/// fits the medians with the least relative squares.
///
/// Where flags and blocks happen to lie in memory changes a superstep by some per cent, for as long
/// as they lie there. So several machines are made, each in memory of its own, and the bootstrap
/// draws machines: the intervals are those of the hardware, not of one layout. Machines are probed
/// one after the other; where neighbours resemble each other, the machine has drifted meanwhile,
/// and the intervals are wider for it. Nothing is left out: outliers are counted, and medians bear
/// them.
///
/// Cost: a few seconds a level. It ends soon after most_seconds a level, so that a processor that
/// others use costs precision and not time: fewer rounds than asked for are taken then. Where
/// processors share a PU a superstep takes milliseconds, which no number of samples makes a
/// property of the hardware: about two seconds a level, samples of few supersteps. Throws:
/// usage_error (one processor, too few machines, rounds or seconds); environment_error, if in that
/// time not five machines took a round; what machine's constructor and run, and progress, throw.
/// Thread safety: may be called from any thread that is not inside a run; nothing else should run
/// on the processors. Source of the model: Bilardi, Pietracaprina, Pucci, Scquizzato, Silvestri,
/// "Network-Oblivious Algorithms", section 2 (the execution model D-BSP).
[[nodiscard]] PLEAT_API std::vector<level_costs> probe(const machine_options& on,
                                                       const probe_options& options = {});

/// The probed machine as a model: its g and l, in seconds, a message having 8 bytes.
/// Throws: usage_error if nothing was probed; std::bad_alloc.
[[nodiscard]] PLEAT_API machine_model measured_model(std::span<const level_costs> levels);

}  // namespace pleat
