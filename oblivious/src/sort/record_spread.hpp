// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <pleat/oblivious/detail/program/arena.hpp>
#include <pleat/oblivious/detail/sort/record_ends.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

#include "sort/bucket_places.hpp"
#include "sort/leading_digit.hpp"
#include "sort/record_order.hpp"

namespace pleat::detail::sorting {

/// Distribution sort of records on few VPs, stable. It works as word_spread, but only the words of
/// a bucket are sorted, with their indices; each record is then moved once more, to its place.
/// Records of heavy words are moved, too, but not sorted.
///
/// Supersteps and balance are those of word_spread. Local work: n/P for each of a count, a spread
/// and the order of the buckets in cache; P·buckets additions.
class record_spread {
 public:
  /// Draws the sample. With `whole`, each record is a word of 64 bits by which it is sorted, and no
  /// two are equal. Requires: fits_distribution.
  record_spread(const record_ends& records, std::size_t n, std::size_t vps, bool whole);

  /// Records of VP `rank`.
  [[nodiscard]] interval<> block(std::size_t rank) const noexcept { return places_.block(rank); }

  /// Allocates memory for n records, 2 bytes for each, and some for each VP.
  void lay_out(arena& in);

  /// Sorts as the only VP, without a machine.
  void alone();
  /// Program of one of several VPs. Returns false to all VPs, having changed nothing, if the keys
  /// crowd in so few buckets that some VP would have much more to do than others. No VP uses the
  /// memory any more when it returns false.
  task<bool> together(vp& me);

  /// Puts all records, in some order, if a VP has begun to put. Called after a failure.
  void restore() const;

 private:
  [[nodiscard]] bool one_bucket() const noexcept;
  [[nodiscard]] bucket_places::work find(std::size_t rank,
                                         const bucket_places::counts_of_all& all) const {
    return places_.find(rank, all, digit_->lights(), digit_->inside(),
                        {begins_[rank], sizes_[rank], first_[rank]});
  }
  [[nodiscard]] std::span<const std::size_t> heavy_sizes(std::size_t rank) const noexcept {
    return {sizes_[rank] + digit_->lights(), digit_->heavy().size()};
  }
  void count(std::size_t rank);
  void spread(std::size_t rank);
  heavy_cuts sort_share(std::size_t rank, const interval<>& lights);
  void put_heavy(std::size_t rank, const std::size_t* begins);
  const std::uint32_t* sort_bucket(std::byte* moved, std::size_t count, word_order& order,
                                   const word_order::room& room) const;
  void put(const std::byte* moved, const std::uint32_t* order, const interval<>& part,
           std::size_t place) const;

  const record_ends& records_;
  std::size_t n_;
  std::size_t vps_;
  bool stream_;
  bool whole_;  ///< are the records words?
  bucket_places places_;
  std::optional<leading_digit<std::uint64_t>> digit_;  // of several buckets
  std::byte* moved_ = nullptr;
  vp_arrays<std::byte> lines_;
  vp_arrays<std::uint16_t> bucket_;
  vp_arrays<std::uint32_t> counts_, filled_;
  vp_arrays<std::size_t> begins_, sizes_, first_, cut_;
  vp_arrays<std::uint64_t> words_, packed_, spare_;
  std::atomic<bool> writing_{false};
};

}  // namespace pleat::detail::sorting
