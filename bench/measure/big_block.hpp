// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <initializer_list>
#include <limits>
#include <span>
#include <utility>

namespace pleat::bench {

/// The product of the factors; more than any machine has if no size_t holds it.
constexpr std::size_t bytes_of(std::initializer_list<std::size_t> factors) {
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
  std::size_t product = 1;
  for (const std::size_t factor : factors)
    product = factor != 0 && product > most / factor ? most : product * factor;
  return product;
}

/// Memory for one large array: zero pages straight from the kernel, huge ones where it has them.
/// Nothing is touched before its user does.
class big_block {
 public:
  big_block() = default;

  /// Throws: pleat::environment_error if there is not that much memory.
  explicit big_block(std::size_t bytes);
  big_block(big_block&& other) noexcept : memory_(std::exchange(other.memory_, {})) {}
  big_block& operator=(big_block&& other) noexcept {
    std::swap(memory_, other.memory_);
    return *this;
  }
  ~big_block();

  [[nodiscard]] std::span<std::byte> bytes() const { return memory_; }

  /// The block as `count` elements. Requires: T trivially copyable, the block holds that many.
  template <class T> [[nodiscard]] std::span<T> as(std::size_t count) const {
    return {reinterpret_cast<T*>(memory_.data()), count};
  }

 private:
  std::span<std::byte> memory_;
};

}  // namespace pleat::bench
