// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <vector>

#include <pleat/channels/byte_copyable.hpp>
#include <pleat/channels/refers.hpp>
#include <pleat/oblivious/detail/program/arena.hpp>
#include <pleat/oblivious/detail/program/kernels_ready.hpp>
#include <pleat/runtime/detail/call_machine.hpp>
#include <pleat/runtime/detail/crossings.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

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

/// Number of a VP that carries out a phase; 0 for the caller's thread alone, which is no VP (null).
[[nodiscard]] inline std::size_t rank_of(const vp* me) noexcept {
  return me == nullptr ? 0 : me->rank();
}
/// Tells whether what a VP reads from others is counted.
[[nodiscard]] inline bool counted(const vp* me) noexcept {
  return me != nullptr && counts_crossings(*me);
}

/// Runs a program of phases, on common memory, with a superstep of label 0 behind each of them but
/// the last. The program has
///
///     has_phase(i)     does phase i take place? Asked behind the superstep before it
///     phase(i, me)     the part of a VP; `me` is null if the caller's thread carries it out alone
///     ends_with(i)     if any: does the program end with phase i, without a superstep?
///     lay_out(arena)   if any: takes its memory, in the machine's scratch memory during the run
template <class Program> run_report run_phases(machine& on, std::size_t vps, Program& program) {
  constexpr bool ends = requires { program.ends_with(std::size_t{0}); };
  std::optional<machine::turn> scratch;
  if constexpr (requires(arena & in) { program.lay_out(in); }) {
    scratch.emplace(on, machine::use::scratch);
    arena::take(on, [&program](arena& in) { program.lay_out(in); });
  }
  return detail::run_program(
      on, vps,
      [&program] {
        for (std::size_t i = 0; program.has_phase(i); ++i) program.phase(i, nullptr);
      },
      [&program](vp& me) -> task<> {
        for (std::size_t i = 0; program.has_phase(i); ++i) {
          program.phase(i, &me);
          if constexpr (ends)
            if (program.ends_with(i)) co_return;
          co_await me.sync(0);
        }
      });
}

/// Requires a type that a VP can send another as one value.
template <class T>
concept value_of_vp = byte_copyable<T> && std::copyable<T> && !refers_to_memory<T>;

/// Sends the value itself, also if it is a range of elements: the receiver asks for a T.
template <value_of_vp T> void send_value(vp& me, std::size_t to, const T& value) {
  if constexpr (elements_to_send<T>)
    me.send(to, std::span<const T>(&value, 1));
  else
    me.send(to, value);
}

/// One element for each virtual processor, in one block of memory.
template <class R>
concept elements_of_vps = std::ranges::contiguous_range<R> && std::ranges::sized_range<R> &&
    value_of_vp<std::ranges::range_value_t<R>>;

/// Runs `program(me, x)` on M(v), v elements, with x element r of `values` for VP r. The elements
/// are copies, written back when all went well: whatever a VP throws, the values are as they were.
/// Exceptions of the program are thrown from here as they are, not wrapped in vp_failed. There is
/// no run for no elements.
template <class T, class Program>
run_report run_on_elements(machine& named, std::span<T> values, const Program& program) {
  struct element {  // a vector of these is an array of T, also for bool
    T value;
  };
  const call_machine here(named);
  machine& on = *here;
  if (values.empty()) return {};
  std::vector<element> copies;
  copies.reserve(values.size());
  for (const T& value : values) copies.push_back({value});
  run_report report = detail::run_program(on, values.size(), [&copies, &program](vp& me) -> task<> {
    return program(me, copies[me.rank()].value);
  });
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = copies[i].value;
  return report;
}

}  // namespace pleat::detail
