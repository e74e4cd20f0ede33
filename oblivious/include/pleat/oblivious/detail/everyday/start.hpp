// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <type_traits>

#include <pleat/oblivious/detail/everyday/executor.hpp>
#include <pleat/oblivious/detail/program/execution.hpp>
#include <pleat/runtime/run_report.hpp>

// First part of a call of an everyday algorithm, which the caller's thread does alone. The cost of
// a callable is unknown before it is called. So the caller's thread starts alone, and measures the
// time unless the cost is known.
namespace pleat::detail::everyday {

/// Rest of a call that the caller's thread has started: units from `done` on, for `vps` VPs.
struct remainder {
  std::size_t done;
  std::size_t vps;
};

/// Knowledge of the time that an element takes. It decides how many elements are done before the
/// clock is read, because reading it takes as long as some hundred elements.
enum class pace {
  measured,  ///< unknown: each call measures
  steady,    ///< as in earlier calls: a callable without state is applied to numbers
  known      ///< known: numbers are moved, or combined by operators that the library knows
};

/// Number of elements up to which a call at a known pace is not divided.
inline constexpr std::size_t known_elements = std::size_t{1} << 14;

/// Tells whether the caller's thread does all elements, without reading the clock.
template <class Options>
[[nodiscard]] bool at_once(const Options& options, pace how, std::size_t elements) noexcept {
  return how == pace::known && !options.vps && elements <= known_elements;
}

/// Pace of callables that are given T's.
template <class T, class... F>
inline constexpr pace pace_of = std::is_arithmetic_v<std::remove_cvref_t<T>> &&
                                        (std::is_empty_v<F> && ...)
                                    ? pace::steady
                                    : pace::measured;

/// Pace of the calls of one function on one thread.
struct seen_pace {
  std::size_t quick = 1;  ///< number of elements up to which a call is not divided
  unsigned calls = 0;     ///< every 64th call measures again
};

/// Work of a call, for functions that are compiled with the library.
class any_work {
 public:
  template <class Work>
  explicit any_work(const Work& work) noexcept
      : work_(&work), call_([](const void* of, std::size_t first, std::size_t last) {
          (*static_cast<const Work*>(of))(first, last);
        }) {}
  void operator()(std::size_t first, std::size_t last) const { call_(work_, first, last); }

 private:
  const void* work_;
  void (*call_)(const void*, std::size_t, std::size_t);
};

PLEAT_API void empty_report(run_report& report);
/// Says in a report that there was no run.
inline void clear_report(run_report* report) {
  if (report != nullptr) [[unlikely]]
    empty_report(*report);
}

/// Does the part of start_alone that reads the clock.
[[nodiscard]] PLEAT_API remainder start_measured(const char* name, executor& where,
                                                 const std::optional<std::size_t>& asked,
                                                 std::size_t n, any_work work, seen_pace* seen,
                                                 std::size_t batch, std::size_t unit,
                                                 std::size_t most);

/// Calls work(first, last) for units 0 … n − 1, in order, until several processors are worth their
/// cost, or to the end. The batches grow 16-fold while they are too short to measure, then double,
/// up to `most` units: where the work is uneven, the time of a few units does not predict that of
/// many. At a pace known or steady the first batch is the largest that is not worth dividing. If
/// `options` asks for more than one VP, nothing is done alone. `unit`: elements of a unit.
template <class Options, class Work>
remainder start_alone(const char* name, executor& where, const Options& options, std::size_t n,
                      const Work& work, pace how, std::size_t unit = 1,
                      std::size_t most = std::numeric_limits<std::size_t>::max()) {
  thread_local constinit seen_pace seen;
  std::size_t batch = 1;
  if (how == pace::known) batch = known_elements;
  if (how == pace::steady && ++seen.calls % 64 != 0) batch = seen.quick;
  everyday::clear_report(options.report);
  if (n <= most && n * unit <= batch && !options.vps) {
    const alone_scope alone;
    if (n != 0) work(std::size_t{0}, n);
    return {n, 1};
  }
  return everyday::start_measured(name, where, options.vps, n, any_work(work),
                                  how == pace::steady ? &seen : nullptr,
                                  std::max<std::size_t>(1, batch / unit), unit, most);
}

/// Number of VPs that move n elements of `bytes` bytes: a call that costs nothing but memory
/// traffic need not be measured.
[[nodiscard]] inline std::size_t vps_for_bytes(const char* name, executor& where,
                                               const std::optional<std::size_t>& asked,
                                               std::size_t n, std::size_t bytes) {
  const double grains =
      static_cast<double>(n) * static_cast<double>(bytes) / static_cast<double>(least_bytes_per_vp);
  const std::size_t most = asked || grains < 2 ? 1 : where.threads();
  return choose_vps(name, asked, grains, most);
}

}  // namespace pleat::detail::everyday
