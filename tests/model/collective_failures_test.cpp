// SPDX-License-Identifier: Apache-2.0
// Virtual processors that fail in or beside a collective operation: the run ends with their error,
// nobody touches memory that has gone, and the machine is as good as before.
#include <atomic>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include <pleat/collectives/all_gather.hpp>
#include <pleat/collectives/all_to_all.hpp>
#include <pleat/collectives/broadcast.hpp>
#include <pleat/collectives/gather.hpp>
#include <pleat/collectives/reduce.hpp>
#include <pleat/collectives/reduce_scatter.hpp>
#include <pleat/collectives/scan.hpp>
#include <pleat/collectives/scatter.hpp>

#include "base/sanitizer.hpp"
#include "failures.hpp"
#include "worker_counts.hpp"

namespace collective_failures_test {

using model::broken, model::local, model::names, model::text, pleat::collective_options;
using pleat::task, pleat::vp;

using collective_failures = model::failures;
using longs = std::vector<long>;

std::span<const long> in_of(const longs& x) { return x; }

constexpr std::size_t operations = 7;
/// Number `which` of them, n elements from or to each.
task<> perform(vp& me, std::size_t which, std::size_t n, collective_options options = {}) {
  longs x(n * me.size()), y(n * me.size()), one(n), other(n);
  const std::plus<> add;
  switch (which) {
    case 0:
      co_await broadcast(me, std::span(one), options);
      break;
    case 1:
      co_await all_gather(me, in_of(one), std::span(y), options);
      break;
    case 2:
      co_await all_to_all(me, in_of(x), std::span(y), options);
      break;
    case 3:
      co_await reduce_scatter(me, in_of(x), std::span(one), add, options);
      break;
    case 4:
      co_await all_reduce(me, in_of(one), std::span(other), add, options);
      break;
    case 5:
      co_await scan(me, in_of(one), std::span(other), add, options);
      break;
    default:
      co_await reduce(me, in_of(one), std::span(other), add, options);
      co_await scatter(me, in_of(x), std::span(one), options);
      co_await gather(me, in_of(one), std::span(y), options);
      break;
  }
}

TEST_P(collective_failures, of_an_operator_that_throws_end_the_run_with_its_exception) {
  everywhere(2, false, [&](pleat::machine& machine, std::size_t v) {
    for (const std::size_t n : {1u, 300u, 8000u}) {
      if (n > 300 && v > 8) continue;
      for (const bool commutes : {true, false}) {
        for (const long calls : {0L, 9L}) {
          std::atomic<long> left{calls};
          const auto add = [&](long a, long b) {
            if (left-- == 0) throw broken("no sum");
            return a + b;
          };
          const collective_options options{.commutative = commutes};
          const auto e = failure<pleat::vp_failed>(machine, v, [&](vp& me) -> task<> {
            const local l(alive);
            longs x(n), y(n), wide(n * me.size());
            for (int i = 0; i < 10; ++i) {
              co_await all_reduce(me, in_of(x), std::span(y), add, options);
              co_await reduce(me, in_of(x), std::span(y), add, options);
              co_await reduce_scatter(me, in_of(wide), std::span(y), add, options);
              co_await scan(me, in_of(x), std::span(y), add, options);
            }
          });
          EXPECT_THROW(e.rethrow_cause(), broken);
          EXPECT_TRUE(names(e.what(), {"no sum", "VP "}));
        }
      }
    }
  });
}

TEST_P(collective_failures, of_a_rank_that_throws_instead_of_taking_part_end_the_run) {
  everywhere(2, false, [&](pleat::machine& machine, std::size_t v) {
    for (std::size_t which = 0; which < operations; ++which) {
      for (const std::size_t n : {1u, 5000u}) {
        if (n > 1 && v > 8) continue;
        const auto e = failure<pleat::vp_failed>(machine, v, [&](vp& me) -> task<> {
          const local l(alive);
          co_await perform(me, which, n);
          if (me.rank() == me.size() / 2) throw broken("no part");
          co_await perform(me, which, n);
        });
        EXPECT_THROW(e.rethrow_cause(), broken);
        EXPECT_EQ(e.rank, v / 2);
      }
    }
  });
}

TEST_P(collective_failures, of_a_rank_that_ends_instead_of_taking_part_are_deadlocks) {
  everywhere(2, false, [&](pleat::machine& machine, std::size_t v) {
    for (std::size_t which = 0; which < operations; ++which) {
      if (v > 7 && which % 3 != 0) continue;
      const auto e = failure<pleat::deadlock>(machine, v, [&](vp& me) -> task<> {
        const local l(alive);
        if (me.rank() != 0) co_await perform(me, which, 100);
      });
      EXPECT_TRUE(names(e.what(), {"deadlock", v <= 7 ? "VP 0" : "more"}));
    }
  });
}

TEST_P(collective_failures, of_a_deadlock_name_what_each_waits_in) {
  everywhere(4, false, [&](pleat::machine& machine, std::size_t v) {
    const auto e = failure<pleat::deadlock>(machine, v, [&](vp& me) -> task<> {
      const local l(alive);
      if (me.rank() == 0) {
        co_await me.sync(0);
      } else if (me.rank() == 1) {
        co_await me.pop<int>(2);
      } else {
        co_await perform(me, 4, 1);
      }
    });
    if (v <= 6) {
      EXPECT_TRUE(names(e.what(), {"VP 1 in pop from VP 2", "VP 2 in all_reduce",
                                   "VP 3 in all_reduce", "VP 0 in sync(0)"}));
    } else {
      EXPECT_TRUE(names(e.what(), {"and " + text(v - 6) + " more"}));
    }
  });
}

TEST_P(collective_failures, of_a_rank_leave_no_one_with_its_memory) {
  // One rank finds out that it is in another operation than the others, and its memory goes, while
  // they copy what it lent them.
  constexpr std::size_t n = pleat::detail::sanitized ? 20000 : 50000;
  constexpr int rounds = 6;
  pleat::machine machine({.processors = GetParam()});
  for (int round = 0; round < rounds; ++round) {
    for (const std::size_t v : {2u, 3u, 4u, 7u}) {
      for (const std::size_t which : {1u, 2u, 3u}) {
        const std::size_t odd = static_cast<std::size_t>(round) % v;
        (void)failure<pleat::run_error>(machine, v, [&](vp& me) -> task<> {
          const local l(alive);
          const std::size_t mine = me.rank() == odd ? which % 3 + 1 : which;
          co_await perform(me, mine, n);
        });
        EXPECT_EQ(alive, 0);
      }
    }
  }
  EXPECT_EQ(model::complaint_about(machine, 4), "");
}

INSTANTIATE_TEST_SUITE_P(workers, collective_failures, model::worker_counts({1, 2, 3}));

}  // namespace collective_failures_test
