// SPDX-License-Identifier: Apache-2.0
// Traces of everyday algorithms count what crosses between their virtual processors: each
// value tells which of them made or moved it, and is asked when another one takes it. A machine
// that traces has one thread; so each call is made twice, once where every VP has a thread of its
// own.
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/copy_if.hpp>
#include <pleat/oblivious/histogram.hpp>
#include <pleat/oblivious/merge.hpp>
#include <pleat/oblivious/partition.hpp>
#include <pleat/oblivious/rearrange.hpp>
#include <pleat/oblivious/reduce.hpp>
#include <pleat/oblivious/scan.hpp>
#include <pleat/runtime/machine.hpp>

namespace counted_moves_test {

constexpr std::size_t vps = 3;
using matrix = std::array<std::array<std::int64_t, vps>, vps>;  // [from][to]

/// f(from, to), for all VPs that differ.
template <class F> void for_each_pair(const F& f) {
  for (std::size_t from = 0; from < vps; ++from)
    for (std::size_t to = 0; to < vps; ++to)
      if (from != to) f(from, to);
}

/// Each VP has a processor of its own, so its thread tells which it is.
struct crossings {
  std::mutex mutex;
  std::map<std::thread::id, std::map<std::thread::id, std::int64_t>> between;

  void note(std::thread::id from) {
    const std::thread::id to = std::this_thread::get_id();
    if (from == to || from == std::thread::id()) return;
    const std::scoped_lock lock(mutex);
    ++between[from][to];
  }
  [[nodiscard]] matrix of(const std::array<std::thread::id, vps>& threads) const {
    matrix counted{};
    for (std::size_t from = 0; from < vps; ++from) {
      const auto row = between.find(threads[from]);
      if (row == between.end()) continue;
      for (std::size_t to = 0; to < vps; ++to) {
        const auto count = row->second.find(threads[to]);
        if (count != row->second.end()) counted[from][to] = count->second;
      }
    }
    return counted;
  }
};

pleat::machine machine_of_threads() {
  return pleat::machine(
      {.processors = vps, .workers = pleat::workers::free, .threads = {.each = true}});
}
std::array<std::thread::id, vps> threads_of(pleat::machine& on) {
  std::array<std::thread::id, vps> threads;
  on.run(vps, [&](pleat::vp& me) -> pleat::task<> {
    threads[me.rank()] = std::this_thread::get_id();
    co_await me.sync(0);
  });
  return threads;
}
/// Messages of call(machine, options).
template <class Call> matrix traced(const Call& call) {
  pleat::machine machine({.trace = pleat::tracing{.processors = vps}});
  pleat::run_report report;
  call(machine, pleat::range_options{.vps = vps, .report = &report});
  matrix counted{};
  for (unsigned label = 0; label < report.costs->labels(); ++label)
    for_each_pair([&](std::size_t from, std::size_t to) {
      counted[from][to] +=
          static_cast<std::int64_t>(report.costs->messages_between(label, from, to));
    });
  return counted;
}

/// A number, and who made it.
struct made {
  made(std::uint64_t x = 0) : value(x), by(std::this_thread::get_id()) {}
  std::uint64_t value;
  std::thread::id by;
};
/// Values that every VP knows before.
made known(std::uint64_t x) {
  made all(x);
  all.by = {};
  return all;
}
/// Addition that notes operands which others have made. It takes part in no lanes.
struct noted_sum {
  crossings* seen;
  made operator()(const made& a, const made& b) const {
    seen->note(a.by);
    seen->note(b.by);
    return {a.value + b.value};
  }
};

// Each VP has made the elements of its block; groups of them straddle blocks.
TEST(counted_moves, of_a_sum_are_the_values_that_others_made) {
  auto machine = machine_of_threads();
  const auto threads = threads_of(machine);
  for (const std::size_t n : {100U, 1009U, 100'003U}) {
    std::vector<made> x(n, known(1));
    for (std::size_t q = 0; q < vps; ++q)
      for (std::size_t i = q * n / vps; i < (q + 1) * n / vps; ++i) x[i].by = threads[q];
    crossings seen;
    const auto sum = [&](pleat::machine& on, const pleat::range_options& options) {
      const noted_sum op{&seen};
      const made all = pleat::reduce(on, x, known(5), op, std::identity(), options);
      EXPECT_EQ(all.value, n + 5);
    };
    const matrix counted = traced(sum);
    seen.between.clear();
    sum(machine, {.vps = vps});
    EXPECT_EQ(counted, seen.of(threads)) << n;
    EXPECT_GT(counted[1][0], 0) << n;
  }
}

/// Moves tell who has taken an element first, and who put it where it is.
struct carried {
  carried() = default;
  carried(carried&& other) noexcept
      : taken_by(other.taken_by == std::thread::id() ? std::this_thread::get_id()
                                                     : other.taken_by) {}
  carried& operator=(carried&& other) noexcept {
    taken_by = other.taken_by;
    put_by = std::this_thread::get_id();
    return *this;
  }
  std::thread::id taken_by, put_by;
};

matrix carried_between(const std::vector<carried>& all,
                       const std::array<std::thread::id, vps>& threads) {
  matrix moved{};
  for (const carried& one : all) {
    std::size_t from = 0, to = 0;
    while (from < vps && threads[from] != one.taken_by) ++from;
    while (to < vps && threads[to] != one.put_by) ++to;
    if (from < vps && to < vps && from != to) ++moved[from][to];
  }
  return moved;
}

/// A VP also tells each other how many it has chosen, and where a piece of either part begins.
TEST(counted_moves, of_a_partition_are_the_elements_that_change_their_vp) {
  auto machine = machine_of_threads();
  const auto threads = threads_of(machine);
  for (const std::size_t share : {2U, 5U, 100'003U}) {
    const auto divide = [share](pleat::machine& on, std::vector<carried>& x,
                                const pleat::range_options& options) {
      const auto chosen = [&](const carried& one) {
        return static_cast<std::size_t>(&one - x.data()) % share == share - 1;
      };
      pleat::partition(on, x, chosen, options);
    };
    std::vector<carried> x(100'003);
    divide(machine, x, {.vps = vps});
    const matrix moved = carried_between(x, threads);
    const matrix counted = traced([&](pleat::machine& on, const pleat::range_options& options) {
      std::vector<carried> same(x.size());
      divide(on, same, options);
    });
    for_each_pair([&](std::size_t from, std::size_t to) {
      EXPECT_GE(counted[from][to], moved[from][to] + 1);
      EXPECT_LE(counted[from][to], moved[from][to] + 3);
    });
    EXPECT_GT(moved[2][0] + moved[0][2] + moved[1][2], 0) << share;
  }
}

/// A VP also tells each other how many there are in each bucket: as many numbers for any seed.
TEST(counted_moves, of_a_random_order_are_the_elements_that_change_their_vp) {
  auto machine = machine_of_threads();
  const auto threads = threads_of(machine);
  constexpr std::size_t n = 200'003;
  const auto beyond_elements = [&](std::uint64_t seed) {
    std::vector<carried> x(n);
    pleat::random_shuffle(machine, x, seed, {.vps = vps});
    const matrix moved = carried_between(x, threads);
    matrix rest = traced([&](pleat::machine& on, const pleat::range_options& options) {
      std::vector<carried> same(n);
      pleat::random_shuffle(on, same, seed, options);
    });
    for_each_pair([&](std::size_t from, std::size_t to) {
      EXPECT_GT(moved[from][to], 1000);
      rest[from][to] -= moved[from][to];
    });
    return rest;
  };
  const matrix rest = beyond_elements(1);
  for_each_pair([&](std::size_t from, std::size_t to) {
    EXPECT_GE(rest[from][to], 0);
    EXPECT_LT(rest[from][to], 100);
  });
  EXPECT_EQ(beyond_elements(2), rest);
  EXPECT_EQ(beyond_elements(3), rest);
}

/// Observer of elements that lie in ranges: their addresses tell in whose block, the thread tells
/// which VP reads or writes them.
struct watch {
  struct range {
    template <class T>
    range(const T* of, std::size_t count) : first(of), n(count), bytes(sizeof(T)) {}
    const void* first;
    std::size_t n, bytes;
  };
  std::array<std::thread::id, vps> threads = {};
  std::vector<range> ranges = {};
  bool copies_read = true;
  bool reads_once = false;  ///< a VP keeps what it has read
  std::set<std::pair<const void*, std::thread::id>> read = {};
  std::mutex mutex = {};
  matrix between = {};

  template <class T> void touch(const T* at, bool writes) {
    for (const auto& [start, n, bytes] : ranges) {
      if (bytes != sizeof(T)) continue;
      const auto* const first = static_cast<const T*>(start);
      if (std::less<>()(at, first) || !std::less<>()(at, first + n)) continue;
      const auto i = static_cast<std::size_t>(at - first);
      std::size_t home = 0, here = 0;
      while (n * (home + 1) / vps <= i) ++home;
      while (threads[here] != std::this_thread::get_id()) ++here;
      const std::scoped_lock lock(mutex);
      if (reads_once && !writes && !read.insert({at, threads[here]}).second) return;
      if (home != here) ++between[writes ? here : home][writes ? home : here];
      return;
    }
  }
};
watch* watching = nullptr;

struct watched {
  explicit watched(std::uint64_t x = 0) : value(x) {}
  watched(const watched& other) : value(other.value) { other.read_in_copy(); }
  watched& operator=(const watched& other) {
    other.read_in_copy();
    value = other.value;
    if (watching != nullptr) watching->touch(this, true);
    return *this;
  }
  void read_in_copy() const {
    if (watching != nullptr && watching->copies_read) watching->touch(this, false);
  }
  std::uint64_t value;
};
std::vector<watched> watched_numbers(std::size_t n, std::uint64_t step) {
  std::vector<watched> all;
  for (std::size_t i = 0; i < n; ++i) all.emplace_back(i * step);
  return all;
}

/// Counted messages, and accesses to blocks of others, of call(machine, options).
template <class Call> std::array<matrix, 2> counted_and_seen(watch& seen, const Call& call) {
  auto machine = machine_of_threads();
  seen.threads = threads_of(machine);
  watching = &seen;
  call(machine, pleat::range_options{.vps = vps});
  watching = nullptr;
  return {traced(call), seen.between};
}

TEST(counted_moves, of_a_reversal_are_the_elements_that_change_their_block) {
  for (const std::size_t n : {2U, 7U, 1000U, 100'003U}) {
    std::vector<watched> x = watched_numbers(n, 1);
    watch seen{.ranges = {{x.data(), n}}};
    const auto [counted, crossed] = counted_and_seen(
        seen, [&x](auto& on, const auto& options) { pleat::reverse(on, x, options); });
    EXPECT_EQ(counted, crossed) << n;
    if (n % (2 * vps) == 1) {  // the first block and the last one swap half of each with the other
      EXPECT_NEAR(static_cast<double>(counted[0][2]), static_cast<double>(n) / 3, 4);
    }
  }
}

TEST(counted_moves, of_a_merge_are_the_elements_that_are_taken_and_looked_at_in_blocks_of_others) {
  for (const auto& [n, m] : {std::pair(100U, 1000U), std::pair(50'000U, 30'001U)}) {
    std::vector<watched> a = watched_numbers(n, 5), b = watched_numbers(m, 3);
    std::vector<watched> out = watched_numbers(n + m, 0);
    watch seen{.ranges = {{a.data(), n}, {b.data(), m}, {out.data(), n + m}}};
    const auto [counted, crossed] = counted_and_seen(seen, [&](auto& on, const auto& options) {
      pleat::merge(on, a, b, out, std::ranges::less(), &watched::value, options);
    });
    const auto looks = 2 * static_cast<std::int64_t>(std::bit_width(n + m));
    std::int64_t all = 0;
    for_each_pair([&, &counted = counted, &crossed = crossed](std::size_t from, std::size_t to) {
      EXPECT_GE(counted[from][to], crossed[from][to]) << from << " to " << to;
      EXPECT_LE(counted[from][to], crossed[from][to] + looks) << from << " to " << to;
      all += crossed[from][to];
    });
    EXPECT_GT(all, n / 10);
  }
}

/// A VP also tells each other how many it keeps, once a round.
TEST(counted_moves, of_a_copy_if_are_the_elements_in_blocks_of_others) {
  for (const std::size_t n : {100U, 1009U, 200'003U}) {
    std::vector<watched> x = watched_numbers(n, 1), out = watched_numbers(n / 2 + 7, 0);
    watch seen{.ranges = {{x.data(), n}, {out.data(), out.size()}}, .copies_read = false};
    const auto is_even = [](const watched& one) {
      if (watching != nullptr) watching->touch(&one, false);
      return one.value % 2 == 0;
    };
    auto [counted, crossed] = counted_and_seen(seen, [&](auto& on, const auto& options) {
      pleat::copy_if(on, x, out, is_even, std::identity(), options);
    });
    const std::int64_t rounds = counted[0][1] - crossed[0][1];
    EXPECT_EQ(rounds, n > 100'000 ? 3 : 1);
    for_each_pair([rounds, &crossed = crossed](std::size_t from, std::size_t to) {
      crossed[from][to] += rounds;
    });
    EXPECT_EQ(counted, crossed) << n;
  }
}

/// A result that is watched when it is written.
struct watched_result {
  watched_result& operator=(const made& other) {
    result = other;
    if (watching != nullptr) watching->touch(this, true);
    return *this;
  }
  made result;
};

/// A round of a scan is of elements that follow each other, in blocks of several VPs.
TEST(counted_moves, of_a_scan_are_the_totals_that_others_made_and_elements_in_blocks_of_others) {
  for (const std::size_t n : {100U, 1009U, 100'003U}) {
    const std::vector<std::uint64_t> x(n, 1);
    std::vector<watched_result> out(n);
    crossings made_by_others;
    watch seen{.ranges = {{x.data(), n}, {out.data(), n}}, .reads_once = true};
    const auto shown = [](const std::uint64_t& one) {
      if (watching != nullptr) watching->touch(&one, false);
      return one;
    };
    auto [counted, crossed] = counted_and_seen(seen, [&](auto& on, const auto& options) {
      pleat::exclusive_scan(on, x, out, known(5), noted_sum{&made_by_others}, shown, options);
      EXPECT_EQ(out.back().result.value, n + 4);
    });
    const matrix totals = made_by_others.of(seen.threads);
    EXPECT_GT(totals[2][0], 0) << n;
    EXPECT_EQ(crossed[2][0] > 0, n > 100'000) << "several rounds";
    for_each_pair([&totals, &crossed = crossed](std::size_t from, std::size_t to) {
      crossed[from][to] += totals[from][to];
    });
    EXPECT_EQ(counted, crossed) << n;
  }
}

}  // namespace counted_moves_test
