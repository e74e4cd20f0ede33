// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <pleat/oblivious/detail/stencil/loops.hpp>
#include <pleat/oblivious/kernels.hpp>
#include <pleat/runtime/detail/each_process.hpp>

namespace pleat::detail::kernels {

/// A piece of work and the kernels that can do it here, by name.
struct names_of_work {
  std::string work;
  std::vector<std::string> kernels;
};

/// Content of PLEAT_KERNELS.
class forced_kernels {
 public:
  forced_kernels() = default;

  /// Throws: usage_error, in one line, if the text is no list of `work=kernel`, or names work or a
  /// kernel that is none of `all`.
  forced_kernels(std::string_view text, std::span<const names_of_work> all);

  /// The place of the kernel that is forced for this work, if one is.
  [[nodiscard]] std::optional<std::size_t> kernel_of(const names_of_work& names) const;

 private:
  struct pair {
    std::string work;
    std::string kernel;
  };
  std::vector<pair> pairs_;
};

// Choice of one of several kernels. To add a piece of work: write a function that tries each of its
// kernels on a little of it, make a `choice` of them, and name that in kernels/choice.cpp.

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

// The instruction set of the kernels that are written in Highway's vectors.

/// "vectors", and the names of those that this processor has and the library is compiled for, the
/// widest first: "avx512", "avx2"; the last one, "baseline", needs no more than what the
/// compiler was told to use.
[[nodiscard]] names_of_work vector_names();

/// Lets Highway choose none that is wider than the forced one. Concerns the whole process.
/// Throws: environment_error if all kernels are for processors that have more than this one.
void use_vectors(const forced_kernels& forced);

[[nodiscard]] kernel_choice vectors_described(const forced_kernels& forced);

// Instruction set of stencils, whose rows are compiled with the kernel of the calling program.

/// "stencil", and the names of those that this processor has and a program that is compiled as the
/// library is, the widest first.
[[nodiscard]] names_of_work stencil_names();

[[nodiscard]] std::optional<stencils::instructions> forced_stencil(const forced_kernels& forced);

[[nodiscard]] kernel_choice stencil_described(const forced_kernels& forced);

/// Applies PLEAT_KERNELS, read by the first call in a process; the vectors are chosen accordingly.
/// Throws: usage_error that names the variable; the next call tries again. environment_error as
/// use_vectors().
const forced_kernels& apply_forced();

}  // namespace pleat::detail::kernels
