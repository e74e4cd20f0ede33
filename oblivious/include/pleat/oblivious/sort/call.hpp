// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include <pleat/oblivious/sort/arrange.hpp>
#include <pleat/oblivious/sort/index_order.hpp>
#include <pleat/oblivious/sort/keys.hpp>
#include <pleat/oblivious/sort/program.hpp>
#include <pleat/oblivious/sort/value_column.hpp>
#include <pleat/oblivious/sort/word_column.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat {

struct sort_options {
  /// How many virtual processors to sort with, any number; unset: one a processor, fewer if there
  /// are few keys. The keys' number, if a power of two: the program of the model, one key a VP.
  std::optional<std::size_t> vps;
};

}  // namespace pleat

// How a call becomes a run: what is moved, by which columns, on how many VPs.
namespace pleat::detail::sorting {

/// Fewer bytes than this per VP are sorted before a second processor has heard of them.
inline constexpr std::size_t least_block_bytes = std::size_t{1} << 16;
/// Larger arrays are written past the caches.
inline constexpr std::size_t streamed_bytes = std::size_t{1} << 24;

inline std::size_t sort_vps(machine& on, std::size_t n, std::size_t key_bytes,
                            const sort_options& options) {
  if (options.vps) {
    if (*options.vps == 0)
      throw usage_error("sort: 0 virtual processors cannot sort; leave sort_options::vps unset");
    return *options.vps;
  }
  return std::clamp<std::size_t>(n * key_bytes / least_block_bytes, 1, on.processors());
}

/// What follows a sort in the same run: nothing.
struct nothing_more {
  void restore() const noexcept {}
};

/// Sorts, and goes on with `then` unless all was in order before. `bind`, called with the machine's
/// scratch memory, tells everybody where theirs is; the columns' is [where.first, …).
template <class Column, class Bind, class Then>
run_report sort_with(machine& on, const typename Column::source& keys, std::size_t n,
                     std::size_t vps, const memory_range& where, const Bind& bind,
                     const Then& then) {
  constexpr bool more = !std::same_as<Then, nothing_more>;
  using key = typename Column::key;
  if (vps == 1) {
    const std::size_t bytes = Column::alone_keys(n) * sizeof(key);
    std::byte* memory = nullptr;
    if (bytes != 0 || where.last != 0)
      memory = on.scratch(std::max(where.first + bytes, where.last)).data();
    bind(memory);
    if constexpr (more) {
      if (Column::is_sorted(keys, 0, n)) return {};
    }
    try {
      Column::sort_alone(keys, n, reinterpret_cast<key*>(memory + where.first));
      if constexpr (more) then.alone();
    } catch (...) {
      then.restore();
      throw;
    }
    return {};
  }
  columnsort_program<Column> program(on, keys, n, vps, where);
  bind(on.scratch(1).data());
  const auto whole = [&](vp& me) -> task<> {
    const bool changed = co_await program(me);
    if constexpr (more) {
      if (changed) co_await then.together(me);
    }
  };
  try {
    return on.run(vps, whole);
  } catch (const vp_failed& failure) {
    program.restore();
    then.restore();
    failure.rethrow_cause();
  } catch (...) {
    then.restore();
    throw;
  }
}

template <class Column>
run_report sort_with(machine& on, const typename Column::source& keys, std::size_t n,
                     std::size_t vps) {
  return sort_with<Column>(
      on, keys, n, vps, {}, [](std::byte*) {}, nothing_more());
}

/// Sorts the indices of n keys, stably. `put` is bound with `bind`, as `then` is.
template <class KeyAt, class Compare, class Put, class Bind, class Then>
run_report sort_indices(machine& on, std::size_t n, const KeyAt& key_at, Compare& less,
                        const Put& put, const sort_options& options, const memory_range& where,
                        const Bind& bind, const Then& then) {
  using K = std::remove_cvref_t<decltype(key_at(std::size_t{}))>;
  constexpr key_order order = order_of<K, Compare>;
  const auto sort = [&]<class Key>(const auto& word_at, const auto& order_of_keys) {
    using source = index_source<Key, std::remove_cvref_t<decltype(word_at)>,
                                std::remove_cvref_t<decltype(order_of_keys)>, Put>;
    const std::size_t vps = sort_vps(on, n, sizeof(Key), options);
    return sort_with<value_column<source>>(on, {&word_at, &put, &order_of_keys}, n, vps, where,
                                           bind, then);
  };
  const auto before = [&less, &key_at](std::size_t i, std::size_t j) {
    return static_cast<bool>(std::invoke(less, key_at(i), key_at(j)));
  };
  const tied_order<decltype(before)> by_value{&before};
  if constexpr (leading_word<K>::exists && order != key_order::custom) {
    leading_word<K> word{order == key_order::descending};
    word.look_at(n, key_at);
    const auto word_at = [&word, &key_at](std::size_t i) { return word(key_at(i)); };
    using wide = ranked_index<std::uint64_t, std::uint64_t>;
    if constexpr (!leading_word<K>::exact) {
      return sort.template operator()<wide>(word_at, by_value);
    } else {
      const exact_order by_word;
      if constexpr (sizeof(word_at(0)) == 4) {
        using narrow = ranked_index<std::uint32_t, std::uint32_t>;
        if (!index_array::wide(n)) return sort.template operator()<narrow>(word_at, by_word);
      }
      return sort.template operator()<wide>(word_at, by_word);
    }
  } else {
    const auto no_word = [](std::size_t) { return 0; };
    return sort.template operator()<bare_index>(no_word, by_value);
  }
}

/// Sorts the indices of keys and moves arrays of n values accordingly: `first` and `more`, which
/// must be random access iterators. The key of index i is key_at(i).
template <class KeyAt, class Compare, class... Iterators>
run_report sort_and_move(machine& on, std::size_t n, const KeyAt& key_at, Compare& less,
                         const sort_options& chosen, Iterators... arrays) {
  // Decided here, for the arrangement has to know.
  const sort_options options{sort_vps(on, n, 16, chosen)};
  index_array indices(n);
  std::tuple<std::unique_ptr<arrangement<Iterators>>...> parts{
      std::make_unique<arrangement<Iterators>>(arrays, n, indices, *options.vps)...};
  const std::size_t index_bytes = round_up(index_array::bytes(n), alignment);
  memory_range where{index_bytes, index_bytes};
  ((where.last += round_up(n * sizeof(std::iter_value_t<Iterators>), alignment)), ...);
  const auto bind = [&](std::byte* memory) {
    indices.lie_at(memory);
    std::byte* next = memory + index_bytes;
    const auto place = [&next, n](auto& part) {
      using value = typename std::remove_cvref_t<decltype(*part)>::value;
      static_assert(alignof(value) <= alignment, "pleat sorts values aligned to at most 128 bytes");
      part->lie_at(next);
      next += round_up(n * sizeof(value), alignment);
    };
    std::apply([&place](auto&... part) { (place(part), ...); }, parts);
  };
  const auto put = [&indices](std::size_t i, std::size_t index) { indices.set(i, index); };
  return std::apply(
      [&](auto&... part) {
        const arrangements<arrangement<Iterators>...> then(*part...);
        return sort_indices(on, n, key_at, less, put, options, where, bind, then);
      },
      parts);
}

/// NaNs last, all equal; zeros equal.
template <class K> struct number_order {
  bool descending;

  bool operator()(K a, K b) const noexcept {
    const bool before = descending ? b < a : a < b;
    if constexpr (std::floating_point<K>)
      return before || (b != b && a == a);  // NOLINT(misc-redundant-expression)
    else
      return before;
  }
};

/// Pairs of integers, lexicographically. All parts are compared, so that no branch depends on them.
template <class T> inline constexpr bool integer_pair = false;
template <std::integral A, std::integral B>
inline constexpr bool integer_pair<std::pair<A, B>> = true;

template <class Pair> struct pair_order {
  bool descending;

  bool operator()(const Pair& a, const Pair& b) const noexcept {
    const Pair& x = descending ? b : a;
    const Pair& y = descending ? a : b;
    return static_cast<bool>(
        static_cast<unsigned>(x.first < y.first) |
        (static_cast<unsigned>(x.first == y.first) & static_cast<unsigned>(x.second < y.second)));
  }
};

/// Larger values are moved once their places are known, smaller ones with their keys.
inline constexpr std::size_t largest_moved = 64;

/// Sorts n values from `first` on by less(proj(a), proj(b)).
template <bool Stable, class Iterator, class Compare, class Projection>
run_report sort_values(machine& on, Iterator first, std::size_t n, Compare& less, Projection& proj,
                       const sort_options& options) {
  using T = std::iter_value_t<Iterator>;
  using K = std::remove_cvref_t<std::indirect_result_t<Projection&, Iterator>>;
  constexpr bool plain = std::same_as<std::remove_cvref_t<Projection>, std::identity>;
  constexpr key_order order = order_of<K, Compare>;
  static_assert(
      std::same_as<std::iter_reference_t<Iterator>, T&>,
      "pleat sorts ranges of values, not of proxies: copy a vector<bool> into one of char");
  if (n < 2) {
    static_cast<void>(sort_vps(on, n, sizeof(T), options));  // refuses what makes no sense
    return {};
  }
  const auto sort = [&](const auto& less_than) {
    using order_type = std::remove_cvref_t<decltype(less_than)>;
    const std::size_t vps = sort_vps(on, n, sizeof(T), options);
    if constexpr (Stable) {
      using source = tagged_source<Iterator, std::size_t, order_type>;
      const tagged_order<order_type> tagged{&less_than};
      return sort_with<value_column<source>>(on, {first, &tagged}, n, vps);
    } else {
      using source = value_source<Iterator, order_type>;
      return sort_with<value_column<source>>(on, {first, &less_than}, n, vps);
    }
  };
  if constexpr (plain && has_word<T> && order != key_order::custom &&
                std::contiguous_iterator<Iterator>) {
    // One byte has so few values that counting them beats anything that moves them.
    const std::size_t vps =
        sizeof(T) == 1 && !options.vps ? 1 : sort_vps(on, n, sizeof(T), options);
    return sort_with<word_column<word_of<T>>>(
        on,
        {reinterpret_cast<std::byte*>(std::to_address(first)),
         key_map_of<T>(order == key_order::descending), n * sizeof(T) >= streamed_bytes},
        n, vps);
  } else if constexpr (byte_movable<T> && sizeof(T) <= largest_moved) {
    constexpr bool descending = order == key_order::descending;
    if constexpr (plain && std::floating_point<T> && order != key_order::custom) {
      return sort(total_less<T>{descending});
    } else if constexpr (plain && integer_pair<T> && order != key_order::custom) {
      return sort(pair_order<T>{descending});
    } else if constexpr (std::is_arithmetic_v<K> && order != key_order::custom) {
      return sort([&proj](const T& a, const T& b) {
        return number_order<K>{descending}(std::invoke(proj, a), std::invoke(proj, b));
      });
    } else {
      return sort([&less, &proj](const T& a, const T& b) {
        return static_cast<bool>(std::invoke(less, std::invoke(proj, a), std::invoke(proj, b)));
      });
    }
  } else {
    const auto key_at = [first, &proj](std::size_t i) -> decltype(auto) {
      return std::invoke(proj, first[static_cast<std::iter_difference_t<Iterator>>(i)]);
    };
    return sort_and_move(on, n, key_at, less, options, first);
  }
}

}  // namespace pleat::detail::sorting
