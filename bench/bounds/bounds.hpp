// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include <pleat/oblivious/semiring.hpp>
#include <pleat/runtime/error.hpp>

#include "measure/benchmark.hpp"
#include "measure/clock.hpp"
#include "pleat_rivals_linked.hpp"

// Lower bounds on time that are measured as rivals: each does only a part of the work asked for.

namespace pleat::bench {

/// Bound that memory sets: the time in which code that does nothing else reads and writes so many
/// bytes. One thread does it or all do, with stores through the caches or past them: whichever was
/// fastest when `choose` tried them.
class bandwidth {
 public:
  /// `written` may be `read`. Only whole lines of 64 bytes count. Requires: memory aligned to such
  /// lines; `read` at least as large as `written`.
  bandwidth(std::span<const std::byte> read, std::span<const std::byte> read_besides,
            std::span<std::byte> written, unsigned threads);

  /// Tries all ways, and keeps the fastest.
  void choose();
  /// Returns the mean seconds of one pass, out of several in a row.
  [[nodiscard]] double sample() const;

 private:
  /// Returns a value that depends on the reads, so that the compiler cannot omit them.
  std::uint64_t move() const;
  [[nodiscard]] double seconds_of(std::size_t times) const;

  std::span<const std::byte> read_, besides_;
  std::span<std::byte> written_;
  unsigned threads_;
  bool past_caches_ = false;
};

/// Bound that arithmetic sets. Computes acc ⊕ a ⊗ b with a = 2 and b = 3, `steps` times in all, on
/// registers alone, in `threads` OpenMP threads. Semiring: plus_times, min_plus, max_min. Returns
/// one of the sums.
template <class Semiring, class T> T register_steps(double steps, unsigned threads);

/// Adds "registers", the time of `steps` steps of a semiring on registers alone. A step of
/// plus_times is an instruction that multiplies and adds; one that only adds takes as long.
template <class Semiring, class T>
void add_registers(comparison& compared, const benchmark_options& options,
                   [[maybe_unused]] double steps) {
  compared.add_rival(options, "registers", [&]() -> candidate {
#if PLEAT_WITH_OPENMP
    // Enough steps that neither the clock nor the start of threads counts.
    const auto run = [steps, taken = std::max(steps, 1e8), threads = compared.processors] {
      const auto start = benchmark_clock::now();
      const T sum = register_steps<Semiring, T>(taken, threads);
      return std::pair(seconds_since(start) * (steps / taken), sum);
    };
    const auto check = [run] {
      const T sum = run().second;
      const bool right =
          std::is_same_v<Semiring, plus_times> ? sum >= T(6) : sum == Semiring::times(T(2), T(3));
      if (!right) throw error("verification failed: registers computed a wrong sum");
    };
    return {"registers", check, [run] { return run().first; }};
#else
    return {};
#endif
  });
}

/// Adds "bandwidth", the time in which `read` and `besides` are read and `written` is written.
inline void add_bandwidth(comparison& compared, const benchmark_options& options,
                          [[maybe_unused]] std::span<const std::byte> read,
                          [[maybe_unused]] std::span<const std::byte> besides,
                          [[maybe_unused]] std::span<std::byte> written) {
  compared.add_rival(options, "bandwidth", [&]() -> candidate {
#if PLEAT_WITH_OPENMP
    const auto moved = std::make_shared<bandwidth>(read, besides, written, compared.processors);
    return {"bandwidth", [moved] { moved->choose(); }, [moved] { return moved->sample(); }};
#else
    return {};
#endif
  });
}

}  // namespace pleat::bench
