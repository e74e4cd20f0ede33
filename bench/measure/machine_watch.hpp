// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <pleat/runtime/machine.hpp>

namespace pleat::bench {

/// Seconds since the machine was started, summed over some of its processors.
struct kernel_times {
  double busy = 0;               ///< with processes or the kernel
  std::optional<double> stolen;  ///< in which the hypervisor ran something else
};

/// Events on the processors while something was measured. What the kernel does not tell is absent.
struct machine_events {
  double seconds = 0;  ///< the whole time
  std::size_t processors = 0;
  std::optional<double> stolen;     ///< seconds the hypervisor ran something else, summed
  std::optional<double> others;     ///< seconds of other processes and the kernel, summed
  std::optional<double> throttled;  ///< seconds this control group was stopped by its quota, summed
};

/// Reads the times of these PUs (the operating system's indexes); none if /proc/stat lacks one of
/// them.
[[nodiscard]] std::optional<kernel_times> read_processor_times(
    const std::vector<unsigned>& pus, const std::filesystem::path& root = "/");

/// Seconds the control group was stopped, from the cpu.stat beside the file that has the quota;
/// none if that does not tell.
[[nodiscard]] std::optional<double> read_throttled(const std::filesystem::path& quota_file);

/// `{seconds, stolen_s, others_s, throttled_s}`; null for what is absent.
[[nodiscard]] nlohmann::ordered_json events_json(const machine_events& events);

/// Lists the events that have spoiled what was measured: a line for each, which says what to do
/// about it. Of less than a second nothing is said: the kernel counts in hundredths of one.
[[nodiscard]] std::vector<std::string> spoilers(const machine_events& events);

/// Watches processors from its construction on.
class machine_watch {
 public:
  machine_watch(const topology& on, const placement& where);
  explicit machine_watch(const machine& on) : machine_watch(on.topology(), on.placement()) {}

  [[nodiscard]] machine_events events() const;

  /// Adds the events to a context of run_context, as `during`, and warns of those that have
  /// spoiled what was measured.
  void finish(nlohmann::ordered_json& context) const;

 private:
  struct reading {
    double at = 0, ours = 0;
    std::optional<kernel_times> processors;
    std::optional<double> throttled;
  };
  [[nodiscard]] reading read() const;

  std::vector<unsigned> pus_;
  std::optional<std::filesystem::path> quota_;
  reading before_;
};

}  // namespace pleat::bench
