// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <typeinfo>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/channels/channel_status.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/quota.hpp>

#include "rank_threads.hpp"

namespace machine_test {

template <class Error>
const Error* thrown_on(const machine_of_ranks::outcome& all, std::size_t rank,
                       std::exception_ptr& kept) {
  kept = all.thrown[rank];
  try {
    if (kept) std::rethrow_exception(kept);
  } catch (const Error& e) {
    return &e;
  } catch (...) {
  }
  return nullptr;
}

struct programs_own : std::runtime_error {
  using std::runtime_error::runtime_error;
};

TEST(machine_of_ranks, divides_the_virtual_processors_in_the_order_of_ranks_and_workers) {
  const machine_of_ranks machine({2, 1, 3});
  for (std::size_t rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(machine.on(rank).rank(), rank);
    EXPECT_EQ(machine.on(rank).ranks(), 3u);
    EXPECT_EQ(machine.on(rank).threads(), 6u);
  }
  EXPECT_EQ(machine.on(0).vps_here(60), (pleat::rank_range{0, 20}));
  EXPECT_EQ(machine.on(1).vps_here(60), (pleat::rank_range{20, 30}));
  EXPECT_EQ(machine.on(2).vps_here(60), (pleat::rank_range{30, 60}));
  EXPECT_EQ(machine.on(0).vps_here(2), (pleat::rank_range{0, 2}));
  EXPECT_TRUE(machine.on(2).vps_here(2).empty());
}

// One rank is done with a run when another's message for it has not come yet.
TEST(machine_of_ranks, tells_runs_of_machines_on_one_link_apart) {
  post_office office(2);
  const auto thrown = on_all_ranks(2, [&](std::size_t rank) {
    const auto link = std::make_shared<posted_link>(office, rank);
    const pleat::rank_options options = one_worker(link);
    for (int i = 0; i < 20; ++i) {
      {
        pleat::machine fails(options);
        EXPECT_THROW(pleat::machine{options}, pleat::usage_error) << "two at once";
        EXPECT_THROW(fails.run(2,
                               [](pleat::vp& me) -> pleat::task<> {
                                 if (me.rank() == 0) throw programs_own("of VP 0");
                                 me.send(0, 111);
                                 co_await me.sync(0);
                               }),
                     pleat::vp_failed);
      }
      pleat::machine works(options);
      works.run(2, [](pleat::vp& me) -> pleat::task<> {
        if (me.rank() == 1) me.send(0, 222);
        co_await me.sync(0);
        while (const auto m = me.receive()) EXPECT_EQ(m->get<int>(), 222);
      });
    }
  });
  for (const std::exception_ptr& one : thrown) EXPECT_EQ(words_of(one), "");
}

template <class Error> bool is_cause_of(const std::exception_ptr& failed) {
  try {
    std::rethrow_exception(failed);
  } catch (const pleat::vp_failed& e) {
    try {
      e.rethrow_cause();
    } catch (const std::exception& cause) {
      return typeid(cause) == typeid(Error);
    }
  } catch (...) {
  }
  return false;
}
template <class Error, class... Words> bool keeps_its_type(const Words&... words) {
  machine_of_ranks machine({1, 1});
  const auto all = machine.run(2, [&](pleat::vp& me) -> pleat::task<> {
    if (me.rank() == 1) throw Error(words...);
    co_await me.sync(0);
  });
  return is_cause_of<Error>(all.thrown[0]) && is_cause_of<Error>(all.thrown[1]);
}

TEST(machine_of_ranks, keeps_the_types_of_the_library_s_exceptions) {
  EXPECT_TRUE(keeps_its_type<pleat::error>("words"));
  EXPECT_TRUE(keeps_its_type<pleat::usage_error>("words"));
  EXPECT_TRUE(keeps_its_type<pleat::capacity_error>("words"));
  EXPECT_TRUE(keeps_its_type<pleat::environment_error>("words"));
  EXPECT_TRUE(keeps_its_type<pleat::no_such_place>("words"));
  EXPECT_TRUE(keeps_its_type<std::bad_alloc>());
}

TEST(machine_of_ranks, sends_nothing_for_barriers_inside_a_rank) {
  machine_of_ranks machine({2, 2});
  const auto posted_by = [&](unsigned label, int times) {
    const std::size_t before = machine.link(1).posted;
    machine.run(8, [&](pleat::vp& me) -> pleat::task<> {
      for (int i = 0; i < times; ++i) co_await me.sync(label);
    });
    return machine.link(1).posted - before;
  };
  EXPECT_EQ(posted_by(1, 100), 1u);  // that the rank has left the cluster of both
  EXPECT_EQ(posted_by(0, 100), 101u);
}

TEST(machine_of_ranks, sends_few_messages_where_few_ranks_have_mail_for_each_other) {
  constexpr std::size_t ranks = 16;
  machine_of_ranks machine(std::vector<unsigned>(ranks, 1));
  machine.fix_kinds({}, {1e-6, 1e-10});
  const auto posted_by_run = [&](std::size_t receivers, std::size_t bytes) {
    constexpr std::size_t times = 25;
    const std::size_t before = machine.link(5).posted;
    const auto all = machine.run(ranks, [&](pleat::vp& me) -> pleat::task<> {
      for (std::size_t i = 0; i < times; ++i) {
        for (std::size_t to = 1; to <= receivers; ++to) {
          std::vector<std::size_t> values(bytes / sizeof(std::size_t), i + to);
          me.send((me.rank() + to) % ranks, values);
        }
        co_await me.sync(0);
        std::size_t sum = 0;
        while (auto m = me.receive()) sum += m->span<std::size_t>().back();
        EXPECT_EQ(sum, receivers * i + receivers * (receivers + 1) / 2);
      }
    });
    EXPECT_FALSE(all.thrown[5]);
    EXPECT_EQ(all.reports[5].messages, times * ranks * receivers);
    return (machine.link(5).posted - before) / times;
  };
  EXPECT_LE(posted_by_run(0, 8), 5u);       // four rounds, and what the run itself needs
  EXPECT_LE(posted_by_run(1, 40'000), 6u);  // mail, four rounds
  EXPECT_LE(posted_by_run(15, 8), 5u);      // all mail is forwarded
  EXPECT_LE(posted_by_run(15, 40'000), 17u);
  EXPECT_GE(posted_by_run(15, 40'000), 15u);  // one message is mail and barrier
}

TEST(machine_of_ranks, throws_the_original_where_it_was_thrown_and_its_words_elsewhere) {
  machine_of_ranks machine({1, 1, 1});
  const auto all = machine.run(3, [&](pleat::vp& me) -> pleat::task<> {
    co_await me.sync(0);
    if (me.rank() == 1) throw programs_own("of VP 1");
    co_await me.sync(0);
  });
  for (std::size_t rank = 0; rank < 3; ++rank) {
    std::exception_ptr kept;
    const auto* const e = thrown_on<pleat::vp_failed>(all, rank, kept);
    ASSERT_NE(e, nullptr);
    EXPECT_EQ(e->rank, 1u);
    EXPECT_STREQ(e->what(), "VP 1 of M(3) failed after sync(0): of VP 1");
    if (rank == 1)
      EXPECT_THROW(e->rethrow_cause(), programs_own);
    else
      EXPECT_THROW(e->rethrow_cause(), std::runtime_error);
  }
}

TEST(machine_of_ranks, gives_all_ranks_errors_of_the_librarys_with_their_fields) {
  machine_of_ranks machine({1, 1}, {.strict = true});
  const auto outside = machine.run(4, [&](pleat::vp& me) -> pleat::task<> {
    if (me.rank() == 0) me.send(3, 1);
    co_await me.sync(me.rank() < 2 ? 1 : 0);
  });
  const auto differ = machine.run(
      4, [&](pleat::vp& me) -> pleat::task<> { co_await me.sync(me.rank() == 3 ? 1 : 0); });
  const auto no_memory = machine.run(4, [&](pleat::vp& me) -> pleat::task<> {
    co_await me.sync(0);
    if (me.rank() == 3) throw std::bad_alloc();
  });
  for (std::size_t rank = 0; rank < 2; ++rank) {
    std::exception_ptr kept;
    const auto* const left = thrown_on<pleat::out_of_cluster>(outside, rank, kept);
    ASSERT_NE(left, nullptr);
    EXPECT_EQ(left->source, 0u);
    EXPECT_EQ(left->destination, 3u);
    EXPECT_EQ(left->label, 1u);
    const auto* const labels = thrown_on<pleat::label_mismatch>(differ, rank, kept);
    ASSERT_NE(labels, nullptr);
    EXPECT_EQ(labels->rank, 3u);
    EXPECT_EQ(labels->label, 1u);
    EXPECT_EQ(labels->other_rank, 2u);
    const auto* const failed = thrown_on<pleat::vp_failed>(no_memory, rank, kept);
    ASSERT_NE(failed, nullptr);
    EXPECT_THROW(failed->rethrow_cause(), std::bad_alloc);
  }
}

TEST(machine_of_ranks, refuses_programs_that_need_common_memory_and_names_the_ranks) {
  machine_of_ranks machine({1, 1});
  const auto refused = [&](auto program, const std::string& words) {
    const auto all = machine.run(2, program);
    for (std::size_t rank = 0; rank < 2; ++rank) {
      std::exception_ptr kept;
      const auto* const e = thrown_on<pleat::vp_failed>(all, rank, kept);
      ASSERT_NE(e, nullptr);
      EXPECT_NE(std::string(e->what()).find(words), std::string::npos) << e->what();
      EXPECT_THROW(e->rethrow_cause(), pleat::usage_error);
    }
  };
  refused(
      [](pleat::vp& me) -> pleat::task<> {
        std::vector<int> mine(3);
        if (me.rank() == 1) me.lend(0, mine);
        co_await me.sync(0);
      },
      "VP 1 of rank 1 cannot share memory to be written with VP 0 of rank 0");
  EXPECT_THROW(pleat::machine::turn(machine.on(0), pleat::machine::use::scratch),
               pleat::usage_error);
}

TEST(machine_of_ranks, refuses_runs_of_more_virtual_processors_than_there_is_memory_for) {
  constexpr std::size_t v = std::size_t{1} << 32;
  machine_of_ranks machine({1, 1});
  const auto nothing = [](pleat::vp&) -> pleat::task<> { co_return; };
  EXPECT_EQ(words_of(machine.run(v, nothing)),
            "M(4294967296): a run needs 1 to 2^32 - 1 virtual processors");
  EXPECT_EQ(words_of(machine.run(5, nothing)), "");
  if (pleat::usable_memory() / 64 > v / 2) GTEST_SKIP() << "there may be memory for them";
  const std::string words = words_of(machine.run(v - 2, nothing));
  EXPECT_EQ(words.rfind("M(4294967294): the virtual processors of this process take ", 0), 0u)
      << words;
  EXPECT_EQ(words_of(machine.run(5, nothing)), "");
}

TEST(machine_of_ranks, refuses_options_that_it_does_not_serve_and_ranks_that_differ) {
  EXPECT_THROW(machine_of_ranks({2}, {.trace = pleat::tracing{}}), pleat::usage_error);
  EXPECT_THROW(machine_of_ranks({1}, {.workers = pleat::workers::borrowed}), pleat::usage_error);
  machine_of_ranks machine({1, 1});
  const auto thrown = on_all_ranks(2, [&](std::size_t rank) {
    machine.on(rank).run(8 + rank, [](pleat::vp& me) -> pleat::task<> { co_await me.sync(0); });
  });
  for (const std::exception_ptr& one : thrown) {
    ASSERT_TRUE(one);
    EXPECT_THROW(std::rethrow_exception(one), pleat::usage_error);
  }
}

}  // namespace machine_test
