// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <pleat/oblivious/detail/matmul/any_product.hpp>
#include <pleat/oblivious/detail/matmul/program.hpp>
#include <pleat/oblivious/detail/matmul/shape.hpp>
#include <pleat/runtime/segment.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::matmul {

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

}  // namespace pleat::detail::matmul
