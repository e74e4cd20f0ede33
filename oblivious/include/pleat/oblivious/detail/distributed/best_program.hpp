// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <pleat/oblivious/detail/distributed/collective_call.hpp>
#include <pleat/oblivious/top_k.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/view.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::distribution {

/// The best k elements of all ranks: VP 0 gets those of each rank, and sends all ranks the indices
/// of the best of these. Two 0-supersteps.
template <class T, class Compare, class Projection> class best_program {
 public:
  best_program(std::size_t k, std::size_t rank, Compare& less, Projection& projection)
      : k_(k), rank_(rank), less_(less), projection_(projection) {}
  best_program(const best_program&) = delete;
  best_program& operator=(const best_program&) = delete;

  /// This rank's best elements, done while it is alone: their places in its block, which begins at
  /// index `first`.
  void offer(std::span<const T> block, std::size_t first, const std::vector<std::size_t>& best) {
    values_ = std::make_unique<T[]>(best.size());
    for (std::size_t i = 0; i < best.size(); ++i) {
      values_[i] = block[best[i]];
      indices_.push_back(first + best[i]);
    }
  }
  /// Behind the run.
  [[nodiscard]] std::vector<std::size_t> best() const { return {best_.begin(), best_.end()}; }

  task<> operator()(vp& me, const rank_places& places) {
    const bool first = me.rank() == places[rank_].first;
    if (first && !indices_.empty()) {
      me.lend(0, std::span<const T>(values_.get(), indices_.size()));
      me.lend(0, std::span<const std::uint64_t>(indices_));
    }
    co_await me.sync(0);
    if (me.rank() == 0) choose(me, places);
    co_await me.sync(0);
    if (!first) co_return;
    const auto chosen = me.receive();
    const std::span<const std::uint64_t> indices = chosen->template span<std::uint64_t>();
    best_.assign(indices.begin(), indices.end());
  }

 private:
  /// Of equal elements the first comes first: ranks offer theirs in this order.
  void choose(vp& me, const rank_places& places) const {
    std::vector<std::span<const T>> values;
    std::vector<std::uint64_t> indices;
    for (auto m = me.receive(); m; m = me.receive()) {
      const strided_view<const T> theirs = m->template view<const T>();
      values.emplace_back(theirs.data, theirs.size());
      const auto also = me.receive();
      const auto places_of_theirs = also->template view<const std::uint64_t>();
      indices.insert(indices.end(), places_of_theirs.data,
                     places_of_theirs.data + places_of_theirs.size());
    }
    const auto all = std::make_unique<T[]>(indices.size());
    T* to = all.get();
    for (const std::span<const T>& theirs : values) to = std::ranges::copy(theirs, to).out;
    std::vector<std::uint64_t> best;
    for (const std::size_t i : pleat::top_k(std::span<T>(all.get(), indices.size()), k_,
                                            std::ref(less_), std::ref(projection_)))
      best.push_back(indices[i]);
    for (const rank_range& rank : places) me.send(rank.first, std::span<const std::uint64_t>(best));
  }

  std::size_t k_;
  std::size_t rank_;
  Compare& less_;
  Projection& projection_;
  std::unique_ptr<T[]> values_;
  std::vector<std::uint64_t> indices_;
  std::vector<std::uint64_t> best_;
};

}  // namespace pleat::detail::distribution
