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

#include "matmul/exchange.hpp"

namespace pleat::detail::matmul {

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
  void lie_in(arena& in) {
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
