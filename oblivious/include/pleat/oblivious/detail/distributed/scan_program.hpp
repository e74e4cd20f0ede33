// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <pleat/oblivious/detail/distributed/collective_call.hpp>
#include <pleat/oblivious/detail/distributed/shared_groups.hpp>
#include <pleat/oblivious/detail/distributed/value_list.hpp>
#include <pleat/oblivious/detail/everyday/element_scan.hpp>
#include <pleat/oblivious/detail/everyday/groups.hpp>
#include <pleat/oblivious/detail/everyday/lanes.hpp>
#include <pleat/oblivious/detail/everyday/results.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::distribution {

/// The scan of distributed elements, with the association of the scan of one array
/// (everyday/running.hpp): groups are combined, their totals appended to one another from the first
/// on, and each group is scanned with what stands before it.
///
///     heads    see shared_groups
///     totals   each VP combines its share of the rank's groups, and sends VP 0 the totals
///     before   VP 0 appends all of them, and sends each VP what stands before its groups
///     scan     each VP scans its groups; the results of heads go back to their ranks
///
/// Where any association is exact a VP has one group, its share of the block.
template <class E, class O, class T, class Op> class scan_program {
 public:
  scan_program(std::size_t n, std::size_t rank, std::span<const E> block, std::span<O> out, Op& op,
               bool exclusive, std::optional<T> init)
      : groups_(n, rank, everyday::in_lanes<T, Op>),
        rank_(rank),
        block_(block),
        out_(out),
        results_(out.data(), out.size(), everyday::same_place(block.data(), out.data())),
        op_(op),
        exclusive_(exclusive),
        init_(init) {}
  scan_program(const scan_program&) = delete;
  scan_program& operator=(const scan_program&) = delete;

  task<> operator()(vp& me, const rank_places& places) {
    const block_elements get{block_};
    if constexpr (!whole_shares) groups_.template send_head<T>(me, places, get);
    co_await me.sync(0);
    part mine = combine(me, places, get);
    if (mine.totals.size() != 0) me.send(0, mine.totals.all());
    co_await me.sync(0);
    if (me.rank() == 0) tell_what_stands_before(me);
    co_await me.sync(0);
    std::optional<T> before;
    if (const auto m = me.receive()) before.emplace(m->template get<T>());
    scan(me, places, get, mine, std::move(before));
    co_await me.sync(0);
    if (const auto m = me.receive()) {  // of the head
      const std::span<const O> theirs = m->template span<O>();
      std::copy(theirs.begin(), theirs.end(), out_.begin());
    }
  }

 private:
  static constexpr bool whole_shares = everyday::exact<T, Op>;
  struct block_elements {
    std::span<const E> block;
    const E& operator()(std::size_t j) const noexcept { return block[j]; }
  };
  struct listed {
    const value_list<T>* values;
    const T& operator()(std::size_t i) const noexcept { return (*values)[i]; }
  };
  /// What a VP has of the block: elements that are its own, in groups, and perhaps a group that
  /// goes on in other blocks.
  struct part {
    std::vector<interval<>> groups;
    value_list<T> totals;
    value_list<T> shared;
    std::size_t shared_first = 0;  // in the block
  };

  [[nodiscard]] part combine(vp& me, const rank_places& places, const block_elements& get) const {
    part mine;
    if constexpr (whole_shares) {
      const rank_range& here = places[rank_];
      const interval<> share =
          interval<>{0, block_.size()}.share(me.rank() - here.first, here.size());
      if (share.empty()) return mine;
      mine.totals = value_list<T>(1);
      mine.groups.push_back(share);
      mine.totals.add(everyday::combine_group<T>(share, op_, get));
    } else {
      const interval<> block = groups_.block(rank_, places.size());
      const interval<> some = groups_.groups_here(me, places);
      mine.totals = value_list<T>(some.size());
      for (std::size_t g = some.first; g < some.last; ++g) {
        const interval<> group = groups_.group(g);
        const interval<> here{group.first - block.first, group.last - block.first};
        if (group.last <= block.last) {
          mine.groups.push_back(here);
          mine.totals.add(everyday::combine_group<T>(here, op_, get));
        } else {
          mine.shared = groups_.template whole_group<T>(group, block, me, get);
          mine.shared_first = here.first;
          const listed all{&mine.shared};
          mine.totals.add(everyday::combine_group<T>({0, mine.shared.size()}, op_, all));
        }
      }
    }
    return mine;
  }

  void append(std::optional<T>& sum, const T& next) const {
    if (sum)
      sum.emplace(static_cast<T>(std::invoke(op_, T(*sum), T(next))));
    else
      sum.emplace(next);
  }
  void tell_what_stands_before(vp& me) const {
    std::optional<T> sum = init_;
    for (auto m = me.receive(); m; m = me.receive()) {  // in the order of the VPs
      if (sum) me.send(m->source(), *sum);
      for (const T& total : m->template span<T>()) append(sum, total);
    }
  }

  void scan(vp& me, const rank_places& places, const block_elements& get, const part& mine,
            std::optional<T> before) const {
    const everyday::element_scan<T, Op, block_elements> own(op_, get, exclusive_);
    for (std::size_t g = 0; g < mine.groups.size(); ++g) {
      own.scan(mine.groups[g], before, results_);
      append(before, mine.totals[g]);
    }
    results_.finish();
    if (mine.shared.size() == 0) return;
    const listed all{&mine.shared};
    const auto made = std::make_unique<O[]>(mine.shared.size());
    const everyday::results<O*> to(made.get(), mine.shared.size(), true);
    const everyday::element_scan<T, Op, listed> other(op_, all, exclusive_);
    other.scan({0, mine.shared.size()}, std::move(before), to);
    const std::size_t here = block_.size() - mine.shared_first;
    std::copy_n(made.get(), here, out_.begin() + static_cast<std::ptrdiff_t>(mine.shared_first));
    std::size_t next = here;
    for (std::size_t rank = rank_ + 1; next < mine.shared.size(); ++rank) {
      const std::size_t size = groups_.head_of(rank, places.size()).size();
      if (size != 0) me.send(places[rank].first, std::span<const O>(made.get() + next, size));
      next += size;
    }
  }

  shared_groups groups_;
  std::size_t rank_;
  std::span<const E> block_;
  std::span<O> out_;
  everyday::results<O*> results_;
  Op& op_;
  bool exclusive_;
  std::optional<T> init_;
};

}  // namespace pleat::detail::distribution
