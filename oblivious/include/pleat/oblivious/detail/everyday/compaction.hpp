// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <string>
#include <type_traits>

#include <pleat/oblivious/detail/everyday/elements.hpp>
#include <pleat/oblivious/detail/everyday/groups.hpp>
#include <pleat/oblivious/detail/everyday/kept.hpp>
#include <pleat/oblivious/detail/everyday/results.hpp>
#include <pleat/oblivious/detail/everyday/start.hpp>
#include <pleat/oblivious/detail/everyday/venue.hpp>
#include <pleat/oblivious/detail/program/arena.hpp>
#include <pleat/oblivious/detail/program/past_caches.hpp>
#include <pleat/oblivious/range_options.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

// Elements that fulfil a condition are copied to one place after the other: round by round, as
// scans go, so that a part is in the cache from the look at its elements to their copies.
namespace pleat::detail::everyday {

/// Copies the elements i < n of which keep(i) is true from `from` to `to`, which has so many
/// places.
template <class In, class Out, class Keep> class compaction {
 public:
  using kept =
      std::conditional_t<copied_as_bytes<In, Out>, kept_copies<std::iter_value_t<In>>, kept_marks>;

  compaction(const char* name, std::size_t n, In from, Out to, std::size_t places, const Keep& keep)
      : name_(name),
        from_(from),
        to_(to),
        places_(places),
        keep_(keep),
        past_caches_(passes_caches(2 * n * sizeof(std::iter_value_t<In>))) {}

  /// How many were kept.
  [[nodiscard]] std::size_t count() const noexcept { return count_; }

  /// The next elements, by the caller's thread.
  void alone(interval<> part, std::byte* memory) {
    kept mine(memory);
    count_ = put(mine, count_, mine.fill(part, from_, keep_));
    if (past_caches_) finish_past_caches();
  }

  /// The program of a VP, for all others. A round is one 0-superstep, in which the VPs tell each
  /// other how many they keep. `memory`: for elements_per_round() of this VP.
  task<> program(vp& me, interval<> all, std::byte* memory) {
    const std::size_t rounds = (all.size() - 1) / (elements_per_round() * me.size()) + 1;
    std::size_t sum = count_;
    for (std::size_t round = 0; round < rounds; ++round) {
      const interval<> part = all.share(round, rounds).share(me.rank(), me.size());
      kept mine(memory);
      const std::size_t kept_here = mine.fill(part, from_, keep_);
      for (std::size_t q = 0; q < me.size(); ++q)
        if (q != me.rank()) me.send(q, kept_here);
      co_await me.sync(0);
      std::size_t before = sum;
      sum += kept_here;
      for (auto m = me.receive(); m; m = me.receive()) {
        const auto theirs = m->template get<std::size_t>();
        sum += theirs;
        if (m->source() < me.rank()) before += theirs;
      }
      put(mine, before, kept_here);
    }
    if (past_caches_) finish_past_caches();
    if (me.rank() == 0) total_ = sum;
  }
  void finish() noexcept { count_ = total_; }

  /// What a VP looks at in a round: it stays in a second-level cache, with what is kept.
  [[nodiscard]] static std::size_t elements_per_round() noexcept {
    return std::max<std::size_t>(64, (std::size_t{1} << 18) / sizeof(std::iter_value_t<In>));
  }

 private:
  std::size_t put(const kept& mine, std::size_t before, std::size_t kept_here) const {
    const std::size_t after = before + kept_here;
    if (after > places_) {
      throw usage_error(std::string(name_) + ": an output of " + std::to_string(places_) +
                        " elements is too short for what is kept; make it longer");
    }
    mine.put(from_, to_ + static_cast<std::iter_difference_t<Out>>(before), past_caches_);
    return after;
  }

  const char* name_;
  In from_;
  Out to_;
  std::size_t places_;
  const Keep& keep_;
  bool past_caches_;
  std::size_t count_ = 0;
  std::size_t total_ = 0;  // written by VP 0, when others may still read count_
};

/// Returns how many were copied. For `cheap` see grouping.
template <class In, class Out, class Keep>
[[nodiscard]] std::size_t compact(const char* name, venue& where, const range_options& options,
                                  std::size_t n, bool cheap, In from, Out to, std::size_t places,
                                  const Keep& keep) {
  using program = compaction<In, Out, Keep>;
  using kept = typename program::kept;
  program all(name, n, from, to, places, keep);
  const grouping groups(n, cheap);
  std::unique_ptr<std::byte[]> group_memory;  // of one group, in the first cache
  const remainder left = start_alone(
      name, where, options.vps, options.report, groups.count(),
      [&](std::size_t first, std::size_t last) {
        if (!group_memory)
          group_memory = std::make_unique_for_overwrite<std::byte[]>(kept::bytes(groups.width()));
        for (std::size_t g = first; g < last; ++g) all.alone(groups.group(g), group_memory.get());
      });
  if (left.done == groups.count()) return all.count();
  const machine::turn mine(where.on(), machine::use::scratch);
  const interval<> rest{groups.group(left.done).first, n};
  const std::size_t each =
      std::min(program::elements_per_round(), (rest.size() - 1) / left.vps + 1);
  vp_arrays<std::byte> parts;
  arena::take(where.on(),
              [&](arena& in) { parts = in.arrays<std::byte>(kept::bytes(each), left.vps); });
  where.run(left.vps, options.report,
            [&](vp& me) { return all.program(me, rest, parts[me.rank()]); });
  all.finish();
  return all.count();
}

}  // namespace pleat::detail::everyday
