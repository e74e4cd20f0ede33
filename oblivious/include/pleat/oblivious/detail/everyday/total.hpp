// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <pleat/oblivious/detail/everyday/elements.hpp>
#include <pleat/oblivious/detail/everyday/executor.hpp>
#include <pleat/oblivious/detail/everyday/groups.hpp>
#include <pleat/oblivious/detail/everyday/pairwise.hpp>
#include <pleat/oblivious/detail/everyday/start.hpp>
#include <pleat/oblivious/detail/shares/groups_in_memory.hpp>
#include <pleat/oblivious/detail/shares/hand_over.hpp>
#include <pleat/oblivious/range_options.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::everyday {

/// The sum of the groups of all VPs, in the tree of VP 0. `all` has what comes before them; `parts`
/// is for the VPs of this process.
///
///     heads     where groups straddle blocks, each VP is sent what it lacks of its last group
///     groups    each VP combines its groups, and hands VP 0 the nodes that it is left with
///     tree      VP 0 adds them to its own
template <class T, class Op, class Groups, class Get, class ValueOf>
task<> total_program(vp& me, const Groups& groups, Op& op, const Get& get, const ValueOf& value_of,
                     pairwise<T, Op>& all, std::vector<std::optional<pairwise<T, Op>>>& parts) {
  if constexpr (Groups::straddle) {
    groups.template send_head<T>(me, get);
    co_await me.sync(0);
  }
  pairwise<T, Op>& sum = me.rank() == 0 ? all : parts[groups.place(me)].emplace(op);
  const interval<> mine = groups.of(me);
  if constexpr (Groups::in_common_memory) groups.count_read(me, mine);
  for (std::size_t g = mine.first; g < mine.last; ++g)
    sum.add({value_of(groups.group(g), get), g, 0});
  if constexpr (Groups::straddle) {
    const auto shared = groups.template shared_group<T>(me, get);
    if (shared.size() != 0) sum.add({value_of(interval<>{0, shared.size()}, shared), mine.last, 0});
  }
  if (me.rank() != 0) detail::hand_over(me, 0, std::span(sum.nodes()));
  co_await me.sync(0);
  if (me.rank() != 0) co_return;
  for (auto m = me.receive(); m; m = me.receive())
    detail::take_each<tree_node<T>>(*m, [&all](tree_node<T>&& node) { all.add(std::move(node)); });
}

/// Reduces the same tree of some groups, on one thread.
template <class T, class Op, class Value>
[[nodiscard]] T tree_of(interval<> groups, Op& op, const Value& value) {
  if (groups.size() == 1) return value(groups.first);
  const std::size_t middle = groups.first + std::bit_floor(groups.size() - 1);
  T left = everyday::tree_of<T>({groups.first, middle}, op, value);
  T right = everyday::tree_of<T>({middle, groups.last}, op, value);
  return static_cast<T>(std::invoke(op, std::move(left), std::move(right)));
}

/// init ∘ the values of all groups: value_of(group, get) combines elements get(i).
template <class T, class Op, class Get, class ValueOf>
[[nodiscard]] T total_of_groups(const char* name, executor& where, const range_options& options,
                                const grouping& groups, pace how, T init, Op& op, const Get& get,
                                const ValueOf& value_of) {
  if (at_once(options, how, groups.size())) {
    clear_report(options.report);
    if (groups.count() == 0) return init;
    const alone_scope alone;
    T sum = everyday::tree_of<T>({0, groups.count()}, op, [&](std::size_t g) -> T {
      return value_of(groups.group(g), get);
    });
    return static_cast<T>(std::invoke(op, std::move(init), std::move(sum)));
  }
  pairwise<T, Op> all(op);
  const remainder left = everyday::start_alone(
      name, where, options, groups.count(),
      [&](std::size_t first, std::size_t last) {
        for (std::size_t g = first; g < last; ++g) all.add({value_of(groups.group(g), get), g, 0});
      },
      how, groups.width());
  if (left.done < groups.count()) {
    const groups_in_memory rest(groups, left.done);
    std::vector<std::optional<pairwise<T, Op>>> parts(left.vps);
    where.run(left.vps, options.report, [&](vp& me) {
      return everyday::total_program<T>(me, rest, op, get, value_of, all, parts);
    });
  }
  const alone_scope alone;
  return all.finish(std::move(init));
}

/// Combines the elements of a group.
template <class T, class Op> struct group_combiner {
  Op& op;
  template <class Get> [[nodiscard]] T operator()(interval<> group, const Get& get) const {
    return everyday::combine_group<T>(group, op, get);
  }
};

/// init ∘ get(0) ∘ … ∘ get(n − 1), in this order but for operators that commute on numbers. For
/// `cheap` see grouping.
template <class T, class Op, class Get>
[[nodiscard]] T total(const char* name, executor& where, const range_options& options,
                      std::size_t n, bool cheap, pace how, T init, Op& op, const Get& get) {
  static_assert(
      everyday::holds<T, std::invoke_result_t<const Get&, std::size_t>>(),
      "the type of the initial value cannot hold the elements, and would cut off fractions or high "
      "bits: begin with 0.0, or a 0 of their type, or project them to its type");
  return everyday::total_of_groups(name, where, options, grouping(n, cheap), how, std::move(init),
                                   op, get, group_combiner<T, Op>{op});
}

}  // namespace pleat::detail::everyday
