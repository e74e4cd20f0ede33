// SPDX-License-Identifier: Apache-2.0
// The oracle of all random programs: an interpreter of the rules of the model that knows nothing of
// workers, folding or buffers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "program.hpp"

namespace model {

/// A message or a popped value that a VP was given; `step`: its act.
struct received {
  std::size_t step;
  std::size_t source;
  std::size_t size;
  std::uint64_t seed;
  friend bool operator==(const received&, const received&) = default;
};
/// [rank]: what the VP was given, in order.
using trace = std::vector<std::vector<received>>;

/// Totals that a run of the program reports. Messages count when a barrier hands them to a VP that
/// has not ended; supersteps are those of VP 0.
struct totals {
  std::uint64_t messages = 0, bytes = 0;
  std::vector<std::uint64_t> supersteps;  // [label]
  friend bool operator==(const totals&, const totals&) = default;
};

/// Why a VP did not come to its end.
enum class obstacle {
  none,
  exception,       ///< the program's own
  misuse,          ///< there is no such rank or label
  out_of_cluster,  ///< strict mode
  channel,         ///< it waits there for ever
  barrier,
};
struct ending {
  obstacle why = obstacle::none;
  unsigned label = 0;  ///< of the barrier
  friend bool operator==(const ending&, const ending&) = default;
};

/// Prediction of a program by the rules of the model: what each VP is given as far as it comes,
/// whatever fails elsewhere. A plain interpreter that shares nothing with the library.
struct prediction {
  trace given;
  totals counted;
  std::vector<ending> endings;  ///< [rank]

  [[nodiscard]] bool all_end() const;
  [[nodiscard]] bool somebody_fails() const;
  /// Somebody waits at sync(i), another of the same i-cluster at a coarser one.
  [[nodiscard]] bool labels_differ() const;
};
prediction predict(const program& all, bool strict);

}  // namespace model
