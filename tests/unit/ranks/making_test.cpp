// SPDX-License-Identifier: Apache-2.0
// Machines that cannot be made on every rank.
#include <cstddef>
#include <exception>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#include "rank_threads.hpp"

namespace making_test {

template <class Error> std::string words_of(const std::exception_ptr& thrown) {
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const Error& e) {
    return e.what();
  } catch (...) {
    return "another type";
  }
  return "nothing";
}

TEST(making_a_machine_of_ranks, fails_on_all_for_what_is_wrong_on_one) {
  constexpr std::size_t ranks = 4;
  post_office office(ranks);
  std::vector<std::shared_ptr<posted_link>> links;
  for (std::size_t rank = 0; rank < ranks; ++rank)
    links.push_back(std::make_shared<posted_link>(office, rank));
  for (std::size_t culprit = 0; culprit < ranks; ++culprit) {
    const auto thrown = on_all_ranks(ranks, [&](std::size_t rank) {
      pleat::rank_options mine = one_worker(links[rank]);
      if (rank == culprit) mine.options.workers = pleat::workers::borrowed;
      const pleat::machine never(std::move(mine));
    });
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      EXPECT_EQ(words_of<pleat::usage_error>(thrown[rank]),
                "a machine over ranks has threads of its own: leave machine_options::workers out")
          << "on rank " << rank << " of rank " << culprit;
    }
  }
  // The links are as good as before.
  const auto thrown = on_all_ranks(ranks, [&](std::size_t rank) {
    pleat::machine works(one_worker(links[rank]));
    works.run(8, [](pleat::vp& me) -> pleat::task<> { co_await me.sync(0); });
  });
  for (const std::exception_ptr& one : thrown) EXPECT_FALSE(one);
}

TEST(making_a_machine_of_ranks, measures_messages_once_for_all) {
  for (const std::size_t ranks : {2u, 3u}) {
    const machine_of_ranks machine(std::vector<unsigned>(ranks, 1));
    const auto& [start, per_byte, nearby] = *machine.link(0).cost();
    EXPECT_TRUE(start > 0 && nearby > 0 && (ranks > 2 || nearby == start));
    for (std::size_t rank = 1; rank < ranks; ++rank) {
      const auto& its = *machine.link(rank).cost();
      EXPECT_EQ(std::tie(its.start, its.per_byte, its.start_nearby),
                std::tie(start, per_byte, nearby));
    }
  }
}

TEST(making_a_machine_of_ranks, has_one_cause_where_several_are_wrong) {
  constexpr std::size_t ranks = 3;
  post_office office(ranks);
  const auto thrown = on_all_ranks(ranks, [&](std::size_t rank) {
    pleat::rank_options mine = one_worker(std::make_shared<posted_link>(office, rank));
    if (rank == 0) mine.options.workers = pleat::workers::borrowed;
    if (rank == 2) mine.options.workers = pleat::workers::borrowed;
    const pleat::machine never(std::move(mine));
  });
  for (const std::exception_ptr& one : thrown) {
    EXPECT_NE(words_of<pleat::usage_error>(one).find("threads of its own"), std::string::npos);
  }
}

TEST(making_a_machine_of_ranks, fails_where_ranks_differ_in_what_must_be_alike) {
  post_office office(2);
  const auto thrown = on_all_ranks(2, [&](std::size_t rank) {
    pleat::rank_options mine = one_worker(std::make_shared<posted_link>(office, rank));
    mine.options.strict = rank == 1;
    const pleat::machine never(std::move(mine));
  });
  for (const std::exception_ptr& one : thrown) {
    EXPECT_EQ(words_of<pleat::usage_error>(one),
              "the ranks of a machine must agree on strict mode: rank 1 is strict, rank 0 is not; "
              "set machine_options::strict alike");
  }
}

TEST(making_a_machine_of_ranks, fails_where_they_count_differently) {
  const auto words_if = [](const auto& change) {
    post_office office(3);
    const auto thrown = on_all_ranks(3, [&](std::size_t rank) {
      pleat::rank_options mine = one_worker(std::make_shared<posted_link>(office, rank));
      mine.options.strict = true;
      change(rank, mine.options);
      const pleat::machine never(std::move(mine));
    });
    for (const std::exception_ptr& one : thrown)
      EXPECT_EQ(words_of<pleat::usage_error>(one), words_of<pleat::usage_error>(thrown[0]));
    return words_of<pleat::usage_error>(thrown[0]);
  };
  for (const std::size_t which : {0, 1, 2}) {
    const std::string words = words_if([&](std::size_t rank, pleat::machine_options& mine) {
      if (which != 0 || rank != 2) mine.trace = pleat::tracing{};
      if (which == 1 && rank == 2) mine.trace->dummies = true;
      if (which == 2 && rank == 2) mine.trace->processors = 2;
    });
    EXPECT_EQ(words,
              "the ranks of a machine must agree on what they count: rank 0 and rank 2 do not; set "
              "machine_options::trace alike");
  }
}

}  // namespace making_test
