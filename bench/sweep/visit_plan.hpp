// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <string_view>
#include <vector>

#include "case_record.hpp"

namespace pleat::bench {

/// Rule for the number of repetitions of a case.
struct repetition_rule {
  double precision = 0.02;  ///< until the 95 % interval of each median is within this share of it,
  double time_limit = 5;    ///< or a case has taken that many seconds, data and warm-up included.
  std::optional<std::size_t> repetitions = {};  ///< Or exactly so often, whatever it takes.
};

/// Half the 95 % interval of the median relative to the median: 0.02 reads "± 2 %". None for fewer
/// than six samples.
[[nodiscard]] std::optional<double> relative_interval(std::span<const double> samples);

/// Relative interval of the least precise of a case's libraries, from its last `rounds`; none while
/// one of them has too few samples.
[[nodiscard]] std::optional<double> relative_interval(const case_record& record,
                                                      std::size_t rounds);

/// Reason why a case is done.
enum class stop { not_yet, precision, time_limit, repetitions, failed };

/// "precision", "time-limit", "repetitions", "failed", "interrupted".
[[nodiscard]] std::string_view name_of(stop why);

/// Plan that decides which case is measured next, and for how long.
///
/// A case is visited at least twice, each time by a new process, and all cases are visited once, in
/// random order, before any is visited again: what changes slowly (clock frequency, other load,
/// where the kernel found memory) falls on all of them. A visit ends when its own samples are
/// precise, so that no visit outweighs the others, and what differs between visits shows in the
/// interval of all of them. Only a case whose first visit takes two thirds of its time is visited
/// once.
class visit_plan {
 public:
  visit_plan(const repetition_rule& rule, std::uint64_t seed) : rule_(rule), random_(seed) {}

  /// Returns the index of the next case to visit; none if all are done.
  [[nodiscard]] std::optional<std::size_t> next(std::span<const case_record> records);

  /// Tells whether the visit that is being made has had enough rounds.
  [[nodiscard]] bool visit_done(const case_record& record) const;

  /// Tells whether a case that is not being visited is done.
  [[nodiscard]] stop stopped(const case_record& record) const;

 private:
  const repetition_rule rule_;
  std::mt19937_64 random_;
  std::vector<std::size_t> tour_;  // the cases still to be visited before all are visited again
};

}  // namespace pleat::bench
