// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <pleat/oblivious/detail/program/memory_layout.hpp>
#include <pleat/oblivious/detail/sort/word_source.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

#include "sort/bucket.hpp"
#include "sort/bucket_places.hpp"
#include "sort/spread.hpp"

namespace pleat::detail::sorting {

/// The sort of many words on few VPs: all VPs spread their blocks over buckets by a leading digit,
/// and then each sorts a range of buckets, which are as many keys as the others' unless the keys
/// crowd. Each key is moved twice between memory and cache, and nothing is merged.
///
/// Where every word is one of few, which a sample found, the counts alone say what the result is.
///
/// Two supersteps with label 0: the VPs lend each other what their blocks have of each bucket; they
/// spread, or have taken all memory they need. Local work: n/P for each of a count, a spread and
/// the sort of the buckets in cache; P·buckets additions.
template <sort_word U> class word_spread {
 public:
  /// May the blocks of n/vps words be spread? Each VP counts as many buckets as there are.
  [[nodiscard]] static bool fits(std::size_t n, std::size_t vps) noexcept;

  /// And may it be faster than columns? Where vectors sort fastest, only if few words are all there
  /// are, or the keys do not stay in the caches and even buckets suit them: else the passes of that
  /// sort are as fast as a spread.
  [[nodiscard]] bool pays() const noexcept { return digit_.repeats() || spreads(); }

  /// Draws the sample. Requires: fits(n, vps).
  word_spread(const word_source<U>& keys, std::size_t n, std::size_t vps);

  /// Adds the memory of a VP; `sorted`, room for all keys, is the caller's.
  void plan(memory_layout& layout);
  void lie_in(std::byte* memory, U* sorted) noexcept;

  /// One VP without a machine.
  void alone();

  /// Of one of several VPs. False, having changed nothing, if columns are faster after all, as when
  /// the keys crowd in so few buckets that some VP would have much more to do than others: to all
  /// VPs.
  task<bool> together(vp& me);

  /// After a failure: all keys are in the user's array again. True if some VP had begun to write
  /// it.
  bool restore() const noexcept;

 private:
  [[nodiscard]] bool spreads() const noexcept {
    return by_ == bucket_kernel::digits || (keys_.stream && digit_.even());
  }
  void count(std::size_t rank);
  void fill_share(std::size_t rank);
  [[nodiscard]] bool place_buckets(std::size_t rank, const bucket_places::counts_of_all& all);
  void spread(std::size_t rank);
  void sort_share(std::size_t rank);

  word_source<U> keys_;
  std::size_t n_;
  std::size_t vps_;
  bucket_places places_;
  bucket_kernel by_;
  leading_digit<U> digit_;
  U* sorted_ = nullptr;
  std::byte* memory_ = nullptr;
  placed_arrays<std::uint32_t> counts_, filled_;
  placed_arrays<std::size_t> begins_, first_;
  placed_arrays<U> lines_, room_, out_;
  std::atomic<bool> writing_{false};
};

}  // namespace pleat::detail::sorting
