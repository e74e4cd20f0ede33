// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <pleat/oblivious/detail/everyday/elements.hpp>
#include <pleat/oblivious/detail/everyday/groups.hpp>
#include <pleat/oblivious/detail/everyday/start.hpp>
#include <pleat/oblivious/range_options.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::everyday {

/// The scan of consecutive elements, by one thread.
template <class T, class Op, class Get> class element_scan {
 public:
  element_scan(Op& op, const Get& get, bool exclusive)
      : op_(op), get_(get), exclusive_(exclusive) {}

  /// Scans `some` elements with `before` in front of them; returns what stands behind them.
  template <class Results>
  std::optional<T> scan(interval<> some, std::optional<T> before, const Results& out) const {
    if (!before) {  // only where nothing stands before the first element
      before.emplace(static_cast<T>(get_(some.first)));
      out.write({some.first, some.first + 1},
                [&](interval<>, auto to) { everyday::at(to, 0) = *before; });
      ++some.first;
    }
    T sum = std::move(*before);
    out.write(some, [&](interval<> part, auto to) {
      if constexpr (in_lanes<T, Op> && std::floating_point<T>) {
        const std::size_t whole = part.size() - part.size() % at_once;
        for (std::size_t i = 0; i < whole; i += at_once) scan_at_once(part.first + i, i, sum, to);
        scan_one_by_one(part, whole, sum, to);
      } else {
        scan_one_by_one(part, 0, sum, to);
      }
    });
    return std::optional<T>(std::move(sum));
  }

 private:
  /// The results of `some` from the i-th on, to `to`.
  template <class Out> void scan_one_by_one(interval<> some, std::size_t i, T& sum, Out to) const {
    if (exclusive_) {
      for (; i < some.size(); ++i) {
        T next = static_cast<T>(get_(some.first + i));  // before it is overwritten, in place
        everyday::at(to, i) = std::as_const(sum);
        sum = static_cast<T>(std::invoke(op_, std::move(sum), std::move(next)));
      }
    } else {
      for (; i < some.size(); ++i) {
        sum =
            static_cast<T>(std::invoke(op_, std::move(sum), static_cast<T>(get_(some.first + i))));
        everyday::at(to, i) = std::as_const(sum);
      }
    }
  }

  /// Number of elements that are scanned by themselves, then each combined with what stands before
  /// them: a result need not wait for the one before it, which in floating point takes some cycles.
  static constexpr std::size_t at_once = 8;
  template <class Out> void scan_at_once(std::size_t first, std::size_t i, T& sum, Out to) const {
    T part[at_once];
    part[0] = static_cast<T>(get_(first));
    for (std::size_t k = 1; k < at_once; ++k)
      part[k] = static_cast<T>(std::invoke(op_, part[k - 1], static_cast<T>(get_(first + k))));
    if (exclusive_) {
      everyday::at(to, i) = std::as_const(sum);
      for (std::size_t k = 1; k < at_once; ++k)
        everyday::at(to, i + k) = static_cast<T>(std::invoke(op_, sum, part[k - 1]));
    } else {
      for (std::size_t k = 0; k < at_once; ++k)
        everyday::at(to, i + k) = static_cast<T>(std::invoke(op_, sum, part[k]));
    }
    sum = static_cast<T>(std::invoke(op_, sum, part[at_once - 1]));
  }

  Op& op_;
  const Get& get_;
  const bool exclusive_;
};

// Scans. Groups are combined first, then scanned with what stands before them: round by round, so
// that a VP scans what it has just combined, from its cache.

/// Bytes that a VP combines in a round: they stay in a second-level cache, with the results.
inline constexpr std::size_t bytes_per_round = std::size_t{1} << 18;

/// Total of a group. It wraps T, because std::vector<bool> has no elements of type bool.
template <class T> struct group_total { T value; };

template <class T, class Op, class Get, class Results> class running_totals {
 public:
  /// Writes x_0 ∘ … ∘ x_i as the i-th result, or with `exclusive` init ∘ … ∘ x_{i−1}.
  running_totals(const grouping& groups, Op& op, const Get& get, const Results& out, bool exclusive,
                 std::optional<T> init)
      : groups_(groups),
        op_(op),
        get_(get),
        out_(out),
        exclusive_(exclusive),
        scan_(op, get, exclusive),
        sum_(std::move(init)) {}

  /// Scans groups first … last − 1, the next ones, on the caller's thread.
  void alone(std::size_t first, std::size_t last) {
    if (first == last) return;
    if constexpr (exact<T, Op>) {
      sum_ = scan_.scan(elements({first, last}), std::move(sum_), out_);
    } else {
      for (std::size_t g = first; g < last; ++g) {  // one by one: they are in the first cache
        const interval<> group = groups_.group(g);
        std::optional<T> total;
        if (g + 1 < groups_.count()) total.emplace(everyday::combine_group<T>(group, op_, get_));
        scan_.scan(group, sum_, out_);
        if (total) append(sum_, std::move(*total));
      }
    }
    out_.finish();
  }

  /// Program of a VP. `totals`: two for each VP of this process, used in turns, because those of
  /// the last round may still be read.
  ///
  ///     heads      where groups straddle blocks, each VP is sent what it lacks of its last group
  ///     rounds     each VP combines its groups, all lend each other the totals, each VP scans its
  ///                groups with what stands before them: one 0-superstep
  ///     end        in common memory, where a round's groups lie in blocks of other VPs: counted
  ///                when they are combined, and when results are there
  ///     results    of the heads go to where these lie
  template <class Groups>
  task<> program(vp& me, const Groups& groups, std::vector<std::vector<group_total<T>>>& totals) {
    [[maybe_unused]] typename Groups::template values<T> shared{};
    if constexpr (Groups::straddle) {
      groups.template send_head<T>(me, get_);
      co_await me.sync(0);
      shared = groups.template shared_group<T>(me, get_);
    }
    const std::size_t rounds = groups.rounds(
        me, std::max<std::size_t>(1, bytes_per_round / (sizeof(T) * groups_.width())));
    std::optional<T> sum = sum_;
    for (std::size_t round = 0; round < rounds; ++round) {
      const interval<> mine = groups.of(me, round, rounds);
      std::vector<group_total<T>>& sums = totals[2 * groups.place(me) + round % 2];
      sums.clear();
      if (!mine.empty()) combine(mine, sums);
      if constexpr (Groups::in_common_memory) groups.count_read(me, mine);
      if constexpr (Groups::straddle) {
        if (shared.size() != 0)
          sums.push_back({everyday::combine_group<T>(interval<>{0, shared.size()}, op_, shared)});
      }
      lend_to_others(me, sums);
      co_await me.sync(0);
      std::optional<T> before = append_totals(me, sums, sum);
      if (!mine.empty()) before = scan_all(mine, std::move(before), sums);
      if constexpr (Groups::in_common_memory) {
        if (!mine.empty()) blocks_of_vps(me, groups_.size()).write(elements(mine));
      }
      if constexpr (Groups::straddle) {
        if (shared.size() != 0)
          scan_shared(me, groups, groups.group(mine.last), shared, std::move(before));
      }
    }
    out_.finish();
    if constexpr (Groups::in_common_memory) co_await me.sync(0);
    if constexpr (Groups::straddle) {
      co_await me.sync(0);
      if (const auto m = me.receive())
        out_.put(groups.held().first, m->template span<typename Results::value>());
    }
  }

 private:
  static void lend_to_others(vp& me, const std::vector<group_total<T>>& sums) {
    const std::span<const group_total<T>> all(sums);
    if (all.empty()) return;
    for (std::size_t q = 0; q < me.size(); ++q)
      if (q != me.rank()) me.lend(q, all);
  }

  /// Adds the totals of all VPs to `sum`; returns the sum before this VP's.
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
      sums.push_back({everyday::combine_group<T>(elements(some), op_, get_)});
    } else {
      for (std::size_t g = some.first; g < some.last; ++g)
        sums.push_back({everyday::combine_group<T>(groups_.group(g), op_, get_)});
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

  /// Scans a group that goes on in other blocks, by way of other memory.
  template <class Groups, class Values>
  void scan_shared(vp& me, const Groups& groups, interval<> group, const Values& shared,
                   std::optional<T> before) const {
    using result = typename Results::value;
    const auto made = std::make_unique<result[]>(shared.size());
    const results<result*> to(made.get(), shared.size(), true);
    const element_scan<T, Op, Values> scan(op_, shared, exclusive_);
    scan.scan({0, shared.size()}, std::move(before), to);
    const std::span<const result> all(made.get(), shared.size());
    out_.put(group.first, all.first(groups.send_back(me, group, all)));
  }

  grouping groups_;
  Op& op_;
  const Get& get_;
  const Results& out_;
  bool exclusive_;
  const element_scan<T, Op, Get> scan_;
  std::optional<T> sum_;
};

/// Scans n elements; see running_totals.
template <class T, class Op, class Get, class Results>
void scan(const char* name, executor& where, const range_options& options, std::size_t n, pace how,
          Op& op, const Get& get, const Results& out, bool exclusive, std::optional<T> init) {
  static_assert(
      everyday::holds<T, std::invoke_result_t<const Get&, std::size_t>>(),
      "the type of the initial value cannot hold the elements, and would cut off fractions or high "
      "bits: begin with 0.0, or a 0 of their type, or project them to its type");
  const grouping groups(n, in_lanes<T, Op>);
  running_totals<T, Op, Get, Results> all(groups, op, get, out, exclusive, std::move(init));
  const remainder left = everyday::start_alone(
      name, where, options, groups.count(),
      [&all](std::size_t first, std::size_t last) { all.alone(first, last); }, how, groups.width());
  if (left.done == groups.count()) return;
  const groups_in_memory rest(groups, left.done);
  std::vector<std::vector<group_total<T>>> totals(2 * left.vps);
  where.run(left.vps, options.report, [&](vp& me) { return all.program(me, rest, totals); });
}

}  // namespace pleat::detail::everyday
