// SPDX-License-Identifier: Apache-2.0
#include "sort/bucket_places.hpp"

#include <algorithm>

namespace pleat::detail::sorting {

std::size_t bucket_places::owner(std::size_t begin, std::size_t end) const noexcept {
  const std::size_t middle = begin + (end - begin) / 2;
  // The greatest rank whose equal share begins there or before.
  std::size_t rank = std::min(middle / (n_ / vps_), vps_ - 1);
  while (block(rank).first > middle) --rank;
  return rank;
}

std::optional<std::vector<std::size_t>> bucket_places::find(std::size_t rank,
                                                            const counts_of_all& all,
                                                            std::size_t buckets,
                                                            std::size_t* begins,
                                                            std::size_t* first) const {
  std::fill_n(begins, buckets + 1, 0);
  for (std::size_t q = 0; q < vps_; ++q) {
    if (q == rank) std::copy_n(begins, buckets, first);  // what ranks before mine have of it
    for (std::size_t b = 0; b < buckets; ++b) begins[b] += all[q][b];
  }
  std::vector<std::size_t> load(vps_);
  std::vector<std::size_t> given(vps_);
  std::size_t place = 0;
  for (std::size_t b = 0; b < buckets; ++b) {
    const std::size_t count = begins[b];
    const std::size_t to = owner(place, place + count);
    load[to] += count;
    given[to] += all[rank][b];
    begins[b] = place;
    first[b] += place;
    place += count;
  }
  begins[buckets] = place;
  if (std::ranges::max(load) > n_ / vps_ + n_ / vps_ / 4) return std::nullopt;
  return given;
}

interval<> bucket_places::buckets_of(std::size_t rank, const std::size_t* begins,
                                     std::size_t buckets) const noexcept {
  const auto first_of = [&](std::size_t r) {
    std::size_t low = 0;
    std::size_t high = buckets;
    while (low < high) {  // owners ascend
      const std::size_t b = low + (high - low) / 2;
      if (owner(begins[b], begins[b + 1]) < r)
        low = b + 1;
      else
        high = b;
    }
    return low;
  };
  return {first_of(rank), first_of(rank + 1)};
}

}  // namespace pleat::detail::sorting
