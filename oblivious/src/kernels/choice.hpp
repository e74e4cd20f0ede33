// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <span>
#include <vector>

#include <pleat/oblivious/kernels.hpp>
#include <pleat/runtime/detail/each_process.hpp>

#include "kernels/forced.hpp"

// Choice of one of several kernels. To add a piece of work: write a function that tries each of its
// kernels on a little of it, make a `choice` of them, and name that in kernels/all.cpp.
namespace pleat::detail::kernels {

/// A kernel that takes part in a race.
struct candidate {
  const char* name;
  /// Function that does a little of the work, on data in the nearest cache that it makes itself:
  /// some 10 µs. Returns the ns that an element took.
  double (*try_once)();
};

/// A piece of work and the kernels that can do it, of which one is taken at first use.
class choice {
 public:
  /// Makes a choice; both arguments live as long as it, and it is static: what was decided is never
  /// destroyed. Requires: at least one candidate.
  constexpr choice(const char* work, std::span<const candidate> candidates) noexcept
      : work_(work), candidates_(candidates) {}
  choice(const choice&) = delete;
  choice& operator=(const choice&) = delete;

  [[nodiscard]] const char* work() const noexcept { return work_; }
  [[nodiscard]] names_of_work names() const;

  /// The place of the kernel to take. The first call lets the candidates race, unless one is
  /// forced; others wait for it.
  [[nodiscard]] std::size_t taken() {
    // Pairs with the release store of decide().
    const decision* const made = made_.load(std::memory_order_acquire);
    return made != nullptr ? made->place : decide().place;
  }
  [[nodiscard]] kernel_choice described();

 private:
  static constexpr int rounds = 4;
  struct decision {
    std::size_t place = 0;
    kernel_reason why = kernel_reason::only_one;
    std::vector<double> ns;  // of each candidate, if they raced
  };

  const decision& decide();
  [[nodiscard]] std::vector<double> race() const;

  const char* work_;
  std::span<const candidate> candidates_;
  each_process<std::mutex> deciding_;
  std::atomic<const decision*> made_{nullptr};  // never destroyed, as the choice itself
};

}  // namespace pleat::detail::kernels
