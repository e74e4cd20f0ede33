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

/// Measured seconds for one superstep in which every processor sends and receives `bytes`.
struct probe_point {
  std::size_t bytes = 0;
  double median = 0;
  std::vector<double> samples;  ///< [round], in the order they were taken, outliers included
  std::size_t outliers = 0;     ///< samples farther above the median than five deviations (MAD)
};

/// Cost of an i-superstep: T(h) = l + g · h, h in messages of 8 bytes.
struct level_costs {
  unsigned label = 0;
  std::string object;          ///< hardware object that contains the largest i-cluster
  std::size_t processors = 0;  ///< of the largest i-cluster
  estimate g;                  ///< seconds a message of 8 bytes
  estimate l;  ///< seconds a superstep without messages: latency and synchronisation
  std::vector<probe_point> points;  ///< by size, the empty superstep first
};

struct probe_options {
  unsigned machines = 10;  ///< number of machines made for the probe, at least 5
  unsigned rounds = 40;    ///< samples of every size on each machine, at least 1
  std::uint64_t seed = 1;  ///< seed of the random pairs and order
  /// Time limit for each level, more than 0: no sample begins later, so fewer may be taken.
  double most_seconds = 8;
  /// Called after each round, on the calling thread, with the numbers of rounds taken and planned.
  std::function<void(std::size_t done, std::size_t planned)> progress = {};
};

/// Measures g_i and l_i of D-BSP on the processors of a machine with these options, for every label
/// i whose clusters span at least two processors.
///
/// The processors of the two halves of each i-cluster are paired at random, anew for each sample;
/// in a superstep the two processors of a pair exchange 0 or 8 bytes … 1 MiB. Up to 48 bytes are
/// sent; more are lent, and the receiver copies them. The sender writes the data anew each time.
/// All clusters of a level work at the same time. A round takes one sample of every size of every
/// level, in random order. g and l are fitted to the medians by least squares of relative errors.
///
/// The addresses of flags and blocks change the time of a superstep by some per cent. So several
/// machines are made, each in memory of its own, and the bootstrap draws machines: the intervals
/// are those of the hardware, not of one layout. Machines are probed one after the other.
/// Consecutive machines share the drift of the hardware, so the intervals are widened by their
/// autocorrelation. No sample is discarded: outliers are counted, and medians are robust against
/// them.
///
/// Cost: a few seconds a level. The probe ends soon after most_seconds a level: on processors that
/// other programs use, fewer rounds are taken, with less precision. If processors share a PU, a
/// superstep takes milliseconds, and no number of samples would show the hardware; a level then
/// takes about two seconds, with few supersteps in a sample. Throws: usage_error (one processor,
/// too few machines, rounds or seconds); environment_error if fewer than five machines took a round
/// in that time; what machine's constructor, run and `progress` throw.
/// Thread safety: may be called from any thread that is not inside a run; nothing else should run
/// on the processors. Source of the model: Bilardi, Pietracaprina, Pucci, Scquizzato, Silvestri,
/// "Network-Oblivious Algorithms", section 2 (the execution model D-BSP).
[[nodiscard]] PLEAT_API std::vector<level_costs> probe(const machine_options& on,
                                                       const probe_options& options = {});

/// Makes a model of the probed machine: g and l in seconds, for messages of 8 bytes.
/// Throws: usage_error if nothing was probed; std::bad_alloc.
[[nodiscard]] PLEAT_API machine_model measured_model(std::span<const level_costs> levels);

}  // namespace pleat
