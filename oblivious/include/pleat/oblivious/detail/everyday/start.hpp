// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <limits>
#include <optional>
#include <type_traits>

#include <pleat/channels/cache_line.hpp>
#include <pleat/oblivious/detail/program/execution.hpp>
#include <pleat/runtime/detail/call_machine.hpp>
#include <pleat/runtime/detail/crossings.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/run_report.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail {

/// Equal blocks of a range of n elements, one of each VP, in which the range lies before a call and
/// after it. A VP tells which elements it reads and writes, so that a machine that traces counts
/// those of other blocks; they cross in the superstep in which it does.
class blocks_of_vps {
 public:
  blocks_of_vps(vp& me, std::size_t n) noexcept : me_(me), all_{0, n} {}

  void read(const interval<>& some) const {
    for_each_owner(some, [this](std::size_t q, std::size_t n) { count_reading(me_, q, n); });
  }
  void write(const interval<>& some) const {
    for_each_owner(some, [this](std::size_t q, std::size_t n) { me_.count_crossing(q, n); });
  }

 private:
  template <class F> void for_each_owner(const interval<>& some, const F& f) const {
    if (!counts_crossings(me_)) return;
    for (std::size_t q = 0; q < me_.size(); ++q)
      f(q, intersect(all_.share(q, me_.size()), some).size());
  }

  vp& me_;
  interval<> all_;
};

}  // namespace pleat::detail

namespace pleat::detail::everyday {

/// Executor of a call: a given machine, or the default one, which is made only if the call leaves
/// its caller's thread; inside another call the caller's thread (call_machine).
class executor {
 public:
  executor() = default;
  /// Throws: usage_error for a machine over ranks.
  executor(machine& on)  // NOLINT(google-explicit-constructor): a call names a machine, or {}
      : given_(&on) {
    on.require_one_memory();
  }
  executor(const executor&) = delete;
  executor& operator=(const executor&) = delete;

  [[nodiscard]] machine& on() {
    if (!taken_) given_ != nullptr ? taken_.emplace(*given_) : taken_.emplace();
    return **taken_;
  }

  /// Number of processors that can work for a call.
  [[nodiscard]] std::size_t threads() { return inside_a_call() ? 1 : on().threads(); }

  /// Runs the program of a VP; what one of them throws is thrown from here.
  template <vp_program Program>
  void run(std::size_t vps, run_report* report, const Program& program) {
    run_report done = detail::run_program(on(), vps, program);
    if (report != nullptr) *report = std::move(done);
  }

 private:
  machine* given_ = nullptr;
  std::optional<call_machine> taken_;
};

// First part of a call of an everyday algorithm, which the caller's thread does alone. The cost of
// a callable is unknown before it is called. So the caller's thread starts alone, and measures the
// time unless the cost is known.

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
                                                 std::size_t most, bool searches);

/// Calls work(first, last) for units 0 … n − 1, in order, until several processors are worth their
/// cost, or to the end. The batches grow 16-fold while they are too short to measure, then double,
/// up to `most` units: where the work is uneven, the time of a few units does not predict that of
/// many. At a pace known or steady the first batch is the largest that is not worth dividing.
/// Nothing is done alone if `options` asks for more than one VP, or if four such batches are there
/// at a steady pace, unless the work `searches` and may end early. `unit`: elements of a unit.
/// Inlined, because a call of few elements takes no longer than a call of a function.
template <class Options, class Work>
[[gnu::always_inline]] inline remainder start_alone(
    const char* name, executor& where, const Options& options, std::size_t n, const Work& work,
    pace how, std::size_t unit = 1, std::size_t most = std::numeric_limits<std::size_t>::max(),
    bool searches = false) {
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
                                  std::max<std::size_t>(1, batch / unit), unit, most, searches);
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

// Loops whose iterations are independent: one superstep, without a barrier.

/// Does the remaining iterations, a share for each VP.
template <class Work>
[[gnu::noinline]] void loop_by_vps(executor& where, run_report* report, std::size_t vps,
                                   const interval<>& all, const Work& work) {
  where.run(vps, report, [&work, all](vp& me) -> task<> {
    const interval<> mine = all.share(me.rank(), me.size());
    if (!mine.empty()) work(mine.first, mine.last);
    co_return;
  });
}
template <class Options, class Work>
[[gnu::always_inline]] inline void loop(const char* name, executor& where, const Options& options,
                                        std::size_t n, const Work& work,
                                        pace how = pace::measured) {
  const remainder left = everyday::start_alone(name, where, options, n, work, how);
  if (left.done < n) everyday::loop_by_vps(where, options.report, left.vps, {left.done, n}, work);
}

/// Chunks of a loop, which VPs take one after the other (dynamic scheduling).
class chunk_counter {
 public:
  chunk_counter(interval<> all, std::size_t chunk) noexcept
      : chunk_(chunk), last_(all.last), next_(all.first) {}

  /// Takes the next chunk; empty if there is none left.
  [[nodiscard]] interval<> take() noexcept {
    std::size_t first = next_.load(std::memory_order_relaxed);
    // Relaxed: it orders nothing but itself; the run's end orders what the chunks did.
    while (first < last_ &&
           !next_.compare_exchange_weak(first, first + std::min(chunk_, last_ - first),
                                        std::memory_order_relaxed, std::memory_order_relaxed)) {
    }
    return {first, first + std::min(chunk_, last_ - std::min(first, last_))};
  }
  /// Stops the loop after a failure: no VP begins another batch.
  void stop() noexcept { next_.store(last_, std::memory_order_relaxed); }

 private:
  const std::size_t chunk_;
  const std::size_t last_;
  alignas(destructive_distance) std::atomic<std::size_t> next_;
};

/// Runs a loop in which VPs take chunks until none is left.
template <class Options, class Work>
void loop_in_chunks(const char* name, executor& where, const Options& options, std::size_t chunk,
                    std::size_t n, const Work& work) {
  if (chunk == 0)
    throw usage_error(std::string(name) +
                      ": chunks of 0 elements do not end; leave `chunk` unset for fixed parts");
  const remainder left =
      everyday::start_alone(name, where, options, n, work, pace::measured, 1, chunk);
  if (left.done == n) return;
  chunk_counter chunks({left.done, n}, chunk);
  where.run(left.vps, options.report, [&work, &chunks](vp&) -> task<> {
    try {
      for (interval<> next = chunks.take(); !next.empty(); next = chunks.take())
        work(next.first, next.last);
    } catch (...) {
      chunks.stop();
      throw;
    }
    co_return;
  });
}

}  // namespace pleat::detail::everyday
