// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include <pleat/oblivious/detail/distributed/collective_call.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::distribution {

/// The best of the elements that are the best of their ranks, by better(a, b): is b better than a?
/// Of equal ones the first. All ranks hear of all, and each chooses. One 0-superstep.
template <class E, class Better> class extreme_program {
 public:
  /// `best`: of this rank, at that index among all; null if it has no elements.
  extreme_program(std::size_t rank, const E* best, std::size_t index, const Better& better)
      : rank_(rank), mine_(best), index_(index), better_(better) {}
  extreme_program(const extreme_program&) = delete;
  extreme_program& operator=(const extreme_program&) = delete;

  /// Behind the run: the index among all. Requires: there is an element.
  [[nodiscard]] std::size_t index() const noexcept { return index_; }

  task<> operator()(vp& me, const rank_places& places) {
    const bool first = me.rank() == places[rank_].first;
    if (first && mine_ != nullptr) {
      for (const rank_range& other : places) {
        me.send(other.first, std::uint64_t{index_});
        me.send(other.first, *mine_);
      }
    }
    co_await me.sync(0);
    if (!first) co_return;
    std::optional<E> best;
    for (auto index = me.receive(); index; index = me.receive()) {  // in the order of the ranks
      const auto value = me.receive();
      const E other = value->template get<E>();
      if (best && !better_(*best, other)) continue;
      best.emplace(other);
      index_ = index->template get<std::uint64_t>();
    }
  }

 private:
  std::size_t rank_;
  const E* mine_;
  std::size_t index_;
  const Better& better_;
};

}  // namespace pleat::detail::distribution
