// SPDX-License-Identifier: Apache-2.0
// Collective operations of which one rank awaits another one, or gives other sizes or options: an
// error, never a hang, and a machine as good as before.
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/collectives/all_gather.hpp>
#include <pleat/collectives/all_to_all.hpp>
#include <pleat/collectives/broadcast.hpp>
#include <pleat/collectives/reduce.hpp>
#include <pleat/collectives/reduce_scatter.hpp>
#include <pleat/collectives/scan.hpp>
#include <pleat/collectives/scatter.hpp>

#include "collective_proof_of_life.hpp"
#include "failures.hpp"
#include "worker_counts.hpp"

namespace collective_differences_test {

using model::complaint_about_operations, model::local, model::names, model::text;
using pleat::collective_options, pleat::task, pleat::vp;

using collective_differences = model::failures;
using longs = std::vector<long>;

std::span<const long> in_of(const longs& x) { return x; }

TEST_P(collective_differences, of_sizes_name_both_ranks) {
  everywhere(2, false, [&](pleat::machine& machine, std::size_t v) {
    const auto differ = [&](const auto& operation) {
      for (const std::size_t n : {1u, 1000u}) {
        for (const bool commutes : {true, false}) {
          const auto e = failure<pleat::vp_failed>(machine, v, [&](vp& me) -> task<> {
            const local l(alive);
            const bool odd = me.rank() == me.size() - 1;
            co_await operation(me, odd ? n + 1 : n, collective_options{.commutative = commutes});
          });
          EXPECT_THROW(e.rethrow_cause(), pleat::usage_error);
          EXPECT_TRUE(names(e.what(), {"VP " + text(v - 1), " sends ", " bytes, VP ", " expects ",
                                       "same counts and options"}));
        }
      }
    };
    differ([](vp& me, std::size_t n, collective_options options) -> task<> {
      longs x(n);
      co_await broadcast(me, std::span(x), options);
    });
    differ([](vp& me, std::size_t n, collective_options options) -> task<> {
      longs x(n), y(n);
      co_await all_reduce(me, in_of(x), std::span(y), std::plus<long>(), options);
    });
    differ([](vp& me, std::size_t n, collective_options options) -> task<> {
      longs x(n), y(n);
      co_await reduce(me, in_of(x), std::span(y), std::plus<long>(), options);
    });
    differ([](vp& me, std::size_t n, collective_options options) -> task<> {
      longs x(n), y(n);
      co_await scan(me, in_of(x), std::span(y), std::plus<long>(), options);
    });
    differ([](vp& me, std::size_t n, collective_options options) -> task<> {
      longs x(n), y(n * me.size());
      co_await all_gather(me, in_of(x), std::span(y), options);
    });
    differ([](vp& me, std::size_t n, collective_options options) -> task<> {
      longs x(n * me.size()), y(n * me.size());
      co_await all_to_all(me, in_of(x), std::span(y), options);
    });
  });
}

TEST_P(collective_differences, of_operations_name_both_where_they_meet) {
  everywhere(2, false, [&](pleat::machine& machine, std::size_t v) {
    for (const std::size_t n : {1u, 1000u}) {
      // Those that wait for each other where nobody comes are deadlocks.
      const auto e = failure<pleat::run_error>(machine, v, [&](vp& me) -> task<> {
        const local l(alive);
        longs x(n), y(n * me.size());
        if (me.rank() == 0) {
          co_await all_gather(me, in_of(x), std::span(y));
        } else {
          co_await all_to_all(me, std::span(y), std::span(y));
        }
      });
      if (v == 2) {
        EXPECT_TRUE(names(e.what(), {"VP 0", "all_gather", "all_to_all", "in the same order"}));
      }
    }
    EXPECT_EQ(complaint_about_operations(machine, v), "");
  });
}

TEST_P(collective_differences, of_roots_are_found_by_the_next_operation_at_the_latest) {
  everywhere(2, false, [&](pleat::machine& machine, std::size_t v) {
    for (const std::size_t n : {1u, 1000u}) {
      const auto e = failure<pleat::run_error>(machine, v, [&](vp& me) -> task<> {
        const local l(alive);
        longs x(n);
        const std::size_t root = me.rank() == me.size() - 1 ? me.rank() : 0;
        co_await broadcast(me, std::span(x), {.root = root});
        co_await broadcast(me, std::span(x));
        co_await broadcast(me, std::span(x), {.root = me.size() - 1});
      });
      if (v == 2 && n == 1) {
        EXPECT_TRUE(names(e.what(), {"broadcast", "VP 0", "VP 1", "root", "the same options"}));
      }
    }
    EXPECT_EQ(complaint_about_operations(machine, v), "");
  });
}

INSTANTIATE_TEST_SUITE_P(workers, collective_differences, model::worker_counts({1, 2}));

}  // namespace collective_differences_test
