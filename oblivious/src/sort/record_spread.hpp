// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <pleat/oblivious/detail/program/arena.hpp>
#include <pleat/oblivious/detail/sort/value_records.hpp>
#include <pleat/runtime/interval.hpp>

#include "sort/leading_digit.hpp"
#include "sort/spread.hpp"

namespace pleat::detail::sorting {

/// Range of the words of a bucket. It may begin anywhere, so words of a narrow range may differ in
/// their leading bits.
struct word_range {
  std::uint64_t least;
  int width;  ///< in bits, of the difference between the greatest word and the least

  /// Requires n ≥ 1.
  word_range(const std::uint64_t* words, std::size_t n) noexcept;
};

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

  /// Returns the indices of n ≥ 1 words of that range in the order of the words, those of equal
  /// words ascending. The result lies in `in`. Requires: n < 2^32. Cost: that of sorting n words;
  /// two passes over them.
  [[nodiscard]] const std::uint32_t* of(std::size_t n, const word_range& range, const room& in);

 private:
  bool wide_ = false;  // 32 bits left too many words of a bucket to compare: so they will the next
};

/// Sorts words that are already packed, in place. `spare` holds as many.
void sort_packed(std::uint64_t* words, std::size_t n, std::uint64_t* spare);

/// Number of records that are read and moved at a time; they stay in the nearest cache.
inline constexpr std::size_t record_group = 128;

/// Distribution sort of records, stable. Small records of a bucket are sorted by two digits of
/// their words if these differ in few bits. Otherwise only the words are sorted, with their
/// indices, and each record is then moved once more, to its place. Records of heavy words are
/// moved, too. If a few words are all that the sample finds, records are gathered while they are
/// counted, in chunks of one word each, so that they are read twice instead of three times.
class record_spread : public bucket_spread<record_spread> {
 public:
  /// Draws the sample. With `whole`, each record is a word of 64 bits by which it is sorted, and no
  /// two are equal. Requires: fits_distribution.
  record_spread(const record_access& records, std::size_t n, std::size_t vps, bool whole);

  /// Allocates memory for n records, 2 bytes for each, and up to 2 MiB for each VP.
  void lay_out(arena& in);

  /// Sorts as the only VP, without a machine.
  void alone();

  /// Puts all records, in some order, if a VP has begun to put. Called after a failure.
  void restore() const;

 private:
  friend bucket_spread<record_spread>;
  static constexpr bool only_counts_heavy = false;
  [[nodiscard]] bool places_heavy() const noexcept { return gathers(); }
  [[nodiscard]] bool gathers() const noexcept { return gathers_.load(std::memory_order_relaxed); }

  [[nodiscard]] bool one_bucket() const noexcept;
  [[nodiscard]] const leading_digit<std::uint64_t>& digit() const noexcept { return *digit_; }
  [[nodiscard]] bool streams() const noexcept { return stream_; }
  void count(std::size_t rank);
  template <std::size_t Bytes> [[nodiscard]] bool gather(std::size_t rank);
  [[nodiscard]] bool gathered(std::size_t rank) const noexcept;
  void put_chunks(std::size_t rank, bool stream) const;
  [[nodiscard]] std::size_t chunk() const noexcept;
  [[nodiscard]] std::byte* chunks(std::size_t rank) const noexcept;
  void put_back(std::size_t /*rank*/) const noexcept {}  // records stay where they are
  void spread(std::size_t rank);
  template <std::size_t Bytes> void spread_block(std::size_t rank) const;
  heavy_cuts sort_share(std::size_t rank, const interval<>& lights);
  void put_heavy(std::size_t rank, const std::size_t* begins);
  struct sorted_bucket {
    const std::byte* records;
    const std::uint32_t* order;  ///< of the records; null if they are in order where they are
  };
  sorted_bucket sort_bucket(std::byte* moved, std::size_t count, word_order& order,
                            const word_order::room& room, bool by_digits) const;
  void put(const sorted_bucket& from, const interval<>& part, std::size_t place) const;

  const record_access& records_;
  std::size_t n_;
  bool stream_;
  bool whole_;                                         ///< are the records words?
  std::atomic<bool> gathers_{false};                   ///< while it counts, until a VP cannot
  std::optional<leading_digit<std::uint64_t>> digit_;  // of several buckets
  std::byte* moved_ = nullptr;
  vp_arrays<std::byte> lines_;
  vp_arrays<std::uint16_t> bucket_;
  vp_arrays<std::uint8_t> heavy_of_;  // of each chunk
  vp_arrays<std::uint64_t> words_, packed_, spare_;
};

}  // namespace pleat::detail::sorting
