// SPDX-License-Identifier: Apache-2.0
// Collective operations that are given what makes no sense, that only some take part in, or that
// end with an exception: one line that says what is wrong, and a machine as good as before.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <pleat/collectives/all_gather.hpp>
#include <pleat/collectives/all_to_all.hpp>
#include <pleat/collectives/broadcast.hpp>
#include <pleat/collectives/gather.hpp>
#include <pleat/collectives/reduce.hpp>
#include <pleat/collectives/reduce_scatter.hpp>
#include <pleat/collectives/scan.hpp>
#include <pleat/collectives/scatter.hpp>

#include "failures.hpp"

namespace {

using model::broken;
using model::local;
using model::names;
using model::text;
using pleat::collective_options;
using pleat::task;
using pleat::vp;

using collective_misuse = model::failures;
using longs = std::vector<long>;

std::span<const long> in_of(const longs& x) { return x; }

/// A run of every operation, after one that failed.
std::string complaint_about_operations(pleat::machine& machine, std::size_t v) {
  std::atomic<long> wrong{0};
  machine.run(v, [&](vp& me) -> task<> {
    longs x(100, static_cast<long>(me.rank())), sum(100), all(100 * v);
    const std::span<const long> in(x);
    const std::span<long> out(sum), wide(all);
    const std::plus<> add;
    const collective_options options{};
    co_await all_reduce(me, in, out, add, options);
    wrong += std::ranges::count(sum, static_cast<long>(v * (v - 1) / 2)) != 100;
    co_await all_gather(me, in, wide, options);
    for (std::size_t r = 0; r < v; ++r) wrong += all[r * 100 + 99] != static_cast<long>(r);
    co_await broadcast(me, out, options);
  });
  return wrong == 0 ? "" : "operations go wrong afterwards";
}

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

TEST_P(collective_misuse, by_different_sizes_names_both_ranks) {
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

TEST_P(collective_misuse, by_different_operations_names_both_where_they_meet) {
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

TEST_P(collective_misuse, by_different_roots_is_found_by_the_next_operation_at_the_latest) {
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

TEST_P(collective_misuse, by_different_options_is_an_error) {
  everywhere(3, false, [&](pleat::machine& machine, std::size_t v) {
    const auto differ = [&](collective_options usual, collective_options odd) {
      (void)failure<pleat::run_error>(machine, v, [&](vp& me) -> task<> {
        const local l(alive);
        longs x(me.size()), y(me.size());
        const collective_options mine = me.rank() == 1 ? odd : usual;
        co_await all_to_all(me, in_of(x), std::span(y), mine);
        co_await broadcast(me, std::span(x), mine);
        co_await all_reduce(me, in_of(x), std::span(y), std::plus<long>(), mine);
      });
    };
    differ({.radix = 2}, {.radix = static_cast<unsigned>(v)});
    differ({.blocks = 2}, {.blocks = 3});
    differ({}, {.root = 1});
    differ({.blocks = 1, .commutative = true}, {.blocks = 1, .commutative = false});
    EXPECT_EQ(complaint_about_operations(machine, v), "");
  });
}

TEST_P(collective_misuse, by_different_counts_is_an_error_though_their_sum_is_the_same) {
  everywhere(4, false, [&](pleat::machine& machine, std::size_t v) {
    for (const std::size_t n : {1u, 1000u}) {
      const auto counts_for = [&](const vp& me) {
        std::vector<std::size_t> counts(v, n);
        if (me.rank() != v - 1) return counts;
        counts[0] = 2 * n;  // none of this rank's business
        counts[1] = 0;
        return counts;
      };
      (void)failure<pleat::run_error>(machine, v, [&](vp& me) -> task<> {
        const local l(alive);
        const std::vector<std::size_t> counts = counts_for(me);
        longs x(n), y(n * v);
        co_await all_gather_v(me, in_of(x), std::span(y), counts);
      });
      (void)failure<pleat::run_error>(machine, v, [&](vp& me) -> task<> {
        const local l(alive);
        const std::vector<std::size_t> counts = counts_for(me);
        longs x(n), y(n * v);
        co_await reduce_scatter_v(me, in_of(y), std::span(x), counts, std::plus<long>());
      });
      const auto e = failure<pleat::vp_failed>(machine, v, [&](vp& me) -> task<> {
        const local l(alive);
        const std::vector<std::size_t> counts = counts_for(me);
        longs x(n), y(n * v);
        co_await scatter_v(me, in_of(y), std::span(x), counts);
      });
      EXPECT_TRUE(names(e.what(), {"scatter", "VP 0", "VP " + text(v - 1), "other counts"}));
    }
    EXPECT_EQ(complaint_about_operations(machine, v), "");
  });
}

INSTANTIATE_TEST_SUITE_P(workers, collective_misuse, testing::Values(1u, 2u));

}  // namespace
