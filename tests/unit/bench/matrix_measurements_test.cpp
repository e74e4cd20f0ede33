// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <atomic>
#include <numeric>
#include <random>
#include <sched.h>
#include <set>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/error.hpp>

#include "host/binding.hpp"
#include "matrix/line_latency.hpp"
#include "matrix/measured_machine.hpp"
#include "matrix/node_memory.hpp"
#include "measure/pinned_threads.hpp"

namespace matrix_measurements_test {

using namespace pleat::bench;

std::vector<unsigned> our_pus() { return pleat::detail::affinity::current().pus(); }

TEST(run_pinned, calls_the_work_on_each_pu_and_leaves_the_caller_where_it_was) {
  const auto before = our_pus();
  std::vector<int> seen(before.size(), -1);
  run_pinned(before, [&](std::size_t i) { seen[i] = ::sched_getcpu(); });
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_EQ(seen[i], static_cast<int>(before[i]));
  EXPECT_EQ(our_pus(), before);
}

TEST(run_pinned, calls_nothing_if_a_pu_is_refused) {
  const std::array<unsigned, 2> pus{our_pus().front(), 65535};
  bool called = false;
  EXPECT_THROW(run_pinned(pus, [&](std::size_t) { called = true; }), pleat::environment_error);
  EXPECT_FALSE(called);
}

TEST(run_pinned, throws_what_the_work_throws_on_any_thread_once_all_have_ended) {
  const auto pus = our_pus();
  for (std::size_t thrower = 0; thrower < pus.size(); ++thrower) {
    std::atomic<std::size_t> ended{0};
    EXPECT_THROW(run_pinned(pus,
                            [&](std::size_t i) {
                              if (i == thrower) throw std::runtime_error("of the work");
                              ++ended;
                            }),
                 std::runtime_error);
    EXPECT_EQ(ended, pus.size() - 1);
    EXPECT_EQ(our_pus(), pus);
  }
}

TEST(stream_bytes, exceed_the_caches_and_leave_the_node_its_memory) {
  constexpr std::size_t mebi = 1 << 20;
  EXPECT_EQ(stream_bytes(32 * mebi, std::uint64_t{64} << 30), 128 * mebi);
  EXPECT_EQ(stream_bytes(0, 0), 64 * mebi);
  EXPECT_EQ(stream_bytes(4096 * mebi, 0), 1024 * mebi);
  EXPECT_EQ(stream_bytes(32 * mebi, 256 * mebi), 32 * mebi);
  EXPECT_EQ(stream_bytes(32 * mebi, mebi), 2 * mebi);
}

class memory_of_a_node : public testing::Test {
 protected:
  static constexpr std::size_t bytes = std::size_t{4} << 20;
  pleat::topology on = pleat::topology::load_host();
  unsigned node = on.memory_nodes().front().index;
  node_memory memory{on, node, bytes, 7};
};

TEST_F(memory_of_a_node, has_pointers_that_go_round_through_all_places) {
  const auto places = memory.places();
  ASSERT_EQ(places.size(), bytes / 2 / 128);
  std::set<const node_memory::place*> seen;
  const auto* at = &places.front();
  for (std::size_t k = 0; k < places.size(); ++k, at = at->next) seen.insert(at);
  EXPECT_EQ(at, &places.front());
  EXPECT_EQ(seen.size(), places.size());
  EXPECT_EQ(follow(at, places.size()), at);
  EXPECT_EQ(follow(at, 3), at->next->next->next);
}

TEST_F(memory_of_a_node, is_read_in_full) {
  const auto numbers = memory.numbers();
  for (const std::size_t count :
       {std::size_t{0}, std::size_t{1}, std::size_t{33}, numbers.size()}) {
    const auto part = numbers.first(count);
    EXPECT_EQ(read_in_order(part), std::accumulate(part.begin(), part.end(), std::uint64_t{0}));
  }
}

TEST_F(memory_of_a_node, is_measured_from_any_processors) {
  std::mt19937_64 random(1);
  const auto pus = our_pus();
  EXPECT_GT(node_bandwidth(pus, memory), 0);
  EXPECT_GT(node_latency(std::span(pus).first(1), memory, random), 0);
  EXPECT_GT(node_latency(pus, memory, random), 0);
}

TEST(node_memory, of_a_node_that_is_not_there_is_refused) {
  const auto on = pleat::topology::synthetic("numa:2 core:1");  // the host may well have one node
  EXPECT_THROW(node_memory(on, 1023, std::size_t{2} << 20, 1), pleat::environment_error);
}

TEST(measure_matrices, has_a_row_for_each_processor_and_node) {
  const auto on = pleat::topology::load_host();
  const auto all = pleat::place(on, pleat::parse_placement("compact/pu")).processors;
  for (std::size_t count = 1; count <= std::min<std::size_t>(all.size(), 2); ++count) {
    std::size_t calls = 0;
    const auto found = measure_matrices(on, std::span(all).first(count), 0.5,
                                        [&](const char*, std::size_t, std::size_t) { ++calls; });
    ASSERT_GE(found.matrices.size(), 3u);
    EXPECT_EQ(found.matrices.front().rows.size(), count);
    EXPECT_EQ(found.matrices[1].rows.size(), found.initiators().size());
    EXPECT_EQ(found.matrices[1].columns.size(), found.targets().size());
    std::size_t samples = 0;
    for (const auto& matrix : found.matrices)
      for (std::size_t row = 0; row < matrix.rows.size(); ++row)
        for (std::size_t column = matrix.symmetric ? row : 0; column < matrix.columns.size();
             ++column)
          if (const auto& cell = matrix.at(row, column)) {
            samples += cell->samples;
            EXPECT_GT(cell->median, 0) << matrix.name;
          }
    EXPECT_EQ(samples, calls);
  }
}

}  // namespace matrix_measurements_test
