// SPDX-License-Identifier: Apache-2.0
// Machines that count: how they are made, and what they do with programs that fail.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/evaluate.hpp>

#include "machines.hpp"
#include "unit/message_of.hpp"

namespace evaluate_test {

using pleat::machine, pleat::task, pleat::tracing, pleat::usage_error, pleat::vp;

using evaluate = machines;
using tracing_machine = machines;

task<> exchange(vp& me) {
  for (unsigned label = me.labels(); label-- > 0;) {
    const std::size_t q = me.rank() ^ (std::size_t{1} << (me.labels() - 1 - label));
    if (q < me.size()) me.send(q, me.rank());
    co_await me.sync(label);
  }
}

TEST_F(tracing_machine, has_one_strict_worker_whatever_the_environment_says) {
  const variable processors("PLEAT_NUM_PROCESSORS", "2");
  const machine m({.trace = tracing{}});
  EXPECT_EQ(m.processors(), 1u);
  EXPECT_TRUE(m.strict());
  const machine said({.processors = 1, .strict = true, .trace = tracing{}});
  EXPECT_EQ(said.processors(), 1u);
}

TEST_F(tracing_machine, cannot_have_more_workers_or_be_lax) {
  EXPECT_THROW(machine({.processors = 2, .trace = tracing{}}), usage_error);
  EXPECT_THROW(machine({.strict = false, .trace = tracing{}}), usage_error);
}

TEST_F(tracing_machine, reports_costs_and_no_other_does) {
  machine counting({.trace = tracing{}}), plain({.processors = 1});
  const pleat::run_report counted = counting.run(16, exchange);
  const pleat::run_report report = plain.run(16, exchange);
  EXPECT_FALSE(report.costs.has_value());
  ASSERT_TRUE(counted.costs.has_value());
  EXPECT_EQ(counted.costs->messages(), 64u);
  // The rest of the report is the same.
  EXPECT_EQ(counted.supersteps, report.supersteps);
  EXPECT_EQ(counted.messages, report.messages);
  EXPECT_EQ(counted.bytes, report.bytes);
}

TEST_F(evaluate, takes_a_program_by_reference) {
  struct counting {
    std::size_t* calls;
    task<> operator()(vp& me) {
      ++*calls;
      return exchange(me);
    }
  };
  std::size_t calls = 0;
  counting program{&calls};
  EXPECT_EQ(pleat::evaluate(8, program).messages(), 24u);
  EXPECT_EQ(calls, 8u);
}

TEST_F(evaluate, refuses_what_run_refuses) {
  EXPECT_THROW((void)pleat::evaluate(0, exchange), usage_error);
  // A run inside a run.
  machine m({.processors = 1});
  bool refused = false;
  m.run(1, [&](vp& me) -> task<> {
    try {
      (void)pleat::evaluate(4, exchange);
    } catch (const usage_error&) {
      refused = true;
    }
    co_await me.sync(0);
  });
  EXPECT_TRUE(refused);
}

TEST_F(tracing_machine, counts_who_sends_to_whom_on_the_folding_asked_for) {
  // M(6): r sends r messages to its successor; folded onto 4, where 0 and 1 share a processor, and
  // 3 and 4.
  const auto ring = [](vp& me) -> task<> {
    for (std::size_t i = 0; i < me.rank(); ++i) me.send((me.rank() + 1) % 6, 1);
    co_await me.sync(0);
    co_await me.sync(2);
  };
  machine m({.trace = tracing{.processors = 4}});
  for (int again = 0; again < 2; ++again) {
    const pleat::cost_trace costs = *m.run(6, ring).costs;
    ASSERT_EQ(costs.processors(), 4u);
    const std::uint64_t expected[4][4] = {{0, 1, 0, 0}, {0, 0, 2, 0}, {0, 0, 3, 4}, {5, 0, 0, 0}};
    for (unsigned from = 0; from < 4; ++from) {
      for (unsigned to = 0; to < 4; ++to) {
        EXPECT_EQ(costs.messages_between(0, from, to), expected[from][to]) << from << to;
        EXPECT_EQ(costs.messages_between(2, from, to), 0u);
      }
    }
  }
  EXPECT_EQ(m.run(2, [](vp& me) -> task<> { co_await me.sync(0); }).costs->processors(), 2u);
  EXPECT_EQ(pleat::evaluate(6, ring).processors(), 0u);
}

// One message of a run.
struct message {
  std::size_t superstep, source, destination;
};

// H(p, 0) and the number of supersteps by the definition: everybody's messages, one by one.
pleat::folded_costs folded_by_definition(std::size_t v, const std::vector<unsigned>& labels,
                                         const std::vector<message>& messages, std::size_t p) {
  const auto owner = [&](std::size_t rank) { return rank * p / v; };
  pleat::folded_costs costs{.processors = p};
  for (std::size_t s = 0; s < labels.size(); ++s) {
    std::size_t degree = 0;
    for (std::size_t q = 0; q < p; ++q) {
      std::size_t sent = 0, received = 0;
      for (const message& m : messages) {
        if (m.superstep != s || owner(m.source) == owner(m.destination)) continue;
        sent += owner(m.source) == q;
        received += owner(m.destination) == q;
      }
      degree = std::max({degree, sent, received});
    }
    costs.degree += degree;
    bool joins = false;
    for (std::size_t rank = 0; rank + 1 < v; ++rank)
      joins = joins || (owner(rank) != owner(rank + 1) &&
                        pleat::shared_bits(v, rank, rank + 1) >= labels[s]);
    costs.supersteps += joins;
  }
  return costs;
}

TEST_F(evaluate, folds_onto_any_number_of_processors) {
  for (const std::size_t v : {1u, 2u, 12u, 16u, 37u, 64u}) {
    std::vector<unsigned> labels;
    for (unsigned s = 0; s < 12; ++s) labels.push_back((5 * s + 2) % pleat::label_count(v));
    std::vector<message> messages;
    const pleat::cost_trace costs = pleat::evaluate(
        v,
        [&](vp& me) -> task<> {
          for (std::size_t s = 0; s < labels.size(); ++s) {
            const pleat::rank_range all = pleat::cluster_of(v, me.rank(), labels[s]);
            for (std::size_t i = 0; i < (me.rank() * 7 + s) % 4; ++i) {
              const std::size_t to = all.first + (me.rank() * i + s) % all.size();
              me.send(to, i);
              messages.push_back({s, me.rank(), to});
            }
            co_await me.sync(labels[s]);
          }
        },
        {.messages = true});
    for (std::size_t p = 1; p <= v; p += 1 + v / 16) {
      const pleat::folded_costs expected = folded_by_definition(v, labels, messages, p);
      const pleat::folded_costs found = folded(costs, p);
      EXPECT_EQ(found.processors, p);
      EXPECT_EQ(found.degree, expected.degree) << v << " onto " << p;
      EXPECT_EQ(found.supersteps, expected.supersteps) << v << " onto " << p;
      EXPECT_EQ(found.H(0.5), expected.H(0.5));
    }
    for (unsigned j = 0; std::has_single_bit(v) && v >> j != 0; ++j)
      EXPECT_EQ(folded(costs, std::size_t{1} << j).H(3), costs.H(j, 3)) << v << " onto 2^" << j;
    EXPECT_THROW((void)folded(costs, 0), usage_error);
    EXPECT_THROW((void)folded(costs, v + 1), usage_error);
    EXPECT_THROW((void)folded(pleat::evaluate(v, exchange), 1), usage_error);
  }
}

TEST_F(tracing_machine, fails_as_others_do_and_can_be_used_again) {
  machine m({.trace = tracing{.dummies = true}});
  const pleat::cost_trace good = pleat::evaluate(16, exchange);
  const auto still_good = [&] {
    return first_difference(*m.run(16, exchange).costs, good).value_or("as before");
  };
  struct broken : std::runtime_error {
    using std::runtime_error::runtime_error;
  };
  try {
    m.run(16, [](vp& me) -> task<> {
      me.send(me.rank() ^ 1, 1);
      co_await me.sync(3);
      me.send(me.rank() ^ 2, 1);
      if (me.rank() == 5) throw broken("on purpose");
      co_await me.sync(2);
    });
    ADD_FAILURE() << "it should have thrown";
  } catch (const pleat::vp_failed& e) {
    EXPECT_EQ(e.rank, 5u);
    EXPECT_THROW(e.rethrow_cause(), broken);
  }
  EXPECT_EQ(still_good(), "as before");

  EXPECT_THROW(m.run(16,
                     [](vp& me) -> task<> {
                       me.send(me.rank() ^ 8, 1);
                       co_await me.sync(3);
                     }),
               pleat::out_of_cluster);
  EXPECT_EQ(still_good(), "as before");

  EXPECT_THROW(m.run(16, [](vp& me) -> task<> { co_await me.sync(me.rank() == 7 ? 0 : 1); }),
               pleat::label_mismatch);
  EXPECT_EQ(still_good(), "as before");

  // It has no costs, although it runs.
  EXPECT_THROW(m.run(16,
                     [](vp& me) -> task<> {
                       if (me.rank() < 8) co_await me.sync(1);
                       co_await me.sync(0);
                     }),
               usage_error);
  EXPECT_EQ(still_good(), "as before");
}

TEST_F(tracing_machine, checks_dummies_where_it_counts_them) {
  const auto to = [](std::size_t q) {
    return [q](vp& me) -> task<> {
      if (me.rank() == 0) me.dummy(q);
      co_await me.sync(1);
    };
  };
  machine counting({.trace = tracing{.dummies = true}}), other({.trace = tracing{}}),
      plain({.processors = 1, .strict = true});
  EXPECT_THROW(counting.run(4, to(2)), pleat::out_of_cluster);
  EXPECT_THROW(counting.run(4, to(4)), pleat::vp_failed);
  for (machine* m : {&other, &plain}) {
    EXPECT_EQ(m->run(4, to(2)).messages, 0u);
    EXPECT_EQ(m->run(4, to(4)).messages, 0u);
  }
}

// Runs `program` on a machine that traces and gives what the usage_error in a VP says.
template <class Program> std::string complaint(Program program) {
  try {
    (void)pleat::evaluate(2, program);
  } catch (const pleat::vp_failed& failed) {
    try {
      failed.rethrow_cause();
    } catch (const usage_error& e) {
      return e.what();
    }
  }
  return "";
}

// A pipeline through all VPs, which therefore run in any order between their barriers.
task<> pass_on(vp& me) {
  constexpr int values = 100;
  if (me.rank() != 0) me.send(me.rank() & (me.rank() - 1), me.rank());
  for (int value = 0; value < values; ++value) {
    if (me.rank() != 0) value = co_await me.pop<int>(me.rank() - 1);
    if (me.rank() + 1 < me.size()) co_await me.push(me.rank() + 1, value);
  }
  co_await me.sync(0);
  while (me.receive()) {
  }
  if (const std::size_t q = me.rank() ^ 1; q < me.size()) me.send(q, 1);
  co_await me.sync(me.labels() - 1);
}

TEST_F(evaluate, counts_a_pushed_value_as_a_message_of_its_superstep) {
  for (const std::size_t v : {2u, 5u, 16u}) {
    const pleat::cost_trace costs = pleat::evaluate(v, pass_on);
    ASSERT_EQ(costs.supersteps().size(), 2u);
    EXPECT_EQ(costs.streamed(), 100 * (v - 1));
    EXPECT_EQ(costs.messages(), 101 * (v - 1) + v / 2 * 2);
    // The upper half gets the values from the lower one, to which each of its VPs but the first
    // sends nothing; VP v/2 sends to VP 0.
    EXPECT_EQ(costs.supersteps()[0].h[1], 100u) << v;
    EXPECT_EQ(costs.supersteps()[1].h[costs.labels()], 1u) << v;
  }
}

TEST_F(evaluate, has_no_costs_of_values_behind_the_last_superstep) {
  const std::string what = message_of<usage_error>([] {
    (void)pleat::evaluate(2, [](vp& me) -> task<> {
      co_await me.sync(0);
      co_await me.push(1 - me.rank(), 1);
      const int got = co_await me.pop<int>(1 - me.rank());
      (void)got;
    });
  });
  EXPECT_NE(what.find("after its last push"), std::string::npos) << what;
}

TEST_F(evaluate, keeps_pushed_values_in_the_cluster_of_their_superstep) {
  EXPECT_THROW(static_cast<void>(pleat::evaluate(4,
                                                 [](vp& me) -> task<> {
                                                   co_await me.push(me.rank() ^ 2, 1);
                                                   const int got =
                                                       co_await me.pop<int>(me.rank() ^ 2);
                                                   (void)got;
                                                   co_await me.sync(1);
                                                 })),
               pleat::out_of_cluster);
}

TEST_F(evaluate, has_no_superstep_for_what_is_sent_before_the_program_begins) {
  const std::string what = complaint([](vp& me) {
    me.send(me.rank() ^ 1, 1);
    return exchange(me);
  });
  EXPECT_NE(what.find("before the program's task has begun"), std::string::npos) << what;
}

}  // namespace evaluate_test
