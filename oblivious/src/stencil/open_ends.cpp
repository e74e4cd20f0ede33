// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <pleat/oblivious/detail/stencil/coordinates.hpp>
#include <pleat/oblivious/detail/stencil/open_ends.hpp>

namespace pleat::detail::stencils {

// Both limits move inwards by one index a step, which no side of a tile does faster. So a side is
// the narrower one up to some step, and the limit from there on.
namespace {

/// The first step at which `room`, which changes by `slope` ≤ 0 a step, is less than 0, if it is
/// not at step `k`; or `last`.
offset until_narrow(offset room, offset slope, offset last) noexcept {
  return slope == 0 ? last : std::min(last, floor_div(room, -slope) + 1);
}

}  // namespace

template <std::size_t D>
void narrowing_sweeper<D>::sweep(const zoid<D>& tile, const part_of_zoid<D>& part,
                                 unsigned first_level) const {
  const extent& side = tile.in[0];
  const offset lowest = tile.from + 1;
  const offset highest = this->size()[0] - 1 - tile.from;
  for (offset k = part.first; k < part.last;) {
    zoid<D> narrow = tile;
    extent& in = narrow.in[0];
    part_of_zoid<D> steps = part;
    steps.first = k;
    if (ends_.low && side.low(k) < lowest + k) {
      in.first = lowest;
      in.left = 1;
    } else if (ends_.low) {
      steps.last = until_narrow(side.first - lowest, side.left - 1, steps.last);
    }
    if (ends_.high && side.high(k) > highest - k) {
      in.last = highest;
      in.right = -1;
    } else if (ends_.high) {
      steps.last = until_narrow(highest - side.last, -1 - side.right, steps.last);
    }
    k = steps.last;
    while (steps.first < steps.last && in.low(steps.first) >= in.high(steps.first)) ++steps.first;
    while (steps.first < steps.last && in.low(steps.last - 1) >= in.high(steps.last - 1))
      --steps.last;
    if (steps.first < steps.last) of_.sweep(narrow, steps, first_level);
  }
}

template class narrowing_sweeper<1>;
template class narrowing_sweeper<2>;
template class narrowing_sweeper<3>;

}  // namespace pleat::detail::stencils
