// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <pleat/channels/byte_copyable.hpp>
#include <pleat/oblivious/detail/distributed/collective_call.hpp>
#include <pleat/oblivious/detail/distributed/declared.hpp>
#include <pleat/oblivious/detail/everyday/elements.hpp>
#include <pleat/oblivious/detail/everyday/groups.hpp>
#include <pleat/oblivious/detail/everyday/running.hpp>
#include <pleat/oblivious/detail/shares/vp_parts.hpp>
#include <pleat/runtime/fold.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::everyday {

/// Values one behind the other, of any type whose bytes can be copied: also of bool, and of types
/// that are not made without arguments.
template <byte_copyable T> class value_list {
 public:
  value_list() = default;
  explicit value_list(std::size_t most) { values_.reserve(most); }

  void add(const T& value) { values_.push_back({value}); }
  [[nodiscard]] std::span<const T> all() const noexcept {
    return {reinterpret_cast<const T*>(values_.data()), values_.size()};
  }
  [[nodiscard]] const T& operator()(std::size_t i) const noexcept { return values_[i].value; }
  [[nodiscard]] std::size_t size() const noexcept { return values_.size(); }

 private:
  struct element {  // a vector of these is an array of T
    T value;
  };
  static_assert(sizeof(element) == sizeof(T));
  std::vector<element> values_;
};

/// Distribution of groups over VPs where elements lie in blocks of ranks. Groups begin at places
/// that depend on n alone, so that sums do not depend on ranks. A group belongs to the rank that
/// has its first element. If it goes on in other blocks, it is *shared*: the last VP of that rank
/// combines it, and is sent what other ranks have of it, their *heads*. groups_in_memory is the
/// other kind.
///
/// Without `Straddle`, for groups of one element, none is shared.
template <bool Straddle> class groups_over_ranks {
 public:
  static constexpr bool in_common_memory = false;
  static constexpr bool straddle = Straddle;
  template <class T> using values = value_list<T>;

  /// Requires: the places outlive it.
  groups_over_ranks(const grouping& groups, std::size_t rank,
                    const distribution::rank_places& places) noexcept
      : groups_(groups), rank_(rank), places_(&places) {}

  /// The indices of this rank's elements.
  [[nodiscard]] interval<> held() const noexcept { return block(rank_); }
  [[nodiscard]] interval<> group(std::size_t g) const noexcept { return groups_.group(g); }
  /// Groups of a VP, without a shared one.
  [[nodiscard]] interval<> of(const vp& me, std::size_t = 0, std::size_t = 1) const noexcept {
    interval<> mine = begun_by(me);
    if (goes_on(mine)) --mine.last;
    return mine;
  }
  /// Number of supersteps over ranks: one for each round.
  [[nodiscard]] static std::size_t rounds(const vp&, std::size_t) noexcept { return 1; }
  [[nodiscard]] std::size_t place(const vp& me) const noexcept { return me.rank() - vps().first; }

  /// Sends the head of this rank's block to the VP that combines its group, as T's.
  template <class T, class Get> void send_head(vp& me, const Get& get) const {
    const interval<> head = head_of(rank_);
    if (place(me) != 0 || head.empty()) return;
    values<T> sent(head.size());
    for (std::size_t i = head.first; i < head.last; ++i) sent.add(static_cast<T>(get(i)));
    std::size_t owner = 0;
    while (!block(owner).contains(head.first / groups_.width() * groups_.width())) ++owner;
    me.send((*places_)[owner].last - 1, sent.all());
  }
  /// Shared group of this VP, after the superstep of send_head; empty if it has none.
  template <class T, class Get> [[nodiscard]] values<T> shared_group(vp& me, const Get& get) const {
    const interval<> mine = begun_by(me);
    if (!goes_on(mine)) return {};
    const interval<> group = groups_.group(mine.last - 1);
    values<T> all(group.size());
    for (std::size_t i = group.first; i < held().last; ++i) all.add(static_cast<T>(get(i)));
    for (auto m = me.receive(); m; m = me.receive())  // in the order of the ranks
      for (const T& value : m->template span<T>()) all.add(value);
    return all;
  }
  /// Sends the results of a shared group to the ranks of its heads; returns the number of others.
  template <class O>
  std::size_t send_back(vp& me, const interval<>& group, std::span<const O> results) const {
    const std::size_t here = held().last - group.first;
    std::size_t next = here;
    for (std::size_t rank = rank_ + 1; next < results.size(); ++rank) {
      const std::size_t size = head_of(rank).size();
      if (size != 0) me.send((*places_)[rank].first, results.subspan(next, size));
      next += size;
    }
    return here;
  }

 private:
  [[nodiscard]] const rank_range& vps() const noexcept { return (*places_)[rank_]; }
  [[nodiscard]] interval<> block(std::size_t rank) const noexcept {
    return interval<>{0, groups_.size()}.share(rank, places_->size());
  }
  /// The groups whose first element is in a block.
  [[nodiscard]] interval<> begun_in(const interval<>& block) const noexcept {
    const std::size_t w = groups_.width();
    return {(block.first + w - 1) / w, (block.last + w - 1) / w};
  }
  [[nodiscard]] interval<> begun_by(const vp& me) const noexcept {
    return begun_in(held()).share(place(me), vps().size());
  }
  /// Tells whether the last of these groups is a shared one.
  [[nodiscard]] bool goes_on(const interval<>& mine) const noexcept {
    return Straddle && !mine.empty() && groups_.group(mine.last - 1).last > held().last;
  }
  [[nodiscard]] interval<> head_of(std::size_t rank) const noexcept {
    const interval<> all = block(rank);
    return {all.first, std::clamp(begun_in(all).first * groups_.width(), all.first, all.last)};
  }

  grouping groups_;
  std::size_t rank_;
  const distribution::rank_places* places_;
};

}  // namespace pleat::detail::everyday

// Sums and scans of what the ranks hold, by the programs of an array.
namespace pleat::detail::distribution {

/// init ∘ get(0) ∘ … ∘ get(n − 1), on all ranks, where each can get the elements that it holds. For
/// `cheap` see grouping.
template <class T, class Op, class Get>
[[nodiscard]] T sum_blocks(collective_call& call, std::size_t n, bool cheap, const T& init, Op& op,
                           const Get& get) {
  const everyday::grouping groups(n, cheap);
  everyday::pairwise<T, Op> all(op);
  std::vector<std::optional<everyday::pairwise<T, Op>>> parts(call.vps());
  std::optional<T> total;
  call.run([&](vp& me, const rank_places& places) -> task<> {
    const everyday::groups_over_ranks<true> held(groups, call.rank(), places);
    const everyday::group_combiner<T, Op> combine{op};
    co_await everyday::total_program<T>(me, held, op, get, combine, all, parts);
    if (me.rank() == 0) {
      const T sum = all.finish(init);
      for (const rank_range& rank : places) me.send(rank.first, sum);
    }
    co_await me.sync(0);
    if (held.place(me) == 0) total.emplace(me.receive()->template get<T>());
  });
  return *total;
}

/// A scan on several ranks.
template <class T, class E, class O, class Op>
void scan_blocks(collective_call& call, const distributed<E>& in, distributed<O>& out, Op& op,
                 bool exclusive, std::optional<T> init) {
  if constexpr (byte_copyable<E> && byte_copyable<O> && byte_copyable<T>) {
    using everyday::groups_over_ranks, everyday::grouping, everyday::held_elements;
    using results = everyday::results<O*>;
    constexpr bool any_groups = everyday::exact<T, Op>;
    const grouping groups = any_groups ? grouping::of_single(in.size())
                                       : grouping(in.size(), everyday::in_lanes<T, Op>);
    const held_elements<E> get(in);
    const std::span<O> to = out.local();
    const results made(to.data(), to.size(), everyday::same_place(get.block, to.data()), get.first);
    everyday::running_totals<T, Op, held_elements<E>, results> all(groups, op, get, made, exclusive,
                                                                   init);
    std::vector<std::vector<everyday::group_total<T>>> totals(2 * call.vps());
    call.run([&](vp& me, const rank_places& places) -> task<> {
      const groups_over_ranks<!everyday::exact<T, Op>> held(groups, call.rank(), places);
      co_await all.program(me, held, totals);
    });
  }  // else there are no such data on several ranks
}

}  // namespace pleat::detail::distribution
