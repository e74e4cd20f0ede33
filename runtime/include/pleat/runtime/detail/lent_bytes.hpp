// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <cstddef>

#include <pleat/channels/slot.hpp>

namespace pleat::detail {

/// The bytes of what is lent, row by row, copied some at a time.
class PLEAT_API lent_bytes {
 public:
  explicit lent_bytes(const lent_block& of) noexcept
      : row_(static_cast<const std::byte*>(of.data)),
        step_(of.stride * of.element_size),
        row_bytes_(of.columns * of.element_size),
        left_(of.count() * of.element_size) {
    if (of.contiguous()) row_bytes_ = left_;  // as one row
  }
  /// How many have not been copied.
  [[nodiscard]] std::size_t left() const noexcept { return left_; }
  /// The next ones. Requires: no more than are left.
  void copy(std::size_t bytes, std::byte* to) noexcept;

 private:
  const std::byte* row_;
  std::size_t step_, row_bytes_, left_;
  std::size_t at_ = 0;  // in the row
};

}  // namespace pleat::detail
