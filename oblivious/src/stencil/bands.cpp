// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <pleat/oblivious/detail/stencil/bands.hpp>
#include <pleat/oblivious/detail/stencil/refine.hpp>

namespace pleat::detail::stencils {
namespace {

constexpr offset least_share = 4;  // indices of a VP in the shared dimension
/// Greatest size in bytes of rows that are not cut.
constexpr std::size_t long_row = std::size_t{96} << 10;

}  // namespace

template <std::size_t D>
bands<D>::bands(const std::array<offset, D>& size, const std::array<boundary, D>& edges,
                std::size_t cell_bytes, bool two, offset steps, std::size_t vps)
    : size_(size), edges_(edges), cell_bytes_(cell_bytes), two_(two) {
  choose_shared(vps);
  const offset n = updated(shared_).size();
  const bool ring = edges[shared_] == boundary::periodic;
  holders_ =
      static_cast<std::size_t>(std::clamp<offset>(n / least_share, 1, static_cast<offset>(vps)));
  most_steps_ = std::max<offset>(steps, 1);
  if (holders_ > 1) most_steps_ = std::min(most_steps_, n / (4 * static_cast<offset>(holders_)));
  for (std::size_t i = 0; i < D; ++i) {
    rings_[i] = edges[i] == boundary::periodic && worth_cutting(i) &&
                (i != shared_ || (holders_ == 1 && n >= least_share));
    if (rings_[i]) most_steps_ = std::min(most_steps_, size[i] / 4);
  }
  rings_[shared_] = rings_[shared_] || (ring && holders_ > 1);
  cut_borders();
}

/// Chooses the shared dimension: the first, unless it is too short for so many VPs.
template <std::size_t D> void bands<D>::choose_shared(std::size_t vps) {
  if (size_[0] >= static_cast<offset>(16 * vps)) return;
  for (std::size_t i = 1; i < D; ++i)
    if (size_[i] > size_[shared_]) shared_ = i;
}

/// Tells whether a dimension that is not shared is worth cutting: true if the cells along it, with
/// all later dimensions, take many bytes.
template <std::size_t D> bool bands<D>::worth_cutting(std::size_t i) const noexcept {
  if (size_[i] < 4 * least_share) return false;
  std::size_t behind = cell_bytes_;
  for (std::size_t j = i; j < D; ++j) behind *= static_cast<std::size_t>(size_[j]);
  return behind > (i + 1 < D || D == 1 ? grain<D>::near_bytes : long_row);
}

template <std::size_t D> void bands<D>::cut_borders() {
  const range all = updated(shared_);
  const auto w = static_cast<offset>(holders_);
  borders_.assign(holders_ + 1, all.first);
  borders_[holders_] = all.last;
  if (holders_ == 1) return;
  const offset n = all.size(), h = most_steps_;
  if (rings_[shared_]) {
    for (offset p = 1; p < w; ++p) borders_[static_cast<std::size_t>(p)] = p * n / w;
    return;
  }
  // Makes the work equal: every slanted side of an upright tile saves h²/2 cells. The first VP's
  // tiles have three such sides, the last VP's has one, the tiles of all others have two.
  for (offset p = 1; p < w; ++p)
    borders_[static_cast<std::size_t>(p)] = all.first + p * (n - w * h) / w + (2 * p + 1) * h / 2;
  inner_ = borders_[0] + (borders_[1] - borders_[0] - h) / 2;
  inner_ = std::max(inner_, borders_[0] + h);
}

template class bands<1>;
template class bands<2>;
template class bands<3>;

}  // namespace pleat::detail::stencils
