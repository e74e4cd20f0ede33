// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <hwy/base.h>

#include <pleat/oblivious/detail/sort/keys.hpp>

namespace pleat::detail::sorting {

/// Words so frequent that each is a bucket of its own, which needs no sort. They are found in a
/// hash table without collisions. Of several hash functions the one is taken with which the fewest
/// occurrences belong to words that would collide with more frequent ones; these are left out.
/// (Dong, Dhulipala, Gu, Sun, Parallel integer sort: theory and practice, 2024, has heavy keys in
/// buckets of their own too.)
template <sort_word U> class heavy_words {
 public:
  static constexpr std::size_t most = 1024;
  /// Index of a word that is not heavy.
  static constexpr std::uint16_t none = std::numeric_limits<std::uint16_t>::max();

  heavy_words() = default;

  /// Finds the words that occur at least `often` ≥ 2 times in a sample, which ascends.
  heavy_words(std::span<const U> sample, std::size_t often) {
    std::vector<std::pair<std::size_t, U>> found;  // how often each occurs
    for (std::size_t i = 0; i < sample.size();) {
      std::size_t end = i + 1;
      while (end < sample.size() && sample[end] == sample[i]) ++end;
      if (end - i >= often) found.emplace_back(end - i, sample[i]);
      i = end;
    }
    if (found.empty()) return;
    std::ranges::sort(found, std::greater<>());
    found.resize(std::min(found.size(), most));
    // Slots: four for each word, and as many as stay in the nearest cache if words are few.
    const std::size_t in_near_cache = std::min<std::size_t>(1024, 16 * found.size());
    const std::size_t wanted = std::max(4 * found.size(), in_near_cache);
    const int slot_bits = static_cast<int>(std::bit_width(wanted - 1));
    shift_ = std::numeric_limits<U>::digits - slot_bits;
    choose_multiplier(found);
    // Marks empty slots: each holds a word that belongs to another slot.
    words_.assign(std::size_t{1} << slot_bits, U{0});
    words_[0] = elsewhere();
    index_.assign(words_.size(), none);
    for (const auto& [times, word] : found) {
      const std::size_t slot = slot_of(word);
      if (index_[slot] != none) continue;
      index_[slot] = 0;
      words_[slot] = word;
      sorted_.push_back(word);
    }
    std::ranges::sort(sorted_);
    for (std::size_t h = 0; h < sorted_.size(); ++h)
      index_[slot_of(sorted_[h])] = static_cast<std::uint16_t>(h);
  }

  [[nodiscard]] std::size_t size() const noexcept { return sorted_.size(); }
  /// Heavy word h; heavy words ascend.
  [[nodiscard]] U operator[](std::size_t h) const noexcept { return sorted_[h]; }

  /// Returns first + h for heavy word h, else `other`; without a branch, as the answer is random.
  /// Requires: size() > 0.
  HWY_INLINE std::size_t find(U w, std::size_t first, std::size_t other) const {
    const std::size_t slot = slot_of(w);
    const std::size_t heavy = std::size_t{0} - static_cast<std::size_t>(words_[slot] == w);
    return other ^ ((other ^ (first + index_[slot])) & heavy);
  }

 private:
  [[nodiscard]] std::size_t slot_of(U w) const noexcept {
    return static_cast<U>(w * multiplier_) >> shift_;
  }

  /// Chooses the hash function for these words, the most frequent first.
  void choose_multiplier(std::span<const std::pair<std::size_t, U>> found) {
    std::size_t least_lost = std::numeric_limits<std::size_t>::max();
    U best = multiplier_;
    std::vector<bool> taken;
    for (int attempt = 0; attempt < 16 && least_lost > 0; ++attempt) {
      taken.assign(std::size_t{1} << (std::numeric_limits<U>::digits - shift_), false);
      std::size_t lost = 0;
      for (const auto& [times, word] : found) {
        const std::size_t slot = slot_of(word);
        lost += taken[slot] ? times : 0;
        taken[slot] = true;
      }
      if (lost < least_lost) {
        least_lost = lost;
        best = multiplier_;
      }
      multiplier_ = static_cast<U>(multiplier_ * static_cast<U>(0xd1342543de82ef95U));  // odd, too
    }
    multiplier_ = best;
  }
  /// Returns a word whose slot is not the first.
  [[nodiscard]] U elsewhere() const {
    U word = 1;
    while (slot_of(word) == 0) ++word;
    return word;
  }

  U multiplier_ = static_cast<U>(0x9e3779b97f4a7c15U);
  int shift_ = 0;
  std::vector<U> words_;              // by slot
  std::vector<std::uint16_t> index_;  // by slot
  std::vector<U> sorted_;
};

}  // namespace pleat::detail::sorting
