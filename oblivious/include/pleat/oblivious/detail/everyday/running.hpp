// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <pleat/oblivious/detail/everyday/element_scan.hpp>
#include <pleat/oblivious/detail/everyday/groups.hpp>
#include <pleat/oblivious/detail/everyday/start.hpp>
#include <pleat/oblivious/detail/everyday/venue.hpp>
#include <pleat/oblivious/range_options.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

// Scans. Groups are combined first, then scanned with what stands before them: round by round, so
// that a VP scans what it has just combined, from its cache.
namespace pleat::detail::everyday {

/// What a VP combines in a round: it stays in a second-level cache, with the results.
inline constexpr std::size_t bytes_per_round = std::size_t{1} << 18;

/// The total of a group. Not a bare T: a vector of bool is none of bools.
template <class T> struct group_total { T value; };

template <class T, class Op, class Get, class Results> class running_totals {
 public:
  /// Writes x_0 ∘ … ∘ x_i as the i-th result, or with `exclusive` init ∘ … ∘ x_{i−1}.
  running_totals(std::size_t n, Op& op, const Get& get, const Results& out, bool exclusive,
                 std::optional<T> init)
      : groups_(n, in_lanes<T, Op>),
        op_(op),
        get_(get),
        out_(out),
        scan_(op, get, exclusive),
        sum_(std::move(init)) {}

  [[nodiscard]] std::size_t groups() const noexcept { return groups_.count(); }

  /// Groups first … last − 1, the next ones, by the caller's thread.
  void alone(std::size_t first, std::size_t last) {
    if (first == last) return;
    std::vector<group_total<T>> sums;
    const interval<> some{first, last};
    if constexpr (exact<T, Op>) {
      sum_ = scan_all(some, std::move(sum_), sums);
    } else {
      for (std::size_t g = first; g < last; ++g) {  // one by one: they are in the first cache
        sums.clear();
        combine({g, g + 1}, sums);
        sum_ = scan_all({g, g + 1}, std::move(sum_), sums);
      }
    }
    out_.finish();
  }

  /// The program of a VP, for all groups from `first` on, not none. A round is one 0-superstep, in
  /// which the VPs lend each other the totals of their groups.
  /// `totals`: two for each VP, used in turns, since those of the last round may still be read.
  task<> program(vp& me, std::size_t first, std::vector<std::vector<group_total<T>>>& totals) {
    const interval<> all{first, groups_.count()};
    const std::size_t most =
        std::max<std::size_t>(1, bytes_per_round / (sizeof(T) * groups_.width()));
    const std::size_t rounds = (all.size() - 1) / (most * me.size()) + 1;
    std::optional<T> sum = sum_;
    for (std::size_t round = 0; round < rounds; ++round) {
      const interval<> mine = all.share(round, rounds).share(me.rank(), me.size());
      std::vector<group_total<T>>& sums = totals[2 * me.rank() + round % 2];
      sums.clear();
      if (!mine.empty()) combine(mine, sums);
      lend_to_others(me, sums);
      co_await me.sync(0);
      std::optional<T> before = append_totals(me, sums, sum);
      if (!mine.empty()) scan_all(mine, std::move(before), sums);
    }
    out_.finish();
  }

 private:
  static void lend_to_others(vp& me, const std::vector<group_total<T>>& sums) {
    const std::span<const group_total<T>> all(sums);
    if (all.empty()) return;
    for (std::size_t q = 0; q < me.size(); ++q)
      if (q != me.rank()) me.lend(q, all);
  }

  /// Appends the totals of all VPs to `sum`; returns what it was before mine.
  std::optional<T> append_totals(vp& me, const std::vector<group_total<T>>& mine,
                                 std::optional<T>& sum) {
    std::optional<T> before;
    bool me_too = false;
    const auto append_mine = [&] {
      before = sum;
      for (const group_total<T>& total : mine) append(sum, T(total.value));
      me_too = true;
    };
    for (auto m = me.receive(); m; m = me.receive()) {  // in the order of the ranks
      if (!me_too && m->source() > me.rank()) append_mine();
      const strided_view<const group_total<T>> sums = m->template view<const group_total<T>>();
      for (std::size_t i = 0; i < sums.columns; ++i) append(sum, T(sums.data[i].value));
    }
    if (!me_too) append_mine();
    return before;
  }

  void append(std::optional<T>& sum, T&& next) {
    if (sum)
      *sum = static_cast<T>(std::invoke(op_, std::move(*sum), std::move(next)));
    else
      sum.emplace(std::move(next));
  }

  [[nodiscard]] interval<> elements(interval<> some) const noexcept {
    return {groups_.group(some.first).first, groups_.group(some.last - 1).last};
  }

  void combine(interval<> some, std::vector<group_total<T>>& sums) {
    if constexpr (exact<T, Op>) {
      sums.push_back({combine_group<T>(elements(some), op_, get_)});
    } else {
      for (std::size_t g = some.first; g < some.last; ++g)
        sums.push_back({combine_group<T>(groups_.group(g), op_, get_)});
    }
  }

  /// Scans groups with `sum` before them and these totals; returns what stands behind them.
  std::optional<T> scan_all(interval<> some, std::optional<T> sum,
                            const std::vector<group_total<T>>& sums) {
    if constexpr (exact<T, Op>) {
      return scan_.scan(elements(some), std::move(sum), out_);
    } else {
      for (std::size_t g = some.first; g < some.last; ++g) {
        scan_.scan(groups_.group(g), sum, out_);
        append(sum, T(sums[g - some.first].value));
      }
      return sum;
    }
  }

  grouping groups_;
  Op& op_;
  const Get& get_;
  const Results& out_;
  const element_scan<T, Op, Get> scan_;
  std::optional<T> sum_;
};

/// Scans n elements; see running_totals.
template <class T, class Op, class Get, class Results>
void scan(const char* name, venue& where, const range_options& options, std::size_t n, Op& op,
          const Get& get, const Results& out, bool exclusive, std::optional<T> init) {
  static_assert(
      keeps_fractions<T, std::invoke_result_t<const Get&, std::size_t>>,
      "the elements are floating-point numbers and the initial value is an integer, which "
      "would cut off their fractions: begin with 0.0, or project them to integers");
  running_totals<T, Op, Get, Results> all(n, op, get, out, exclusive, std::move(init));
  const remainder left =
      start_alone(name, where, options.vps, options.report, all.groups(),
                  [&all](std::size_t first, std::size_t last) { all.alone(first, last); });
  if (left.done == all.groups()) return;
  std::vector<std::vector<group_total<T>>> totals(2 * left.vps);
  where.run(left.vps, options.report, [&](vp& me) { return all.program(me, left.done, totals); });
}

}  // namespace pleat::detail::everyday
