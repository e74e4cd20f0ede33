// SPDX-License-Identifier: Apache-2.0
// A rank that destroys its machine while others go on to run programs.
#include <cstddef>
#include <exception>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#include "faults/watchdog.hpp"
#include "rank_threads.hpp"
#include "unit/message_of.hpp"

namespace leaving_test {

constexpr std::size_t ranks = 4;

pleat::task<> meets_all(pleat::vp& me) {
  me.send((me.rank() + 1) % me.size(), me.rank());
  co_await me.sync(0);
}

class a_rank_that_leaves : public testing::TestWithParam<bool> {
 protected:
  /// Errors of each rank: what its runs have thrown when the others have left behind the first.
  std::vector<std::set<std::string>> without(const std::set<std::size_t>& leavers) {
    const bool unwinding = GetParam();
    post_office office(ranks);
    std::vector<std::set<std::string>> words(ranks);
    const auto thrown = on_all_ranks(ranks, [&](std::size_t rank) {
      const bool leaves = leavers.count(rank) != 0;
      pleat::machine machine(one_worker(std::make_shared<posted_link>(office, rank)));
      machine.run(9, meets_all);
      if (leaves && unwinding) throw std::runtime_error("of the program");
      for (int i = 0; !leaves && i < 3; ++i)
        words[rank].insert(message_of<pleat::usage_error>([&] { machine.run(8, meets_all); }));
    });
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      const bool throws = unwinding && leavers.count(rank) != 0;
      EXPECT_EQ(words_of(thrown[rank]), throws ? "of the program" : "") << rank;
    }
    return words;
  }
  static std::string error_that_names(std::size_t rank) {
    return "rank " + std::to_string(rank) + " has destroyed its machine" +
           (GetParam() ? ", because of an exception," : "") +
           " and takes no part in this run on M(8): all ranks of a machine call the same runs";
  }
  faults::watchdog dog_;
};

TEST_P(a_rank_that_leaves, ends_all_runs_of_the_others_and_is_named) {
  for (std::size_t leaver = 0; leaver < ranks; ++leaver) {
    dog_.watch("one rank leaves", leaver);
    const auto words = without({leaver});
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      if (rank == leaver) continue;
      EXPECT_EQ(words[rank], std::set{error_that_names(leaver)}) << rank;
    }
  }
}

TEST_P(a_rank_that_leaves, is_one_of_those_that_have) {
  for (const std::set<std::size_t>& leavers :
       {std::set<std::size_t>{0, 1}, {1, 3}, {0, 2, 3}, {1, 2, 3}}) {
    dog_.watch("ranks leave", leavers.size());
    const auto words = without(leavers);
    std::set<std::string> possible;
    for (const std::size_t leaver : leavers) possible.insert(error_that_names(leaver));
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      EXPECT_EQ(words[rank].empty(), leavers.count(rank) != 0) << rank;
      for (const std::string& one : words[rank]) EXPECT_TRUE(possible.count(one) != 0) << one;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(of_its_own, a_rank_that_leaves, testing::Bool(), [](const auto& p) {
  return std::string(p.param ? "by_an_exception" : "without_a_word");
});

// Links of ranks that have what machines are made of, and do not make one, or no further one.
TEST_P(a_rank_that_leaves, keeps_no_machine_from_being_refused) {
  const bool unwinding = GetParam();
  for (const int made : {0, 1, 2}) {
    for (std::size_t leaver = 0; leaver < ranks; ++leaver) {
      dog_.watch("one rank makes no machine", leaver);
      post_office office(ranks);
      const auto thrown = on_all_ranks(ranks, [&](std::size_t rank) {
        const auto link = std::make_shared<posted_link>(office, rank);
        const auto make = [&] {
          pleat::machine machine(one_worker(link));
          machine.run(9, meets_all);
        };
        for (int i = 0; i < made; ++i) make();
        if (rank == leaver && unwinding) throw std::runtime_error("of the program");
        for (int i = 0; i < 2 && rank != leaver; ++i) {
          EXPECT_EQ(message_of<pleat::usage_error>(make),
                    "rank " + std::to_string(leaver) +
                        " has destroyed what pleat::mpi::over has returned" +
                        (unwinding ? ", because of an exception," : "") +
                        " and makes no machine of it: all ranks of a machine "
                        "make it");
        }
      });
      for (std::size_t rank = 0; rank < ranks; ++rank)
        EXPECT_EQ(words_of(thrown[rank]), unwinding && rank == leaver ? "of the program" : "");
    }
  }
}

TEST(ranks_that_all_leave, disturb_no_machine_that_follows_on_their_links) {
  faults::watchdog dog;
  post_office office(ranks);
  const auto thrown = on_all_ranks(ranks, [&](std::size_t rank) {
    const auto link = std::make_shared<posted_link>(office, rank);
    for (std::size_t round = 0; round < 30; ++round) {
      if (rank == 0) dog.watch("machines one after the other", round);
      pleat::machine machine(one_worker(link));
      for (std::size_t runs = round % 3; runs > 0; --runs) machine.run(9, meets_all);
    }
  });
  for (const std::exception_ptr& one : thrown) EXPECT_EQ(words_of(one), "");
}

}  // namespace leaving_test
