// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pleat::bench {

/// 64 well-mixed bits of a number (the finaliser of SplitMix64, Steele, Lea, Flood 2014).
[[nodiscard]] constexpr std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

/// A key before it has a type.
struct drawn_key {
  std::uint64_t number;
  bool scaled;  ///< is the number a place in the range of 64 bits? else it is the key itself
};

/// Distribution of keys before they are sorted: a name, and for some a parameter after a colon, as
/// in zipf:1.2.
class distribution {
 public:
  /// Throws: usage_error naming the distributions, or what the parameter may be; error if the file
  /// of `words` cannot be read.
  explicit distribution(std::string_view text);

  /// The i-th of n keys. Thread-safe: the same for the same arguments.
  [[nodiscard]] drawn_key key(std::uint64_t seed, std::size_t i, std::size_t n) const;

  /// Lists all names and their parameters, for messages.
  [[nodiscard]] static std::string known();

 private:
  std::size_t shape_;
  double parameter_;
  std::shared_ptr<const std::vector<std::uint64_t>> words_;  // of a file
};

}  // namespace pleat::bench
