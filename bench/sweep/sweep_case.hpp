// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include <pleat/runtime/machine.hpp>

namespace pleat::bench {

/// Library of what is measured: Pleat, or a command of somebody's own. All others are its rivals.
inline constexpr std::string_view pleat_library = "pleat";
inline constexpr std::string_view command_library = "command";
[[nodiscard]] constexpr bool is_ours(std::string_view library) noexcept {
  return library == pleat_library || library == command_library;
}

/// Case of a sweep: one point of its axes. The texts are in the notation of the command line.
struct sweep_case {
  std::string program;
  std::string type;
  std::string distribution;
  std::size_t n = 0;
  unsigned processors = 0;  ///< of all ranks together
  std::string place = "compact";
  std::string memory = "first-touch";  ///< the nodes of a memory_policy
  std::string pages = "thp";           ///< its page size
  std::string wait = "auto";
  /// Weak scaling: the size on one processor that n was made from; 0: n is what was asked for.
  std::size_t per_processor = 0;
  /// Operations of size n in a call, as many as sweep_program::batch says. Results are those of
  /// one.
  std::size_t batch = 1;
  /// Number of processes that share the work, and their MPI; empty for one process without an MPI.
  std::optional<unsigned> ranks = {};
  std::optional<std::string> mpi = {};
  /// Command of somebody's own, as it was written: `type` has the values of its axes then, and n is
  /// 0 if it has no size.
  std::optional<std::string> command = {};
  std::optional<std::string> measure = {};  ///< what is measured of it, if not its elapsed time
  std::optional<std::string> unit = {};     ///< of that number, if it is no time
  std::optional<std::string> better = {};   ///< "more" if a sample is 1 / that number

  /// Name of its benchmark: `sort/u64/random/n:1048576/processors:2/place:compact`, then what
  /// differs from the usual: `/memory:interleave`, `/pages:4k`, `/wait:park`, `/per-processor:N`,
  /// `/batch:64`, `/ranks:2/mpi:openmpi`.
  [[nodiscard]] std::string name() const;

  /// The case on one processor, if it has ranks of one rank: what speed-up is relative to.
  [[nodiscard]] sweep_case on_one() const;

  /// "all" where every hardware thread has a worker, else "one" of each core.
  [[nodiscard]] std::string hardware_threads() const {
    return place.ends_with("/pu") ? "all" : "one";
  }
  /// "weak" where the size grows with the processors, else "strong".
  [[nodiscard]] std::string scaling() const { return per_processor == 0 ? "strong" : "weak"; }

  /// Library whose samples are the case's own.
  [[nodiscard]] std::string library() const {
    return std::string(command ? command_library : pleat_library);
  }
  /// Text of what was measured: a time, or a number with its unit.
  [[nodiscard]] std::string readable(double seconds) const;

  /// Processors of each rank; of the one process.
  [[nodiscard]] unsigned processors_of_rank() const { return processors / ranks.value_or(1); }

  /// Returns the options of its machine, without ranks. Throws: pleat::usage_error if a text is not
  /// in the notation.
  [[nodiscard]] machine_options options() const;

  friend bool operator==(const sweep_case&, const sweep_case&) = default;

  /// Visits the fields, as fields_json.hpp wants it.
  static void each_field(auto& at, const auto& f) {
    f("program", at.program);
    f("type", at.type);
    f("distribution", at.distribution);
    f("n", at.n);
    f("processors", at.processors);
    f("place", at.place);
    f("memory", at.memory);
    f("pages", at.pages);
    f("wait", at.wait);
    f("per_processor", at.per_processor);
    f("batch", at.batch);
    f("ranks", at.ranks);
    f("mpi", at.mpi);
    f("command", at.command);
    f("measure", at.measure);
    f("unit", at.unit);
    f("better", at.better);
  }
};

/// Converts a case to its keys as they stand in every entry of a result, counts as numbers, the
/// rest as texts, those of ranks only where there are some; and back. Throws:
/// nlohmann::json::exception where a key is missing.
[[nodiscard]] nlohmann::ordered_json case_json(const sweep_case& at);
[[nodiscard]] sweep_case case_from(const nlohmann::ordered_json& keys);

}  // namespace pleat::bench
