// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <pleat/channels/byte_copyable.hpp>
#include <pleat/collectives/commutes.hpp>
#include <pleat/oblivious/detail/everyday/elements.hpp>
#include <pleat/oblivious/detail/everyday/start.hpp>
#include <pleat/oblivious/detail/shares/vp_parts.hpp>
#include <pleat/oblivious/exact_sum.hpp>
#include <pleat/oblivious/range_options.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

// Elements combined in lanes, as vectors do: the i-th of a group goes to lane i mod the number of
// lanes; then halves of the lanes are combined. There are as many lanes for all instruction sets,
// so that sums do not depend on these.
namespace pleat::detail::everyday {

/// Operators whose operands may change places, on numbers.
template <class T, class Op>
inline constexpr bool in_lanes = std::is_arithmetic_v<T> && !std::same_as<T, bool> &&
                                 sizeof(T) <= 8 && commutes<std::remove_cvref_t<Op>, T>::value;

template <class T> inline constexpr std::size_t lanes_of = 128 / sizeof(T);

/// Name of an operator of the standard for vectors of T; void if it is another.
template <class Op, class T> struct vector_operator { using type = void; };
template <class T> struct vector_operator<std::plus<>, T> { using type = std::plus<>; };
template <class T> struct vector_operator<std::plus<T>, T> { using type = std::plus<>; };
template <class T> struct vector_operator<std::multiplies<>, T> { using type = std::multiplies<>; };
template <class T> struct vector_operator<std::multiplies<T>, T> {
  using type = std::multiplies<>;
};
template <class T> struct vector_operator<std::bit_and<>, T> { using type = std::bit_and<>; };
template <class T> struct vector_operator<std::bit_and<T>, T> { using type = std::bit_and<>; };
template <class T> struct vector_operator<std::bit_or<>, T> { using type = std::bit_or<>; };
template <class T> struct vector_operator<std::bit_or<T>, T> { using type = std::bit_or<>; };
template <class T> struct vector_operator<std::bit_xor<>, T> { using type = std::bit_xor<>; };
template <class T> struct vector_operator<std::bit_xor<T>, T> { using type = std::bit_xor<>; };
template <class T> struct vector_operator<maximum, T> { using type = maximum; };
template <class T> struct vector_operator<minimum, T> { using type = minimum; };

/// 16 bytes of T's, which every x86-64 and AArch64 has in registers.
template <class T> struct vector_of {
  using type [[gnu::vector_size(16)]] = T;
  static constexpr std::size_t size = 16 / sizeof(T);

  template <class Get> [[gnu::always_inline]] static type take(const Get& get, std::size_t first) {
    return take(get, first, std::make_index_sequence<size>());
  }
  template <class Get, std::size_t... l>
  [[gnu::always_inline]] static type take(const Get& get, std::size_t first,
                                          std::index_sequence<l...>) {
    return type{static_cast<T>(get(first + l))...};
  }
};

/// Combines at least two rows of lanes. Whole rows only: the number is a multiple of lanes_of<T>.
/// Eight vectors with names, because an array of them would not be kept in registers. Returns the
/// operator, which may have noted what it has seen.
template <class Op, class T, class Get>
Op combine_rows_of_vectors(T* sum, interval<> rows, const Get& get) {
  using vectors = vector_of<T>;
  constexpr std::size_t w = vectors::size;
  using vector = typename vectors::type;
  Op op;
  std::size_t i = rows.first;
  vector a = vectors::take(get, i), b = vectors::take(get, i + w),
         c = vectors::take(get, i + 2 * w), d = vectors::take(get, i + 3 * w),
         e = vectors::take(get, i + 4 * w), f = vectors::take(get, i + 5 * w),
         g = vectors::take(get, i + 6 * w), h = vectors::take(get, i + 7 * w);
  for (i += 8 * w; i < rows.last; i += 8 * w) {
    a = op(a, vectors::take(get, i));
    b = op(b, vectors::take(get, i + w));
    c = op(c, vectors::take(get, i + 2 * w));
    d = op(d, vectors::take(get, i + 3 * w));
    e = op(e, vectors::take(get, i + 4 * w));
    f = op(f, vectors::take(get, i + 5 * w));
    g = op(g, vectors::take(get, i + 6 * w));
    h = op(h, vectors::take(get, i + 7 * w));
  }
  for (std::size_t l = 0; l < w; ++l) {
    sum[l] = a[l];
    sum[w + l] = b[l];
    sum[2 * w + l] = c[l];
    sum[3 * w + l] = d[l];
    sum[4 * w + l] = e[l];
    sum[5 * w + l] = f[l];
    sum[6 * w + l] = g[l];
    sum[7 * w + l] = h[l];
  }
  return op;
}

/// Combines rows by any operator.
template <class T, class Op, class Get>
void combine_rows(T* sum, interval<> rows, Op& op, const Get& get) {
  constexpr std::size_t lanes = lanes_of<T>;
  for (std::size_t l = 0; l < lanes; ++l) sum[l] = static_cast<T>(get(rows.first + l));
  for (std::size_t i = rows.first + lanes; i < rows.last; i += lanes) {
    for (std::size_t l = 0; l < lanes; ++l)
      sum[l] = static_cast<T>(op(sum[l], static_cast<T>(get(i + l))));
  }
}

/// get(first) ∘ … ∘ get(last − 1) in lanes. Requires: two rows of lanes at least.
template <class T, class Op, class Get>
[[nodiscard]] T combine_in_lanes(interval<> group, Op& op, const Get& get) {
  constexpr std::size_t lanes = lanes_of<T>;
  const interval<> rows{group.first, group.last - group.size() % lanes};
  T sum[lanes];
  using vector_op = typename vector_operator<std::remove_cvref_t<Op>, T>::type;
  if constexpr (std::is_void_v<vector_op>)
    everyday::combine_rows(sum, rows, op, get);
  else if constexpr (requires { op.note(vector_op()); })
    op.note(everyday::combine_rows_of_vectors<vector_op>(sum, rows, get));
  else
    everyday::combine_rows_of_vectors<vector_op>(sum, rows, get);
  for (std::size_t i = rows.last, l = 0; i < group.last; ++i, ++l)
    sum[l] = static_cast<T>(op(sum[l], static_cast<T>(get(i))));
  for (std::size_t half = lanes / 2; half > 0; half /= 2) {
    for (std::size_t l = 0; l < half; ++l) sum[l] = static_cast<T>(op(sum[l], sum[l + half]));
  }
  return sum[0];
}

// Groups: consecutive elements that one VP combines. Where they begin depends on the number of
// elements alone, so that the association of floating-point sums is the same for any number of VPs.

/// n elements in groups of a power of two: from 128 groups on so that many processors have equal
/// shares of them, of at most 2048 elements so that a group is in the first cache.
class grouping {
 public:
  /// `cheap`: an element takes so little time that groups of less than 256 are not worth dividing.
  explicit grouping(std::size_t n, bool cheap) noexcept
      : n_(n),
        log_(std::countr_zero(
            std::bit_floor(std::clamp<std::size_t>(n / 128, cheap ? 256 : 1, 2048)))) {}
  /// Groups of one element.
  [[nodiscard]] static grouping of_single(std::size_t n) noexcept {
    grouping groups(n, false);
    groups.log_ = 0;
    return groups;
  }

  [[nodiscard]] std::size_t size() const noexcept { return n_; }
  [[nodiscard]] std::size_t count() const noexcept { return (n_ + width() - 1) >> log_; }
  [[nodiscard]] interval<> group(std::size_t g) const noexcept {
    return {g << log_, std::min(n_, (g + 1) << log_)};
  }
  [[nodiscard]] std::size_t width() const noexcept { return std::size_t{1} << log_; }

 private:
  std::size_t n_;
  int log_;  ///< of the width
};

/// An associative operator on T.
template <class Op, class T>
concept combines = std::movable<T> && std::invocable<Op&, T, T> &&
    std::constructible_from<T, std::invoke_result_t<Op&, T, T>>;

/// Tells whether any association gives the same result.
template <class T, class Op> inline constexpr bool exact = std::integral<T>&& in_lanes<T, Op>;

/// Tells whether T's are exact sums that are added.
template <class T, class Op>
inline constexpr bool adds_exactly = std::same_as<T, exact_sum> &&
                                     (std::same_as<std::remove_cvref_t<Op>, std::plus<>> ||
                                      std::same_as<std::remove_cvref_t<Op>, std::plus<T>>);

/// Tells whether groups of 256 elements and more are combined in less time than a message takes.
template <class T, class Op> inline constexpr bool cheap = in_lanes<T, Op> || adds_exactly<T, Op>;

/// get(first) ∘ … ∘ get(last − 1), not empty.
template <class T, class Op, class Get>
[[nodiscard]] T combine_group(interval<> group, Op& op, const Get& get) {
  if constexpr (adds_exactly<T, Op> &&
                std::is_arithmetic_v<
                    std::remove_cvref_t<std::invoke_result_t<const Get&, std::size_t>>>)
    return everyday::sum_exactly(group.first, group.last, get);
  if constexpr (in_lanes<T, Op>) {
    if (group.size() >= 2 * lanes_of<T>) return everyday::combine_in_lanes<T>(group, op, get);
  }
  T sum = static_cast<T>(get(group.first));
  for (std::size_t i = group.first + 1; i < group.last; ++i)
    sum = static_cast<T>(std::invoke(op, std::move(sum), static_cast<T>(get(i))));
  return sum;
}

/// Distribution of groups over VPs that read one memory: equal shares of the groups that are
/// left. Each group lies with one VP. groups_over_ranks is the other kind.
class groups_in_memory {
 public:
  /// Says that a VP may read groups, and write their results, in the blocks of other VPs.
  static constexpr bool in_common_memory = true;
  /// Says whether parts of a group may lie with several VPs.
  static constexpr bool straddle = false;
  /// Values of such a group; none here.
  template <class T> struct values {};

  /// Takes all groups from `first` on, not none.
  groups_in_memory(const grouping& groups, std::size_t first) noexcept
      : groups_(groups), left_{first, groups.count()} {}

  [[nodiscard]] interval<> group(std::size_t g) const noexcept { return groups_.group(g); }
  [[nodiscard]] interval<> of(const vp& me, std::size_t round = 0,
                              std::size_t rounds = 1) const noexcept {
    return left_.share(round, rounds).share(me.rank(), me.size());
  }
  /// The number of rounds in which each VP has at most so many groups.
  [[nodiscard]] std::size_t rounds(const vp& me, std::size_t most) const noexcept {
    return (left_.size() - 1) / (most * me.size()) + 1;
  }
  /// Counts what `me` reads of these groups in blocks of other VPs.
  void count_read(vp& me, const interval<>& some) const {
    if (!some.empty())
      blocks_of_vps(me, groups_.size()).read({group(some.first).first, group(some.last - 1).last});
  }
  /// The place of a VP among those of this process.
  [[nodiscard]] static std::size_t place(const vp& me) noexcept { return me.rank(); }

 private:
  grouping groups_;
  interval<> left_;
};

/// The inner or outer node of a binary tree over consecutive groups: 2^level groups from `first`
/// on, a multiple of 2^level, combined.
template <class T> struct tree_node {
  T value;
  std::size_t first;
  unsigned level;
};

/// Combines groups pairwise, as a binary tree over all of them does: siblings, and those only.
/// Whoever has a part of the groups is left with at most two nodes of each level; the nodes of all
/// parts, in order, become the tree. So the association does not depend on the parts. Rounding
/// errors of sums grow with the tree's depth, not with the number of elements.
template <class T, class Op> class pairwise {
 public:
  explicit pairwise(Op& op) : op_(&op) { nodes_.reserve(16); }

  /// Adds what comes next.
  void add(tree_node<T> node) {
    while (!nodes_.empty() && siblings(nodes_.back(), node)) {
      tree_node<T>& left = nodes_.back();
      node = {combined(std::move(left.value), std::move(node.value)), left.first, node.level + 1};
      nodes_.pop_back();
    }
    nodes_.push_back(std::move(node));
  }

  [[nodiscard]] std::vector<tree_node<T>>& nodes() noexcept { return nodes_; }

  /// init ∘ all of them: nodes without a sibling, at the ragged end, are combined from the last on.
  [[nodiscard]] T finish(T init) {
    if (nodes_.empty()) return init;
    T sum = std::move(nodes_.back().value);
    for (std::size_t i = nodes_.size() - 1; i-- > 0;)
      sum = combined(std::move(nodes_[i].value), std::move(sum));
    return combined(std::move(init), std::move(sum));
  }

 private:
  [[nodiscard]] static bool siblings(const tree_node<T>& a, const tree_node<T>& b) noexcept {
    return a.level == b.level && (a.first >> a.level) % 2 == 0 &&
           a.first + (std::size_t{1} << a.level) == b.first;
  }
  [[nodiscard]] T combined(T&& a, T&& b) const {
    return static_cast<T>(std::invoke(*op_, std::move(a), std::move(b)));
  }

  Op* op_;
  std::vector<tree_node<T>> nodes_;
};

}  // namespace pleat::detail::everyday

/// Nodes travel as their values do.
template <class T>
struct pleat::detail::copied_by_bytes<pleat::detail::everyday::tree_node<T>> : copied_by_bytes<T> {
};

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
  using element = std::remove_cvref_t<std::invoke_result_t<const Get&, std::size_t>>;
  using sent = std::conditional_t<adds_exactly<T, Op> && std::is_arithmetic_v<element>, element, T>;
  if constexpr (Groups::straddle) {
    groups.template send_head<sent>(me, get);
    co_await me.sync(0);
  }
  pairwise<T, Op>& sum = me.rank() == 0 ? all : parts[groups.place(me)].emplace(op);
  const interval<> mine = groups.of(me);
  if constexpr (Groups::in_common_memory) groups.count_read(me, mine);
  for (std::size_t g = mine.first; g < mine.last; ++g)
    sum.add({value_of(groups.group(g), get), g, 0});
  if constexpr (Groups::straddle) {
    const auto shared = groups.template shared_group<sent>(me, get);
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

/// init ∘ the values of all groups, by VPs if they are worth their cost.
template <class T, class Op, class Get, class ValueOf>
[[nodiscard, gnu::noinline]] T total_by_vps(const char* name, executor& where,
                                            const range_options& options, const grouping& groups,
                                            pace how, T init, Op& op, const Get& get,
                                            const ValueOf& value_of) {
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

/// init ∘ the values of all groups: value_of(group, get) combines elements get(i).
template <class T, class Op, class Get, class ValueOf>
[[nodiscard, gnu::always_inline]] inline T total_of_groups(const char* name, executor& where,
                                                           const range_options& options,
                                                           const grouping& groups, pace how, T init,
                                                           Op& op, const Get& get,
                                                           const ValueOf& value_of) {
  if (!at_once(options, how, groups.size()))
    return everyday::total_by_vps(name, where, options, groups, how, std::move(init), op, get,
                                  value_of);
  clear_report(options.report);
  if (groups.count() == 0) return init;
  const alone_scope alone;
  const auto value = [&](std::size_t g) -> T { return value_of(groups.group(g), get); };
  T sum = groups.count() == 1 ? value(0)
                              : everyday::tree_of<T>(interval<>{0, groups.count()}, op, value);
  return static_cast<T>(std::invoke(op, std::move(init), std::move(sum)));
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
