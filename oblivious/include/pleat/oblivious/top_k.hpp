// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <ranges>
#include <span>
#include <utility>
#include <vector>

#include <pleat/channels/byte_copyable.hpp>
#include <pleat/oblivious/detail/distributed/collective_call.hpp>
#include <pleat/oblivious/detail/distributed/declared.hpp>
#include <pleat/oblivious/detail/everyday/best.hpp>
#include <pleat/oblivious/detail/everyday/elements.hpp>
#include <pleat/oblivious/detail/sort/keys.hpp>
#include <pleat/oblivious/detail/sort/value_records.hpp>
#include <pleat/oblivious/range_options.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat {

namespace detail::everyday {

/// A number and its index, compared as one integer without branches. Greater numbers come first;
/// equal numbers are in the order of their indices.
__extension__ using ranked_number = unsigned __int128;

/// Ranked numbers of a range.
template <bool descending, class I, class Projection> struct ranked_numbers {
  using key = shown_value<I, Projection>;
  static constexpr std::size_t at_once = 16;

  I first;
  Projection& projection;
  sorting::leading_word<key> word{descending};

  [[nodiscard]] ranked_number operator()(std::size_t i) const {
    return ranked_number{~std::uint64_t{word(everyday::projected(first, i, projection))}} << 64U |
           i;
  }
  /// Tells whether none of the next numbers comes before `worst`, whose index is less: equal ones
  /// do not. NaNs come first. Only for numbers in memory: others are to be computed once.
  [[nodiscard]] bool none_is_better(std::size_t next, ranked_number worst) const
      requires(std::same_as<const Projection, const std::identity>&& std::contiguous_iterator<I>) {
    const key limit = everyday::at(first, static_cast<std::size_t>(worst));
    if constexpr (std::floating_point<key>)
      if (std::isnan(limit)) return true;
    bool better = false;
    for (std::size_t i = next; i < next + at_once; ++i) {
      const key x = everyday::at(first, i);
      better |= descending ? !(x >= limit) : !(x <= limit);
    }
    return !better;
  }
};

template <divisible_range R, class Compare, class Projection>
std::vector<std::size_t> top_k(executor&& where, R& range, std::size_t k, Compare& less,
                               Projection& given, const range_options& given_options) {
  auto& projection = detail::projection_in<range_options>(given);
  const range_options& options = detail::options_in(given, given_options);
  const auto first = everyday::begin_of(range);
  using shows = projection_type<Projection>;
  using key = shown_value<std::ranges::iterator_t<R>, shows>;
  auto&& order = sorting::order_by<key>(less);
  constexpr bool known = plain_numbers<std::ranges::iterator_t<R>, shows> &&
                         sorting::order_of<key, Compare> != sorting::key_order::custom;
  const auto best = [&](const auto& entry, const auto& before, const auto& index_of) {
    return everyday::best_of(where, options, everyday::size_of(range), k,
                             known ? pace::known : pace::measured, entry, before, index_of);
  };
  if constexpr (sorting::has_word<key> &&
                sorting::order_of<key, Compare> != sorting::key_order::custom) {
    constexpr bool descending = sorting::order_of<key, Compare> == sorting::key_order::descending;
    return best(
        ranked_numbers<descending, decltype(everyday::begin_of(range)),
                       std::remove_reference_t<decltype(projection)>>{first, projection},
        [](ranked_number a, ranked_number b) { return a < b; },
        [](ranked_number one) { return static_cast<std::size_t>(one); });
  } else {
    const auto less_than = everyday::of_places(first, order, projection);
    const auto itself = [](std::size_t i) { return i; };
    return best(
        itself,
        [&](std::size_t i, std::size_t j) {
          return less_than(j, i) || (i < j && !less_than(i, j));
        },
        itself);
  }
}

template <class Compare, class R, class Projection>
concept ranks = orders<Compare, R, projection_type<Projection>>;

}  // namespace detail::everyday

/// Returns the indices of the k greatest elements by less(projection(a), projection(b)), the
/// greatest first, and equal ones in the order of their indices. If there are fewer than k
/// elements, returns all indices. NaNs are the greatest, by less and by greater
/// (range_options.hpp): a comparator of your own can put them elsewhere.
///
/// ```cpp
/// for (const std::size_t i : pleat::top_k(machine, keys, 10)) std::cout << keys[i] << '\n';
/// const auto least = pleat::top_k(machine, keys, 10, std::greater<>());
/// ```
///
/// The contract of all everyday algorithms: range_options.hpp.
/// Cost: n comparisons, and O(P·k·log n + k·log k) more if the order of the elements is random, at
/// worst O(n) more; one 0-superstep, in which each VP lends VP 0 k indices, with the keys if these
/// are numbers. Meant for k much less than n/P; for greater k use argsort. Throws: what `less` and
/// the projection throw; std::bad_alloc.
template <divisible_range R, class Compare = std::ranges::less, class Projection = range_options>
requires detail::everyday::ranks<Compare, R, Projection>
[[nodiscard]] std::vector<std::size_t> top_k(machine& on, R&& range, std::size_t k,
                                             Compare less = {}, Projection projection = {},
                                             const range_options& options = {}) {
  return detail::everyday::top_k({on}, range, k, less, projection, options);
}
template <divisible_range R, class Compare = std::ranges::less, class Projection = range_options>
requires detail::everyday::ranks<Compare, R, Projection>
[[nodiscard]] std::vector<std::size_t> top_k(R&& range, std::size_t k, Compare less = {},
                                             Projection projection = {},
                                             const range_options& options = {}) {
  return detail::everyday::top_k({}, range, k, less, projection, options);
}

/// Returns the indices of the k greatest elements of all ranks by less(projection(a),
/// projection(b)), the greatest first, and equal ones in the order of their indices. If there are
/// fewer than k elements, returns all indices. The result is that of top_k of one array, on all
/// ranks.
///
/// ```cpp
/// const std::vector<std::size_t> greatest = pleat::top_k(machine, distributed_keys, 10);
/// const std::vector<std::uint64_t> keys = distributed_keys.gather(machine, greatest);
/// ```
///
/// Collective, see distributed. Cost: that of top_k of a block on each of R ranks; k elements and
/// their indices sent to each other rank; a top_k of these R·k; three 0-supersteps. Meant for k
/// much less than n/R; for greater k use argsort. Throws, on all ranks: what `less` and the
/// projection throw; std::bad_alloc; usage_error (ranks that ask for different numbers).
template <class T, class Compare = std::ranges::less, class Projection = std::identity>
requires std::indirect_strict_weak_order<Compare, std::projected<const T*, Projection>>
[[nodiscard]] std::vector<std::size_t> top_k(machine& on, const distributed<T>& data, std::size_t k,
                                             Compare less = {}, Projection projection = {}) {
  auto call = data.collective(on, "top_k");
  const auto of_block = [&] {
    return pleat::top_k(on, data.local(), k, std::ref(less), std::ref(projection));
  };
  if (call.alone()) return call.own([&] { return of_block(); });
  std::vector<std::size_t> best;
  if constexpr (byte_copyable<T>) {
    // The best elements of each rank with their indices, in the order of ranks, so that of equal
    // elements the first comes first.
    using candidate = std::pair<T, std::uint64_t>;
    std::vector<candidate> mine, all;
    call.here([&] {
      for (const std::size_t j : of_block())
        mine.emplace_back(data.local()[j], data.global_index(j));
    });
    const detail::distribution::agreed_words words{k};
    const auto key_of = [&projection](const candidate& one) -> decltype(auto) {
      return std::invoke(projection, one.first);
    };
    call.run([&](vp& me, const detail::distribution::rank_places& places) -> task<> {
      co_await detail::distribution::agree(me, places, call.rank(), words, "top_k: numbers");
      const std::span<const candidate> offered(mine);
      const auto to = std::back_inserter(all);
      co_await detail::distribution::gather_blocks(me, places, call.rank(), offered, to);
      if (me.rank() != places[call.rank()].first) co_return;
      for (const std::size_t i : pleat::top_k(all, k, std::ref(less), key_of))
        best.push_back(all[i].second);
    });
  }
  return best;
}

}  // namespace pleat
