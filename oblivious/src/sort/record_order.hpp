// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace pleat::detail::sorting {

/// Puts words in order, one bucket after another. Words are sorted packed with their indices: in 32
/// bits if these tell nearly all words of a bucket apart, else in 64; what is still tied is
/// compared.
class word_order {
 public:
  /// Memory for n words: n words at each pointer.
  struct room {
    std::uint64_t* words;  ///< those that are ordered
    std::uint64_t* packed;
    std::uint64_t* spare;
  };

  /// Returns the indices of n ≥ 1 words in the order of the words, equal ones ascending; they lie
  /// in the room. Requires: n < 2^32. Cost: that of sorting n words; two passes over them.
  [[nodiscard]] const std::uint32_t* of(std::size_t n, const room& in);

 private:
  bool wide_ = false;  // 32 bits left too many words of a bucket tied: so they will of the next
};

/// Sorts words that are packed already, where they are. `spare` holds as many.
void sort_packed(std::uint64_t* words, std::size_t n, std::uint64_t* spare);

}  // namespace pleat::detail::sorting
