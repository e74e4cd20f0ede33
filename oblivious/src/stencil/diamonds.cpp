// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cmath>

#include <pleat/oblivious/detail/stencil/bands.hpp>
#include <pleat/oblivious/detail/stencil/diamonds.hpp>

namespace pleat::detail::stencils {
namespace {

constexpr offset least_share = 4;  // least number of indices of a VP in the shared dimension
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

/// Chooses the shared dimension: the first, or the longest if the first is too short for the VPs.
template <std::size_t D> void bands<D>::choose_shared(std::size_t vps) {
  if (size_[0] >= static_cast<offset>(16 * vps)) return;
  for (std::size_t i = 1; i < D; ++i)
    if (size_[i] > size_[shared_]) shared_ = i;
}

/// Tells whether a dimension is worth cutting: true if it has enough indices, and the cells along
/// it and all later dimensions take many bytes.
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

namespace {

/// Returns as bits the dimensions whose sum exceeds the least sum. An octahedron has none, a
/// tetrahedron some.
template <std::size_t D> unsigned kind_of(const sums<D>& s) noexcept {
  unsigned kind = 0;
  for (std::size_t i = 0; i < D; ++i)
    if (s[i] > std::ranges::min(s)) kind |= 1U << i;
  return kind;
}

/// Lists the phases of a tile of this kind, whose least sum is 0, cut into k parts of width w in
/// each dimension. Parts of width 1 are points, and exist only for even sums.
template <std::size_t D> std::vector<sums<D>> phases_of(unsigned kind, offset k, offset w) {
  std::array<range, D> bounds{};
  for (std::size_t i = 0; i < D; ++i) bounds[i] = sums_of_parts(kind >> i & 1, k);
  std::vector<sums<D>> result;
  for_each_phase<D>(bounds, [&](const sums<D>& s) {
    range when = times(s[0], w);
    for (const offset one : s) when = intersect(when, times(one, w));
    if (!when.empty()) result.push_back(s);
  });
  return result;
}

}  // namespace

template <std::size_t D>
bool diamonds<D>::fit(const std::array<offset, D>& size, const std::array<boundary, D>& edges,
                      std::size_t vps) noexcept {
  const auto n = static_cast<std::size_t>(size[0]);
  if (n < 2 || !std::has_single_bit(n) || D * std::bit_width(n) >= 32) return false;
  std::size_t cells = 1;
  for (std::size_t i = 0; i < D; ++i) {
    if (size[i] != size[0] || edges[i] == boundary::periodic) return false;
    cells *= n;
  }
  return cells == vps;
}

template <std::size_t D>
diamonds<D>::diamonds(const std::array<offset, D>& size, const std::array<boundary, D>& edges,
                      offset steps) {
  const offset n = size[0];
  const auto log_n = static_cast<unsigned>(std::countr_zero(static_cast<std::size_t>(n)));
  const auto root = static_cast<unsigned>(std::ceil(std::sqrt(static_cast<double>(log_n))));
  levels_.push_back({log_n, 0});
  for (unsigned log_w = log_n;; log_w -= levels_.back().log_cuts) {
    levels_.push_back({log_w, std::min(root, log_w)});
    if (log_w == 0) break;
  }
  for (const level& of : levels_)
    for (unsigned kind = 0; kind < kinds; ++kind)
      phases_.push_back(
          phases_of<D>(kind, offset{1} << of.log_cuts, offset{1} << (of.log_width - of.log_cuts)));
  // With this offset a full tile of width n is in the middle of the grid, and five tiles cover the
  // grid (17 for d = 2).
  all_.points.sides.fill({n / 2, n / 2 + n});
  all_.times = {0, n};
  updated_ = all_.points;
  for (std::size_t i = 0; i < D; ++i) {
    if (edges[i] != boundary::fixed) continue;
    ++updated_.sides[i].first;
    --updated_.sides[i].last;
  }
  make_stages(std::min(steps, n));
}

template <std::size_t D> void diamonds<D>::make_stages(offset steps) {
  domain<D> in = all_;
  in.times.last = steps;
  const offset n = all_.times.size();
  for_each_phase<D>(sums_in(in, n), [&](const sums<D>& s) {
    stencils::for_each_tile(s, in, n, [&](const tile<D>& one) { stages_.push_back({one, {}}); });
  });
  const offset k = offset{1} << levels_[1].log_cuts;
  for (stage& of : stages_) {
    const sums<D> own = sums_of(of.whole);
    const offset base = k * std::ranges::min(own);
    const auto& phases = phases_[kinds + kind_of(own)];
    for (const sums<D>& s : phases) {
      bool any = false;
      sums<D> at = s;
      for (offset& one : at) one += base;
      stencils::for_each_tile(at, in, n / k, [&](const tile<D>& part) {
        bool inside = true;
        for (std::size_t i = 0; i < D; ++i)
          inside = inside && whole_of(part.in[i], k) == of.whole.in[i];
        any = any || inside;
      });
      if (any) of.phases.push_back(s);
    }
    // Ends with the tile's last phase, or one like it, whose values are computed at home. Values of
    // other phases are sent home at the beginning of the next phase.
    bool at_home = kind_of(phases.back()) == kind_of(of.phases.back());
    for (std::size_t i = 0; i < D; ++i)
      at_home = at_home && (phases.back()[i] - of.phases.back()[i]) % 2 == 0;
    if (!at_home) of.phases.push_back(phases.back());
  }
}

template <std::size_t D>
typename diamonds<D>::phase diamonds<D>::phase_of(const piece& of, std::size_t index,
                                                  offset from) const {
  phase result{index, from, {}, {}, 0};
  if (of.depth == 0) {
    const tile<D>& whole = stages_[index].whole;
    result.s = sums_of(whole);
    for (std::size_t i = 0; i < D; ++i) result.u[i] = {whole.in[i].u, whole.in[i].u + 1};
  } else {
    const offset k = offset{1} << levels_[of.depth].log_cuts;
    const offset base = k * std::ranges::min(sums_of(of.whole));
    for (std::size_t i = 0; i < D; ++i) {
      result.s[i] = (*of.phases)[index][i] + base;
      if (of.present) result.u[i] = parts_with_sum(of.whole.in[i], k, result.s[i]);
    }
  }
  result.kind = kind_of(result.s);
  return result;
}

template <std::size_t D>
typename diamonds<D>::piece diamonds<D>::part(const piece& of, const phase& now,
                                              std::size_t rank) const {
  const unsigned log_w = levels_[of.depth + 1].log_width;
  std::size_t number = (rank - of.vps.first) >> D * log_w;
  tile<D> whole;
  bool present = true;
  for (std::size_t i = D; i-- > 0; number >>= levels_[of.depth].log_cuts) {
    diamond& one = whole.in[i];
    if (of.depth == 0) {
      one.u = now.u[i].first;
    } else {
      // Cubes begin at multiples of half a width; of the two that begin in this VP's part, one has
      // this sum.
      const auto j = static_cast<offset>(number) & ((offset{1} << levels_[of.depth].log_cuts) - 1);
      const offset first = of.corner[i] + (j << log_w) - shift(of, i);
      one.u = ceil_div((2 * (first + half(of.depth + 1)) >> log_w) + now.s[i], 2);
    }
    one.z = now.s[i] - one.u;
    present = present && now.u[i].contains(one.u);
  }
  piece result = make_part(of, now, whole);
  result.present = present && !times(whole, offset{1} << log_w, all_).empty();
  return result;
}

template <std::size_t D>
typename diamonds<D>::piece diamonds<D>::make_part(const piece& of, const phase& now,
                                                   const tile<D>& whole) const {
  piece part{of.vps, of.steps, of.depth + 1, now.from, whole, {}, now.kind, true, nullptr};
  part.phases =
      of.depth == 0 ? &stages_[now.index].phases : &phases_[part.depth * kinds + part.kind];
  const unsigned log_w = levels_[part.depth].log_width, log_cuts = levels_[of.depth].log_cuts;
  std::size_t number = 0;
  for (std::size_t i = 0; i < D; ++i) {
    // The corner is half the width before the middle.
    const offset twice_middle = (whole.in[i].u - whole.in[i].z) << log_w;
    part.corner[i] = (twice_middle >> 1) - half(part.depth);
    const offset place = part.corner[i] - of.corner[i] + shift(of, i);
    number = number << log_cuts | (of.depth == 0 ? 0 : static_cast<std::size_t>(place >> log_w));
  }
  part.vps.size = std::size_t{1} << D * log_w;
  part.vps.first += number * part.vps.size;
  part.vps.label += static_cast<unsigned>(D) * log_cuts;  // no VP syncs on a segment of a single VP
  return part;
}

template <std::size_t D>
std::size_t diamonds<D>::rank_of(std::size_t depth, unsigned kind, point<D> at) const noexcept {
  std::size_t rank = 0;
  for (; levels_[depth].log_width > 0; ++depth) {
    const auto& [log_w, log_cuts] = levels_[depth];
    for (std::size_t i = 0; i < D; ++i) {
      if (shifted(depth, kind, i)) at[i] += half(depth + 1);
      at[i] &= (offset{1} << log_w) - 1;
      rank = rank << log_cuts | static_cast<std::size_t>(at[i] >> (log_w - log_cuts));
      at[i] &= (offset{1} << (log_w - log_cuts)) - 1;
    }
  }
  return rank;
}

template <std::size_t D>
point<D> diamonds<D>::place_of(std::size_t depth, unsigned kind, std::size_t rank) const noexcept {
  point<D> at{};
  for (std::size_t d = levels_.size() - 1; d-- > depth;) {
    const auto& [log_w, log_cuts] = levels_[d];
    for (std::size_t i = D; i-- > 0; rank >>= log_cuts) {
      at[i] |= static_cast<offset>(rank & ((std::size_t{1} << log_cuts) - 1)) << (log_w - log_cuts);
      if (shifted(d, kind, i)) at[i] -= half(d + 1);
      at[i] &= (offset{1} << log_w) - 1;
    }
  }
  return at;
}

template class diamonds<1>;
template class diamonds<2>;
template class diamonds<3>;

}  // namespace pleat::detail::stencils
