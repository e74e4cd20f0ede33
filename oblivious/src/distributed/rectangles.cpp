// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <pleat/oblivious/detail/distributed/rectangles.hpp>

namespace pleat::detail::distribution {

rank_rectangles::rank_rectangles(std::size_t rows, std::size_t columns, std::size_t ranks) noexcept
    : rows_(rows), columns_(columns), down_(ranks) {
  const auto sides = [&](std::size_t down) {  // times ranks
    return static_cast<double>(rows) * static_cast<double>(ranks / down) +
           static_cast<double>(columns) * static_cast<double>(down);
  };
  for (std::size_t down = ranks; down > 0; --down) {
    if (ranks % down == 0 && sides(down) < sides(down_)) down_ = down;
  }
  across_ = ranks / down_;
}

std::vector<interval<>> common_cuts(std::size_t n, std::size_t shares, std::size_t other_shares) {
  std::vector<std::size_t> ends;
  for (const std::size_t count : {shares, other_shares})
    for (std::size_t i = 0; i < count; ++i) ends.push_back(interval<>{0, n}.share(i, count).last);
  std::sort(ends.begin(), ends.end());
  std::vector<interval<>> parts;
  std::size_t first = 0;
  for (const std::size_t last : ends) {
    if (last > first) parts.push_back({first, last});
    first = last;
  }
  return parts;
}

std::size_t panel_steps(const std::vector<interval<>>& parts) noexcept {
  std::size_t longest = 0;
  for (const interval<>& part : parts) longest = std::max(longest, part.size());
  return std::max<std::size_t>(1, longest / 1024);
}

}  // namespace pleat::detail::distribution
