// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <functional>
#include <iterator>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <pleat/channels/byte_copyable.hpp>
#include <pleat/oblivious/detail/everyday/elements.hpp>
#include <pleat/oblivious/detail/everyday/start.hpp>
#include <pleat/oblivious/detail/sort/small_sort.hpp>
#include <pleat/oblivious/range_options.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/view.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::everyday {

/// Places around k, a sample of `left` elements in which that at place k is likely to be a little
/// to the side of the k-th where there are more. Source: Floyd, Rivest, Expected Time Bounds for
/// Selection, 1975.
[[nodiscard]] inline interval<> sample_around(std::size_t k, interval<> left) {
  const auto n = static_cast<double>(left.size());
  const auto i = static_cast<double>(k - left.first);
  const double z = std::log(n), s = 0.5 * std::cbrt(n * n);
  const double deviation = std::copysign(0.5 * std::sqrt(z * s * (n - s) / n), i - n / 2);
  const double first = i - i * s / n + deviation, last = i + (n - i) * s / n + deviation;
  return {left.first + static_cast<std::size_t>(std::clamp(first, 0.0, i)),
          left.first + static_cast<std::size_t>(std::clamp(last, i, n - 1)) + 1};
}

/// Brings the k-th of n elements to its place by swaps, none that is greater before it, whatever
/// the order answers: no loop ends because an answer ends it. Introspective selection: quickselect,
/// and heapsort where that goes too deep. Requires: k < n. Cost: O(n), at worst O(n log n). Source:
/// Musser, Introspective Sorting and Selection Algorithms, 1997.
template <std::random_access_iterator I, class Compare, class Projection>
void checked_select(I first, std::size_t n, std::size_t k, Compare& less, Projection& projection) {
  constexpr bool moved_freely = std::is_pointer_v<I> && byte_copyable<std::iter_value_t<I>> &&
                                sizeof(std::iter_value_t<I>) <= 8;
  constexpr std::size_t few = moved_freely ? 6 : 16;
  constexpr std::size_t sampled = 256;
  const auto to = [&first](std::size_t i) { return everyday::iterator_at(first, i); };
  const auto swap = [&](std::size_t i, std::size_t j) { std::ranges::iter_swap(to(i), to(j)); };
  const auto before = everyday::of_places(first, less, projection);
  interval<> left{0, n};
  auto depth = 2 * static_cast<unsigned>(std::bit_width(n));
  while (left.size() > few) {
    if (depth-- == 0) {
      std::ranges::make_heap(to(left.first), to(left.last), std::ref(less), std::ref(projection));
      std::ranges::sort_heap(to(left.first), to(left.last), std::ref(less), std::ref(projection));
      return;
    }
    // The pivot comes to the front: the one expected at place k by a sample around it, or the
    // median of three.
    const std::size_t pivot = left.first, last = left.last - 1;
    std::size_t middle = left.first + left.size() / 2;
    if (moved_freely && left.size() >= sampled) {
      const interval<> sample = sample_around(k, left);
      everyday::checked_select(to(sample.first), sample.size(), k - sample.first, less, projection);
      middle = k;
    } else {
      std::size_t low = left.first + 1;
      if (before(middle, low)) std::swap(low, middle);
      if (before(last, middle)) middle = before(last, low) ? low : last;
    }
    swap(pivot, middle);
    std::size_t j = last;
    if constexpr (moved_freely) {
      // Lomuto's partition: more moves, but no branch that depends on the elements.
      const auto key = [&](auto& x) -> decltype(auto) { return std::invoke(projection, x); };
      const auto divide = [&](std::size_t from, const auto& goes_first) {
        for (std::size_t i = from; i < left.last; ++i) {
          const bool is = goes_first(first[i]);
          std::swap(first[i], first[from]);
          from += is ? 1 : 0;
        }
        return from;
      };
      auto middle_one = first[pivot];
      j = divide(pivot + 1,
                 [&](auto& x) {
                   return static_cast<bool>(std::invoke(less, key(x), key(middle_one)));
                 }) -
          1;
      if (j == pivot) {  // none is less: perhaps many are equal
        const std::size_t greater = divide(j + 1, [&](auto& x) {
          return !static_cast<bool>(std::invoke(less, key(middle_one), key(x)));
        });
        if (j <= k && k < greater) return;
        if (k < j)
          left.last = j;
        else
          left.first = greater;
        continue;
      }
    } else {
      std::size_t i = left.first + 1;
      for (;; ++i, --j) {
        while (i <= j && before(i, pivot)) ++i;
        while (i <= j && before(pivot, j)) --j;
        if (i >= j) break;
        swap(i, j);
      }
    }
    if (pivot != j) swap(pivot, j);
    if (k == j) return;
    if (k < j)
      left.last = j;
    else
      left.first = j + 1;
  }
  for (std::size_t i = left.first; i < left.last; ++i)
    for (std::size_t j = i; j > left.first && before(j, j - 1); --j) swap(j, j - 1);
}

// The k best elements: each VP has those of its share, VP 0 the best of them.

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
        i = first_better({i, some.last}, entry, kept_[k_ - 1]);
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

  /// Returns the first place whose entry is better than `worst`; the end if none is. Entries may
  /// say of several at once that none is: of numbers, a few instructions do.
  template <class MakeEntry>
  std::size_t first_better(interval<> some, const MakeEntry& entry, const Entry& worst) {
    std::size_t i = some.first;
    while (i < some.last) {
      std::size_t last = some.last;
      if constexpr (requires { entry.none_is_better(i, worst); }) {
        if (i >= mixed_) {
          while (some.last - i >= entry.at_once && entry.none_is_better(i, worst))
            i += entry.at_once;
          mixed_ = i + entry.at_once;
        }
        last = std::min(last, mixed_);
      }
      for (; i < last; ++i)
        if ((*before_)(entry(i), worst)) return i;
    }
    return i;
  }

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
  std::size_t mixed_ = 0;  // the end of several of which one was better
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
