// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <pleat/oblivious/detail/distributed/collective_call.hpp>
#include <pleat/oblivious/detail/distributed/placing.hpp>
#include <pleat/oblivious/detail/distributed/vp_parts.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::distribution {

/// Where groups of equal elements begin in sorted distributed data. In one run the VPs find them:
///
///     ends       a block's last element goes to the VP that makes the next
///     begins     each VP compares its elements with those before them, and sends VP 0 the number
///     of
///                groups that begin there; it sends all how many begin before, and in all
///
/// In another run they place them in distributed data, which have then been made.
class group_begins {
 public:
  /// So many VPs are of this rank.
  group_begins(std::size_t n, std::size_t rank, std::size_t vps)
      : n_(n), rank_(rank), begins_(vps), before_(vps) {}
  group_begins(const group_begins&) = delete;
  group_begins& operator=(const group_begins&) = delete;

  /// Behind the first run: the number of groups, of all ranks.
  [[nodiscard]] std::size_t count() const noexcept { return count_; }

  /// less(a, b) tells the order. Three 0-supersteps.
  template <class T, class Less>
  task<> find(vp& me, const rank_places& places, std::span<const T> block, const Less& less) {
    const vp_parts parts(n_, places);
    const interval<> here = parts.block(rank_);
    const interval<> mine = parts.part(me.rank());
    if (!mine.empty() && mine.last == here.last && here.last < n_)
      me.send(parts.maker(here.last), block.last(1));
    co_await me.sync(0);
    std::vector<std::uint64_t>& begins = begins_[me.rank() - places[rank_].first];
    const auto message = me.receive();
    for (std::size_t i = mine.first; i < mine.last; ++i) {
      const T* const x = block.data() + (i - here.first);
      const T* const before = i != here.first ? x - 1
                              : message       ? message->template span<T>().data()
                                              : nullptr;
      if (before == nullptr || less(*before, *x)) begins.push_back(i);
    }
    if (me.rank() + 1 == me.size()) begins.push_back(n_);
    me.send(0, static_cast<std::uint64_t>(begins.size()));
    co_await me.sync(0);
    if (me.rank() == 0) tell(me);
    co_await me.sync(0);
    hear(me, places[rank_]);
  }

  /// `block`: what this rank has of count() + 1 numbers.
  task<> place(vp& me, const rank_places& places, std::span<std::uint64_t> block) const {
    const vp_parts parts(count_ + 1, places);
    const std::size_t local = me.rank() - places[rank_].first;
    lend_to_makers(me, parts, before_[local], std::span<const std::uint64_t>(begins_[local]));
    co_await me.sync(0);
    take_pieces(me, parts.block(rank_).first, block.data());
  }

 private:
  static void tell(vp& me) {
    std::vector<std::uint64_t> before;
    std::uint64_t all = 0;
    for (auto m = me.receive(); m; m = me.receive()) {
      before.push_back(all);
      all += m->get<std::uint64_t>();
    }
    for (std::size_t q = 0; q < me.size(); ++q) {
      me.send(q, before[q]);
      me.send(q, all);
    }
  }
  void hear(vp& me, const rank_range& here) {
    before_[me.rank() - here.first] = me.receive()->get<std::uint64_t>();
    const auto all = me.receive()->get<std::uint64_t>();
    if (me.rank() == here.first) count_ = all - 1;
  }

  std::size_t n_;
  std::size_t rank_;
  std::size_t count_ = 0;
  std::vector<std::vector<std::uint64_t>> begins_;  // [VP of this rank]; the last has n, too
  std::vector<std::size_t> before_;                 // [VP of this rank]: those of lower VPs
};

}  // namespace pleat::detail::distribution
