// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

#include <pleat/oblivious/detail/program/kernels_ready.hpp>
#include <pleat/runtime/detail/call_machine.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

// Execution of the library's programs: on how many VPs, and what their callers see.
namespace pleat::detail {

/// Below this many bytes per VP, waking another processor costs more than it saves, for programs
/// that go through their data a few times.
inline constexpr std::size_t least_bytes_per_vp = std::size_t{1} << 16;

/// Chooses the number of VPs for a program: as many as the caller asks for, else one for each of
/// `grains`, parts of the work that are worth waking a processor for; but one at least and `most`
/// at most. Throws: usage_error if the caller asks for none, or for more than a machine runs. This
/// is the one place where programs of the library look at what was asked for.
[[nodiscard]] inline std::size_t choose_vps(const char* program,
                                            const std::optional<std::size_t>& asked, double grains,
                                            std::size_t most) {
  if (asked == std::size_t{0})
    throw usage_error(std::string(program) +
                      ": 0 virtual processors cannot do it; leave `vps` unset for as many as pay");
  if (asked && *asked >> 32 != 0)
    throw usage_error(
        std::string(program) + ": " + std::to_string(*asked) +
        " virtual processors are more than the 2^32 - 1 that a machine can run; leave "
        "`vps` unset for as many as pay");
  if (asked) return *asked;
  return static_cast<std::size_t>(std::clamp(grains, 1.0, static_cast<double>(most)));
}

/// Runs the program of a VP. What one of them throws is thrown from here as it is, not wrapped in
/// vp_failed.
template <vp_program Program>
run_report run_program(machine& on, std::size_t vps, const Program& program) {
  ready_kernels();
  try {
    return on.run(vps, program);
  } catch (const vp_failed& failure) {
    failure.rethrow_cause();
  }
}

/// Runs a program, but a single VP does its work without a run: `alone()`. The report is then
/// empty.
template <class Alone, vp_program Program>
run_report run_program(machine& on, std::size_t vps, const Alone& alone, const Program& program) {
  if (vps != 1) return detail::run_program(on, vps, program);
  ready_kernels();
  const alone_scope inside;
  alone();
  return {};
}

}  // namespace pleat::detail
