// SPDX-License-Identifier: Apache-2.0
// Costs of an operation are those that its comment says: rounds, blocks, bytes and copies of every
// rank.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <vector>

#include <pleat/collectives/all_gather.hpp>
#include <pleat/collectives/all_to_all.hpp>
#include <pleat/collectives/broadcast.hpp>
#include <pleat/collectives/concatenation_schedule.hpp>
#include <pleat/collectives/gather.hpp>
#include <pleat/collectives/index_schedule.hpp>
#include <pleat/collectives/reduce.hpp>
#include <pleat/collectives/reduce_scatter.hpp>
#include <pleat/collectives/scan.hpp>
#include <pleat/collectives/scatter.hpp>

#include "collective_runs.hpp"

namespace traffic_test {

using namespace collective_runs;
using pleat::collective_options, pleat::collective_traffic, pleat::task, pleat::vp;

using word = std::uint32_t;

std::size_t q_of(std::size_t p) { return static_cast<std::size_t>(std::bit_width(p - 1)); }

/// Runs `operation(me, options)` as M(p); what each rank counted.
template <class Operation>
std::vector<collective_traffic> traffic_of(std::size_t p, const collective_options& given,
                                           const Operation& operation) {
  static pleat::machine machine({.processors = 2});
  constexpr std::uint64_t old = 12345;  // counts are written, not added
  std::vector<collective_traffic> counted(p, {old, old, old, old});
  machine.run(p, [&](vp& me) -> task<> {
    collective_options options = given;
    options.traffic = &counted[me.rank()];
    co_await operation(me, options);
  });
  return counted;
}
collective_traffic sum_of(const std::vector<collective_traffic>& all) {
  collective_traffic sum;
  for (const collective_traffic& one : all) {
    sum.rounds = one.rounds;  // of any
    sum.blocks += one.blocks;
    sum.bytes += one.bytes;
    sum.copies += one.copies;
  }
  return sum;
}

/// An operation on `in` and `out` elements of each rank.
template <class Operation>
auto on_memory(std::size_t in, std::size_t out, const Operation& operation) {
  return [=](vp& me, const collective_options& options) -> task<> {
    std::vector<word> x(in), y(out);
    const std::span<const word> from(x);
    const std::span<word> to(y);
    co_await operation(me, from, to, options);
  };
}

const auto all_gather_of = [](auto&... all) { return all_gather(all...); };
const auto all_to_all_of = [](auto&... all) { return all_to_all(all...); };
const auto scatter_of = [](auto&... all) { return scatter(all...); };
const auto gather_of = [](auto&... all) { return gather(all...); };
const std::plus<word> add;
const auto reduce_of = [](auto& me, auto& in, auto& out, auto& options) {
  return reduce(me, in, out, add, options);
};
const auto reduce_scatter_of = [](auto& me, auto& in, auto& out, auto& options) {
  return reduce_scatter(me, in, out, add, options);
};
const auto all_reduce_of = [](auto& me, auto& in, auto& out, auto& options) {
  return all_reduce(me, in, out, add, options);
};
const auto scan_of = [](auto& me, auto& in, auto& out, auto& options) {
  return scan(me, in, out, add, options);
};

/// Calls check(p, n) for numbers of VPs and of blocks.
template <class Check> void for_all(const Check& check) {
  for (const std::size_t p : {2u, 3u, 7u, 8u, 17u}) {
    for (const std::size_t n : {1u, 2u, 21u}) {
      SCOPED_TRACE(std::to_string(p) + " VPs, " + std::to_string(n) + " blocks");
      check(p, n);
    }
  }
}

TEST(traffic, of_a_broadcast_is_each_block_once_and_the_fewest_rounds) {
  for_all([](std::size_t p, std::size_t n) {
    constexpr std::size_t elements = 1000;
    for (const std::size_t root : {std::size_t{0}, p / 2, p - 1}) {
      const auto all = traffic_of(p, {.root = root, .blocks = n},
                                  [](vp& me, const collective_options& options) -> task<> {
                                    std::vector<word> x(elements);
                                    co_await broadcast(me, std::span(x), options);
                                  });
      for (std::size_t r = 0; r < p; ++r) {
        const collective_traffic each{n - 1 + q_of(p), n, elements * sizeof(word), n};
        const collective_traffic roots{n - 1 + q_of(p), 0, 0, 0};
        EXPECT_TRUE(all[r] == (r == root ? roots : each)) << "rank " << r;
      }
    }
  });
}

TEST(traffic, of_a_broadcast_may_be_asked_for_without_blocks) {
  const auto all = traffic_of(5, {}, [](vp& me, const collective_options& options) -> task<> {
    std::vector<word> x(7);
    co_await broadcast(me, std::span(x), options);
  });
  EXPECT_TRUE(all[3] == (collective_traffic{3, 1, 28, 1}));  // two workers' ranks meet once
}

TEST(traffic, of_what_ranks_that_share_workers_copy_is_each_part_once) {
  for (const std::size_t p : {3u, 8u, 17u}) {
    for (const std::size_t each : {20u, 5000u}) {
      const std::size_t bytes = each * sizeof(word);
      const auto exchanged = traffic_of(p, {}, on_memory(each * p, each * p, all_to_all_of));
      const auto gathered = traffic_of(p, {}, on_memory(each, each * p, all_gather_of));
      const collective_traffic expected{2 * q_of(p), p - 1, (p - 1) * bytes, p};
      for (const collective_traffic& one : exchanged) EXPECT_TRUE(one == expected);
      for (const collective_traffic& one : gathered) EXPECT_TRUE(one == expected);
    }
  }
}

TEST(traffic, of_ranks_with_a_worker_each_is_one_barrier_if_their_data_is_small) {
  constexpr std::size_t p = 4;
  pleat::machine machine({.processors = p, .threads = {.each = true}});
  for (const std::size_t each : {2u, 5000u}) {
    std::vector<collective_traffic> exchanged(p), gathered(p), sum(p);
    machine.run(p, [&](vp& me) -> task<> {
      std::vector<word> x(each * p), y(x);
      const std::span<const word> in(x);
      const std::span<word> out(y);
      collective_options options{.traffic = &exchanged[me.rank()]};
      co_await all_to_all(me, in, out, options);
      options.traffic = &gathered[me.rank()];
      co_await all_gather(me, in.first(each), out, options);
      options.traffic = &sum[me.rank()];
      co_await all_reduce(me, in, out, std::plus<word>(), options);
    });
    const std::size_t rounds = each == 2 ? q_of(p) : 2 * q_of(p);
    const collective_traffic expected{rounds, p - 1, (p - 1) * each * sizeof(word), p};
    for (const collective_traffic& one : exchanged) EXPECT_TRUE(one == expected);
    for (const collective_traffic& one : gathered) EXPECT_TRUE(one == expected);
    const std::size_t combined = each == 2 ? p : 1;  // parts of the result by each rank
    for (const collective_traffic& one : sum) {
      EXPECT_EQ(one.rounds, rounds);
      EXPECT_EQ(one.bytes, (p - 1) * combined * each * sizeof(word));
    }
  }
}

TEST(traffic, of_a_large_broadcast_to_one_is_a_half_copied_by_each) {
  const auto all = traffic_of(2, {}, [](vp& me, const collective_options& options) -> task<> {
    std::vector<word> x(100000);
    co_await broadcast(me, std::span(x), options);
  });
  EXPECT_TRUE(all[0] == (collective_traffic{2, 0, 0, 1}));
  EXPECT_TRUE(all[1] == (collective_traffic{2, 1, 400000, 1}));
}

TEST(traffic, of_a_reduction_is_that_of_a_broadcast_the_other_way_round) {
  for_all([](std::size_t p, std::size_t n) {
    constexpr std::size_t elements = 1000;
    const auto all =
        traffic_of(p, {.root = p / 2, .blocks = n}, on_memory(elements, elements, reduce_of));
    const collective_traffic sum = sum_of(all);
    EXPECT_EQ(sum.blocks, (p - 1) * n);  // each rank but the root gives each block away once
    EXPECT_EQ(sum.bytes, (p - 1) * elements * sizeof(word));
    EXPECT_EQ(sum.copies, (p - 1) * n);
    for (const collective_traffic& one : all) EXPECT_EQ(one.rounds, n - 1 + q_of(p));
  });
}

TEST(traffic, of_an_all_gather_is_each_block_of_the_others_once) {
  for_all([](std::size_t p, std::size_t n) {
    constexpr std::size_t each = 40;
    for (const bool in_place : {false, true}) {
      const auto all =
          traffic_of(p, {.blocks = n}, [&](vp& me, const collective_options& options) -> task<> {
            std::vector<word> x(each), y(each * me.size());
            const std::span<word> out(y);
            const std::span<word> in = in_place ? out.subspan(me.rank() * each, each) : x;
            co_await all_gather(me, in, out, options);
          });
      const collective_traffic expected{n - 1 + q_of(p), (p - 1) * n, (p - 1) * each * sizeof(word),
                                        (p - 1) * n + (in_place ? 0 : 1)};
      for (const collective_traffic& one : all) EXPECT_TRUE(one == expected);
    }
  });
}

TEST(traffic, of_an_all_gather_where_one_has_all_is_that_of_a_broadcast) {
  for_all([](std::size_t p, std::size_t n) {
    std::vector<std::size_t> counts(p);
    counts[p / 2] = 1000;
    const auto all =
        traffic_of(p, {.blocks = n}, [&](vp& me, const collective_options& options) -> task<> {
          std::vector<word> x(counts[me.rank()]), y(1000);
          const std::span<const word> in(x);
          const std::span<word> out(y);
          co_await all_gather_v(me, in, out, counts, options);
        });
    for (std::size_t r = 0; r < p; ++r) {
      const bool root = r == p / 2;
      const collective_traffic expected{n - 1 + q_of(p), root ? 0 : n, root ? 0u : 4000u,
                                        root ? 1 : n};
      EXPECT_TRUE(all[r] == expected) << "rank " << r;
    }
  });
}

TEST(traffic, of_an_all_gather_through_ports_is_that_of_the_schedule) {
  for (const std::size_t p : {2u, 3u, 5u, 7u, 8u, 13u, 16u, 17u}) {
    for (const unsigned ports : {2u, 3u, 5u}) {
      constexpr std::size_t each = 60;
      const auto all = traffic_of(p, {.ports = ports}, on_memory(each, each * p, all_gather_of));
      const pleat::concatenation_schedule schedule(p, each, std::min<std::size_t>(ports, p - 1));
      for (const collective_traffic& one : all) {
        EXPECT_EQ(one.rounds, schedule.rounds().size());
        EXPECT_EQ(one.bytes, (p - 1) * each * sizeof(word));
      }
    }
  }
}

TEST(traffic, of_a_reduce_scatter_is_each_block_of_the_others_once) {
  for_all([](std::size_t p, std::size_t n) {
    constexpr std::size_t each = 40;
    const auto all = traffic_of(p, {.blocks = n}, on_memory(each * p, each, reduce_scatter_of));
    const collective_traffic expected{n - 1 + q_of(p), (p - 1) * n, (p - 1) * each * sizeof(word),
                                      (p - 1) * n};
    for (const collective_traffic& one : all) EXPECT_TRUE(one == expected);
  });
}

TEST(traffic, of_an_all_reduce_is_a_reduce_scatter_and_an_all_gather) {
  for_all([](std::size_t p, std::size_t n) {
    const std::size_t elements = p * 40;
    const auto all = traffic_of(p, {.blocks = n}, on_memory(elements, elements, all_reduce_of));
    const collective_traffic expected{2 * (n - 1 + q_of(p)), 2 * (p - 1) * n,
                                      2 * (p - 1) * 40 * sizeof(word), 2 * (p - 1) * n};
    for (const collective_traffic& one : all) EXPECT_TRUE(one == expected);
  });
}

TEST(traffic, of_what_is_combined_in_order_is_two_logarithms_of_rounds) {
  for (const std::size_t p : {2u, 3u, 5u, 8u, 13u, 17u}) {
    const std::size_t elements = p * 4000;
    const auto all = traffic_of(p, {.commutative = false}, on_memory(elements, elements, scan_of));
    for (const collective_traffic& one : all) {
      EXPECT_EQ(one.rounds, 2 * q_of(p));
      EXPECT_EQ(one.bytes, (p - 1) * elements / p * sizeof(word));
    }
  }
}

TEST(traffic, of_an_all_to_all_is_that_of_the_index_schedule) {
  for (const std::size_t p : {3u, 5u, 7u, 8u, 13u, 16u, 17u}) {
    for (unsigned radix = 2; radix < p; ++radix) {
      for (const unsigned ports : {1u, 2u, 3u}) {
        constexpr std::size_t each = 3;
        const auto all = traffic_of(p, {.radix = radix, .ports = ports},
                                    on_memory(each * p, each * p, all_to_all_of));
        const pleat::index_schedule schedule(p, radix, ports);
        std::size_t blocks = 0;
        for (const pleat::index_step& step : schedule.steps()) blocks += schedule.blocks(step);
        for (const collective_traffic& one : all) {
          EXPECT_EQ(one.rounds, schedule.rounds());
          EXPECT_EQ(one.blocks, blocks);
          EXPECT_EQ(one.bytes, blocks * each * sizeof(word));
        }
      }
    }
  }
}

TEST(traffic, of_a_direct_all_to_all_without_common_memory_is_one_copy_of_each_part) {
  pleat::machine machine({.trace = pleat::tracing{}});
  for (const std::size_t p : {2u, 3u, 8u, 13u}) {
    for (const std::size_t each : {1u, 5000u}) {
      std::vector<collective_traffic> all(p);
      machine.run(p, [&](vp& me) -> task<> {
        std::vector<word> x(each * me.size()), y(x);
        const std::span<const word> in(x);
        const std::span<word> out(y);
        co_await all_to_all(me, in, out,
                            {.radix = static_cast<unsigned>(p), .traffic = &all[me.rank()]});
      });
      const collective_traffic expected{p - 1, p - 1, (p - 1) * each * sizeof(word), p};
      for (const collective_traffic& one : all) EXPECT_TRUE(one == expected);
    }
  }
}

TEST(traffic, of_scatter_and_gather_is_one_copy_of_each_part) {
  for (const std::size_t p : {2u, 3u, 8u, 13u}) {
    for (const std::size_t each : {1u, 5000u}) {
      const std::size_t bytes = each * sizeof(word);
      const auto scattered = traffic_of(p, {.root = p / 2}, on_memory(each * p, each, scatter_of));
      for (std::size_t r = 0; r < p; ++r) {
        const collective_traffic roots{p - 1, 0, 0, 1}, others{1, 1, bytes, 1};
        EXPECT_TRUE(scattered[r] == (r == p / 2 ? roots : others)) << "rank " << r;
      }
      const auto gathered = traffic_of(p, {.root = p / 2}, on_memory(each, each * p, gather_of));
      EXPECT_EQ(gathered[p / 2].blocks, p - 1);
      EXPECT_EQ(gathered[p / 2].bytes, (p - 1) * bytes);
      EXPECT_EQ(sum_of(gathered).copies, p);
    }
  }
}

TEST(traffic, of_small_data_over_many_ranks_is_logarithms_of_rounds) {
  for (const std::size_t p : {257u, 1000u}) {
    const auto operations = std::vector<std::function<task<>(vp&, const collective_options&)>>{
        [](vp& me, const collective_options& options) -> task<> {
          word x = 1, y = 0;
          co_await all_reduce(me, std::span(&x, 1), std::span(&y, 1), std::plus<>(), options);
          if (y != me.size()) throw std::logic_error("another sum");
        },
        [](vp& me, const collective_options& options) -> task<> {
          word x = 1, y = 0;
          co_await scan(me, std::span(&x, 1), std::span(&y, 1), std::plus<>(), options);
          if (y != me.rank() + 1) throw std::logic_error("another sum");
        },
        [](vp& me, const collective_options& given) -> task<> {
          collective_options options = given;
          options.commutative = false;
          word x = 1, y = 0;
          co_await reduce(me, std::span(&x, 1), std::span(&y, 1), std::plus<>(), options);
          if (me.rank() == 0 && y != me.size()) throw std::logic_error("another sum");
        }};
    for (const auto& operation : operations) {
      const auto all = traffic_of(p, {}, operation);
      for (const collective_traffic& one : all) {
        EXPECT_GE(one.rounds, q_of(p));
        EXPECT_LE(one.rounds, 2 * q_of(p));
      }
      // What goes from rank to rank is addresses; one rank reads all data.
      EXPECT_EQ(sum_of(all).bytes, (p - 1) * sizeof(word));
    }
  }
}

TEST(traffic, of_one_rank_alone_is_its_own_copy_or_none) {
  const auto all = traffic_of(1, {}, on_memory(50, 50, all_reduce_of));
  EXPECT_TRUE(all[0] == (collective_traffic{0, 0, 0, 1}));
}

}  // namespace traffic_test
