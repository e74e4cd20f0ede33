// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include <pleat/oblivious/semiring.hpp>
#include <pleat/runtime/error.hpp>

#include "bandwidth.hpp"
#include "measure/benchmark.hpp"
#include "measure/clock.hpp"
#include "pleat_rivals_linked.hpp"
#include "register_steps.hpp"

// Bounds among the rivals: work that does less than is asked for, which nobody can beat.
namespace pleat::bench {

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
