// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <utility>

#include <pleat/oblivious/detail/distributed/slabs.hpp>

namespace pleat::detail::distribution {

namespace {

/// About as many cells are updated while an exchange goes on.
constexpr double cells_per_exchange = 1 << 14;

}  // namespace

interval<row_place> slabs::window(std::size_t rank, std::size_t depth) const noexcept {
  const interval<> mine = of(rank);
  if (mine.empty()) return {};
  const auto by = static_cast<row_place>(depth);
  const interval<row_place> wide{static_cast<row_place>(mine.first) - by,
                                 static_cast<row_place>(mine.last) + by};
  return ring_ ? wide : intersect(wide, {0, static_cast<row_place>(rows())});
}

std::vector<halo_piece> slabs::halo(std::size_t rank, std::size_t depth) const {
  std::vector<halo_piece> pieces;
  const interval<> mine = of(rank);
  if (mine.empty()) return pieces;
  const interval<row_place> wide = window(rank, depth);
  const auto n = static_cast<row_place>(rows());
  for (const interval<row_place>& side :
       {interval<row_place>{wide.first, static_cast<row_place>(mine.first)},
        interval<row_place>{static_cast<row_place>(mine.last), wide.last}}) {
    for (row_place place = side.first; place < side.last;) {
      const auto row = static_cast<std::size_t>((place % n + n) % n);
      const std::size_t from = owner(row);
      const std::size_t count =
          std::min(of(from).last - row, static_cast<std::size_t>(side.last - place));
      pieces.push_back({from, {row, row + count}, place});
      place += static_cast<row_place>(count);
    }
  }
  std::ranges::sort(pieces, {},
                    [](const halo_piece& piece) { return std::pair(piece.owner, piece.place); });
  return pieces;
}

std::size_t slabs::depth(std::size_t row_cells, std::size_t steps) const noexcept {
  const std::size_t thinnest = rows() / ranks_;
  // A round also goes once through memory, which takes as long as a few updates in the cache: 3/k
  // of the work, and halos k/n.
  const auto thick = static_cast<std::size_t>(2 * std::sqrt(static_cast<double>(thinnest)));
  const auto cheap = static_cast<std::size_t>(
      std::sqrt(cells_per_exchange / static_cast<double>(std::max<std::size_t>(row_cells, 1))));
  std::size_t k = std::max(std::min(thinnest / 16, thick), std::min(cheap, 4 * thinnest));
  k -= k % 2;  // an odd number of steps is preceded by a copy
  return std::clamp<std::size_t>(std::min({k, steps, rows()}), 1, std::max<std::size_t>(steps, 1));
}

}  // namespace pleat::detail::distribution
