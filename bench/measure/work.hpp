// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <pleat/runtime/machine.hpp>

#include "interleave.hpp"

namespace pleat::bench {

/// What the user may choose about a comparison; unset means the work's own default.
struct work_options {
  std::optional<std::size_t> n;
  std::optional<std::size_t> repetitions;
  std::vector<std::string> rivals;      ///< only these; empty: all but those that take very long
  std::vector<std::string> operations;  ///< of collectives only these; empty: all
  std::string type;                     ///< of the elements; empty: the work's own default
  std::string distribution = "random";
  std::uint64_t seed = 1;

  /// The problem size. Throws: pleat::usage_error if the user chose less than `least`.
  [[nodiscard]] std::size_t size_or(std::size_t usual, std::size_t least,
                                    std::string_view work) const;

  [[nodiscard]] std::string type_or(std::string_view usual) const;

  /// Whether a rival takes part: asked for, or nobody was and it does by default.
  [[nodiscard]] bool wants(std::string_view rival, bool by_default = true) const;
};

/// An absolute figure beside a time, by its name in the JSON.
struct absolute_figure {
  const char* name;
  double value;
};

/// One measurement of ours beside its rivals.
struct duel {
  std::string work;
  std::string measure;  ///< what is timed, e.g. "round trip of 8 bytes"
  std::string type;     ///< of the elements; empty where there are none
  std::size_t n = 0;    ///< problem size; what of, `measure` says
  unsigned processors = 0;
  std::size_t repetitions = 0;
  contestant ours;
  std::vector<contestant> rivals;    ///< named as in all_rivals; may be empty
  std::vector<std::string> missing;  ///< rivals this build does not have
  /// Rivals that were to take part and could not, each with the reason.
  std::vector<std::pair<std::string, std::string>> failed = {};

  /// From the median of ours in seconds: added to the results.
  std::function<absolute_figure(double)> figure;

  /// Rivals are what we do without one thing it does besides: what that adds is the figure.
  bool surcharge = false;

  bench::pace pace = {};

  /// Adds a rival if it is wanted and linked; if only wanted, names it as missing.
  void challenge(const work_options& options, std::string_view rival,
                 const std::function<contestant()>& make, bool by_default = true);
};

/// The machine all contestants of a work are measured on.
struct arena {
  machine& ours;
  machine_options like_ours;  ///< for other machines on the same processors
  std::vector<unsigned> pus;  ///< of its processors, in order: where rivals' threads go

  /// For works in which threads spin for each other: a processor to each, and more than one.
  /// Throws: pleat::environment_error otherwise.
  void require_dedicated(std::string_view work) const;

  /// The first two processors, for works that are between two.
  /// Throws: pleat::environment_error if there are not two different PUs.
  [[nodiscard]] std::vector<unsigned> pair(std::string_view work) const;
};

/// Measures a duel and keeps its results.
using referee = std::function<void(const duel&)>;

/// Something Pleat does that others do as well.
struct work {
  std::string_view name;
  std::string_view group;  ///< compare GROUP runs all works of the group
  std::string_view summary;
  std::string_view n_means;  ///< what --n is to it
  bool spins;  ///< its rivals include OpenMP barriers, to be measured with active waiting
  void (*measure)(arena&, const work_options&, const referee&);
};

/// Every work there is: the one place to add one.
[[nodiscard]] std::span<const work> all_works();

void measure_sync(arena& on, const work_options& options, const referee& fight);
void measure_channel(arena& on, const work_options& options, const referee& fight);
void measure_vp(arena& on, const work_options& options, const referee& fight);
void measure_messages(arena& on, const work_options& options, const referee& fight);
void measure_lend(arena& on, const work_options& options, const referee& fight);
void measure_trace(arena& on, const work_options& options, const referee& fight);
void measure_report(arena& on, const work_options& options, const referee& fight);
void measure_schedule(arena& on, const work_options& options, const referee& fight);
void measure_collectives(arena& on, const work_options& options, const referee& fight);
void measure_fft(arena& on, const work_options& options, const referee& fight);
void measure_rfft(arena& on, const work_options& options, const referee& fight);
void measure_fft2(arena& on, const work_options& options, const referee& fight);
void measure_sort(arena& on, const work_options& options, const referee& fight);
void measure_stable_sort(arena& on, const work_options& options, const referee& fight);
void measure_argsort(arena& on, const work_options& options, const referee& fight);
void measure_matmul(arena& on, const work_options& options, const referee& fight);
void measure_min_plus(arena& on, const work_options& options, const referee& fight);
void measure_stencil1(arena& on, const work_options& options, const referee& fight);
void measure_stencil2(arena& on, const work_options& options, const referee& fight);
void measure_stencil3(arena& on, const work_options& options, const referee& fight);

}  // namespace pleat::bench
