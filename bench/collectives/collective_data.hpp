// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "collective.hpp"

namespace pleat::bench {

/// Input of one rank in a collective operation and the result it must have, the same for every
/// implementation. A broadcast happens in place: the root has an input only, the others a result
/// only.
///
/// Doubles are small whole numbers, so their sum is the same in any order.
struct collective_share {
  collective one;
  std::size_t ranks = 1;
  std::size_t rank = 0;

  [[nodiscard]] std::size_t input_bytes() const;
  [[nodiscard]] std::size_t result_bytes() const;

  /// Writes this rank's input, another one for every seed. Requires: input_bytes, aligned to 8.
  /// Cost: one pass that writes.
  void fill_input(std::span<std::byte> input, std::uint64_t seed) const;

  /// Makes a result that was not written wrong. Requires: result_bytes, aligned to 8.
  void spoil(std::span<std::byte> result) const;

  /// The first element of the result that is wrong, in one line; nothing if all are right.
  /// Requires: result_bytes, aligned to 8; every rank filled its input with `seed`.
  [[nodiscard]] std::optional<std::string> first_wrong(std::span<const std::byte> result,
                                                       std::uint64_t seed) const;
};

}  // namespace pleat::bench
