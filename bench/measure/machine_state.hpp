// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <pleat/runtime/machine.hpp>

namespace pleat::bench {

/// Settings of the machine, as far as they change what is measured. What the kernel does not tell
/// is absent, not guessed.
struct machine_state {
  std::optional<std::string> kernel;           ///< its release
  std::optional<std::string> processor_model;  ///< as /proc/cpuinfo names it
  std::optional<std::string> microcode;
  std::vector<std::string> governors;                 ///< of the clock frequency, sorted, each once
  std::optional<bool> boost;                          ///< clocks above the nominal one are allowed
  std::optional<bool> smt;                            ///< cores run several hardware threads
  std::optional<std::string> transparent_huge_pages;  ///< always, madvise or never
  std::optional<long long> numa_balancing;            ///< 0: off; else the kernel moves pages
  std::optional<bool> virtual_machine;
  std::optional<std::string> hypervisor;    ///< or the product that the machine pretends to be
  std::optional<std::string> clock_source;  ///< of the kernel's clocks
  std::optional<std::array<double, 3>> load_average;  ///< of 1, 5 and 15 minutes
};

/// Reads it. `root` is where /proc and /sys are. Cost: some dozen small files; one more for every
/// processor.
[[nodiscard]] machine_state read_machine_state(const std::filesystem::path& root = "/");

/// Makes JSON of the state, by name; null for what is absent.
[[nodiscard]] nlohmann::ordered_json state_json(const machine_state& state);

/// Lists what of the state spoils a measurement: a line for each, which says what to do about it.
[[nodiscard]] std::vector<std::string> spoilers(const machine_state& state, std::size_t numa_nodes);

/// A value, or null where there is none.
template <class T> [[nodiscard]] nlohmann::ordered_json or_null(const std::optional<T>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
}

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

// Files of /proc and /sys, below any root: tests lay out a file system of their own.

/// The first line without the white space around it; none if there is no such file, or it is empty.
[[nodiscard]] std::optional<std::string> line_of(const std::filesystem::path& file);

/// The first line as a whole number; none if it is none.
[[nodiscard]] std::optional<long long> number_of(const std::filesystem::path& file);

/// The choice that is in brackets: "madvise" of "always [madvise] never"; none if none is.
[[nodiscard]] std::optional<std::string> chosen_of(const std::filesystem::path& file);

/// The value behind the first line "name : value", as /proc/cpuinfo has them.
[[nodiscard]] std::optional<std::string> value_of(const std::filesystem::path& file,
                                                  std::string_view name);

/// The words of a line, separated by blanks.
[[nodiscard]] std::vector<std::string> words_of(std::string_view line);

}  // namespace pleat::bench
