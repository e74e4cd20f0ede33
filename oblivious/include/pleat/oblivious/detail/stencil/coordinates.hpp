// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>

#include <pleat/oblivious/detail/stencil/field.hpp>

// Space-time of a stencil on a d-dimensional grid, cut into tiles: point x at time t depends on the
// points x + δ, δ ∈ {−1, 0, 1}^d, at time t − 1. With a width w, a point (x, t) has the coordinates
//
//     u_i = ⌊(t + x_i)/w⌋ and z_i = ⌊(t − x_i)/w⌋,  i < d,
//
// and a tile is all points with the same coordinates. No dependence increases a coordinate, so
// tiles with the same sum of coordinates are independent, and the order of the sums is a schedule.
// In one dimension a tile is a diamond. In d dimensions it is a product of diamonds at equal times,
// which has points only if their sums s_i = u_i + z_i differ by 1 at most: for d = 2 an octahedron
// (s_1 = s_2) or a tetrahedron. All are pure functions; points and times may be negative.
//
// Source: Bilardi, Pietracaprina, Pucci, Scquizzato, Silvestri, Network-Oblivious Algorithms,
// section 4.4 (diamonds, octahedra and tetrahedra; the coordinates are ours).
namespace pleat::detail::stencils {

/// Points and times to be computed.
template <std::size_t D> struct domain {
  box<D> points;
  range times;
};

/// ⌊a/b⌋ and ⌈a/b⌉, b > 0.
constexpr offset floor_div(offset a, offset b) noexcept { return a / b - (a % b < 0 ? 1 : 0); }
constexpr offset ceil_div(offset a, offset b) noexcept { return a / b + (a % b > 0 ? 1 : 0); }

/// A tile of one dimension.
struct diamond {
  offset u = 0, z = 0;
  [[nodiscard]] constexpr offset sum() const noexcept { return u + z; }
  friend constexpr bool operator==(const diamond&, const diamond&) = default;
};

/// The times at which diamonds with this sum of coordinates have points: w times, one less if both
/// w and the sum are odd.
constexpr range times(offset sum, offset w) noexcept {
  return {ceil_div(w * sum, 2), floor_div(w * (sum + 2), 2)};
}
/// The times at which this diamond has points in `points`.
constexpr range times(const diamond& of, offset w, const range& points) noexcept {
  if (points.empty()) return {};
  const range own = times(of.sum(), w);
  return intersect(own,
                   {std::max(points.first + w * of.z, w * of.u - points.last + 1),
                    std::min(w * (of.u + 1) - points.first, points.last + w * (of.z + 1) - 1)});
}

/// One diamond in each dimension.
template <std::size_t D> struct tile {
  std::array<diamond, D> in{};
  friend constexpr bool operator==(const tile&, const tile&) = default;
};

/// The times at which a tile has points in a domain; empty if it has none. Constant time.
template <std::size_t D>
constexpr range times(const tile<D>& of, offset w, const domain<D>& in) noexcept {
  range result = in.times;
  for (std::size_t i = 0; i < D; ++i)
    result = intersect(result, stencils::times(of.in[i], w, in.points.sides[i]));
  return result;
}

/// The sum of the diamond of each dimension. Tiles with the same sums differ only in their place,
/// and are independent.
template <std::size_t D> using sums = std::array<offset, D>;

template <std::size_t D> constexpr sums<D> sums_of(const tile<D>& of) noexcept {
  sums<D> result;
  for (std::size_t i = 0; i < D; ++i) result[i] = of.in[i].sum();
  return result;
}

/// Calls f(sums) for all sums that tiles with points may have, if those of dimension i are in
/// `bounds[i]`, in the order of the schedule: first by their total; within a total, whose tiles are
/// independent too, by the set of the dimensions that are one ahead.
template <std::size_t D, class F>
constexpr void for_each_phase(const std::array<range, D>& bounds, const F& f) {
  offset least = bounds[0].first - 1;
  offset greatest = bounds[0].last;
  for (const range& bound : bounds) {
    least = std::max(least, bound.first - 1);
    greatest = std::min(greatest, bound.last);
  }
  for (offset base = least; base < greatest; ++base)
    for (std::size_t ahead = 0; ahead < D; ++ahead)
      for (unsigned set = 0; set < 1u << D; ++set) {
        if (static_cast<std::size_t>(std::popcount(set)) != ahead) continue;
        sums<D> s{};
        bool within = true;
        for (std::size_t i = 0; i < D; ++i) {
          s[i] = base + (set >> i & 1);
          within = within && bounds[i].contains(s[i]);
        }
        if (within) f(s);
      }
}

/// Returns the sums of the diamonds that have points in a domain, for each dimension, as bounds for
/// for_each_phase.
template <std::size_t D>
constexpr std::array<range, D> sums_in(const domain<D>& of, offset w) noexcept {
  std::array<range, D> result{};
  if (of.points.empty() || of.times.empty()) return result;
  const offset early = of.times.first, late = of.times.last - 1;
  for (std::size_t i = 0; i < D; ++i) {
    const range x = of.points.sides[i];
    const offset least = floor_div(early + x.first, w) + floor_div(early - x.last + 1, w);
    const offset most = floor_div(late + x.last - 1, w) + floor_div(late - x.first, w);
    // Diamonds of the sum s have points from ⌈w·s/2⌉ to ⌊w(s + 2)/2⌋ − 1.
    const range timely{ceil_div(2 * early + 2, w) - 2, floor_div(2 * late, w) + 1};
    result[i] = intersect(timely, {least, most + 1});
  }
  return result;
}

/// Calls f(tile) for all tiles with these sums that have points in a domain, from left to right;
/// the last dimension varies fastest.
template <std::size_t D, class F>
constexpr void for_each_tile(const sums<D>& s, const domain<D>& in, offset w, const F& f) {
  if (in.points.empty() || in.times.empty()) return;
  std::array<range, D> u{};
  for (std::size_t i = 0; i < D; ++i) {
    const range x = in.points.sides[i];
    const range t = intersect(in.times, stencils::times(s[i], w));
    if (t.empty()) return;
    u[i] = {floor_div(t.first + x.first, w), floor_div(t.last - 1 + x.last - 1, w) + 1};
    u[i] = intersect(u[i], {s[i] - floor_div(t.last - 1 - x.first, w),
                            s[i] - floor_div(t.first - x.last + 1, w) + 1});
    if (u[i].empty()) return;
  }
  tile<D> next;
  for (std::size_t i = 0; i < D; ++i) next.in[i] = {u[i].first, s[i] - u[i].first};
  while (true) {
    if (!stencils::times(next, w, in).empty()) f(next);
    std::size_t i = D;
    for (; i > 0; --i) {
      diamond& one = next.in[i - 1];
      if (++one.u < u[i - 1].last) {
        --one.z;
        break;
      }
      one = {u[i - 1].first, s[i - 1] - u[i - 1].first};
    }
    if (i == 0) return;
  }
}

/// Width w/k instead of w cuts a diamond into k · k, a tile into k^(2d) (some without points).
/// Returns the diamond that contains the part (u, z) of width w/k.
constexpr diamond whole_of(const diamond& part, offset k) noexcept {
  return {floor_div(part.u, k), floor_div(part.z, k)};
}
/// Returns the range of the sums of the k · k parts.
constexpr range sums_of_parts(offset sum, offset k) noexcept {
  return {k * sum, k * sum + 2 * k - 1};
}
/// Returns the u of the parts with the sum s, from left to right; z = s − u.
constexpr range parts_with_sum(const diamond& of, offset k, offset s) noexcept {
  return intersect(range{k * of.u, k * (of.u + 1)}, {s - k * (of.z + 1) + 1, s - k * of.z + 1});
}

}  // namespace pleat::detail::stencils
