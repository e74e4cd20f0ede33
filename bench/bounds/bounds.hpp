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

// Lower bounds on time, measured as rivals: each does only a part of the work of the program.

namespace pleat::bench {

/// Bound that memory sets: the time to read and write the bytes of the arrays without computation.
/// Uses one thread or all, and stores through the caches or past them: the combination that was
/// fastest when `choose` tried all.
class bandwidth {
 public:
  /// `written` may be the memory of `read`. Only whole lines of 64 bytes count. Requires: memory
  /// aligned to such lines; `read` at least as large as `written`.
  bandwidth(std::span<const std::byte> read, std::span<const std::byte> read_besides,
            std::span<std::byte> written, unsigned threads);

  /// Tries all combinations, and keeps the fastest.
  void choose();
  /// Returns the mean seconds of a pass, over as many passes in a row as take a millisecond.
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

/// Adds "registers", the time of `steps` steps of a semiring on registers alone. With FMA, a
/// floating-point step of plus_times is one instruction, which takes as long as an addition.
template <class Semiring, class T>
void add_registers(comparison& compared, const benchmark_options& options,
                   [[maybe_unused]] double steps) {
  compared.add_rival(options, "registers", [&]() -> candidate {
#if PLEAT_WITH_OPENMP
    // At least 1e8 steps, so that clock resolution and the start of threads are negligible.
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
