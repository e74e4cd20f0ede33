// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <pleat/channels/byte_copyable.hpp>
#include <pleat/oblivious/detail/everyday/elements.hpp>
#include <pleat/oblivious/detail/everyday/start.hpp>
#include <pleat/oblivious/detail/program/arena.hpp>
#include <pleat/oblivious/detail/shares/vp_parts.hpp>
#include <pleat/oblivious/range_options.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

// Stable partition: the chosen elements of a range come to its front, in order, by way of other
// memory.
namespace pleat::detail::everyday {

/// Treatment of the elements that are not chosen: moved behind the others, or left undefined.
enum class others { follow, stay };

template <others Rest, std::random_access_iterator I, class Chosen> class stable_partition {
 public:
  using value = std::iter_value_t<I>;

  /// `first`: elements that this process holds. `chosen(i)`: whether the i-th of them is chosen.
  stable_partition(I first, const Chosen& chosen) : first_(first), chosen_(chosen) {}

  /// Takes memory for the n elements of this process, on that many VPs.
  void lay_out(arena& in, std::size_t n, std::size_t vps) {
    scratch_ = in.array<value>(n);
    marks_ = in.arrays<std::uint64_t>(element_marks::words(n / vps + 1), vps);
  }
  /// Number of the chosen elements of all VPs.
  [[nodiscard]] std::size_t count() const noexcept { return count_; }

  /// Program of a VP: element i goes to the VP that makes the place it comes to, which calls
  /// put(place, values, n) for each piece it gets. Two 0-supersteps: in the first one no element is
  /// moved, since a callable of another VP may throw.
  template <class Put> task<> program(vp& me, const distribution::vp_parts& parts, const Put& put) {
    const std::size_t rank = parts.rank_of(me.rank());
    const interval<> mine = parts.part(me.rank());
    const interval<> held = {mine.first - parts.block(rank).first,
                             mine.last - parts.block(rank).first};
    const element_marks marks(marks_[me.rank() - parts.vps_of(rank).first]);
    const std::size_t here = marks.mark(held, chosen_);
    tell_chosen(me, here);
    co_await me.sync(0);
    const chosen_numbers numbers = hear_chosen(me, here);
    value* const chosen = scratch_ + held.first;
    value* const rest = chosen + here;
    split(marks, held, chosen, rest);
    if constexpr (Rest == others::follow) {
      distribution::lend_to_makers(me, parts, numbers.before, std::span<value>(chosen, here));
      distribution::lend_to_makers(me, parts, numbers.all + mine.first - numbers.before,
                                   std::span<value>(rest, mine.size() - here));
    } else {
      distribution::lend_to_makers(me, parts.of_first(numbers.all), numbers.before,
                                   std::span<value>(chosen, here));
    }
    co_await me.sync(0);
    distribution::for_each_piece<value>(me, put);
    if (me.rank() == parts.vps_of(rank).first) count_ = numbers.all;
  }
  /// Puts elements where they come from. Requires: one memory.
  void put_back(std::size_t place, handed<value>* values, std::size_t n) const {
    std::move(values, values + n, to(place));
    if constexpr (!handed_by_copies<value>) std::destroy_n(values, n);
  }

  /// Partitions n elements on the caller's thread.
  void alone(std::size_t n) {
    if constexpr (std::is_pointer_v<I> && byte_copyable<value>) {
      partition_bytes(n);
    } else {
      std::vector<std::uint64_t> words(element_marks::words(n));
      const element_marks marks(words.data());
      count_ = marks.mark({0, n}, chosen_);
      std::vector<value> rest;
      if constexpr (Rest == others::follow) rest.reserve(n - count_);
      std::size_t k = 0;
      for (std::size_t i = 0; i < n; ++i) {
        if (marks[i]) {
          if (k != i) *to(k) = std::ranges::iter_move(to(i));
          ++k;
        } else if constexpr (Rest == others::follow) {
          rest.push_back(std::ranges::iter_move(to(i)));
        }
      }
      for (auto&& other : rest) *to(k++) = std::move(other);  // a vector of bool has proxies
    }
  }

 private:
  /// Moves elements to uninitialised memory.
  void split(const element_marks& marks, interval<> some, value* chosen, value* rest) const {
    const auto move = [&](std::size_t i, value*& place) {
      std::construct_at(place++, std::ranges::iter_move(to(some.first + i)));
    };
    marks.each(
        some.size(), [&](std::size_t i) { move(i, chosen); },
        [&]([[maybe_unused]] std::size_t i) {
          if constexpr (Rest == others::follow) move(i, rest);
        });
  }

  /// Copies the chosen elements to the front of other memory, and the others to its back, from the
  /// end on: in one pass without a branch that depends on them. Then copies all to their places.
  void partition_bytes(std::size_t n) {
    constexpr std::size_t near = 4096 / sizeof(value);
    alignas(value) std::byte here[near == 0 ? 1 : near * sizeof(value)];
    std::unique_ptr<std::byte[]> elsewhere;
    if (n > near) elsewhere = std::make_unique_for_overwrite<std::byte[]>(n * sizeof(value));
    std::byte* const memory = n > near ? elsewhere.get() : here;
    const auto copy = [](void* to, const void* from, std::size_t count = 1) {
      std::memcpy(to, from, count * sizeof(value));
    };
    const Chosen chosen = chosen_;  // what it refers to is not looked up again after each copy
    std::size_t count = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t is = chosen(i) ? 1 : 0;
      copy(memory + count * sizeof(value), first_ + i);
      if constexpr (Rest == others::follow)
        copy(memory + (n - 1 - i + count) * sizeof(value), first_ + i);
      count += is;
    }
    count_ = count;
    if (count != 0) copy(first_, memory, count);
    if constexpr (Rest == others::follow) {
      for (std::size_t i = count; i < n; ++i)
        copy(first_ + i, memory + (n - 1 - (i - count)) * sizeof(value));
    }
  }

  [[nodiscard]] I to(std::size_t i) const { return everyday::iterator_at(first_, i); }

  I first_;
  const Chosen& chosen_;
  value* scratch_ = nullptr;
  vp_arrays<std::uint64_t> marks_;
  std::size_t count_ = 0;
};

/// Brings the elements i < n of which chosen(i) is true to the front; returns their number.
template <others Rest, std::random_access_iterator I, class Chosen>
[[nodiscard]] std::size_t partition_stably(const char* name, executor& where,
                                           const range_options& options, I first, std::size_t n,
                                           const Chosen& chosen) {
  using value = std::iter_value_t<I>;
  static_assert(
      std::is_nothrow_move_constructible_v<value> && std::is_nothrow_move_assignable_v<value>,
      "partition and unique move values through other memory, where one whose move "
      "throws would be lost: work on indices instead");
  clear_report(options.report);
  // Chooses bytes if possible: they are copied twice as fast as other values are moved.
  constexpr bool bytes = std::is_pointer_v<I> && byte_copyable<value>;
  const std::size_t vps = vps_for_bytes(name, where, options.vps, bytes ? n / 2 : n, sizeof(value));
  stable_partition<Rest, I, Chosen> all(first, chosen);
  if (vps == 1 || n == 0) {
    const alone_scope alone;
    all.alone(n);
    return all.count();
  }
  const machine::turn mine(where.on(), machine::use::scratch);
  arena::take(where.on(), [&](arena& in) { all.lay_out(in, n, vps); });
  const distribution::rank_places one_rank{{0, vps}};
  const distribution::vp_parts parts(n, one_rank);
  const auto put = [&all](std::size_t place, handed<value>* values, std::size_t count) {
    all.put_back(place, values, count);
  };
  where.run(vps, options.report, [&](vp& me) { return all.program(me, parts, put); });
  return all.count();
}

}  // namespace pleat::detail::everyday
