// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <hwy/base.h>

#include <pleat/oblivious/detail/sort/keys.hpp>
#include <pleat/oblivious/detail/sort/small_sort.hpp>

#include "sort/bucket.hpp"

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

  /// Returns h for heavy word h, and any value for another, which sets bits of `differing`.
  /// Requires: size() > 0.
  HWY_INLINE std::size_t guess(U w, U& differing) const {
    const std::size_t slot = slot_of(w);
    differing |= words_[slot] ^ w;
    return index_[slot];
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

/// Buckets that divide the range of all words evenly.
template <sort_word U> struct top_digit {
  int shift;

  HWY_INLINE std::size_t operator()(U w) const { return w >> shift; }
};

/// Buckets that divide a range of words evenly.
template <sort_word U> struct even_digit {
  U least;
  U most;  ///< above the least
  int shift;

  HWY_INLINE std::size_t operator()(U w) const {
    return std::min(static_cast<U>(std::max(w, least) - least), most) >> shift;
  }
};

/// Buckets that words of a sample separate: they are nodes of a binary tree, in which a word
/// descends without a branch that depends on it. (Sanders, Winkel, Super scalar sample sort, 2004;
/// splitter_tree does the same for values of any order, up to 256 buckets.)
template <sort_word U> struct splitters {
  const U* tree;  ///< children of i: 2i and 2i + 1
  int levels;

  HWY_INLINE std::size_t operator()(U w) const {
    std::size_t node = 1;
    for (int level = 0; level < levels; ++level) node = 2 * node + without_branch(tree[node] < w);
    return node - (std::size_t{1} << levels);
  }
};

/// Words of which a bucket gets about so many: it and its copies stay in 512 KiB of cache.
inline constexpr std::size_t words_of_bucket = std::size_t{1} << 13;

/// Choice of buckets.
struct bucket_choices {
  std::size_t full = words_of_bucket;  ///< number of words that a bucket gets, about
  bool any_heavy = true;               ///< heavy words are buckets of their own
  /// Words of the sample may separate the buckets: worth it where the bucket of a word is found
  /// once, and noted.
  bool separable = false;
};

/// Buckets of words, cut by a sample. A heavy word is a bucket of its own; all other words lie in
/// light buckets, each of which is a range of words. Cells divide the sample's range evenly. Some
/// may be empty, as between negative and positive numbers, and some crowded. Crowded cells are
/// divided evenly again; sparse neighbours share a bucket. If the sample fills all cells alike, the
/// buckets are even, and the bucket of a word is found in fewer instructions. If many words would
/// still be in crowded buckets, cells divide each octave above the least word evenly, as
/// floating-point numbers do. If these are crowded, too, as where each bit has the same small
/// chance, words of the sample separate the buckets, which takes the most instructions.
///
/// Light buckets 0 … lights() − 1 are in the order of their words; then come the heavy ones, in the
/// order of theirs.
template <sort_word U> class leading_digit {
 public:
  /// Cuts buckets for n words, of which `load(i)` is the i-th, by a sample. Buckets get fewer words
  /// than asked for if that gives each of a moderate number of VPs several buckets, so that the
  /// shares of the VPs are about equal.
  template <class Load>
  leading_digit(const Load& load, std::size_t n, std::size_t vps, const bucket_choices& how = {}) {
    std::vector<U> sample = drawn(load, n);
    const auto [least, greatest] = std::ranges::minmax(sample);
    const int range_bits = static_cast<int>(std::bit_width(static_cast<U>(greatest - least)));
    constexpr int word_bits = 8 * sizeof(U);
    least_ = least;
    most_ = static_cast<U>(no_key<U> >> (range_bits == 0 ? word_bits - 1 : word_bits - range_bits));
    shift_ = std::max(range_bits - cell_bits, 0);
    std::array<std::uint32_t, cells> found{};
    std::array<U, cells> last{};  // word of each cell, or of each hash value
    std::size_t repeated = 0;
    for (const U w : sample) {
      const std::size_t c = above_least(w) >> shift_;
      ++found[c];
      const std::size_t slot =  // of all words in a crowded cell, none seems to be repeated
          how.separable
              ? static_cast<U>(w * static_cast<U>(0x9e3779b97f4a7c15U)) >> (word_bits - cell_bits)
              : c;
      repeated += last[slot] == w ? 1 : 0;
      last[slot] = w;
    }
    const std::size_t words =  // of a bucket
        std::max({std::min(how.full, n / (16 * vps)), n / most_buckets, std::size_t{1}});
    const std::size_t few = std::max<std::size_t>(sample.size() * words / n, 1);  // of a bucket
    if (how.any_heavy && repeated > sample.size() / 64)
      find_heavy(sample, std::max<std::size_t>(few / 2, 4), found);
    even_ = heavy_.size() == 0 && std::ranges::max(found) <= 4 * sample.size() / cells + 16 &&
            cut_evenly(found, sample.size(), std::max(range_bits, 1), n / words, vps);
    if (!even_) cut(found, few);
    if (how.separable && !even_) {
      std::erase_if(sample, [this](U w) { return is_heavy(w); });
      if (is_crowded(sample, few)) {
        octaves_ = true;
        found.fill(0);
        for (const U w : sample) ++found[octave_place(above_least(w)).cell];
        cut(found, few);
        if (is_crowded(sample, few)) separate(sample, few);
      }
    }
    visit([this](const auto& bucket_of) {
      for (std::size_t h = 0; h < heavy_.size(); ++h)
        inside_.push_back(static_cast<std::uint32_t>(bucket_of(heavy_[h])));
    });
  }

  [[nodiscard]] std::size_t buckets() const { return lights_ + heavy_.size(); }
  [[nodiscard]] std::size_t lights() const { return lights_; }
  [[nodiscard]] const heavy_words<U>& heavy() const { return heavy_; }
  /// Tells whether the sample has no light word.
  [[nodiscard]] bool only_heavy() const { return only_heavy_; }
  /// Light bucket in whose range each heavy word is.
  [[nodiscard]] std::span<const std::uint32_t> inside() const { return inside_; }
  [[nodiscard]] bool even() const { return even_; }

  /// Calls f with the function object that finds the light bucket of a word in the fewest
  /// instructions.
  template <class F> auto visit(const F& f) const {
    if (even_ && least_ == 0 && most_ == no_key<U>) return f(top_digit<U>{shift_});
    if (even_) return f(even_digit<U>{least_, most_, shift_});
    if (!tree_.empty()) return f(splitters<U>{tree_.data(), levels()});
    if (octaves_) return f([this](U w) { return bucket_at(octave_place(above_least(w))); });
    return f([this](U w) { return bucket_at(even_place(above_least(w))); });
  }

 private:
  static constexpr int cell_bits = 10;
  static constexpr std::size_t cells = std::size_t{1} << cell_bits;
  static constexpr int octave_bits = cell_bits - 6;
  struct cell {
    std::uint32_t first;  ///< bucket
    int shift;            ///< of what lies above the cell's first word, to cut it
  };

  /// Place of a word in a cell.
  struct cell_place {
    std::size_t cell;
    U above;  ///< the cell's first word
  };

  HWY_INLINE U above_least(U w) const {
    return std::min(static_cast<U>(std::max(w, least_) - least_), most_);
  }
  HWY_INLINE cell_place even_place(U above) const {
    return {above >> shift_, static_cast<U>(above & static_cast<U>((U{1} << shift_) - 1))};
  }
  /// The first two octaves are as wide as each other.
  HWY_INLINE static cell_place octave_place(U above) {
    constexpr U in_octave = U{1} << octave_bits;  // cells
    const U w = static_cast<U>(std::min(above, static_cast<U>(no_key<U> - in_octave)) + in_octave);
    const int bits = static_cast<int>(std::bit_width(w)) - 1 - octave_bits;
    const U top = w >> bits;
    return {(static_cast<std::size_t>(bits) << octave_bits) + (top - in_octave),
            static_cast<U>(w ^ static_cast<U>(top << bits))};
  }
  HWY_INLINE std::size_t bucket_at(const cell_place& place) const {
    const cell& at = cells_[place.cell];
    return at.first + (place.above >> at.shift);
  }

  template <class Load> static std::vector<U> drawn(const Load& load, std::size_t n) {
    std::vector<U> sample(std::clamp<std::size_t>(n / 128, 256, 8192));
    std::uint64_t random = n;  // fixed by n: equal inputs take equal paths
    for (U& w : sample) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      w = load(static_cast<std::size_t>((random >> 11) % n));
    }
    return sample;
  }

  /// Finds heavy words, and subtracts their numbers from those of the cells.
  void find_heavy(std::vector<U>& sample, std::size_t often,
                  std::array<std::uint32_t, cells>& found) {
    sort_by_comparing(sample.data(), sample.size());
    heavy_ = heavy_words<U>(sample, often);
    std::size_t light = sample.size();
    for (std::size_t h = 0; h < heavy_.size(); ++h) {
      const auto [first, last] = std::ranges::equal_range(sample, heavy_[h]);
      found[above_least(heavy_[h]) >> shift_] -= static_cast<std::uint32_t>(last - first);
      light -= static_cast<std::size_t>(last - first);
    }
    only_heavy_ = light == 0;
  }

  [[nodiscard]] bool is_heavy(U w) const {
    return heavy_.size() > 0 && heavy_.find(w, 0, heavy_.size()) < heavy_.size();
  }

  /// Tells whether many light words of the sample are in buckets that got much more than `full`.
  [[nodiscard]] bool is_crowded(const std::vector<U>& light, std::size_t full) const {
    std::vector<std::size_t> found(lights_);
    visit([&](const auto& bucket_of) {
      for (const U w : light) ++found[bucket_of(w)];
    });
    std::size_t crowded = 0;
    for (const std::size_t some : found) crowded += some > 4 * full + 8 ? some : 0;
    return crowded > light.size() / 8;
  }

  [[nodiscard]] int levels() const { return static_cast<int>(std::bit_width(tree_.size())) - 1; }

  /// Separates buckets by light words of the sample.
  void separate(std::vector<U>& light, std::size_t full) {
    sort_by_comparing(light.data(), light.size());
    const std::size_t shares = std::clamp<std::size_t>(light.size() / full, 2, most_buckets);
    lights_ = std::bit_floor(shares);
    tree_.resize(lights_);
    for (int level = 0; level < levels(); ++level) {
      const std::size_t first = std::size_t{1} << level;
      for (std::size_t k = 0; k < first; ++k) {
        const std::size_t bucket = (2 * k + 1) << (levels() - 1 - level);  // the first one behind
        tree_[first + k] = light[bucket * light.size() / lights_ - 1];
      }
    }
  }

  /// Returns the number of sampled words in the fullest of 2^bits even buckets, at most range_bits.
  static std::size_t fullest(const std::array<std::uint32_t, cells>& found, int range_bits,
                             int bits) {
    const int found_bits = std::min(range_bits, cell_bits);
    if (bits >= found_bits) return std::ranges::max(found) >> (bits - found_bits);
    const std::size_t each = std::size_t{1} << (found_bits - bits);
    std::size_t most = 0;
    for (std::size_t c = 0; c < cells; c += each)
      most = std::max<std::size_t>(most, std::accumulate(&found[c], &found[c] + each, 0U));
    return most;
  }

  /// Cuts at least `shares` even buckets, and more where few of them get many words, so that the
  /// shares of the VPs can be about equal. Returns false if even the most buckets do not suffice.
  bool cut_evenly(const std::array<std::uint32_t, cells>& found, std::size_t sampled,
                  int range_bits, std::size_t shares, std::size_t vps) {
    const auto bits_of = [&](std::size_t buckets) {
      return std::clamp(static_cast<int>(std::bit_width(buckets - 1)), 1, range_bits);
    };
    int digit_bits = bits_of(std::max<std::size_t>(shares, 1));
    const std::size_t full = sampled / (6 * vps);  // a sixth of a share
    while (digit_bits < bits_of(most_buckets) && fullest(found, range_bits, digit_bits) > full)
      ++digit_bits;
    // Where a sixth of a share is no more than a bucket's usual part of the sample, that may vary.
    if (fullest(found, range_bits, digit_bits) > std::max(full, 4 * sampled >> digit_bits))
      return false;
    if (range_bits == 8 * sizeof(U)) least_ = 0;  // nothing is beyond the sample's range
    shift_ = range_bits - digit_bits;
    lights_ = (std::size_t{most_} >> shift_) + 1;
    return true;
  }

  void cut(const std::array<std::uint32_t, cells>& found, std::size_t full) {
    std::uint32_t bucket = 0;
    std::size_t shared = 0;  // by cells before, in this bucket
    for (std::size_t c = 0; c < cells; ++c) {
      const int shift = octaves_ ? static_cast<int>(c >> octave_bits) : shift_;
      if (found[c] < 2 * full) {
        cells_[c] = {bucket, shift};
        shared += found[c];
        if (shared < full) continue;
        ++bucket;
      } else {
        if (shared > 0) ++bucket;
        const int cut_bits = std::min(static_cast<int>(std::bit_width(found[c] / full)) - 1, shift);
        cells_[c] = {bucket, shift - cut_bits};
        bucket += std::uint32_t{1} << cut_bits;
      }
      shared = 0;
    }
    lights_ = bucket + 1;
  }

  U least_;
  U most_;  ///< above the least
  int shift_;
  bool even_;
  bool octaves_ = false;
  bool only_heavy_ = false;
  std::size_t lights_;
  heavy_words<U> heavy_;
  std::vector<std::uint32_t> inside_;
  std::array<cell, cells> cells_;
  std::vector<U> tree_;  // of splitters; empty if cells are divided
};

}  // namespace pleat::detail::sorting
