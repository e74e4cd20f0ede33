// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace pleat::detail::sorting {

/// Finds the order of words, one bucket after another. Each word is packed with its index and
/// sorted: in 32 bits if these distinguish nearly all words of a bucket that differ, else in 64
/// bits. Words that are still tied are compared.
class word_order {
 public:
  /// Memory for n words: n words at each pointer.
  struct room {
    std::uint64_t* words;  ///< those that are ordered
    std::uint64_t* packed;
    std::uint64_t* spare;
  };

  /// Returns the indices of n ≥ 1 words in the order of the words, those of equal words ascending.
  /// The result lies in `in`. Requires: n < 2^32. Cost: that of sorting n words; two passes over
  /// them.
  [[nodiscard]] const std::uint32_t* of(std::size_t n, const room& in);

 private:
  bool wide_ = false;  // 32 bits left too many words of a bucket to compare: so they will the next
};

/// Sorts words that are already packed, in place. `spare` holds as many.
void sort_packed(std::uint64_t* words, std::size_t n, std::uint64_t* spare);

}  // namespace pleat::detail::sorting
