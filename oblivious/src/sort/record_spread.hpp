// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <pleat/oblivious/detail/program/memory_layout.hpp>
#include <pleat/oblivious/detail/sort/record_ends.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

#include "sort/bucket_places.hpp"
#include "sort/leading_digit.hpp"
#include "sort/record_order.hpp"

namespace pleat::detail::sorting {

/// The sort of records on few VPs: as word_spread, but only the words of a bucket are sorted, with
/// their indices; each record is then moved once more, to its place. Stable.
///
/// Supersteps and balance are those of word_spread. Local work: n/P for each of a count, a spread
/// and the order of the buckets in cache; P·buckets additions.
class record_spread {
 public:
  /// May n records be spread by that many VPs? Each counts as many buckets as there are.
  [[nodiscard]] static bool fits(std::size_t n, std::size_t vps) noexcept;

  /// Draws the sample. With `whole`, records are words of 64 bits, no two equal, in whose order
  /// they are. Requires: fits(n, vps).
  record_spread(const record_ends& records, std::size_t n, std::size_t vps, bool whole);

  /// Adds the memory it takes: n records, 2 bytes for each, and some for each VP.
  void plan(memory_layout& layout);
  void lie_in(std::byte* memory) noexcept { memory_ = memory; }

  /// One VP without a machine.
  void alone();
  /// Of one of several VPs. False, having changed nothing, if the keys crowd in so few buckets that
  /// some VP would have much more to do than others: to all VPs, when all have left the memory.
  task<bool> together(vp& me);

  /// After a failure: all records are put, in some order, if a VP has begun to put.
  void restore() const;

 private:
  [[nodiscard]] bool one_bucket() const noexcept;
  void count(std::size_t rank);
  void spread(std::size_t rank);
  void sort_share(std::size_t rank);
  void sort_bucket(std::size_t first, std::size_t count, word_order& order,
                   const word_order::room& room);
  void sort_large_bucket(std::size_t first, std::size_t count, word_order& order);

  const record_ends& records_;
  std::size_t n_;
  std::size_t vps_;
  bool stream_;
  bool whole_;  ///< are the records words?
  bucket_places places_;
  std::optional<leading_digit<std::uint64_t>> digit_;  // of several buckets
  std::byte* memory_ = nullptr;
  placed_arrays<std::byte> moved_, lines_;
  placed_arrays<std::uint16_t> bucket_;
  placed_arrays<std::uint32_t> counts_, filled_;
  placed_arrays<std::size_t> begins_, first_;
  placed_arrays<std::uint64_t> words_, packed_, spare_;
  std::atomic<bool> writing_{false};
};

}  // namespace pleat::detail::sorting
