// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <ranges>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <pleat/oblivious/detail/program/arena.hpp>
#include <pleat/oblivious/detail/program/kernels_ready.hpp>
#include <pleat/oblivious/detail/program/past_caches.hpp>
#include <pleat/oblivious/detail/program/wrong_call.hpp>
#include <pleat/oblivious/detail/sort/choose.hpp>
#include <pleat/oblivious/detail/sort/columnsort.hpp>
#include <pleat/oblivious/detail/sort/index_sort.hpp>
#include <pleat/oblivious/detail/sort/keys.hpp>
#include <pleat/oblivious/detail/sort/value_column.hpp>
#include <pleat/oblivious/detail/sort/value_records.hpp>
#include <pleat/oblivious/detail/sort/word_source.hpp>
#include <pleat/oblivious/sort_options.hpp>
#include <pleat/runtime/detail/frame_arena.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat::detail::sorting {

/// Moves n values of any type to their places: value i becomes what value from[i] was. Each value
/// is moved twice, through scratch memory, because a VP reads from the whole array but writes its
/// share.
template <class Iterator> class moved_values {
 public:
  using value = std::iter_value_t<Iterator>;

  explicit moved_values(Iterator values) : values_(values) {}

  void lay_out(arena& in, std::size_t n, std::size_t vps) {
    n_ = n;
    memory_ = in.array<value>(n);
    shares_.resize(vps);
    for (std::size_t q = 0; q < vps; ++q) {
      const std::size_t first = share_of(q).first;
      shares_[q] = {first, first};
    }
  }

  /// Takes the values for the share of VP q into scratch memory; `put` puts them, once all VPs have
  /// taken theirs.
  void take(std::size_t q, const index_array& from) {
    const std::size_t last = share_of(q).last;
    for (std::size_t& i = shares_[q].taken; i < last; ++i) {
      if (i + ahead < last) __builtin_prefetch(&at(from[i + ahead]), 1);
      std::construct_at(memory_ + i, std::move(at(from[i])));
    }
  }
  void put(std::size_t q) {
    const std::size_t last = shares_[q].taken;
    for (std::size_t& i = shares_[q].put; i < last; ++i) {
      at(i) = std::move(memory_[i]);
      std::destroy_at(memory_ + i);
    }
  }

  /// Moves values that were taken and not put to their places (`on`), or back where they were.
  /// Called after a failure.
  void restore(bool on, const index_array& from) noexcept {
    for (share& mine : shares_) {
      for (std::size_t& i = mine.put; i < mine.taken; ++i) {
        try {
          at(on ? i : from[i]) = std::move(memory_[i]);
        } catch (...) {  // a value that cannot be moved: it is lost, and the first cause is known
        }
        std::destroy_at(memory_ + i);
      }
    }
  }

 private:
  static constexpr std::size_t ahead = 16;

  /// Places up to which a VP has taken and put its share.
  struct alignas(destructive_distance) share {
    std::size_t taken, put;
  };

  [[nodiscard]] interval<> share_of(std::size_t q) const noexcept {
    return interval<>{0, n_}.share(q, shares_.size());
  }
  [[nodiscard]] value& at(std::size_t i) const {
    return values_[static_cast<std::iter_difference_t<Iterator>>(i)];
  }

  Iterator values_;
  std::size_t n_ = 0;
  value* memory_ = nullptr;
  std::vector<share> shares_;
};

/// Step after a sort of indices: moves n values of each of these arrays to their places.
template <class... Iterators> class arrangement final : public reordering {
 public:
  explicit arrangement(std::size_t n, Iterators... arrays)
      : reordering(n), arrays_(moved_values<Iterators>(arrays)...) {}

  void restore() noexcept override {
    each([&](auto& array) { array.restore(has_put(), from()); });
  }

 private:
  template <class Use> void each(const Use& use) {
    std::apply([&use](auto&... array) { (use(array), ...); }, arrays_);
  }
  void lay_out_moves(arena& in, std::size_t vps) override {
    each([&](auto& array) { array.lay_out(in, size(), vps); });
  }
  void take(std::size_t rank) override {
    each([&](auto& array) { array.take(rank, from()); });
  }
  void put(std::size_t rank) override {
    each([&](auto& array) { array.put(rank); });
  }

  std::tuple<moved_values<Iterators>...> arrays_;
};

// Dispatch of a call: chooses the items that are sorted and the type of their columns.

/// Sorts the indices of keys and moves n values of each array accordingly. The arrays are random
/// access iterators.
template <class Keys, class Compare, class... Iterators>
run_report sort_and_move(machine& on, std::size_t n, const Keys& keys, Compare& less,
                         std::size_t vps, Iterators... arrays) {
  static_assert(
      (std::same_as<std::iter_reference_t<Iterators>, std::iter_value_t<Iterators>&> && ...),
      "pleat moves values, not proxies: copy a vector<bool> into one of char");
  arrangement<Iterators...> then(n, arrays...);
  const auto put = [&then](std::size_t i, std::size_t index) { then.set(i, index); };
  return sorting::sort_indices(on, n, keys, less, put, vps, &then);
}

/// Tells whether T is a pair of integers. pair_order compares both parts of such pairs always, so
/// that no branch depends on them.
template <class T> inline constexpr bool integer_pair = false;
template <std::integral A, std::integral B>
inline constexpr bool integer_pair<std::pair<A, B>> = true;

template <class Pair> struct pair_order {
  static constexpr bool trusted = true;
  bool descending;

  bool operator()(const Pair& a, const Pair& b) const noexcept {
    const Pair& x = descending ? b : a;
    const Pair& y = descending ? a : b;
    return static_cast<bool>(
        static_cast<unsigned>(x.first < y.first) |
        (static_cast<unsigned>(x.first == y.first) & static_cast<unsigned>(x.second < y.second)));
  }
};

/// Removes const, because comparators and projections may take non-const references, as std::sort's
/// may. No value that is sorted here is a const object.
template <class T> T& changeable(const T& value) noexcept { return const_cast<T&>(value); }

/// Order of values by the numbers that a projection makes of them.
template <class K, class Projection> struct order_by_numbers {
  static constexpr bool trusted = true;
  number_order<K> less;
  Projection* projection;

  template <class T> bool operator()(const T& a, const T& b) const {
    return less(std::invoke(*projection, sorting::changeable(a)),
                std::invoke(*projection, sorting::changeable(b)));
  }
};

/// Order of values by any order of what a projection makes of them.
template <class Order, class Projection> struct projected_order {
  Order* less;
  Projection* projection;

  template <class T> bool operator()(const T& a, const T& b) const {
    return static_cast<bool>(std::invoke(*less, std::invoke(*projection, sorting::changeable(a)),
                                         std::invoke(*projection, sorting::changeable(b))));
  }
};

/// Returns use(order), with the order of T's by less(proj(a), proj(b)), where proj makes K's.
template <class T, class K, class Compare, class Projection, class Use>
decltype(auto) with_order(Compare& less, Projection& proj, const Use& use) {
  constexpr bool plain = std::same_as<std::remove_cvref_t<Projection>, std::identity>;
  constexpr bool known = order_of<K, Compare> != key_order::custom;
  constexpr bool descending = order_of<K, Compare> == key_order::descending;
  if constexpr (plain && known && std::floating_point<T>)
    return use(total_less<T>{descending});
  else if constexpr (plain && known && integer_pair<T>)
    return use(pair_order<T>{descending});
  else if constexpr (known && std::is_arithmetic_v<K>)
    return use(order_by_numbers<K, Projection>{{descending}, &proj});
  else
    return use(projected_order<Compare, Projection>{&less, &proj});
}

/// Sorts words in place if they are few: see sorts_at_once. Else returns false.
template <class Compare, class Projection, class Iterator>
bool sort_at_once(Iterator first, std::size_t n, const sort_options& options) {
  if constexpr (sorts_words<Iterator, Compare, Projection>) {
    using T = std::iter_value_t<Iterator>;
    using U = word_of<T>;
    if (!sorting::sorts_at_once(sorting::item_of<Iterator, Compare, Projection>(), n, options))
      return false;
    constexpr key_map<U> map =
        sorting::key_map_of<T>(order_of<T, Compare> == key_order::descending);
    auto* const keys = reinterpret_cast<std::byte*>(std::to_address(first));
    if (n <= very_few_keys) {
      sorting::sort_very_few_keys(keys, n, map);
    } else {
      ready_kernels();
      sorting::sort_keys(keys, n, map);
    }
    return true;
  } else {
    return false;
  }
}

/// Sorts n values from `first` on by less(proj(a), proj(b)).
template <bool Stable, class Iterator, class Compare, class Projection>
run_report sort_values(machine& on, Iterator first, std::size_t n, Compare& less, Projection& proj,
                       const sort_options& options) {
  using T = std::iter_value_t<Iterator>;
  using K = std::remove_cvref_t<std::indirect_result_t<Projection&, Iterator>>;
  constexpr bool descending = order_of<K, Compare> == key_order::descending;
  constexpr sort_item item = sorting::item_of<Iterator, Compare, Projection>();
  static_assert(
      std::same_as<std::iter_reference_t<Iterator>, T&>,
      "pleat sorts ranges of values, not of proxies: copy a vector<bool> into one of char");
  if constexpr (std::contiguous_iterator<Iterator> && !std::is_pointer_v<Iterator>) {
    // Converts to pointers, the iterators of columns, so that one program is compiled for both.
    return sorting::sort_values<Stable>(on, std::to_address(first), n, less, proj, options);
  } else {
    const std::size_t vps = sort_vps(on, n, item, options);  // refuses what makes no sense
    if (n < 2) return {};
    if constexpr (item.kind == item_kind::word) {
      const word_source<word_of<T>> keys{reinterpret_cast<std::byte*>(std::to_address(first)),
                                         sorting::key_map_of<T>(descending),
                                         passes_caches(2 * n * sizeof(T))};
      return sorting::sort_words(on, keys, n, vps);
    } else if constexpr (item.kind == item_kind::record) {
      const value_records<Iterator, Projection, K> records(first, proj, descending);
      return sorting::sort_records(on, records, n, vps);
    } else if constexpr (item.kind == item_kind::index) {
      return sorting::sort_and_move(on, n, indexed_keys<Iterator, Projection>(first, proj), less,
                                    vps, first);
    } else {
      return sorting::with_order<T, K>(less, proj, [&](const auto& less_than) {
        using order_type = std::remove_cvref_t<decltype(less_than)>;
        if constexpr (Stable) {
          using source = tagged_source<Iterator, std::size_t, order_type>;
          const tagged_order<order_type> tagged{&less_than};
          columnsort_program<value_column<source>> program({first, &tagged}, n);
          return sorting::sort_with(on, program, vps);
        } else {
          using source = value_source<Iterator, order_type>;
          columnsort_program<value_column<source>> program({first, &less_than}, n);
          return sorting::sort_with(on, program, vps);
        }
      });
    }
  }
}

/// Reasons why no overload of a sort takes a call, as compilers print them.
namespace refusal {
struct the_machine_comes_first {};
struct the_data_are_no_random_access_range_and_not_between_two_random_access_iterators {};
struct the_range_is_no_random_access_range_copy_it_into_a_vector {};
struct the_range_is_no_sized_range_copy_it_into_a_vector {};
struct the_second_argument_is_no_sized_sentinel_for_the_iterator {};
struct the_elements_are_const_or_made_by_a_view_or_cannot_be_moved_sort_a_copy {};
struct the_projection_cannot_be_called_with_an_element {};
struct the_order_cannot_be_called_with_two_keys_or_returns_no_bool {};
struct too_many_or_wrong_arguments_give_range_order_projection_sort_options_in_this_order {};
}  // namespace refusal

/// The first requirement that is not met. Order and projection are the arguments from First on.
template <class I, class Call, std::size_t First> constexpr auto refusal_by_order() {
  using order = typename Call::template callable<First, std::ranges::less, sort_options>;
  using projection = typename Call::template callable<First + 1, std::identity, sort_options>;
  if constexpr (!std::permutable<I>)
    return refusal::the_elements_are_const_or_made_by_a_view_or_cannot_be_moved_sort_a_copy();
  else if constexpr (!std::indirectly_regular_unary_invocable<projection, I>)
    return refusal::the_projection_cannot_be_called_with_an_element();
  else if constexpr (!std::indirect_strict_weak_order<order, std::projected<I, projection>>)
    return refusal::the_order_cannot_be_called_with_two_keys_or_returns_no_bool();
  else
    return refusal::
        too_many_or_wrong_arguments_give_range_order_projection_sort_options_in_this_order();
}

template <class... A> constexpr auto refusal_by() {
  using call = wrong_call<A...>;
  using data = typename call::template argument<0>;
  using I = std::remove_cvref_t<data>;
  if constexpr (call::machine_is_late) {
    return refusal::the_machine_comes_first();
  } else if constexpr (std::ranges::range<data>) {
    if constexpr (!std::ranges::random_access_range<data>)
      return refusal::the_range_is_no_random_access_range_copy_it_into_a_vector();
    else if constexpr (!std::ranges::sized_range<data>)
      return refusal::the_range_is_no_sized_range_copy_it_into_a_vector();
    else
      return sorting::refusal_by_order<std::ranges::iterator_t<data>, call, 1>();
  } else if constexpr (!std::random_access_iterator<I>) {
    return refusal::
        the_data_are_no_random_access_range_and_not_between_two_random_access_iterators();
  } else if constexpr (!std::sized_sentinel_for<
                           std::remove_cvref_t<typename call::template argument<1>>, I>) {
    return refusal::the_second_argument_is_no_sized_sentinel_for_the_iterator();
  } else {
    return sorting::refusal_by_order<I, call, 2>();
  }
}

}  // namespace pleat::detail::sorting
