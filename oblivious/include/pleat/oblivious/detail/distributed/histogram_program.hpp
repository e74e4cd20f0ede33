// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <pleat/oblivious/detail/distributed/collective_call.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/view.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::distribution {

/// A VP's part in adding the counts of all ranks, to be the same on all. Two 0-supersteps: each
/// rank lends each other its counts of the bins that the other adds up; then what it has added up.
inline task<> add_counts(vp& me, const rank_places& places, std::size_t rank,
                         std::span<std::uint64_t> counts) {
  const interval<> bins{0, counts.size()};
  const interval<> ours = bins.share(rank, places.size());
  const bool first = me.rank() == places[rank].first;
  for (std::size_t r = 0; first && r < places.size(); ++r) {
    const interval<> theirs = bins.share(r, places.size());
    const std::span<const std::uint64_t> part = counts.subspan(theirs.first, theirs.size());
    if (r != rank && !part.empty()) me.lend(places[r].first, part);
  }
  co_await me.sync(0);
  std::vector<std::uint64_t> sums(counts.begin() + static_cast<std::ptrdiff_t>(ours.first),
                                  counts.begin() + static_cast<std::ptrdiff_t>(ours.last));
  for (auto m = me.receive(); m; m = me.receive()) {
    const strided_view<const std::uint64_t> part = m->view<const std::uint64_t>();
    for (std::size_t i = 0; i < part.size(); ++i) sums[i] += part.data[i];
  }
  for (std::size_t r = 0; first && r < places.size(); ++r) {
    if (!sums.empty()) me.send(places[r].first, std::span<const std::uint64_t>(sums));
  }
  co_await me.sync(0);
  std::size_t next = 0;
  for (auto m = me.receive(); m; m = me.receive())  // in the order of the ranks, so of the bins
    for (const std::uint64_t sum : m->span<std::uint64_t>()) counts[next++] = sum;
}

}  // namespace pleat::detail::distribution
