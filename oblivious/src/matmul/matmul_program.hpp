// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <optional>

#include <pleat/oblivious/detail/matmul/any_product.hpp>
#include <pleat/oblivious/detail/matmul/program.hpp>
#include <pleat/oblivious/detail/matmul/shape.hpp>
#include <pleat/oblivious/detail/program/arena.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/segment.hpp>
#include <pleat/runtime/task.hpp>
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

  /// Takes its memory.
  void take_memory(arena& in) {
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
