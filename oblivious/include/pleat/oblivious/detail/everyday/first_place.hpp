// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>

#include <pleat/oblivious/detail/everyday/executor.hpp>
#include <pleat/oblivious/detail/everyday/groups.hpp>
#include <pleat/oblivious/detail/everyday/loop.hpp>
#include <pleat/oblivious/detail/everyday/start.hpp>
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

/// Returns the least i < n for which is(i) is true; n if there is none. For `cheap` see grouping.
template <class Is>
[[nodiscard]] std::size_t first_where(const char* name, executor& where,
                                      const range_options& options, std::size_t n, bool cheap,
                                      pace how, const Is& is) {
  const grouping groups(n, cheap);
  first_place first(n);
  const auto look = [&](std::size_t begin, std::size_t end) {
    const interval<> some{groups.group(begin).first, groups.group(end - 1).last};
    const std::size_t i = everyday::first_of(some, is);
    if (i < some.last) first.found(i);
  };
  const std::size_t count = groups.count();
  const remainder left = everyday::start_alone(
      name, where, options, count,
      [&](std::size_t begin, std::size_t end) {
        if (first.at() == n) look(begin, end);
      },
      how, groups.width());
  if (left.done == count || first.at() < n) return first.at();
  chunk_counter chunks({left.done, count}, 1);
  where.run(left.vps, options.report, [&](vp&) -> task<> {
    try {
      for (interval<> next = chunks.take(); !next.empty(); next = chunks.take()) {
        if (first.at() <= groups.group(next.first).first) break;
        look(next.first, next.last);
      }
    } catch (...) {
      chunks.stop();
      throw;
    }
    co_return;
  });
  return first.at();
}

}  // namespace pleat::detail::everyday
