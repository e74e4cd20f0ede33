// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pleat {

/// Reason for the choice of a kernel.
enum class kernel_reason {
  measured,  ///< it was the fastest of them when they raced in this process
  known,     ///< it is the fastest wherever it runs
  forced,    ///< by PLEAT_KERNELS
  only_one   ///< this processor, or this build, has no other
};

/// Returns "measured", "known", "forced" or "only one".
[[nodiscard]] PLEAT_API std::string_view to_string(kernel_reason why) noexcept;

/// One of the kernels that can do a piece of work.
struct kernel_candidate {
  std::string name;
  std::optional<double> ns = {};  ///< least time for one element, if measured
};

/// Kernel chosen for a piece of work in this process, with the reason.
struct kernel_choice {
  std::string work;                          ///< such as "vectors" or "sort-u32"
  std::vector<kernel_candidate> candidates;  ///< kernels that this processor can run
  std::size_t chosen;                        ///< index in `candidates` of the kernel in use
  kernel_reason why;
  std::vector<std::string> missing = {};  ///< kernels of the library that this processor cannot run
};

/// Lists the choices among kernels, which are made once in a process: by the first program of the
/// library that needs them, or by this function. All kernels of a piece of work give the same
/// results.
///
/// - `vectors` is the instruction set of kernels that use vectors. The widest set is taken.
/// - `stencil` is the instruction set of stencils. They are compiled with the program that calls
///   them, and its compiler may support fewer sets than the library's: clang leaves out AVX-512
///   unless its options allow fused multiply-adds. The widest set that the program has is taken; if
///   PLEAT_KERNELS forces one that it does not have, `pleat::stencil` throws usage_error.
/// - Every other piece of work is done by the kernel that was fastest in a short race: all
///   candidates run in turns, on data in the nearest cache.
///
/// The variable PLEAT_KERNELS forces choices: a list of `work=kernel` separated by commas, in which
/// later entries have precedence. If the name of a piece of work ends in `-` and a type, as
/// `sort-u32`, the name without it, `sort`, stands for every type that has the kernel:
/// `PLEAT_KERNELS=vectors=avx2,sort=digits,sort-u32=vector`. Forced vectors are used by everything
/// in this process that uses Highway.
///
/// Cost: under a millisecond for the first call in a process, then that of copying the list.
/// Throws: usage_error if PLEAT_KERNELS names a piece of work or a kernel that does not exist.
/// Thread safety: may be called by any thread at any time.
[[nodiscard]] PLEAT_API std::vector<kernel_choice> kernel_choices();

}  // namespace pleat
