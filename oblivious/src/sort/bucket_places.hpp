// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <pleat/runtime/interval.hpp>

namespace pleat::detail::sorting {

/// Where buckets lie that follow one another, and which VP sorts which: each a range of them, the
/// middles of which lie in the VP's equal share of all places.
class bucket_places {
 public:
  /// How many words the block of each VP has of each bucket.
  using counts_of_all = std::vector<const std::uint32_t*>;

  bucket_places(std::size_t n, std::size_t vps) noexcept : n_(n), vps_(vps) {}

  /// The words that VP `rank` counts and spreads.
  [[nodiscard]] interval<> block(std::size_t rank) const noexcept {
    return interval<>{0, n_}.share(rank, vps_);
  }

  /// Writes where each bucket begins, and where in it the block of that VP goes; `begins` gets one
  /// more than there are buckets. Returns how many words of the block go to each VP; nothing if
  /// some VP would have to sort a quarter more words than its share, which all VPs find alike.
  /// Cost: P·buckets additions.
  [[nodiscard]] std::optional<std::vector<std::size_t>> find(std::size_t rank,
                                                             const counts_of_all& all,
                                                             std::size_t buckets,
                                                             std::size_t* begins,
                                                             std::size_t* first) const;

  /// The buckets that VP `rank` sorts.
  [[nodiscard]] interval<> buckets_of(std::size_t rank, const std::size_t* begins,
                                      std::size_t buckets) const noexcept;

 private:
  [[nodiscard]] std::size_t owner(std::size_t begin, std::size_t end) const noexcept;

  std::size_t n_;
  std::size_t vps_;
};

}  // namespace pleat::detail::sorting
