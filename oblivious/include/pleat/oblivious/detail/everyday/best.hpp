// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include <pleat/oblivious/detail/everyday/start.hpp>
#include <pleat/oblivious/detail/everyday/venue.hpp>
#include <pleat/oblivious/range_options.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/view.hpp>
#include <pleat/runtime/vp.hpp>

// The k best elements: each VP has those of its share, VP 0 the best of them.
namespace pleat::detail::everyday {

/// The indices of the k best of what was shown to it, as a heap with the worst of them in front.
/// before(i, j) says that element i is better than j; no two are equal.
template <class Before> class best_indices {
 public:
  best_indices(std::size_t k, const Before& before) : k_(k), before_(&before) {}

  void look_at(interval<> some) {
    for (std::size_t i = some.first; i < some.last; ++i) look_at(i);
  }
  void look_at(std::size_t i) {
    if (heap_.size() < k_) {
      heap_.push_back(i);
      std::ranges::push_heap(heap_, *before_);
    } else if ((*before_)(i, heap_.front())) {
      std::ranges::pop_heap(heap_, *before_);
      heap_.back() = i;
      std::ranges::push_heap(heap_, *before_);
    }
  }

  [[nodiscard]] std::vector<std::size_t>& heap() noexcept { return heap_; }
  /// The best first.
  [[nodiscard]] std::vector<std::size_t> sorted() && {
    std::ranges::sort_heap(heap_, *before_);
    return std::move(heap_);
  }

 private:
  std::size_t k_;
  const Before* before_;
  std::vector<std::size_t> heap_;
};

/// A VP looks at its share, and lends VP 0 what it has.
template <class Before>
task<> best_program(vp& me, interval<> all, best_indices<Before>& best,
                    std::vector<best_indices<Before>>& parts) {
  const interval<> mine = all.share(me.rank(), me.size());
  if (me.rank() == 0) {
    best.look_at(mine);
  } else {
    best_indices<Before>& part = parts[me.rank()];
    part.look_at(mine);
    const std::span<const std::size_t> indices(part.heap());
    if (!indices.empty()) me.lend(0, indices);
  }
  co_await me.sync(0);
  if (me.rank() != 0) co_return;
  for (auto m = me.receive(); m; m = me.receive()) {
    const strided_view<const std::size_t> indices = m->template view<const std::size_t>();
    for (std::size_t i = 0; i < indices.columns; ++i) best.look_at(indices.data[i]);
  }
}

template <class Before>
[[nodiscard]] std::vector<std::size_t> best_of(venue& where, const range_options& options,
                                               std::size_t n, std::size_t k, const Before& before) {
  best_indices<Before> best(k, before);
  if (k == 0) n = 0;
  const remainder left = start_alone("top_k", where, options.vps, options.report, n,
                                     [&best](std::size_t first, std::size_t last) {
                                       best.look_at({first, last});
                                     });
  if (left.done < n) {
    std::vector<best_indices<Before>> parts(left.vps, best_indices<Before>(k, before));
    where.run(left.vps, options.report, [&](vp& me) {
      return best_program(me, {left.done, n}, best, parts);
    });
  }
  const alone_scope alone;
  return std::move(best).sorted();
}

}  // namespace pleat::detail::everyday
