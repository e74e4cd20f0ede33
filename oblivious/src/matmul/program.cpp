// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cassert>
#include <cstddef>

#include <pleat/oblivious/detail/matmul/program.hpp>
#include <pleat/oblivious/detail/matmul/shape.hpp>
#include <pleat/oblivious/detail/program/arena.hpp>
#include <pleat/oblivious/detail/program/execution.hpp>
#include <pleat/runtime/segment.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

#include "matmul/exchange.hpp"

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
        exchange_(what),
        whole_{{0, what.a.rows}, {0, what.b.columns}, {0, what.a.columns}},
        working_(std::bit_floor(vps)),
        plan_(make_matmul_plan(what.a.rows, what.b.columns, what.a.columns, working_, in_rounds)),
        in_rounds_(in_rounds),
        first_(first),
        sums_(what.make_sums(plan_.memory)) {
    const bool own_sums = sums_ == nullptr;
    const std::size_t sum_bytes = plan_.memory * (what.a.element_bytes + what.index_bytes);
    const std::size_t work_bytes = what.work_bytes(plan_.rows, plan_.columns, plan_.inner);
    arena::take(on, [&](arena& in) {
      if (own_sums) sums_ = in.array<std::byte>(sum_bytes);
      work_ = in.arrays<std::byte>(work_bytes, working_);
    });
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
    const std::size_t sums = seg.first / seg.size * cut.sums + cut.sum_index(sub);
    // All values come first, then all indices.
    const place first{sums_, cut.columns, sums_ + plan_.memory * product_.a.element_bytes,
                      cut.columns};
    return product_.at(first, 0, cut.memory + sums * cut.sum_elements());
  }
  void multiply_windows(const part& mine, std::size_t rank) const {
    const cuboid& whole = mine.whole;
    if (whole.c().empty()) return;
    if (mine.kind == onto::scaled)
      product_.scale(mine.result, whole.rows.size(), whole.columns.size());
    product_.multiply(
        {whole.rows.size(), whole.columns.size(), whole.inner.size(), whole.inner.first}, mine.a,
        mine.b, mine.kind != onto::nothing, mine.result, work_[rank]);
  }

  const any_product& product_;
  exchange exchange_;
  cuboid whole_;
  std::size_t working_;
  matmul_plan plan_;
  bool in_rounds_;
  onto first_;
  std::byte* sums_;
  vp_arrays<std::byte> work_;
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
