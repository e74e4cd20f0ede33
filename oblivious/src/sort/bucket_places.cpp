// SPDX-License-Identifier: Apache-2.0
#include "sort/bucket_places.hpp"

#include <algorithm>

#include <pleat/runtime/view.hpp>

namespace pleat::detail::sorting {

bucket_places::work bucket_places::find(std::size_t rank, const counts_of_all& all,
                                        std::size_t lights, std::span<const std::uint32_t> inside,
                                        const room& in) const {
  const std::size_t buckets = lights + inside.size();
  std::fill_n(in.sizes, buckets, 0);
  for (std::size_t q = 0; q < vps_; ++q) {
    if (q == rank) std::copy_n(in.sizes, buckets, in.first);  // what ranks before mine have of it
    for (std::size_t b = 0; b < buckets; ++b) in.sizes[b] += all[q][b];
  }
  std::size_t place = 0;
  const auto lay = [&](std::size_t b) {
    in.begins[b] = place;
    in.first[b] += place;
    place += in.sizes[b];
  };
  std::size_t heavy = 0;
  for (std::size_t b = 0; b < lights; ++b) {
    lay(b);
    for (; heavy < inside.size() && inside[heavy] == b; ++heavy) lay(lights + heavy);
  }

  work found{
      {lights, lights}, true, 0, std::vector<std::size_t>(vps_), std::vector<std::size_t>(vps_)};
  for (std::size_t b = 0; b < lights; ++b) found.light_words += in.sizes[b];
  std::vector<std::size_t> load(vps_);
  std::size_t before = 0;  // words of light buckets
  std::size_t owner = 0;
  for (std::size_t b = 0; b < lights; ++b) {
    // Gives the bucket to the VP in whose equal share its middle lies.
    const std::size_t middle = before + in.sizes[b] / 2;
    while (owner + 1 < vps_ && interval<>{0, found.light_words}.share(owner, vps_).last <= middle)
      ++owner;
    if (owner == rank) {
      found.lights.first = std::min(found.lights.first, b);
      found.lights.last = b + 1;
    }
    load[owner] += in.sizes[b];
    found.given[owner] += all[rank][b];
    before += in.sizes[b];
  }
  if (found.lights.first == lights) found.lights.last = lights;
  std::size_t heavy_before = 0;
  owner = 0;
  for (std::size_t b = lights; b < buckets; heavy_before += in.sizes[b++]) {
    const std::size_t first = heavy_before + in.first[b] - in.begins[b];
    for (interval<> mine{first, first + all[rank][b]}; !mine.empty();) {
      const auto share = interval<>{0, n_ - found.light_words}.share(owner, vps_);
      const std::size_t put = intersect(mine, share).size();
      found.heavy_given[owner] += put;
      mine.first += put;
      if (!mine.empty()) ++owner;
    }
  }
  // Share of light words, at least a quarter of all words: where most are heavy, imbalance of the
  // light ones costs little.
  const std::size_t share = std::max(found.light_words / vps_, n_ / vps_ / 4);
  found.balanced = std::ranges::max(load) <= share + share / 4;
  return found;
}

task<std::vector<std::size_t>> heavy_begins_of_all(vp& me, std::span<const std::size_t> mine) {
  for (std::size_t q = 0; q < me.size(); ++q) me.lend(q, mine);
  co_await me.sync(0);
  std::vector<std::span<const std::size_t>> parts(me.size());
  while (auto m = me.receive()) {
    const strided_view<const std::size_t> part = m->view<const std::size_t>();
    parts[m->source()] = {part.data, part.size()};
  }
  std::vector<std::size_t> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  co_return all;
}

}  // namespace pleat::detail::sorting
