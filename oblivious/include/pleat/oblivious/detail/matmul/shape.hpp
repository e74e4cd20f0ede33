// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <vector>

#include <pleat/oblivious/detail/program/rectangle.hpp>
#include <pleat/runtime/interval.hpp>

namespace pleat::detail::matmul {

/// Halves an interval; the first half is the longer one.
constexpr interval<> half_of(const interval<>& whole, unsigned which) noexcept {
  const std::size_t middle = whole.first + (whole.size() + 1) / 2;
  return which == 0 ? interval<>{whole.first, middle} : interval<>{middle, whole.last};
}

/// Number of VPs in the first sub-cluster of w > 1: the largest power of two below w.
constexpr std::size_t first_of(std::size_t w) noexcept { return std::bit_ceil(w) / 2; }

/// Part of a matrix for the first sub-cluster of w VPs, or for the other one, as large as these
/// are. The longer side is cut, of two equal ones the rows.
constexpr rectangle part_of(const rectangle& whole, std::size_t w, unsigned which) noexcept {
  const auto cut = [&](const interval<>& side) {
    const std::size_t middle = side.first + (side.size() * first_of(w) + w - 1) / w;
    return which == 0 ? interval<>{side.first, middle} : interval<>{middle, side.last};
  };
  if (whole.columns.size() > whole.rows.size()) return {whole.rows, cut(whole.columns)};
  return {cut(whole.rows), whole.columns};
}

/// Share of a VP when a matrix lies in a segment of w VPs: each cluster has a part of the matrix as
/// large as it is. Of 2^k VPs half of the segment holds half of the matrix, and each quarter a
/// quadrant of a square matrix.
constexpr rectangle share_of(rectangle matrix, std::size_t w, std::size_t rank) {
  assert(rank < w);
  while (w > 1) {
    const std::size_t first = first_of(w);
    const bool is_first = rank < first;
    matrix = part_of(matrix, w, is_first ? 0 : 1);
    rank -= is_first ? 0 : first;
    w = is_first ? first : w - first;
  }
  return matrix;
}

/// Sizes of a rectangle.
struct sides {
  std::size_t rows = 0, columns = 0;
};

/// Greatest number of rows and greatest number of columns among the shares of w VPs. No share need
/// have both: halves of different sizes are cut along different sides next. Cost: O(w).
constexpr sides most_of_shares(const rectangle& matrix, std::size_t w) {
  if (w == 1) return {matrix.rows.size(), matrix.columns.size()};
  const std::size_t first = first_of(w);
  const sides a = most_of_shares(part_of(matrix, w, 0), first);
  const sides b = most_of_shares(part_of(matrix, w, 1), w - first);
  return {std::max(a.rows, b.rows), std::max(a.columns, b.columns)};
}

/// Calls f(rank, part) for every VP of a segment whose share of `matrix` intersects `piece`, in the
/// order of the ranks. `part` is the intersection.
template <class F>
void for_each_share(const rectangle& matrix, std::size_t w, const rectangle& piece, const F& f,
                    std::size_t first = 0) {
  const rectangle part = intersect(matrix, piece);
  if (part.empty()) return;
  if (w == 1) return f(first, part);
  const std::size_t half = first_of(w);
  matmul::for_each_share(part_of(matrix, w, 0), half, piece, f, first);
  matmul::for_each_share(part_of(matrix, w, 1), w - half, piece, f, first + half);
}

/// Dimensions of a product: rows and columns of C, and the inner one, which is summed over.
enum class dimension : unsigned char { rows, columns, inner };

/// Part of the product: some rows and columns of C, summed over a part of the inner dimension.
struct cuboid {
  interval<> rows, columns, inner;
  [[nodiscard]] constexpr rectangle a() const noexcept { return {rows, inner}; }
  [[nodiscard]] constexpr rectangle b() const noexcept { return {inner, columns}; }
  [[nodiscard]] constexpr rectangle c() const noexcept { return {rows, columns}; }
  [[nodiscard]] constexpr cuboid half(dimension d, unsigned which) const noexcept {
    cuboid result = *this;
    interval<>& cut = d == dimension::rows      ? result.rows
                      : d == dimension::columns ? result.columns
                                                : result.inner;
    cut = half_of(cut, which);
    return result;
  }
};

/// Level of the recursion. A segment's product is halved `cuts` times, which gives 2^cuts
/// sub-problems, one for each sub-segment; each bit of a sub-problem's number chooses a half.
struct level {
  std::size_t segment = 1;  ///< its VPs, a power of two
  unsigned cuts = 0;
  std::array<dimension, 3> along{};
  /// Tells whether the inner dimension is halved afterwards, and its halves are multiplied in two
  /// rounds.
  bool rounds = false;
  /// Sizes of the largest part after the cuts.
  std::size_t rows = 0, columns = 0, inner = 0;
  std::size_t sums = 0;    ///< sub-problems of a segment that need memory for their sum
  std::size_t memory = 0;  ///< where the sums of the first segment begin, in elements

  [[nodiscard]] constexpr std::size_t parts() const noexcept { return std::size_t{1} << cuts; }
  [[nodiscard]] constexpr unsigned bit(std::size_t part, unsigned cut) const noexcept {
    return part >> (cuts - 1 - cut) & 1;
  }
  [[nodiscard]] constexpr cuboid part(cuboid whole, std::size_t index) const {
    for (unsigned i = 0; i < cuts; ++i) whole = whole.half(along[i], bit(index, i));
    return whole;
  }
  /// Half of the inner dimension that sub-segment `index` multiplies in a round: neighbours never
  /// need the same blocks of A or B at a time.
  [[nodiscard]] static constexpr unsigned inner_half(std::size_t index, unsigned round) noexcept {
    return (static_cast<unsigned>(std::popcount(index)) & 1) ^ round;
  }
  /// Tells whether this part computes the first summands, in the place of the result.
  [[nodiscard]] constexpr bool in_place(std::size_t index) const noexcept {
    for (unsigned i = 0; i < cuts; ++i)
      if (along[i] == dimension::inner && bit(index, i) != 0) return false;
    return true;
  }
  /// Number of a part among those that do not compute in place.
  [[nodiscard]] constexpr std::size_t sum_index(std::size_t index) const noexcept {
    std::size_t before = 0;
    for (std::size_t i = 0; i < index; ++i) before += in_place(i) ? 0 : 1;
    return before;
  }
  [[nodiscard]] constexpr std::size_t sum_elements() const noexcept { return rows * columns; }
};

/// Plan of a product for P VPs. It is a pure function of the sizes, so all VPs have the same.
struct matmul_plan {
  std::vector<level> levels;
  std::size_t memory = 0;                        ///< for all sums, in elements
  std::size_t rows = 0, columns = 0, inner = 0;  ///< the largest part a VP multiplies
};

/// Plans m × k by k × n for `vps` virtual processors, a power of two. Each cut halves the longest
/// dimension; of equal ones the rows first, then the columns, so a square product is cut into
/// eight. With `in_rounds` only rows and columns are cut, into at most four parts; if there are
/// four, the halves of the inner dimension are multiplied in two rounds.
inline matmul_plan make_matmul_plan(std::size_t m, std::size_t n, std::size_t k, std::size_t vps,
                                    bool in_rounds) {
  assert(std::has_single_bit(vps));
  matmul_plan plan{{}, 0, m, n, k};
  const unsigned most_cuts = in_rounds ? 2 : 3;
  for (std::size_t w = vps; w > 1;) {
    level next;
    next.segment = w;
    std::size_t summands = 1;
    while (next.cuts < most_cuts && next.parts() < w) {
      const bool inner = !in_rounds && plan.inner > plan.rows && plan.inner > plan.columns;
      const dimension d = inner                      ? dimension::inner
                          : plan.columns > plan.rows ? dimension::columns
                                                     : dimension::rows;
      next.along[next.cuts++] = d;
      std::size_t& cut = inner ? plan.inner : d == dimension::columns ? plan.columns : plan.rows;
      cut = (cut + 1) / 2;
      if (inner) summands *= 2;
    }
    next.rounds = in_rounds && next.cuts == most_cuts;
    if (next.rounds) plan.inner = (plan.inner + 1) / 2;
    next.rows = plan.rows;
    next.columns = plan.columns;
    next.inner = plan.inner;
    next.sums = next.parts() - next.parts() / summands;
    next.memory = plan.memory;
    plan.memory += vps / w * next.sums * next.sum_elements();
    w /= next.parts();
    plan.levels.push_back(next);
  }
  return plan;
}

}  // namespace pleat::detail::matmul
