// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <pleat/oblivious/detail/distributed/agreement.hpp>
#include <pleat/oblivious/detail/distributed/collective_call.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/view.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::distribution {

/// Copies of chosen elements of all ranks, on every rank: each lends all others those of its block.
/// Two 0-supersteps.
template <class T> class gather_places {
 public:
  gather_places(std::size_t n, std::size_t rank, std::span<const T> block,
                const std::vector<std::size_t>& places)
      : all_{0, n}, rank_(rank), block_(block), chosen_(places) {}
  gather_places(const gather_places&) = delete;
  gather_places& operator=(const gather_places&) = delete;

  /// Throws: usage_error, if an element is beyond the end.
  void check() const {
    for (const std::size_t i : chosen_)
      if (!all_.contains(i))
        throw usage_error("gather: there is no element " + std::to_string(i) + " of " +
                          std::to_string(all_.size()));
  }
  /// Copies the chosen elements that this rank has, while it is alone. Throws: std::bad_alloc.
  void take(const interval<>& here) {
    std::size_t count = 0;
    for (const std::size_t i : chosen_) count += here.contains(i) ? 1 : 0;
    ours_ = std::make_unique<T[]>(count);
    for (const std::size_t i : chosen_)
      if (here.contains(i)) ours_[count_++] = block_[i - here.first];
  }

  /// Copies them to `to`, if there is no other rank.
  template <class Out> void put_own(Out to) const { std::copy_n(ours_.get(), count_, to); }
  /// `to` has as many elements as are chosen.
  template <class Out> task<> operator()(vp& me, const rank_places& places, Out to) const {
    agreed_words words{chosen_.size()};
    for (const std::size_t i : chosen_) words[1] = (words[1] ^ i) * 0x100000001b3;
    co_await agree(me, places, rank_, words, "gather: indices");
    const bool first = me.rank() == places[rank_].first;
    if (first && count_ != 0)
      for (const rank_range& other : places)
        me.lend(other.first, std::span<const T>(ours_.get(), count_));
    co_await me.sync(0);
    if (!first) co_return;
    std::vector<const T*> next(places.size(), nullptr);
    std::size_t rank = 0;
    for (auto m = me.receive(); m; m = me.receive()) {  // in the order of the ranks
      while (!places[rank].contains(m->source())) ++rank;
      next[rank] = m->template view<const T>().data;
    }
    for (const std::size_t i : chosen_)
      *to++ = *next[(places.size() * (i + 1) - 1) / all_.size()]++;
  }

 private:
  interval<> all_;
  std::size_t rank_;
  std::span<const T> block_;
  const std::vector<std::size_t>& chosen_;
  std::unique_ptr<T[]> ours_;
  std::size_t count_ = 0;
};

}  // namespace pleat::detail::distribution
