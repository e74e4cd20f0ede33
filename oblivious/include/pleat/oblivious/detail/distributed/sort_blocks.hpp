// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include <pleat/channels/byte_copyable.hpp>
#include <pleat/oblivious/detail/distributed/collective_call.hpp>
#include <pleat/oblivious/detail/distributed/declared.hpp>
#include <pleat/oblivious/detail/distributed/in_parts.hpp>
#include <pleat/oblivious/detail/distributed/merge_program.hpp>
#include <pleat/oblivious/detail/distributed/run_merge.hpp>
#include <pleat/oblivious/detail/distributed/words_in_place.hpp>
#include <pleat/oblivious/detail/program/arena.hpp>
#include <pleat/oblivious/detail/program/past_caches.hpp>
#include <pleat/oblivious/detail/sort/call.hpp>
#include <pleat/oblivious/sort.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/machine.hpp>

// The sort of distributed data: what each rank does alone before and after the ranks exchange.
namespace pleat::detail::distribution {

/// Merges the blocks of all ranks, which are sorted, as T's, by the order of `merge`: they become
/// those of the sorted whole. put(from, part) copies a part of the result into the block. Until all
/// ranks have all of theirs, blocks stay as they are; put does not throw.
template <class T, class Merge, class Put>
run_report exchange_blocks(machine& on, collective_call& call, std::size_t n,
                           std::span<const T> block, const Merge& merge, const Put& put) {
  std::optional<machine::turn> scratch;
  T* out = nullptr;
  call.here([&] {
    scratch.emplace(on, machine::use::scratch);
    arena::take(on, [&](arena& in) { out = in.array<T>(block.size()); });
  });
  merge_program<T, Merge> program({{{n, block}}}, n, on.rank(), merge, out);
  run_report report = call.run(program);
  if (block.empty()) return report;
  const auto put_part = [&](const interval<>& part) { put(out + part.first, part); };
  distribution::surely_in_parts(on, block.size(), put_part);
  return report;
}

/// Numbers in the order of less or greater, as words.
template <class T, class Compare>
run_report sort_numbers(machine& on, collective_call& call, std::size_t n, std::span<T> block,
                        Compare& less) {
  using U = sorting::word_of<T>;
  constexpr sorting::key_map<U> map =
      sorting::key_map_of<T>(sorting::order_of<T, Compare> == sorting::key_order::descending);
  auto* const memory = reinterpret_cast<std::byte*>(block.data());
  bool as_words = false;
  call.here([&] {
    pleat::sort(on, block, less);
    if (map.identity()) return;
    distribution::in_parts(on, block.size(), [&](const interval<>& part) {
      distribution::keys_to_words<U>(memory + part.first * sizeof(U), part.size(), map);
    });
    as_words = true;
  });
  const bool stream = detail::passes_caches(2 * block.size_bytes());
  try {
    return distribution::exchange_blocks<U>(
        on, call, n, {reinterpret_cast<const U*>(memory), block.size()}, word_merge<U>(),
        [&](const U* from, const interval<>& part) {
          sorting::store_keys<U>(from, part.size(), map, memory + part.first * sizeof(U), stream);
          if (stream) sorting::finish_streaming();
        });
  } catch (...) {
    if (as_words) distribution::words_to_keys<U>(memory, block.size(), map);
    throw;
  }
}

/// Sorts all other values.
template <class T, class Compare, class Projection>
run_report sort_others(machine& on, collective_call& call, std::size_t n, std::span<T> block,
                       Compare& less, Projection& projection) {
  using K = std::remove_cvref_t<std::indirect_result_t<Projection&, T*>>;
  constexpr bool plain = std::same_as<Projection, std::identity>;
  constexpr sorting::key_order order = sorting::order_of<K, Compare>;
  constexpr bool descending = order == sorting::key_order::descending;
  call.here(
      [&] { sorting::sort_values<true>(on, block.data(), block.size(), less, projection, {}); });
  const auto exchange = [&](const auto& before) {
    using order_type = std::remove_cvref_t<decltype(before)>;
    return distribution::exchange_blocks<T>(on, call, n, block, value_merge<T, order_type>(before),
                                            [&](const T* from, const interval<>& part) {
                                              std::copy_n(from, part.size(),
                                                          block.data() + part.first);
                                            });
  };
  if constexpr (plain && std::floating_point<T> && order != sorting::key_order::custom) {
    return exchange(sorting::total_less<T>{descending});
  } else if constexpr (plain && sorting::integer_pair<T> && order != sorting::key_order::custom) {
    return exchange(sorting::pair_order<T>{descending});
  } else if constexpr (std::is_arithmetic_v<K> && order != sorting::key_order::custom) {
    return exchange(sorting::order_by_numbers<K, Projection>{{descending}, &projection});
  } else {
    return exchange([&](const T& a, const T& b) {
      return static_cast<bool>(std::invoke(less, std::invoke(projection, sorting::changeable(a)),
                                           std::invoke(projection, sorting::changeable(b))));
    });
  }
}

/// Sorts them, stably.
template <class T, class Compare, class Projection>
run_report sort_blocks(machine& on, const char* name, distributed<T>& data, Compare& less,
                       Projection& projection) {
  collective_call call = data.collective(on, name);
  const std::span<T> block = data.local();
  if (call.alone()) {
    const machine::rank_turn here(on);
    return pleat::stable_sort(on, block, less, projection);
  }
  if constexpr (byte_copyable<T>) {
    if constexpr (sorting::sorts_words<T*, Compare, Projection>)
      return distribution::sort_numbers(on, call, data.size(), block, less);
    else
      return distribution::sort_others(on, call, data.size(), block, less, projection);
  } else {
    return {};  // there are no distributed data of such elements on several ranks
  }
}

}  // namespace pleat::detail::distribution
