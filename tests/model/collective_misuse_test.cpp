// SPDX-License-Identifier: Apache-2.0
// Collective operations that are given what makes no sense, the same at all ranks: one line that
// says what is wrong, and a machine as good as before.
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/collectives/all_gather.hpp>
#include <pleat/collectives/all_to_all.hpp>
#include <pleat/collectives/broadcast.hpp>
#include <pleat/collectives/gather.hpp>
#include <pleat/collectives/reduce.hpp>
#include <pleat/collectives/reduce_scatter.hpp>
#include <pleat/collectives/scan.hpp>
#include <pleat/collectives/scatter.hpp>

#include "collective_proof_of_life.hpp"
#include "failures.hpp"
#include "worker_counts.hpp"

namespace collective_misuse_test {

using model::complaint_about_operations, model::names, model::text, pleat::collective_options;
using pleat::task, pleat::vp;

using collective_misuse = model::failures;
using longs = std::vector<long>;

/// Every VP is given something that makes no sense: usage_error with these words in it.
struct nonsense {
  std::function<task<>(vp&)> program;
  std::vector<std::string> words;
};

void all_refused(pleat::machine& machine, std::size_t v, const std::vector<nonsense>& cases) {
  for (const nonsense& one : cases) {
    SCOPED_TRACE(one.words.front());
    try {
      machine.run(v, one.program);
      ADD_FAILURE() << "nothing was wrong";
    } catch (const pleat::vp_failed& e) {
      EXPECT_THROW(e.rethrow_cause(), pleat::usage_error);
      EXPECT_TRUE(names(e.what(), one.words));
    }
  }
}

TEST_P(collective_misuse, by_a_root_there_is_not_names_it) {
  everywhere(1, false, [&](pleat::machine& machine, std::size_t v) {
    const collective_options wrong{.root = v};
    const std::vector<std::string> words{"no rank " + text(v) + " to be the root",
                                         "the segment has " + text(v)};
    all_refused(machine, v,
                {{[&](vp& me) -> task<> {
                    longs x(3);
                    co_await broadcast(me, std::span(x), wrong);
                  },
                  words},
                 {[&](vp& me) -> task<> {
                    longs x(3);
                    co_await reduce(me, std::span(x), std::span(x), std::plus<long>(), wrong);
                  },
                  words},
                 {[&](vp& me) -> task<> {
                    longs x(3), y(3 * v);
                    co_await gather(me, std::span(x), std::span(y), wrong);
                  },
                  words},
                 {[&](vp& me) -> task<> {
                    longs x(3), y(3 * v);
                    co_await scatter(me, std::span(y), std::span(x), wrong);
                  },
                  words}});
    EXPECT_EQ(complaint_about_operations(machine, v), "");
  });
}

TEST_P(collective_misuse, by_sizes_that_do_not_fit_says_what_is_needed) {
  everywhere(2, false, [&](pleat::machine& machine, std::size_t v) {
    const std::vector<std::size_t> counts(v, 2), too_few(v - 1, 2);
    const std::size_t total = 2 * v;
    std::vector<nonsense> cases{
        {[&](vp& me) -> task<> {
           longs x(2), y(total + 1);
           co_await all_gather(me, std::span(x), std::span(y));
         },
         {"all_gather", "the output has " + text(total + 1), text(total) + " that are needed"}},
        {[&](vp& me) -> task<> {
           longs x(2), y(total - 1);
           co_await all_gather_v(me, std::span(x), std::span(y), counts);
         },
         {"all_gather_v", "the output has " + text(total - 1)}},
        {[&](vp& me) -> task<> {
           longs x(3), y(total);
           co_await all_gather_v(me, std::span(x), std::span(y), counts);
         },
         {"all_gather_v", "the input has 3", "2 that are needed"}},
        {[&](vp& me) -> task<> {
           longs x(2), y(total);
           co_await all_gather_v(me, std::span(x), std::span(y), too_few);
         },
         {"all_gather_v", "counts for " + text(v - 1) + " ranks", "segment has " + text(v)}},
        {[&](vp& me) -> task<> {
           longs x(4), y(5);
           co_await all_reduce(me, std::span(x), std::span(y), std::plus<long>());
         },
         {"all_reduce", "the output has 5", "4 that are needed"}},
        {[&](vp& me) -> task<> {
           longs x(4), y(3);
           co_await scan(me, std::span(x), std::span(y), std::plus<long>());
         },
         {"scan", "the output has 3", "4 that are needed"}},
        {[&](vp& me) -> task<> {
           longs x(total + 1), y(2);
           co_await reduce_scatter(me, std::span(x), std::span(y), std::plus<long>());
         },
         {"reduce_scatter", text(total + 1) + " elements have no equal parts",
          "use reduce_scatter_v"}},
        {[&](vp& me) -> task<> {
           longs x(total), y(3);
           co_await reduce_scatter_v(me, std::span(x), std::span(y), counts, std::plus<long>());
         },
         {"reduce_scatter_v", "the output has 3"}},
        {[&](vp& me) -> task<> {
           longs x(total + 1), y(total + 1);
           co_await all_to_all(me, std::span(x), std::span(y));
         },
         {"all_to_all", "no equal parts", "use all_to_all_v"}},
        {[&](vp& me) -> task<> {
           longs x(total), y(total - 1);
           co_await all_to_all_v(me, std::span(x), std::span(y), counts, counts);
         },
         {"all_to_all_v", "the output has " + text(total - 1)}},
        {[&](vp& me) -> task<> {
           longs x(2), y(total + 1);
           co_await gather(me, std::span(x), std::span(y), {.root = me.rank()});
         },
         {"gather", "the root's output has " + text(total + 1)}},
        {[&](vp& me) -> task<> {
           longs x(2), y(total + 1);
           co_await scatter(me, std::span(y), std::span(x), {.root = me.rank()});
         },
         {"scatter", "the root's input has " + text(total + 1)}},
    };
    all_refused(machine, v, cases);
    EXPECT_EQ(complaint_about_operations(machine, v), "");
  });
}

TEST_P(collective_misuse, by_options_that_make_no_sense_says_which) {
  everywhere(3, false, [&](pleat::machine& machine, std::size_t v) {
    const auto all_to_all_with = [&](collective_options options) {
      return [&, options](vp& me) -> task<> {
        longs x(v), y(v);
        co_await all_to_all(me, std::span(x), std::span(y), options);
      };
    };
    const auto sums_with = [](collective_options options) {
      return [options](vp& me) -> task<> {
        longs x(1);
        co_await all_reduce(me, std::span(x), std::span(x), std::plus<long>(), options);
      };
    };
    constexpr auto trees = pleat::collective_schedule::binomial;
    const auto broadcast_in = [&](pleat::segment in) {
      return [in](vp& me) -> task<> {
        longs x(5);
        co_await broadcast(me, std::span(x), {.within = in});
      };
    };
    const unsigned large = static_cast<unsigned>(v) + 1;
    all_refused(machine, v,
                {{all_to_all_with({.radix = 1}), {"radix of 1", "from 2"}},
                 {all_to_all_with({.radix = large}), {"radix of " + text(large), "from 2"}},
                 {all_to_all_with({.ports = 0}), {"0 ports", "give 1 or more"}},
                 {[&](vp& me) -> task<> {
                    longs x(1), y(v);
                    co_await all_gather(me, std::span(x), std::span(y), {.ports = 0});
                  },
                  {"all_gather", "0 ports"}},
                 {[&](vp& me) -> task<> {
                    longs x(1), y(v);
                    const collective_options both{.schedule = trees, .ports = 2};
                    co_await all_gather(me, std::span(x), std::span(y), both);
                  },
                  {"all_gather", "trees have one port"}},
                 {sums_with({.schedule = static_cast<pleat::collective_schedule>(4)}),
                  {"all_reduce", "no schedule 4"}},
                 {sums_with({.schedule = trees, .groups = {4, 4}}), {"no place 4 in groups of 4"}},
                 {sums_with({.schedule = trees, .groups = {0, 1}}), {"no place 1 in groups of 0"}},
                 {sums_with({.groups = {4, 1}}), {"only trees have groups"}},
                 {broadcast_in({v, 1, 0}), {"is no part of the segment", "first " + text(v)}},
                 {broadcast_in({0, v + 1, 0}), {"is no part of the segment"}},
                 {broadcast_in({0, 0, 0}), {"is no part of the segment"}},
                 {broadcast_in({0, v, 60}), {"is no part of the segment", "label 60"}},
                 {broadcast_in({0, v - 1, 0}), {"VP " + text(v - 1), "is no part of"}}});
    EXPECT_EQ(complaint_about_operations(machine, v), "");
  });
}

TEST_P(collective_misuse, by_memory_that_overlaps_is_refused) {
  everywhere(2, false, [&](pleat::machine& machine, std::size_t v) {
    const std::vector<std::size_t> counts(v, 2);
    const std::vector<std::string> overlap{"input and output overlap", "give separate memory"};
    std::vector<nonsense> cases{
        {[&](vp& me) -> task<> {
           longs x(2 * v + 1);
           const auto mine = std::span(x).subspan(me.rank() * 2 + 1, 2);
           co_await all_gather(me, mine, std::span(x).first(2 * v));
         },
         overlap},
        {[&](vp& me) -> task<> {
           longs x(2 * v + 1);
           co_await all_to_all(me, std::span(x).first(2 * v), std::span(x).last(2 * v));
         },
         overlap},
        {[&](vp& me) -> task<> {
           longs x(6);
           co_await all_reduce(me, std::span(x).first(5), std::span(x).last(5), std::plus<long>());
         },
         overlap},
        {[&](vp& me) -> task<> {
           longs x(6);
           co_await scan(me, std::span(x).first(5), std::span(x).last(5), std::plus<long>());
         },
         overlap},
        {[&](vp& me) -> task<> {
           longs x(2 * v + 1);
           const auto mine = std::span(x).subspan(me.rank() * 2 + 1, 2);
           co_await gather(me, mine, std::span(x).first(2 * v), {.root = me.rank()});
         },
         overlap},
    };
    for (const bool commutes : {true, false}) {
      cases.push_back({[&, commutes](vp& me) -> task<> {
                         longs x(2 * v + 1);
                         const auto mine = std::span(x).subspan(me.rank() * 2 + 1, 2);
                         co_await reduce_scatter(me, std::span(x).first(2 * v), mine,
                                                 std::plus<long>(), {.commutative = commutes});
                       },
                       overlap});
      cases.push_back({[&, commutes](vp& me) -> task<> {
                         longs x(2 * v + 1);
                         const auto mine = std::span(x).subspan(me.rank() * 2 + 1, 2);
                         co_await reduce_scatter_v(me, std::span(x).first(2 * v), mine, counts,
                                                   std::plus<long>(), {.commutative = commutes});
                       },
                       overlap});
    }
    all_refused(machine, v, cases);
    EXPECT_EQ(complaint_about_operations(machine, v), "");
  });
}

INSTANTIATE_TEST_SUITE_P(workers, collective_misuse, model::worker_counts({1, 2}));

}  // namespace collective_misuse_test
