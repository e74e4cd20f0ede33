// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <string>
#include <type_traits>

#include <pleat/channels/byte_copyable.hpp>
#include <pleat/oblivious/detail/everyday/elements.hpp>
#include <pleat/oblivious/detail/everyday/groups.hpp>
#include <pleat/oblivious/detail/everyday/start.hpp>
#include <pleat/oblivious/detail/program/arena.hpp>
#include <pleat/oblivious/detail/program/past_caches.hpp>
#include <pleat/oblivious/range_options.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/fold.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

// Selected elements of a VP's part of a range, held until it is known where the part's results
// begin.
namespace pleat::detail::everyday {

/// Arrays of elements that may be copied as bytes, to arrays of the same.
template <class In, class Out>
inline constexpr bool copied_as_bytes =
    std::is_pointer_v<In>&& std::is_pointer_v<Out>&& std::same_as<
        std::iter_value_t<In>, std::iter_value_t<Out>>&& byte_copyable<std::iter_value_t<In>>;

/// Copies of the selected elements in memory that stays in the cache, made without a branch that
/// depends on which ones are selected.
template <class T> class selected_copies {
 public:
  static constexpr bool copies = true;
  /// Size of the memory for that many elements.
  [[nodiscard]] static std::size_t bytes(std::size_t elements) { return elements * sizeof(T); }

  explicit selected_copies(std::byte* memory) noexcept : memory_(memory) {}

  template <std::random_access_iterator In, class Keep>
  [[nodiscard]] std::size_t fill(interval<> part, const In& from, const Keep& keep) {
    std::size_t count = 0;
    for (std::size_t i = part.first; i < part.last; ++i) {
      const T& element = everyday::at(from, i);
      std::memcpy(memory_ + count * sizeof(T), &element, sizeof(T));
      count += keep(i) ? 1U : 0U;
    }
    count_ = count;
    return count;
  }
  template <std::random_access_iterator In> void put(const In&, T* to, bool past_caches) const {
    if (count_ == 0) return;
    if (past_caches)
      detail::copy_bytes_past_caches(memory_, count_ * sizeof(T), to);
    else
      std::memcpy(static_cast<void*>(to), memory_, count_ * sizeof(T));
  }

  /// Copies the selected elements to `to` at once; returns their number, or more than `places` if
  /// they do not fit. The last one is looked for first: so nothing is written behind it.
  template <std::random_access_iterator In, class Keep>
  [[nodiscard]] static std::size_t copy(interval<> part, const In from, T* to, std::size_t places,
                                        const Keep keep) {
    const auto put = [](void* place, const T& element) { std::memcpy(place, &element, sizeof(T)); };
    while (!part.empty() && !keep(part.last - 1)) --part.last;
    if (part.empty()) return 0;
    std::size_t count = 0;
    for (std::size_t i = part.first; i + 1 < part.last && count < places; ++i) {
      put(to + count, everyday::at(from, i));
      count += keep(i) ? 1U : 0U;
    }
    if (count < places) put(to + count, everyday::at(from, part.last - 1));
    return count + 1;
  }

 private:
  std::byte* memory_;
  std::size_t count_ = 0;
};

/// Marks of the selected elements, a bit for each; they are copied to their places later, while
/// they are in the cache.
class selected_marks {
 public:
  static constexpr bool copies = false;
  [[nodiscard]] static std::size_t bytes(std::size_t elements) {
    return 8 * element_marks::words(elements);
  }

  /// Requires: memory that is aligned as numbers of 8 bytes.
  explicit selected_marks(std::byte* memory) noexcept
      : marks_(reinterpret_cast<std::uint64_t*>(memory)) {}

  template <std::random_access_iterator I, class Keep>
  [[nodiscard]] std::size_t fill(interval<> part, const I&, const Keep& keep) {
    part_ = part;
    return marks_.mark(part, keep);
  }
  template <std::random_access_iterator I, std::random_access_iterator O, class Keep>
  [[nodiscard]] static std::size_t copy(interval<> part, const I& from, O to, std::size_t places,
                                        const Keep& keep) {
    std::size_t count = 0;
    for (std::size_t i = part.first; i < part.last && count <= places; ++i) {
      if (!keep(i)) continue;
      if (count < places) to[static_cast<std::iter_difference_t<O>>(count)] = everyday::at(from, i);
      ++count;
    }
    return count;
  }
  template <std::random_access_iterator I, std::random_access_iterator O>
  void put(const I& from, O to, bool /*past_caches*/) const {
    const auto put_next = [&](std::size_t i) { *to++ = everyday::at(from, part_.first + i); };
    marks_.each(part_.size(), put_next, [](std::size_t) {});
  }

 private:
  element_marks marks_;
  interval<> part_{};
};

// Elements that fulfil a condition are copied to one place after the other: round by round, as
// scans go, so that a part is in the cache from the look at its elements to their copies.

/// Choice of the elements i of which keep(i) is true; element i is from[i].
template <class Kept, class In, class Keep> class compaction {
 public:
  compaction(In from, const Keep& keep) : from_(from), keep_(keep) {}

  /// Number of those that are kept by all VPs.
  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  void begin_with(std::size_t count) noexcept { count_ = count; }

  /// The program of a VP for `all` elements of this process, which its VPs `here` share. A round is
  /// one 0-superstep, in which the VPs tell each other how many they keep: look(part) is called at
  /// its begin, and put(selected, before, number) behind it, where `before` is the place of the
  /// first. `memory`: for a VP's elements of a round.
  template <class Look, class Put>
  task<> program(vp& me, rank_range here, interval<> all, std::size_t rounds, std::byte* memory,
                 const Look& look, const Put& put) {
    std::size_t sum = count_;
    for (std::size_t round = 0; round < rounds; ++round) {
      const interval<> part = all.share(round, rounds).share(me.rank() - here.first, here.size());
      look(part);
      Kept mine(memory);
      const std::size_t selected_here = mine.fill(part, from_, keep_);
      tell_chosen(me, selected_here);
      co_await me.sync(0);
      const chosen_numbers numbers = hear_chosen(me, selected_here);
      put(mine, sum + numbers.before, selected_here);
      sum += numbers.all;
    }
    if (me.rank() == here.first) total_ = sum;  // others may still read count_
  }
  void finish() noexcept { count_ = total_; }

 private:
  In from_;
  const Keep& keep_;
  std::size_t count_ = 0;
  std::size_t total_ = 0;
};

/// Places for what is kept.
template <class Out> struct selected_places {
  const char* name;
  Out first;
  std::size_t count;
  bool past_caches;

  /// The place of the one that has `before` others before it. Throws: usage_error if there are not
  /// so many behind it.
  [[nodiscard]] Out at(std::size_t before, std::size_t number) const {
    if (before + number > count)
      throw usage_error(std::string(name) + ": an output of " + std::to_string(count) +
                        " elements is too short for what is kept; make it longer");
    return everyday::iterator_at(first, before);
  }
};

/// Copies the elements from[i], i < n, of which keep(i) is true to `to`, which has so many places;
/// returns how many were copied. For `cheap` see grouping.
template <class In, class Out, class Keep>
[[nodiscard]] std::size_t compact(const char* name, executor& where, const range_options& options,
                                  std::size_t n, bool cheap, pace how, In from, Out to,
                                  std::size_t places, const Keep& keep) {
  using selected = std::conditional_t<copied_as_bytes<In, Out>,
                                      selected_copies<std::iter_value_t<In>>, selected_marks>;
  constexpr std::size_t bytes = sizeof(std::iter_value_t<In>);
  const selected_places<Out> out{name, to, places, passes_caches(2 * n * bytes)};
  const grouping groups(n, cheap);
  std::size_t count = 0;
  std::unique_ptr<std::byte[]> group_memory;  // of one group, in the first cache
  const auto put = [&from, &out](const selected& mine, std::size_t before, std::size_t number) {
    mine.put(from, out.at(before, number), out.past_caches);
  };
  const auto alone = [&](std::size_t first, std::size_t last) {
    if (!(selected::copies && out.past_caches)) {
      const interval<> part{groups.group(first).first, groups.group(last - 1).last};
      const std::size_t number = selected::copy(part, from, out.at(count, 0), places - count, keep);
      static_cast<void>(out.at(count, number));
      count += number;
      return;
    }
    if (!group_memory)
      group_memory = std::make_unique_for_overwrite<std::byte[]>(selected::bytes(groups.width()));
    for (std::size_t g = first; g < last; ++g) {
      selected mine(group_memory.get());
      const std::size_t number = mine.fill(groups.group(g), from, keep);
      put(mine, count, number);
      count += number;
    }
    finish_past_caches();
  };
  const remainder left =
      everyday::start_alone(name, where, options, groups.count(), alone, how, groups.width());
  if (left.done == groups.count()) return count;
  const machine::turn mine(where.on(), machine::use::scratch);
  const interval<> rest{groups.group(left.done).first, n};
  // Elements of a VP in a round: these and what is kept stay in a second-level cache.
  const std::size_t each = std::min(std::max<std::size_t>(64, (std::size_t{1} << 18) / bytes),
                                    (rest.size() - 1) / left.vps + 1);
  const std::size_t rounds = (rest.size() - 1) / (each * left.vps) + 1;
  vp_arrays<std::byte> parts;
  arena::take(where.on(),
              [&](arena& in) { parts = in.arrays<std::byte>(selected::bytes(each), left.vps); });
  compaction<selected, In, Keep> all(from, keep);
  all.begin_with(count);
  where.run(left.vps, options.report, [&](vp& me) -> task<> {
    const rank_range here{0, me.size()};
    std::byte* const memory = parts[me.rank()];
    const blocks_of_vps in(me, n), results(me, places);
    const auto look = [&in](const interval<>& part) { in.read(part); };
    const auto put_counted = [&](const selected& chosen, std::size_t before, std::size_t number) {
      put(chosen, before, number);
      results.write({before, before + number});
    };
    co_await all.program(me, here, rest, rounds, memory, look, put_counted);
    if (out.past_caches) finish_past_caches();
    co_await me.sync(0);
  });
  all.finish();
  return all.count();
}

}  // namespace pleat::detail::everyday
