// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <optional>
#include <vector>

#include <pleat/oblivious/detail/distributed/rectangles.hpp>
#include <pleat/oblivious/detail/matmul/program.hpp>
#include <pleat/oblivious/detail/program/arena.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/segment.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

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

/// A segment's part of the product, seen from one VP.
struct part {
  cuboid whole;
  const factors* of;
  const std::byte* a;  ///< the first element of my share of its A
  const std::byte* b;  ///< … and B
  place result;        ///< of all its C
  onto kind;
};

/// First element of a piece of a part of a factor that begins at `corner`.
[[nodiscard]] inline const std::byte* corner_of(const operand& of, const std::byte* corner,
                                                const rectangle& part,
                                                const rectangle& piece) noexcept {
  return of.at(corner, piece.rows.first - part.rows.first,
               piece.columns.first - part.columns.first);
}

/// Part of a factor that a VP holds; it begins at `corner`.
struct held_part {
  const operand& of;
  const std::byte* corner;
  rectangle elements;
};

/// Lends what this VP holds of a factor that a segment of `each` VPs, from `first` on, needs: each
/// of them its share.
inline void lend_shares(vp& me, const any_product& product, const held_part& held,
                        const rectangle& needed, std::size_t first, std::size_t each) {
  for_each_share(needed, each, held.elements, [&](std::size_t q, const rectangle& piece) {
    product.lend_factor(me, first + q, held.of,
                        corner_of(held.of, held.corner, held.elements, piece), piece.rows.size(),
                        piece.columns.size());
  });
}

[[nodiscard]] inline cuboid sub_problem(const level& cut, const part& mine, std::size_t sub,
                                        unsigned round) {
  const cuboid whole = cut.part(mine.whole, sub);
  return cut.rounds ? whole.half(dimension::inner, level::inner_half(sub, round)) : whole;
}

/// Exchange of the VPs of a segment at one level of the recursion: before it they lend each other
/// the factors of the sub-problems, after it the sums.
class exchange {
 public:
  explicit exchange(const any_product& product) noexcept : product_(product) {}

  /// Lends every sub-segment its parts of A and B, spread evenly over its VPs.
  void lend_factors(vp& me, segment seg, const level& cut, const part& mine, std::size_t each,
                    unsigned round) const {
    const std::size_t rank = me.rank() - seg.first;
    const held_part a{mine.of->a, mine.a, share_of(mine.whole.a(), seg.size, rank)};
    const held_part b{mine.of->b, mine.b, share_of(mine.whole.b(), seg.size, rank)};
    for (std::size_t sub = 0; sub < cut.parts(); ++sub) {
      const cuboid problem = sub_problem(cut, mine, sub, round);
      const std::size_t first = seg.first + sub * each;
      lend_shares(me, product_, a, problem.a(), first, each);
      lend_shares(me, product_, b, problem.b(), first, each);
    }
    balance(me, seg, a.elements);
  }

  /// Receives the factors. The pieces that arrive are neighbours in the user's matrix: the first
  /// corner is that of all.
  [[nodiscard]] part receive_factors(vp& me, segment seg, segment sub, const part& mine,
                                     const cuboid& problem) const {
    const rectangle a = share_of(problem.a(), sub.size, me.rank() - sub.first);
    const rectangle b = share_of(problem.b(), sub.size, me.rank() - sub.first);
    part next{problem, mine.of, nullptr, nullptr, mine.result, mine.kind};
    const auto take = [this](const message& m, const rectangle& share, const rectangle& piece,
                             const std::byte*& corner) {
      if (piece.rows.first == share.rows.first && piece.columns.first == share.columns.first)
        corner = product_.lent(m).data;
    };
    while (auto m = me.receive()) {
      const std::size_t source = m->source() - seg.first;
      const rectangle from_a = intersect(share_of(mine.whole.a(), seg.size, source), a);
      const rectangle from_b = intersect(share_of(mine.whole.b(), seg.size, source), b);
      if (!from_a.empty()) take(*m, a, from_a, next.a);
      if (!from_a.empty() && !from_b.empty()) m = me.receive();
      if (!from_b.empty()) take(*m, b, from_b, next.b);
    }
    return next;
  }

  /// Lends this VP's share of a sub-segment's sum to the owners of C.
  void lend_results(vp& me, segment seg, const part& mine, segment sub, const part& done) const {
    const rectangle c = share_of(done.whole.c(), sub.size, me.rank() - sub.first);
    for_each_share(mine.whole.c(), seg.size, c, [&](std::size_t q, const rectangle& piece) {
      product_.lend_sum(me, seg.first + q, place_in(done, piece), piece.rows.size(),
                        piece.columns.size());
    });
    balance(me, seg, share_of(mine.whole.c(), seg.size, me.rank() - seg.first));
  }

  /// Adds sums in the order of ranks: so of one element's sums those of lower inner indices come
  /// first.
  void add_results(vp& me, segment seg, const level& cut, const part& mine,
                   std::size_t each) const {
    const rectangle c = share_of(mine.whole.c(), seg.size, me.rank() - seg.first);
    while (const auto m = me.receive()) {
      const std::size_t source = m->source() - seg.first;
      const std::size_t sub = source / each;
      const rectangle piece =
          intersect(share_of(cut.part(mine.whole, sub).c(), each, source % each), c);
      product_.receive_sum(me, *m, place_in(mine, piece), !cut.in_place(sub));
    }
  }

  /// A piece of C.
  [[nodiscard]] place place_in(const part& mine, const rectangle& piece) const {
    return product_.at(mine.result, piece.rows.first - mine.whole.rows.first,
                       piece.columns.first - mine.whole.columns.first);
  }

 private:
  /// Makes the program wise: sends the dummy messages of the paper, from the first half of the
  /// segment to the second.
  static void balance(vp& me, segment seg, const rectangle& share) {
    if (me.rank() - seg.first < seg.size / 2) me.dummy(me.rank() + seg.size / 2, share.size());
  }

  const any_product& product_;
};

/// Number of VPs that multiply m × k by k × n: `vps`, or as many as are worth waking. Throws
/// usage_error for 0.
[[nodiscard]] std::size_t matmul_vps(machine& on, const char* caller, std::size_t m, std::size_t n,
                                     std::size_t k, const std::optional<std::size_t>& vps);

/// Products by a segment of VPs with one memory: how they are cut, the memory that takes, and the
/// coroutines.
///
/// A segment has a part of the product. Of both factors every VP of it holds a share, and lends it
/// to those that need it for the sub-problems; what they get side by side is one window on the
/// user's matrix again, so nothing is copied. At the end of the recursion a VP multiplies windows.
/// The first summands are computed where the result is to lie, the others in scratch memory, and
/// lent to the VP whose share of C they belong to.
///
/// With P VPs for √P × √P matrices it is the program of the model: in the 3i-supersteps (2i, in
/// rounds) of level i every VP sends and receives O(2^i) elements (O(1), in rounds).
///
/// Source: Bilardi, Pietracaprina, Pucci, Scquizzato, Silvestri, Network-Oblivious Algorithms,
/// section 4.1.
class matmul_program {
 public:
  /// Plans products no larger than `most`, on the VPs from `first` on. Requires: vps is a power
  /// of two. Throws std::bad_alloc.
  matmul_program(any_product& what, const block_size& most, std::size_t vps, bool in_rounds,
                 std::size_t first = 0)
      : product_(what),
        exchange_(what),
        first_(first),
        vps_(vps),
        plan_(make_matmul_plan(most.rows, most.columns, most.inner, vps, in_rounds)),
        in_rounds_(in_rounds),
        sums_(what.make_sums(plan_.memory)),
        own_sums_(sums_ == nullptr) {}
  matmul_program(const matmul_program&) = delete;
  matmul_program& operator=(const matmul_program&) = delete;

  /// Allocates its memory.
  void lay_out(arena& in) {
    if (own_sums_)
      sums_ = in.array<std::byte>(plan_.memory * (product_.element_bytes + product_.index_bytes));
    work_ = in.arrays<std::byte>(product_.work_bytes(plan_.rows, plan_.columns, plan_.inner), vps_);
  }

  /// Program of one of the VPs for a part whose factors begin there.
  task<> operator()(vp& me, part all) {
    const std::size_t rank = me.rank() - first_;
    const auto bits = static_cast<unsigned>(std::countr_zero(vps_));
    const segment vps{first_, vps_, vps_ == me.size() ? 0 : me.labels() - bits};
    const rectangle whole_a = all.whole.a(), whole_b = all.whole.b();
    all.a = corner_of(all.of->a, all.a, whole_a, share_of(whole_a, vps_, rank));
    all.b = corner_of(all.of->b, all.b, whole_b, share_of(whole_b, vps_, rank));
    co_await multiply(me, vps, 0, all);
  }

  /// Multiplies without a machine's VPs, for one that is alone.
  void multiply_alone(const part& all) const { multiply_windows(all, 0); }

 private:
  task<> multiply(vp& me, segment seg, std::size_t depth, part mine) {
    if (seg.size == 1) {
      multiply_windows(mine, me.rank() - first_);
      co_return;
    }
    const level& cut = plan_.levels[depth];
    // A segment of 2 or 4 VPs is not cut further than that: the sub-problems each of them would
    // get are one block, which the kernel multiplies as a whole.
    const division given = seg.divide(cut.parts(), me.rank());
    const std::size_t sub = given.first_problem;
    for (unsigned round = 0; round < (cut.rounds ? 2u : 1u); ++round) {
      exchange_.lend_factors(me, seg, cut, mine, given.part.size, round);
      co_await me.sync(seg.label);
      part next =
          exchange_.receive_factors(me, seg, given.part, mine, sub_problem(cut, mine, sub, round));
      next.result = place_of(cut, seg, mine, next.whole, sub);
      next.kind = !cut.in_place(sub) ? onto::nothing : round == 0 ? mine.kind : onto::sum;
      co_await multiply(me, given.part, depth + 1, next);
      if (!in_rounds_) {
        exchange_.lend_results(me, seg, mine, given.part, next);
        co_await me.sync(seg.label);
        exchange_.add_results(me, seg, cut, mine, given.part.size);
      }
    }
  }

  [[nodiscard]] place place_of(const level& cut, segment seg, const part& mine,
                               const cuboid& problem, std::size_t sub) const {
    if (cut.in_place(sub)) return exchange_.place_in(mine, problem.c());
    const std::size_t sums = (seg.first - first_) / seg.size * cut.sums + cut.sum_index(sub);
    // Values come first, then indices.
    const place first{sums_, cut.columns, sums_ + plan_.memory * product_.element_bytes,
                      cut.columns};
    return product_.at(first, 0, cut.memory + sums * cut.sum_elements());
  }
  void multiply_windows(const part& mine, std::size_t rank) const {
    const cuboid& whole = mine.whole;
    if (whole.c().empty()) return;
    if (mine.kind == onto::scaled)
      product_.scale(mine.result, whole.rows.size(), whole.columns.size());
    product_.multiply(
        {whole.rows.size(), whole.columns.size(), whole.inner.size(), whole.inner.first}, *mine.of,
        mine.a, mine.b, mine.kind != onto::nothing, mine.result, work_[rank]);
  }

  const any_product& product_;
  exchange exchange_;
  std::size_t first_;
  std::size_t vps_;
  matmul_plan plan_;
  bool in_rounds_;
  std::byte* sums_;
  bool own_sums_;
  vp_arrays<std::byte> work_;
};

}  // namespace pleat::detail::matmul
