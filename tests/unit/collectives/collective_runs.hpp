// SPDX-License-Identifier: Apache-2.0
// Parts that every test of the operations needs: machines and numbers of VPs to run them on, data
// that tells whose it is, and one place for what any VP finds wrong.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#include "base/sanitizer.hpp"
#include "rank_threads.hpp"

namespace collective_runs {

/// Verdict: what went wrong first, in whichever virtual processor.
class verdict {
 public:
  void expect(bool right, const pleat::vp& me, const char* what, std::size_t at = 0) {
    if (right) return;
    const std::scoped_lock lock(mutex_);
    if (wrong_++ == 0)
      first_ = "VP " + std::to_string(me.rank()) + ": " + what + " (" + std::to_string(at) + ")";
  }
  [[nodiscard]] std::string text() const {
    return wrong_ == 0 ? "" : std::to_string(wrong_) + " times wrong, first in " + first_;
  }

 private:
  std::mutex mutex_;
  std::size_t wrong_ = 0;
  std::string first_;
};

inline const std::vector<std::size_t> numbers_of_vps =
    pleat::detail::sanitized ? std::vector<std::size_t>{1, 2, 3, 5, 8, 13}
                             : std::vector<std::size_t>{1, 2, 3, 5, 7, 8, 13, 16, 17};

/// Runs `program(me, found)` as M(p) on `machine`; nothing may be wrong.
template <class Program>
void run_on(pleat::machine& machine, std::size_t p, const Program& program) {
  SCOPED_TRACE(std::to_string(p) + " VPs on " + std::to_string(machine.processors()) + " workers");
  verdict found;
  try {
    machine.run(p, [&](pleat::vp& me) { return program(me, found); });
  } catch (const pleat::usage_error& e) {
    // A run in which segments have other numbers of rounds has results, but no costs.
    EXPECT_EQ(std::string(e.what()).rfind("no costs: in superstep", 0), 0u) << e.what();
  }
  EXPECT_EQ(found.text(), "");
}

/// Runs the program on all of `sizes` VPs on 2 workers, on every other of them alone and on 3
/// workers, with a worker for each VP, and on a machine that traces, whose engines are those for
/// ranks without common memory.
template <class Program>
void everywhere(const Program& program, const std::vector<std::size_t>& sizes = numbers_of_vps) {
  for (const unsigned workers : {1u, 2u, 3u}) {
    pleat::machine machine({.processors = workers});
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      if (workers != 2 && i % 2 != workers / 2)
        continue;  // 1: the first, the third, …; 3: the others
      run_on(machine, sizes[i], program);
      if (testing::Test::HasFailure()) return;
    }
  }
  if (!pleat::detail::sanitized) {  // where counted_rounds has fewer of these runs
    pleat::machine tracing({.trace = pleat::tracing{}});
    for (const std::size_t p : sizes) run_on(tracing, p, program);
  }
  for (const unsigned workers : {5u, 17u}) {
    if (pleat::detail::sanitized && workers > 5) continue;
    pleat::machine machine({.processors = workers});
    run_on(machine, workers, program);
  }
}

/// Runs the program on VPs of several ranks, whose numbers of workers differ. `sizes`: numbers of
/// VPs; some are fewer than ranks.
template <class Program>
void over_ranks(const Program& program, const std::vector<std::size_t>& sizes = {1, 3, 7, 13}) {
  for (const auto& workers : {std::vector<unsigned>{1, 1}, {1, 3, 2}, {1, 1, 1, 1, 1, 1}}) {
    if (pleat::detail::sanitized && workers.size() > 3) continue;
    machine_of_ranks machine(workers);
    for (const std::size_t p : sizes) {
      SCOPED_TRACE(std::to_string(p) + " VPs on " + std::to_string(workers.size()) + " ranks");
      verdict found;
      const auto ran = machine.run(p, [&](pleat::vp& me) { return program(me, found); });
      EXPECT_EQ(words_of(ran), "");
      EXPECT_EQ(found.text(), "");
      if (testing::Test::HasFailure()) return;
    }
  }
}

inline std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// A value of T that says of which rank it is, and where it belongs.
template <class T> T made(std::size_t rank, std::size_t i) {
  std::uint64_t bits = mixed(rank * 1000003 + i + 1);
  if constexpr (std::is_same_v<T, bool>) {
    return (bits & 1) != 0;
  } else {
    std::byte bytes[sizeof(T)];
    for (std::byte& b : bytes) {
      b = static_cast<std::byte>(bits);
      bits = bits >> 8 | bits << 56;
      ++bits;
    }
    T x;
    std::memcpy(&x, bytes, sizeof x);
    return x;
  }
}

/// Memory for `count` elements, of any type (a vector of bool has none to lend).
template <class T> class block {
 public:
  explicit block(std::size_t count)
      : count_(count), memory_(new T[std::max<std::size_t>(1, count)]) {
    for (std::size_t i = 0; i < count; ++i) memory_[i] = T{};
  }
  block(block&& other) noexcept
      : count_(other.count_), memory_(std::exchange(other.memory_, nullptr)) {}
  block& operator=(block&&) = delete;
  ~block() { delete[] memory_; }

  [[nodiscard]] std::span<T> all() { return {memory_, count_}; }
  [[nodiscard]] std::span<const T> read() const { return {memory_, count_}; }
  [[nodiscard]] std::span<T> part(std::size_t first, std::size_t count) {
    return all().subspan(first, count);
  }
  T& operator[](std::size_t i) { return memory_[i]; }

  /// Elements first … of the whole are those of `rank` from `from` on.
  void fill(std::size_t rank, std::size_t from = 0) {
    for (std::size_t i = 0; i < count_; ++i) memory_[i] = made<T>(rank, from + i);
  }
  void clear() {
    for (std::size_t i = 0; i < count_; ++i) memory_[i] = T{};
  }
  [[nodiscard]] bool holds(std::size_t first, std::size_t count, std::size_t rank,
                           std::size_t from) const {
    for (std::size_t i = 0; i < count; ++i) {
      const T expected = made<T>(rank, from + i);
      if (std::memcmp(&memory_[first + i], &expected, sizeof(T)) != 0) return false;
    }
    return true;
  }

 private:
  std::size_t count_;
  T* memory_;
};

/// A type of so many bytes that is nothing but bytes.
template <std::size_t Bytes, std::size_t Alignment = 1> struct alignas(Alignment) bytes_of {
  unsigned char bytes[Bytes];
};

}  // namespace collective_runs
