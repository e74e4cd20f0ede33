// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <vector>

#include <pleat/runtime/fold.hpp>
#include <pleat/runtime/interval.hpp>

namespace pleat::detail::distribution {

/// The VPs of each rank, in the order of ranks. In one memory there is one rank.
using rank_places = std::vector<rank_range>;

/// Distribution of elements over VPs: each makes a share of its rank's block. Requires: the places
/// outlive it.
class vp_parts {
 public:
  vp_parts(std::size_t n, const rank_places& places) noexcept : vp_parts(n, n, places) {}
  /// Distributes data with room for more, of which only the first `n` are made.
  vp_parts(std::size_t n, std::size_t room, const rank_places& places) noexcept
      : n_(n), room_(room), places_(&places) {
    assert(n <= room);
  }

  /// The first n elements alone.
  [[nodiscard]] vp_parts of_first(std::size_t n) const noexcept { return {n, room_, *places_}; }

  [[nodiscard]] std::size_t ranks() const noexcept { return places_->size(); }
  [[nodiscard]] std::size_t vps() const noexcept { return places_->back().last; }
  [[nodiscard]] const rank_range& vps_of(std::size_t rank) const noexcept {
    return (*places_)[rank];
  }
  [[nodiscard]] std::size_t rank_of(std::size_t q) const noexcept {
    const auto behind = std::ranges::upper_bound(*places_, q, {}, &rank_range::first);
    return static_cast<std::size_t>(behind - places_->begin()) - 1;
  }
  /// Elements of a rank's block that are made.
  [[nodiscard]] interval<> block(std::size_t rank) const noexcept {
    const interval<> all = interval<>{0, room_}.share(rank, ranks());
    return {std::min(all.first, n_), std::min(all.last, n_)};
  }
  /// The indices that VP q makes.
  [[nodiscard]] interval<> part(std::size_t q) const noexcept {
    const std::size_t rank = rank_of(q);
    const rank_range& vps = vps_of(rank);
    return block(rank).share(q - vps.first, vps.size());
  }
  /// The VP that makes element i. Requires: i < n.
  [[nodiscard]] std::size_t maker(std::size_t i) const noexcept {
    assert(i < n_);
    const std::size_t rank = (ranks() * (i + 1) - 1) / room_;
    const interval<> all = block(rank);
    const rank_range& vps = vps_of(rank);
    return vps.first + (vps.size() * (i - all.first + 1) - 1) / all.size();
  }

 private:
  std::size_t n_;
  std::size_t room_;
  const rank_places* places_;
};

}  // namespace pleat::detail::distribution
