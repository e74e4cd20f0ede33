// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cassert>
#include <cstddef>

#include <pleat/oblivious/detail/matmul/program.hpp>
#include <pleat/oblivious/detail/matmul/shape.hpp>
#include <pleat/oblivious/detail/program/execution.hpp>
#include <pleat/oblivious/detail/program/memory_layout.hpp>
#include <pleat/runtime/segment.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::matmul {
namespace {

/// The product of two matrices by P VPs: how it is cut, the memory it needs, and the coroutines.
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
  /// Takes its memory from the machine. Throws std::bad_alloc. Requires vps ≥ 1.
  matmul_program(machine& on, any_product& what, std::size_t vps, bool in_rounds, onto first)
      : product_(what),
        whole_{{0, what.a.rows}, {0, what.b.columns}, {0, what.a.columns}},
        working_(std::bit_floor(vps)),
        plan_(make_matmul_plan(what.a.rows, what.b.columns, what.a.columns, working_, in_rounds)),
        in_rounds_(in_rounds),
        first_(first),
        sums_(what.make_sums(plan_.memory)) {
    memory_layout layout;
    const std::size_t elements = sums_ != nullptr ? 0 : plan_.memory;
    const auto sums = layout.add<std::byte>(elements * (what.a.element_bytes + what.index_bytes));
    work_ =
        layout.add<std::byte>(what.work_bytes(plan_.rows, plan_.columns, plan_.inner), working_);
    memory_ = layout.take(on);
    if (sums_ == nullptr) sums_ = sums.in(memory_);
  }
  matmul_program(const matmul_program&) = delete;
  matmul_program& operator=(const matmul_program&) = delete;

  /// The program of one VP. If P is no power of two, the last ones have nothing to do.
  task<> operator()(vp& me) {
    if (me.rank() >= working_) co_return;
    const auto bits = static_cast<unsigned>(std::countr_zero(working_));
    const segment all{0, working_, working_ == me.size() ? 0 : me.labels() - bits};
    const rectangle a = share_of(whole_.a(), working_, me.rank());
    const rectangle b = share_of(whole_.b(), working_, me.rank());
    const part mine{whole_, product_.a.at(product_.a.data, a.rows.first, a.columns.first),
                    product_.b.at(product_.b.data, b.rows.first, b.columns.first), product_.result,
                    first_};
    co_await multiply(me, all, 0, mine);
  }

  /// The same without a machine's VPs, for one that multiplies alone.
  void multiply_alone() {
    multiply_windows({whole_, product_.a.data, product_.b.data, product_.result, first_}, 0);
  }

 private:
  /// A segment's part of the product, seen from one VP.
  struct part {
    cuboid whole;
    const std::byte* a;  ///< the first element of my share of its A
    const std::byte* b;  ///< … and B
    place result;        ///< of all its C
    onto kind;
  };

  task<> multiply(vp& me, segment seg, std::size_t depth, part mine) {
    if (seg.size == 1) {
      multiply_windows(mine, me.rank());
      co_return;
    }
    const level& cut = plan_.levels[depth];
    // A segment of 2 or 4 VPs is not cut further than that: the sub-problems each of them would
    // get are one block, which the kernel multiplies as a whole.
    const division given = seg.divide(cut.parts(), me.rank());
    const std::size_t sub = given.first_problem;
    for (unsigned round = 0; round < (cut.rounds ? 2u : 1u); ++round) {
      lend_factors(me, seg, cut, mine, given.part.size, round);
      co_await me.sync(seg.label);
      part next = receive_factors(me, seg, given.part, mine, sub_problem(cut, mine, sub, round));
      next.result = place_of(cut, seg, mine, next.whole, sub);
      next.kind = !cut.in_place(sub) ? onto::nothing : round == 0 ? mine.kind : onto::sum;
      co_await multiply(me, given.part, depth + 1, next);
      if (!in_rounds_) {
        lend_results(me, seg, mine, given.part, next);
        co_await me.sync(seg.label);
        add_results(me, seg, cut, mine, given.part.size);
      }
    }
  }

  [[nodiscard]] static cuboid sub_problem(const level& cut, const part& mine, std::size_t sub,
                                          unsigned round) {
    const cuboid whole = cut.part(mine.whole, sub);
    return cut.rounds ? whole.half(dimension::inner, level::inner_half(sub, round)) : whole;
  }

  /// Every sub-segment gets its parts of A and B, spread evenly over its VPs.
  void lend_factors(vp& me, segment seg, const level& cut, const part& mine, std::size_t each,
                    unsigned round) const {
    const std::size_t rank = me.rank() - seg.first;
    const rectangle a = share_of(mine.whole.a(), seg.size, rank);
    const rectangle b = share_of(mine.whole.b(), seg.size, rank);
    for (std::size_t sub = 0; sub < cut.parts(); ++sub) {
      const cuboid problem = sub_problem(cut, mine, sub, round);
      const std::size_t first = seg.first + sub * each;
      for_each_share(problem.a(), each, a, [&](std::size_t q, const rectangle& piece) {
        lend_piece(me, first + q, product_.a, mine.a, a, piece);
      });
      for_each_share(problem.b(), each, b, [&](std::size_t q, const rectangle& piece) {
        lend_piece(me, first + q, product_.b, mine.b, b, piece);
      });
    }
    balance(me, seg, a);
  }

  /// What makes the program wise: the dummy messages of the paper, from the first half of the
  /// segment to the second.
  static void balance(vp& me, segment seg, const rectangle& share) {
    if (me.rank() - seg.first < seg.size / 2) me.dummy(me.rank() + seg.size / 2, share.size());
  }

  /// A piece of the share `held` of a factor, which begins at `corner`.
  void lend_piece(vp& me, std::size_t q, const operand& of, const std::byte* corner,
                  const rectangle& held, const rectangle& piece) const {
    const std::byte* const first =
        of.at(corner, piece.rows.first - held.rows.first, piece.columns.first - held.columns.first);
    product_.lend_factor(me, q, of, first, piece.rows.size(), piece.columns.size());
  }

  /// The pieces that arrive are neighbours in the user's matrix: the first corner is that of all.
  [[nodiscard]] part receive_factors(vp& me, segment seg, segment sub, const part& mine,
                                     const cuboid& problem) const {
    const rectangle a = share_of(problem.a(), sub.size, me.rank() - sub.first);
    const rectangle b = share_of(problem.b(), sub.size, me.rank() - sub.first);
    part next{problem, nullptr, nullptr, mine.result, mine.kind};
    const auto take = [this](const message& m, const rectangle& share, const rectangle& piece,
                             const std::byte*& corner) {
      if (piece.rows.first == share.rows.first && piece.columns.first == share.columns.first)
        corner = product_.lent_corner(m);
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

  [[nodiscard]] place place_of(const level& cut, segment seg, const part& mine,
                               const cuboid& problem, std::size_t sub) const {
    if (cut.in_place(sub)) return place_in(mine, problem.c());
    const std::size_t sums = seg.first / seg.size * cut.sums + cut.sum_index(sub);
    // All values come first, then all indices.
    const place first{sums_, cut.columns, sums_ + plan_.memory * product_.a.element_bytes,
                      cut.columns};
    return product_.at(first, 0, cut.memory + sums * cut.sum_elements());
  }
  [[nodiscard]] place place_in(const part& mine, const rectangle& piece) const {
    return product_.at(mine.result, piece.rows.first - mine.whole.rows.first,
                       piece.columns.first - mine.whole.columns.first);
  }

  /// Every VP lends its share of a sub-segment's sum to the owners of C.
  void lend_results(vp& me, segment seg, const part& mine, segment sub, const part& done) const {
    const rectangle c = share_of(done.whole.c(), sub.size, me.rank() - sub.first);
    for_each_share(mine.whole.c(), seg.size, c, [&](std::size_t q, const rectangle& piece) {
      product_.lend_sum(me, seg.first + q, place_in(done, piece), piece.rows.size(),
                        piece.columns.size());
    });
    balance(me, seg, share_of(mine.whole.c(), seg.size, me.rank() - seg.first));
  }

  /// By rank: so of one element's sums those of lower inner indices come first.
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

  void multiply_windows(const part& mine, std::size_t rank) const {
    const cuboid& whole = mine.whole;
    if (whole.c().empty()) return;
    if (mine.kind == onto::scaled)
      product_.scale(mine.result, whole.rows.size(), whole.columns.size());
    product_.multiply(
        {whole.rows.size(), whole.columns.size(), whole.inner.size(), whole.inner.first}, mine.a,
        mine.b, mine.kind != onto::nothing, mine.result, work_.in(memory_, rank));
  }

  any_product& product_;
  cuboid whole_;
  std::size_t working_;
  matmul_plan plan_;
  bool in_rounds_;
  onto first_;
  std::byte* sums_;
  placed_arrays<std::byte> work_;  // of each VP
  std::byte* memory_ = nullptr;
};

/// Below this many multiplications a VP, waking a second processor costs more than it saves.
constexpr std::size_t least_multiplications = std::size_t{1} << 17;

}  // namespace

std::size_t matmul_vps(machine& on, const char* caller, std::size_t m, std::size_t n, std::size_t k,
                       const std::optional<std::size_t>& vps) {
  const double multiplications =
      static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  const std::size_t chosen = choose_vps(
      caller, vps, multiplications / static_cast<double>(least_multiplications), on.default_vps());
  return vps ? chosen : std::bit_floor(chosen);
}

run_report run_product(machine& on, any_product& what, std::size_t vps, bool in_rounds, onto kind) {
  if (what.a.rows == 0 || what.b.columns == 0) return {};
  const machine::turn mine(on, machine::use::scratch);
  matmul_program program(on, what, vps, in_rounds, kind);
  return run_program(
      on, vps, [&program] { program.multiply_alone(); },
      [&program](vp& me) { return program(me); });
}

}  // namespace pleat::detail::matmul
