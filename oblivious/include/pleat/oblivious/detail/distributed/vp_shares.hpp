// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

#include <pleat/oblivious/detail/distributed/collective_call.hpp>
#include <pleat/oblivious/detail/distributed/matrix_windows.hpp>
#include <pleat/runtime/fold.hpp>
#include <pleat/runtime/interval.hpp>

// What VPs have of an array over ranks, and how much of it is lent at once: pure functions, by
// which lender and borrower find the same pieces without asking.
namespace pleat::detail::distribution {

/// The elements of an array that a VP has: an equal share of those of its rank.
inline interval<> share_of_vp(const unit_shares& shares, std::size_t vp,
                              const rank_places& places) noexcept {
  std::size_t rank = 0;
  while (!places[rank].contains(vp)) ++rank;
  const rank_range& vps = places[rank];
  return shares.of(rank, places.size()).share(vp - vps.first, vps.size());
}

/// How many things of so many bytes each are lent at once: few enough that the allocator keeps the
/// memory of messages, and their pages, for the next ones.
inline std::size_t lent_at_once(std::size_t bytes) noexcept {
  constexpr std::size_t most = std::size_t{1} << 23;
  return std::max<std::size_t>(1, most / bytes);
}
/// f(part), for the parts of an interval that are lent at once.
template <class F>
void for_each_lent(const interval<>& all, std::size_t bytes_of_each, const F& f) {
  const std::size_t most = lent_at_once(bytes_of_each);
  for (std::size_t i = all.first; i < all.last; i += most)
    f(interval<>{i, std::min(i + most, all.last)});
}

}  // namespace pleat::detail::distribution
