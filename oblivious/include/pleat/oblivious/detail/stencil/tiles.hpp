// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstddef>

// Space-time of a stencil on a d-dimensional grid, cut into tiles: point x at time t depends on the
// points x + δ, δ ∈ {−1, 0, 1}^d, at time t − 1. With a width w, a point (x, t) has the coordinates
//
//     u_i = ⌊(t + x_i)/w⌋ and z_i = ⌊(t − x_i)/w⌋,  i < d,
//
// and a tile is all points that have the same. No dependence increases a coordinate, so tiles with
// the same sum of coordinates are independent, and going through the sums in order is a schedule.
// In one dimension a tile is a diamond. In d dimensions it is a product of diamonds at equal times,
// which has points only if their sums s_i = u_i + z_i differ by 1 at most: for d = 2 an octahedron
// (s_1 = s_2) or a tetrahedron. All are pure functions; points and times may be negative.
//
// Source: Bilardi, Pietracaprina, Pucci, Scquizzato, Silvestri, Network-Oblivious Algorithms,
// section 4.4 (diamonds, octahedra and tetrahedra; the coordinates are ours).
namespace pleat::detail::diamonds {

using coordinate = std::ptrdiff_t;

/// [first, last)
struct interval {
  coordinate first = 0, last = 0;
  [[nodiscard]] constexpr coordinate size() const noexcept {
    return std::max<coordinate>(last - first, 0);
  }
  [[nodiscard]] constexpr bool empty() const noexcept { return last <= first; }
  [[nodiscard]] constexpr bool contains(coordinate x) const noexcept {
    return first <= x && x < last;
  }
  [[nodiscard]] constexpr interval operator&(const interval& other) const noexcept {
    return {std::max(first, other.first), std::min(last, other.last)};
  }
  friend constexpr bool operator==(const interval&, const interval&) = default;
};

template <std::size_t D> using point = std::array<coordinate, D>;

/// A product of intervals.
template <std::size_t D> struct box {
  std::array<interval, D> sides{};
  [[nodiscard]] constexpr bool empty() const noexcept {
    for (const interval& side : sides)
      if (side.empty()) return true;
    return false;
  }
  /// How many points it has.
  [[nodiscard]] constexpr coordinate size() const noexcept {
    coordinate points = 1;
    for (const interval& side : sides) points *= side.size();
    return points;
  }
  [[nodiscard]] constexpr bool contains(const point<D>& x) const noexcept {
    for (std::size_t i = 0; i < D; ++i)
      if (!sides[i].contains(x[i])) return false;
    return true;
  }
  [[nodiscard]] constexpr box operator&(const box& other) const noexcept {
    box both;
    for (std::size_t i = 0; i < D; ++i) both.sides[i] = sides[i] & other.sides[i];
    return both;
  }
  friend constexpr bool operator==(const box&, const box&) = default;
};

/// What is computed: these points at these times.
template <std::size_t D> struct domain {
  box<D> points;
  interval times;
};

/// ⌊a/b⌋ and ⌈a/b⌉, b > 0.
constexpr coordinate floor_div(coordinate a, coordinate b) noexcept {
  return a / b - (a % b < 0 ? 1 : 0);
}
constexpr coordinate ceil_div(coordinate a, coordinate b) noexcept {
  return a / b + (a % b > 0 ? 1 : 0);
}

/// A tile of one dimension.
struct diamond {
  coordinate u = 0, z = 0;
  [[nodiscard]] constexpr coordinate sum() const noexcept { return u + z; }
  friend constexpr bool operator==(const diamond&, const diamond&) = default;
};

constexpr diamond diamond_of(coordinate x, coordinate t, coordinate w) noexcept {
  return {floor_div(t + x, w), floor_div(t - x, w)};
}

/// The points at time t; an empty interval if there are none.
constexpr interval section(const diamond& of, coordinate w, coordinate t) noexcept {
  return {std::max(w * of.u - t, t - w * (of.z + 1) + 1),
          std::min(w * (of.u + 1) - t, t - w * of.z + 1)};
}

/// The times at which diamonds with this sum of coordinates have points: w of them, one less if
/// both w and the sum are odd.
constexpr interval times(coordinate sum, coordinate w) noexcept {
  return {ceil_div(w * sum, 2), floor_div(w * (sum + 2), 2)};
}
/// The times at which this diamond has points in `points`.
constexpr interval times(const diamond& of, coordinate w, const interval& points) noexcept {
  if (points.empty()) return {};
  const interval own = times(of.sum(), w);
  return own & interval{std::max(points.first + w * of.z, w * of.u - points.last + 1),
                        std::min(w * (of.u + 1) - points.first, points.last + w * (of.z + 1) - 1)};
}

/// The least interval that holds the sections of all times. For an even w it has w − 1 points, w/2
/// − 1 on both sides of w(u − z)/2. Requires that the diamond has points: w > 1 or an even sum.
constexpr interval extent(const diamond& of, coordinate w) noexcept {
  // Widest where both sides meet: t = w·sum/2 + w/2, rounded either way.
  const coordinate t = floor_div(w * of.sum() + w - 1, 2);
  const interval a = section(of, w, t);
  const interval b = section(of, w, t + 1);
  if (a.empty()) return b;
  if (b.empty()) return a;
  return {std::min(a.first, b.first), std::max(a.last, b.last)};
}

/// One diamond in each dimension.
template <std::size_t D> struct tile {
  std::array<diamond, D> in{};
  /// What tiles are ordered by.
  [[nodiscard]] constexpr coordinate sum() const noexcept {
    coordinate total = 0;
    for (const diamond& one : in) total += one.sum();
    return total;
  }
  friend constexpr bool operator==(const tile&, const tile&) = default;
};

template <std::size_t D>
constexpr tile<D> tile_of(const point<D>& x, coordinate t, coordinate w) noexcept {
  tile<D> result;
  for (std::size_t i = 0; i < D; ++i) result.in[i] = diamond_of(x[i], t, w);
  return result;
}

/// The points of a tile at time t, a box.
template <std::size_t D>
constexpr box<D> section(const tile<D>& of, coordinate w, coordinate t) noexcept {
  box<D> result;
  for (std::size_t i = 0; i < D; ++i) result.sides[i] = section(of.in[i], w, t);
  return result;
}

/// The times at which a tile has points; empty if it has none.
template <std::size_t D> constexpr interval times(const tile<D>& of, coordinate w) noexcept {
  interval result = times(of.in[0].sum(), w);
  for (std::size_t i = 1; i < D; ++i) result = result & times(of.in[i].sum(), w);
  return result;
}
/// The times at which it has points in a domain; empty if it has none. Constant time.
template <std::size_t D>
constexpr interval times(const tile<D>& of, coordinate w, const domain<D>& in) noexcept {
  interval result = in.times;
  for (std::size_t i = 0; i < D; ++i) result = result & times(of.in[i], w, in.points.sides[i]);
  return result;
}

/// The sum of each dimension's diamonds. All tiles with the same are alike, but for their place,
/// and independent.
template <std::size_t D> using sums = std::array<coordinate, D>;

template <std::size_t D> constexpr sums<D> sums_of(const tile<D>& of) noexcept {
  sums<D> result;
  for (std::size_t i = 0; i < D; ++i) result[i] = of.in[i].sum();
  return result;
}

/// f(sums) for all that tiles with points may have, if dimension i's are in `bounds[i]`, in the
/// order of the schedule: first by their total; within a total, which are independent too, by the
/// set of the dimensions that are one ahead.
template <std::size_t D, class F>
constexpr void for_each_phase(const std::array<interval, D>& bounds, const F& f) {
  coordinate least = bounds[0].first - 1;
  coordinate greatest = bounds[0].last;
  for (const interval& bound : bounds) {
    least = std::max(least, bound.first - 1);
    greatest = std::min(greatest, bound.last);
  }
  for (coordinate base = least; base < greatest; ++base)
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

/// The sums of the diamonds that have points in a domain, dimension by dimension, for
/// for_each_phase.
template <std::size_t D>
constexpr std::array<interval, D> sums_in(const domain<D>& of, coordinate w) noexcept {
  std::array<interval, D> result{};
  if (of.points.empty() || of.times.empty()) return result;
  const coordinate early = of.times.first, late = of.times.last - 1;
  for (std::size_t i = 0; i < D; ++i) {
    const interval x = of.points.sides[i];
    const coordinate least = floor_div(early + x.first, w) + floor_div(early - x.last + 1, w);
    const coordinate most = floor_div(late + x.last - 1, w) + floor_div(late - x.first, w);
    // Diamonds of the sum s have points from ⌈w·s/2⌉ to ⌊w(s + 2)/2⌋ − 1.
    const interval timely{ceil_div(2 * early + 2, w) - 2, floor_div(2 * late, w) + 1};
    result[i] = timely & interval{least, most + 1};
  }
  return result;
}

/// f(tile) for all tiles with these sums that have points in a domain; from left to right, the last
/// dimension the fastest.
template <std::size_t D, class F>
constexpr void for_each_tile(const sums<D>& s, const domain<D>& in, coordinate w, const F& f) {
  if (in.points.empty() || in.times.empty()) return;
  std::array<interval, D> u{};
  for (std::size_t i = 0; i < D; ++i) {
    const interval x = in.points.sides[i];
    const interval t = in.times & times(s[i], w);
    if (t.empty()) return;
    u[i] = {floor_div(t.first + x.first, w), floor_div(t.last - 1 + x.last - 1, w) + 1};
    u[i] = u[i] & interval{s[i] - floor_div(t.last - 1 - x.first, w),
                           s[i] - floor_div(t.first - x.last + 1, w) + 1};
    if (u[i].empty()) return;
  }
  tile<D> next;
  for (std::size_t i = 0; i < D; ++i) next.in[i] = {u[i].first, s[i] - u[i].first};
  while (true) {
    if (!times(next, w, in).empty()) f(next);
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

/// f(tile) for all tiles that hold a point which a point of `of` depends on, but for `of` itself,
/// and perhaps some that touch it only. All have a lesser sum. Requires w ≥ 2.
template <std::size_t D, class F>
constexpr void for_each_predecessor(const tile<D>& of, coordinate w, const F& f) {
  assert(w >= 2);
  for (unsigned steps = 1; steps < 1u << 2 * D; ++steps) {
    tile<D> before = of;
    for (std::size_t i = 0; i < D; ++i) {
      before.in[i].u -= steps >> 2 * i & 1;
      before.in[i].z -= steps >> (2 * i + 1) & 1;
    }
    if (!times(before, w).empty()) f(before);
  }
}

/// Width w/k instead of w cuts a diamond into k · k, a tile into k^(2d) (some without points). This
/// is the diamond that the part (u, z) of width w/k lies in.
constexpr diamond whole_of(const diamond& part, coordinate k) noexcept {
  return {floor_div(part.u, k), floor_div(part.z, k)};
}
/// The sums of the k · k parts.
constexpr interval sums_of_parts(coordinate sum, coordinate k) noexcept {
  return {k * sum, k * sum + 2 * k - 1};
}
/// The parts with the sum s, from left to right: their u; z = s − u.
constexpr interval parts_with_sum(const diamond& of, coordinate k, coordinate s) noexcept {
  return interval{k * of.u, k * (of.u + 1)} & interval{s - k * (of.z + 1) + 1, s - k * of.z + 1};
}

}  // namespace pleat::detail::diamonds
