// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <pleat/oblivious/detail/everyday/elements.hpp>
#include <pleat/oblivious/detail/everyday/groups.hpp>
#include <pleat/oblivious/detail/everyday/pairwise.hpp>
#include <pleat/oblivious/detail/everyday/start.hpp>
#include <pleat/oblivious/detail/everyday/venue.hpp>
#include <pleat/oblivious/range_options.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::everyday {

/// A VP combines its groups and lends VP 0 the nodes it is left with. VP 0 takes them to its own.
template <class T, class Op, class Groups>
task<> total_program(vp& me, Op& op, const Groups& combine_groups, interval<> groups,
                     pairwise<T, Op>& all, std::vector<std::vector<tree_node<T>>>& parts) {
  const interval<> mine = groups.share(me.rank(), me.size());
  if (me.rank() == 0) {
    combine_groups(mine, all);
  } else {
    pairwise<T, Op> part(op);
    combine_groups(mine, part);
    parts[me.rank()] = std::move(part.nodes());
    const std::span<tree_node<T>> nodes(parts[me.rank()]);
    if (!nodes.empty()) me.lend(0, nodes);
  }
  co_await me.sync(0);
  if (me.rank() != 0) co_return;
  for (auto m = me.receive(); m; m = me.receive()) {
    const strided_view<tree_node<T>> nodes = m->template view<tree_node<T>>();
    for (std::size_t i = 0; i < nodes.columns; ++i) all.add(std::move(nodes.data[i]));
  }
}

/// init ∘ value_of(0) ∘ … ∘ value_of(count − 1), which combine the elements of groups.
template <class T, class Op, class ValueOf>
[[nodiscard]] T total_of_groups(const char* name, venue& where, const range_options& options,
                                std::size_t count, T init, Op& op, const ValueOf& value_of) {
  const auto combine_groups = [&](interval<> some, pairwise<T, Op>& sum) {
    for (std::size_t g = some.first; g < some.last; ++g) sum.add({value_of(g), g, 0});
  };
  pairwise<T, Op> all(op);
  const remainder left = start_alone(name, where, options.vps, options.report, count,
                                     [&](std::size_t first, std::size_t last) {
                                       combine_groups({first, last}, all);
                                     });
  if (left.done < count) {
    std::vector<std::vector<tree_node<T>>> parts(left.vps);
    where.run(left.vps, options.report, [&](vp& me) {
      return total_program<T, Op>(me, op, combine_groups, {left.done, count}, all, parts);
    });
  }
  const alone_scope alone;
  return all.finish(std::move(init));
}

/// init ∘ get(0) ∘ … ∘ get(n − 1), in this order but for operators that commute on numbers. For
/// `cheap` see grouping.
template <class T, class Op, class Get>
[[nodiscard]] T total(const char* name, venue& where, const range_options& options, std::size_t n,
                      bool cheap, T init, Op& op, const Get& get) {
  static_assert(
      keeps_fractions<T, std::invoke_result_t<const Get&, std::size_t>>,
      "the elements are floating-point numbers and the initial value is an integer, which "
      "would cut off their fractions: begin with 0.0, or project them to integers");
  const grouping groups(n, cheap);
  return total_of_groups(name, where, options, groups.count(), std::move(init), op,
                         [&](std::size_t g) { return combine_group<T>(groups.group(g), op, get); });
}

}  // namespace pleat::detail::everyday
