// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <type_traits>
#include <vector>

#include <pleat/oblivious/detail/everyday/checked_select.hpp>
#include <pleat/oblivious/detail/everyday/executor.hpp>
#include <pleat/oblivious/detail/everyday/start.hpp>
#include <pleat/oblivious/detail/sort/checked_sort.hpp>
#include <pleat/oblivious/range_options.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/view.hpp>
#include <pleat/runtime/vp.hpp>

// The k best elements: each VP has those of its share, VP 0 the best of them.
namespace pleat::detail::everyday {

/// The k best of the entries that were shown to it. before(a, b) says that a is better than b; no
/// two are equal. Those that are better than the k-th of the entries before them are kept, and from
/// time to time the k best of those.
template <class Entry, class Before> class best_entries {
 public:
  /// Makes room for the best k of n entries at most.
  best_entries(std::size_t n, std::size_t k, const Before& before) : k_(k), before_(&before) {
    kept_.reserve(k < n / 2 ? std::min(n, 2 * k + few) : n);
  }

  /// Looks at entry(i) for some i.
  template <class MakeEntry> void look_at(interval<> some, const MakeEntry& entry) {
    for (std::size_t i = some.first; i < some.last;) {
      if (full_) {
        const Entry worst = kept_[k_ - 1];
        while (i < some.last && !(*before_)(entry(i), worst)) ++i;
        if (i == some.last) return;
      }
      kept_.push_back(entry(i++));
      if (kept_.size() >= 2 * k_ + few) drop_others();
    }
  }

  /// The best of them, in any order.
  [[nodiscard]] std::span<const Entry> best() {
    drop_others();
    return kept_;
  }
  /// The best first.
  [[nodiscard]] std::span<const Entry> sorted() {
    drop_others();
    sorting::checked_sort(kept_.data(), kept_.data() + kept_.size(), *before_);
    return kept_;
  }

 private:
  static constexpr std::size_t few = 64;

  /// Brings the k-th to its place: what comes then must be better.
  void drop_others() {
    if (kept_.size() < k_ || kept_.empty()) return;
    std::identity whole;
    everyday::checked_select(kept_.data(), kept_.size(), k_ - 1, *before_, whole);
    kept_.resize(k_);
    full_ = true;
  }

  std::size_t k_;
  const Before* before_;
  bool full_ = false;
  std::vector<Entry> kept_;
};

/// Looks at a VP's share, and lends VP 0 its best.
template <class Best, class Entry>
task<> best_program(vp& me, interval<> all, std::vector<Best>& parts, const Entry& entry) {
  const interval<> mine = all.share(me.rank(), me.size());
  Best& best = parts[me.rank()];
  best.look_at(mine, entry);
  if (me.rank() != 0) {
    const auto entries = best.best();
    if (!entries.empty()) me.lend(0, entries);
  }
  co_await me.sync(0);
  if (me.rank() != 0) co_return;
  using value = std::invoke_result_t<const Entry&, std::size_t>;
  for (auto m = me.receive(); m; m = me.receive()) {
    const strided_view<const value> theirs = m->template view<const value>();
    best.look_at({0, theirs.columns}, [&theirs](std::size_t i) { return theirs.data[i]; });
  }
}

/// The indices of the k best of n elements, the best first: index_of(entry(i)) is i.
template <class MakeEntry, class Before, class IndexOf>
[[nodiscard]] std::vector<std::size_t> best_of(executor& where, const range_options& options,
                                               std::size_t n, std::size_t k, pace how,
                                               const MakeEntry& entry, const Before& before,
                                               const IndexOf& index_of) {
  using best_type = best_entries<std::invoke_result_t<const MakeEntry&, std::size_t>, Before>;
  if (k == 0) n = 0;
  std::vector<best_type> parts;
  parts.emplace_back(n, k, before);
  const remainder left = everyday::start_alone(
      "top_k", where, options, n,
      [&](std::size_t first, std::size_t last) {
        parts[0].look_at({first, last}, entry);
      },
      how);
  if (left.done < n) {
    parts.resize(left.vps, best_type(n, k, before));
    where.run(left.vps, options.report, [&](vp& me) {
      return everyday::best_program(me, {left.done, n}, parts, entry);
    });
  }
  const alone_scope alone;
  const auto best = parts[0].sorted();
  std::vector<std::size_t> indices(best.size());
  for (std::size_t i = 0; i < best.size(); ++i) indices[i] = index_of(best[i]);
  return indices;
}

}  // namespace pleat::detail::everyday
