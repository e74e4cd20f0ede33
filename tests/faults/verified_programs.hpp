// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>

#include <pleat/runtime/machine.hpp>

namespace faults {

/// A program of the library gave something else than its serial oracle.
struct wrong_result : std::logic_error {
  using std::logic_error::logic_error;
};

/// Something a user does with a machine, from data to a verified result.
struct verified_program {
  const char* name;
  /// Data, sizes up to about 1000 · scale and the number of virtual processors come from the seed.
  /// Throws: wrong_result; what the library throws.
  void (*carry_out)(pleat::machine& on, std::uint64_t seed, std::size_t scale);
};

/// Runs of messages, loans and channels; collectives; sort, fft, matmul, stencil.
[[nodiscard]] std::span<const verified_program> verified_programs();

}  // namespace faults
