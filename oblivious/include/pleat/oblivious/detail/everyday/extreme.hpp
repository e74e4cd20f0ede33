// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <limits>
#include <ranges>
#include <type_traits>
#include <utility>

#include <pleat/oblivious/detail/everyday/elements.hpp>
#include <pleat/oblivious/detail/everyday/groups.hpp>
#include <pleat/oblivious/detail/everyday/start.hpp>
#include <pleat/oblivious/detail/sort/keys.hpp>
#include <pleat/oblivious/range_options.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

// Searches. VPs take groups of elements in order, so that few elements behind the one that is found
// are tested.
namespace pleat::detail::everyday {

/// First place where a condition is true, so far.
class first_place {
 public:
  explicit first_place(std::size_t none) noexcept : at_(none) {}

  /// Returns the place. Load and update are relaxed: a VP that reads an old value only tests more
  /// elements than necessary. The run's end orders the result.
  [[nodiscard]] std::size_t at() const noexcept { return at_.load(std::memory_order_relaxed); }
  void found(std::size_t i) noexcept {
    std::size_t known = at();
    while (i < known && !at_.compare_exchange_weak(known, i, std::memory_order_relaxed,
                                                   std::memory_order_relaxed)) {
    }
  }

 private:
  std::atomic<std::size_t> at_;
};

/// Returns the least i of `some` for which is(i) is true; some.last if there is none.
template <class Is> [[nodiscard]] std::size_t first_of(interval<> some, const Is& is) {
  std::size_t i = some.first;
  for (; some.last - i >= 4; i += 4) {
    if (is(i)) return i;
    if (is(i + 1)) return i + 1;
    if (is(i + 2)) return i + 2;
    if (is(i + 3)) return i + 3;
  }
  while (i < some.last && !is(i)) ++i;
  return i;
}

/// Has VPs take groups until one of them finds an element for which is(i) is true. Returns the
/// first that was found; n if there is none.
template <class Is>
[[nodiscard, gnu::noinline]] std::size_t first_by_vps(executor& where, run_report* report,
                                                      std::size_t vps, const grouping& groups,
                                                      std::size_t done, const Is& is) {
  first_place first(groups.size());
  chunk_counter chunks({done, groups.count()}, 1);
  where.run(vps, report, [&](vp&) -> task<> {
    try {
      for (interval<> next = chunks.take(); !next.empty(); next = chunks.take()) {
        const interval<> some = groups.group(next.first);
        if (first.at() <= some.first) break;
        const std::size_t i = everyday::first_of(some, is);
        if (i < some.last) first.found(i);
      }
    } catch (...) {
      chunks.stop();
      throw;
    }
    co_return;
  });
  return first.at();
}

/// Returns the least i < n for which is(i) is true; n if there is none. For `cheap` see grouping.
template <class Is>
[[nodiscard, gnu::always_inline]] inline std::size_t first_where(const char* name, executor& where,
                                                                 const range_options& options,
                                                                 std::size_t n, bool cheap,
                                                                 pace how, const Is& is) {
  const grouping groups(n, cheap);
  std::size_t found = n;
  const remainder left = everyday::start_alone(
      name, where, options, groups.count(),
      [&](std::size_t begin, std::size_t end) {
        if (found < n) return;
        const interval<> some{groups.group(begin).first, groups.group(end - 1).last};
        const std::size_t i = everyday::first_of(some, is);
        if (i < some.last) found = i;
      },
      how, groups.width(), std::numeric_limits<std::size_t>::max(), true);
  if (left.done == groups.count() || found < n) return found;
  return everyday::first_by_vps(where, options.report, left.vps, groups, left.done, is);
}

// The least or greatest of numbers: first its value and group, in lanes, then its place in the
// group. To carry the place along would cost some cycles an element.

/// Tells whether comparisons of these take so little time that few of them are not worth dividing.
template <class R, class Projection>
inline constexpr bool cheap_elements = plain_numbers<std::ranges::iterator_t<R>, Projection>;

/// Tells whether these are numbers in the order of a comparison of the standard's.
template <class T, class Compare, class Projection>
inline constexpr bool ordered_in_lanes =
    std::is_arithmetic_v<T> && !std::same_as<T, bool> && sizeof(T) <= 8 &&
    std::same_as<std::remove_cv_t<Projection>, std::identity> &&
    sorting::order_of<T, Compare> != sorting::key_order::custom;

/// The lesser of two vectors' numbers, or the greater: the first if they are equal, or one is NaN.
/// `Notes` whether a second one was.
template <bool Greatest, bool Notes, class T> struct better_vector {
  using vector = typename vector_of<T>::type;
  decltype(vector{} != vector{}) nans{};

  [[nodiscard]] vector operator()(const vector& a, const vector& b) {
    if constexpr (Notes && std::floating_point<T>) nans |= b != b;
    return Greatest ? (a < b ? b : a) : (b < a ? b : a);
  }
};

/// Better of two numbers, but NaN if one of them is. `nans`: some were noted in vectors.
template <bool Greatest, bool Notes, class T> struct better_number {
  bool nans = false;

  [[nodiscard]] T operator()(T a, T b) const {
    if constexpr (std::floating_point<T>)
      if (b != b) return b;
    return Greatest ? (a < b ? b : a) : (b < a ? b : a);
  }
  void note(const better_vector<Greatest, Notes, T>& seen) {
    for (std::size_t l = 0; l < vector_of<T>::size; ++l) nans = nans || seen.nans[l] != 0;
  }
};
template <bool Greatest, bool Notes, class T>
struct vector_operator<better_number<Greatest, Notes, T>, T> {
  using type = better_vector<Greatest, Notes, T>;
};

/// The best value of a group, and where the group begins.
template <class T> struct best_value {
  T value;
  std::size_t first;
};

/// The place of the first of the least numbers in an order, or of the greatest; n if there are
/// none.
template <bool Greatest, bool Descending, std::random_access_iterator I>
[[nodiscard]] std::size_t first_of_best(const char* name, executor& where,
                                        const range_options& options, const I& first,
                                        std::size_t n) {
  using T = std::iter_value_t<I>;
  clear_report(options.report);
  static_cast<void>(choose_vps(name, options.vps, 1, 1));  // there must be one
  if (n == 0) return 0;
  const grouping groups(n, true);
  const auto get = [&first](std::size_t i) -> T { return everyday::at(first, i); };
  const sorting::number_order<T> less{Descending};
  const auto is_better = [&less](T a, T b) { return Greatest ? less(b, a) : less(a, b); };
  if (!options.vps && n < 2 * lanes_of<T>) {  // in one pass
    std::size_t best = 0;
    for (std::size_t i = 1; i < n; ++i)
      if (is_better(get(i), get(best))) best = i;
    return best;
  }
  const auto best_of_group = [&is_better](interval<> group, const auto& element) {
    if (group.size() >= 2 * lanes_of<T>) {
      better_number<Greatest != Descending, Greatest, T> better;
      const T best = everyday::combine_in_lanes<T>(group, better, element);
      // NaNs that are no best were passed over, but for those of the first row, which stay.
      if (best == best && !better.nans) [[likely]]  // NOLINT(misc-redundant-expression)
        return best_value<T>{best, group.first};
    }
    T best = element(group.first);
    for (std::size_t i = group.first + 1; i < group.last; ++i) {
      const T next = element(i);
      if (is_better(next, best)) best = next;
    }
    return best_value<T>{best, group.first};
  };
  auto first_better = [&is_better](const best_value<T>& a, const best_value<T>& b) {
    return is_better(b.value, a.value) ? b : a;
  };
  const best_value<T> best =
      everyday::total_of_groups(name, where, options, groups, pace::known, best_value<T>{get(0), 0},
                                first_better, get, best_of_group);
  const interval<> group = groups.group(best.first / groups.width());
  std::size_t i = group.first;
  while (i + 1 < group.last && (less(get(i), best.value) || less(best.value, get(i)))) ++i;
  return i;
}

/// The first of the least elements, or of the greatest: a sum of indices by the better of two.
template <bool Greatest, divisible_range R, class Compare, class Projection>
std::ranges::borrowed_iterator_t<R> best_element(const char* name, executor&& where, R&& range,
                                                 Compare& less, Projection& given,
                                                 const range_options& given_options) {
  auto& projection = detail::projection_in<range_options>(given);
  const range_options& options = detail::options_in(given, given_options);
  using shows = projection_type<Projection>;
  const std::size_t n = everyday::size_of(range);
  const auto first = everyday::begin_of(range);
  using value = std::ranges::range_value_t<R>;
  if constexpr (ordered_in_lanes<value, Compare, shows>) {
    constexpr bool descending = sorting::order_of<value, Compare> == sorting::key_order::descending;
    return everyday::place(std::forward<R>(range), everyday::first_of_best<Greatest, descending>(
                                                       name, where, options, first, n));
  }
  auto&& order = sorting::order_by<shown_value<std::ranges::iterator_t<R>, shows>>(less);
  const auto before = everyday::of_places(first, order, projection);
  const auto better = [&before](std::size_t a, std::size_t b) {
    return (Greatest ? before(a, b) : before(b, a)) ? b : a;
  };
  const std::size_t best = everyday::total(name, where, options, n, cheap_elements<R, shows>,
                                           pace_of<value, Compare, shows>, std::size_t{0}, better,
                                           [](std::size_t i) { return i; });
  return everyday::place(std::forward<R>(range), best);
}

}  // namespace pleat::detail::everyday
