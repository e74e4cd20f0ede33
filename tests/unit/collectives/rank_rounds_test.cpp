// SPDX-License-Identifier: Apache-2.0
// Reductions and scans of VPs on several ranks: rounds are those that headers promise.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/collectives/all_gather.hpp>
#include <pleat/collectives/all_to_all.hpp>
#include <pleat/collectives/reduce.hpp>
#include <pleat/collectives/reduce_scatter.hpp>
#include <pleat/collectives/scan.hpp>

#include "base/sanitizer.hpp"
#include "rank_threads.hpp"

namespace rank_rounds_test {

using pleat::collective_options, pleat::collective_traffic, pleat::task, pleat::vp;

std::uint64_t log2_up(std::size_t p) { return static_cast<std::uint64_t>(std::bit_width(p - 1)); }

/// VPs of each process that has some.
std::vector<std::size_t> vps_of_processes(const machine_of_ranks& machine, std::size_t v) {
  std::vector<std::size_t> all;
  for (std::size_t rank = 0; rank < machine.ranks(); ++rank) {
    const auto here = machine.on(rank).vps_here(v);
    if (here.size() != 0) all.push_back(here.size());
  }
  return all;
}

/// One operation of each kind by each VP, and what it counted.
struct counted {
  collective_traffic reduce, reduce_scatter, all_reduce, scan, exclusive_scan;
};
task<> combine_all(vp& me, std::size_t n, collective_options options, counted& of) {
  std::vector<std::uint32_t> in(n * me.size(), 1), out(n * me.size());
  const std::plus<std::uint32_t> op;
  const std::span<const std::uint32_t> first = std::span(in).first(n);
  const std::span<std::uint32_t> to = std::span(out).first(n);
  options.traffic = &of.reduce;
  co_await pleat::reduce(me, first, to, op, options);
  options.traffic = &of.reduce_scatter;
  co_await pleat::reduce_scatter(me, in, to, op, options);
  options.traffic = &of.all_reduce;
  co_await pleat::all_reduce(me, first, to, op, options);
  options.traffic = &of.scan;
  co_await pleat::scan(me, first, to, op, options);
  options.traffic = &of.exclusive_scan;
  co_await pleat::exclusive_scan(me, first, to, op, options);
}

/// The blocks of a reduction: as many as are given, else those for the usual cost.
std::uint64_t blocks_of_reduction(std::size_t given, std::uint64_t q, std::size_t n) {
  if (given != 0) return given;
  const double bytes = static_cast<double>(n * sizeof(std::uint32_t));
  if (bytes <= pleat::line_ring::largest || q < 2) return 1;
  const double best = std::sqrt(static_cast<double>(q - 1) * bytes / 16384);
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(best));
}

// Sums of some bytes of 17 ranks are exchanged by the index algorithm.
constexpr pleat::message_cost cheap_bytes{1, 1e-30}, some_bytes{1, 1.0 / 90},
    usual{2e-6, 2e-6 / 16384};

void expect_rounds(const machine_of_ranks& machine, std::size_t v, std::size_t n,
                   const collective_options& options, const std::vector<counted>& all) {
  const std::vector<std::size_t> sizes = vps_of_processes(machine, v);
  const std::size_t processes = sizes.size();
  if (processes < 2) return;  // tested elsewhere
  const bool commutes = *options.commutative,
             gathered = options.cost->per_byte == cheap_bytes.per_byte &&
                        (options.blocks == 0 || !commutes);
  const std::uint64_t q = log2_up(processes), given = std::max<std::size_t>(1, options.blocks);
  // Slices are exchanged by the index algorithm, with messages of sizes, or directly.
  const bool by_index = options.cost->start == cheap_bytes.start && 2 * q < processes - 1;
  const std::uint64_t in_order = gathered || by_index ? q : processes - 1;
  // The parts of all ranks are too long for that.
  const bool directly = options.cost->per_byte == some_bytes.per_byte;
  const std::uint64_t in_order_of_all = directly ? processes - 1 : in_order;
  std::uint64_t of_all = in_order;
  if (!gathered) of_all = commutes ? 2 * (given - 1 + q) : in_order + q;
  std::uint64_t of_prefix = 0;
  if (processes > 1)
    of_prefix = static_cast<std::uint64_t>(
        std::ceil(std::log2(static_cast<double>(processes - 1)) + std::log2(4.0 / 3)));
  const std::uint64_t blocks = blocks_of_reduction(gathered ? 1 : options.blocks, q, n);
  std::size_t vp = 0, process = 0;
  for (const std::size_t m : sizes) {
    const std::uint64_t twice = m == 1 ? 0 : 2 * log2_up(m);
    const std::uint64_t inside = n * sizeof(std::uint32_t) > 64 ? twice : twice / 2;
    for (std::size_t at = 0; at < m; ++at, ++vp) {
      SCOPED_TRACE("VP " + std::to_string(vp));
      const bool leads = at == 0;
      const auto between = [&](std::uint64_t rounds) { return leads ? rounds : 0; };
      const std::uint64_t handed = m == 1 ? 0 : leads ? m - 1 : 1;
      EXPECT_EQ(all[vp].all_reduce.rounds, inside + between(of_all) + inside);
      const std::uint64_t to_root = gathered ? 0 : process == 0 ? processes - 1 : 1;
      EXPECT_EQ(all[vp].reduce.rounds,
                inside + between(commutes ? blocks - 1 + q : in_order + to_root));
      const std::uint64_t scattered = all[vp].reduce_scatter.rounds - twice - handed;
      if (commutes && options.blocks == 0)  // parts of processes may differ by some
        EXPECT_LE(leads ? scattered - q : scattered, leads ? 2u : 0u);
      else
        EXPECT_EQ(scattered, between(commutes ? given - 1 + q : in_order_of_all));
      const std::uint64_t scan =
          (process + 1 == processes ? 0 : inside) + between(of_prefix) + twice;
      EXPECT_EQ(all[vp].scan.rounds, scan);
      EXPECT_EQ(all[vp].exclusive_scan.rounds, scan);
    }
    ++process;
  }
}

TEST(rank_rounds, of_reductions_and_scans_are_logarithmic) {
  const std::vector<std::size_t> numbers = pleat::detail::sanitized
                                               ? std::vector<std::size_t>{2, 3}
                                               : std::vector<std::size_t>{2, 3, 5, 8, 17};
  for (const std::size_t ranks : numbers) {
    const machine_of_ranks machine(std::vector<unsigned>(ranks, 1));
    for (const std::size_t v : {ranks - 1, ranks, ranks + 1, std::size_t{40}}) {
      for (const std::size_t n : {7u, 40'000u}) {
        if (n > 7 && (v > ranks || ranks > 8)) continue;
        for (const std::size_t blocks : {0u, 3u}) {
          for (const bool commutes : {true, false}) {
            for (const bool cheap : {true, false}) {
              collective_options options{.blocks = blocks, .commutative = commutes};
              // Either bytes cost nothing, or as much as the blocks of reductions are chosen for.
              options.cost = cheap ? cheap_bytes : usual;
              if (!commutes && blocks != 0 && ranks == 17 && v == ranks) options.cost = some_bytes;
              if (!cheap && (n < 40'000 || blocks != 0)) continue;
              SCOPED_TRACE(std::to_string(v) + " VPs on " + std::to_string(ranks) + " ranks, " +
                           std::to_string(n) + " elements, " + std::to_string(blocks) + " blocks" +
                           (commutes ? "" : ", in order") + (cheap ? ", cheap" : ""));
              std::vector<counted> all(v);
              const auto ran = const_cast<machine_of_ranks&>(machine).run(
                  v, [&](vp& me) { return combine_all(me, n, options, all[me.rank()]); });
              ASSERT_EQ(words_of(ran), "");
              expect_rounds(machine, v, n, options, all);
              if (testing::Test::HasFailure()) return;
            }
          }
        }
      }
    }
  }
}

/// Counts the rounds of the first of `ranks` ranks in an exchange of one element each.
std::uint64_t rounds_of_exchange(std::size_t ranks, collective_options options) {
  machine_of_ranks machine(std::vector<unsigned>(ranks, 1));
  std::uint64_t rounds = 0;
  const auto ran = machine.run(ranks, [&](vp& me) -> task<> {
    const std::vector<std::size_t> one(me.size(), 1);
    std::vector<std::uint32_t> in(me.size(), static_cast<std::uint32_t>(me.rank())), out(in);
    collective_traffic counted;
    collective_options mine = options;
    mine.traffic = &counted;
    co_await pleat::all_to_all_v(me, in, out, one, one, mine);
    for (std::uint32_t q = 0; q < me.size(); ++q) EXPECT_EQ(out[q], q);
    if (me.rank() == 0) rounds = counted.rounds;
  });
  EXPECT_EQ(words_of(ran), "");
  return rounds;
}

TEST(rank_rounds, of_exchanges_are_those_of_the_index_algorithm) {
  const pleat::message_cost starts{1, 1e-12}, bytes{0, 1};
  EXPECT_EQ(rounds_of_exchange(5, {}), 4u);
  EXPECT_EQ(rounds_of_exchange(5, {.ports = 3}), 2u);
  EXPECT_EQ(rounds_of_exchange(5, {.radix = 2}), 3u);
  EXPECT_EQ(rounds_of_exchange(5, {.radix = 3, .ports = 2}), 2u);
  if (pleat::detail::sanitized) return;
  EXPECT_EQ(rounds_of_exchange(17, {.cost = starts}), 5u + 5u);
  EXPECT_EQ(rounds_of_exchange(17, {.cost = bytes}), 5u + 16u);
  EXPECT_EQ(rounds_of_exchange(17, {.radix = 4}), 7u);
}

enum class kind { all_gather, reduce_scatter, all_reduce };

/// Number of ranks' parts that go from one half of the ranks to the other.
std::size_t parts_that_go_far(kind of, std::size_t ranks, double start_nearby,
                              collective_options options = {}, std::size_t more_vps = 0) {
  constexpr std::size_t part = 10'000;
  const pleat::detail::process_message_cost cost{1e-6, 1e-9, start_nearby};
  machine_of_ranks machine(std::vector<unsigned>(ranks, 1), {}, &cost);
  options.commutative = true;
  std::size_t bytes = 0;
  const auto ran = machine.run(ranks + more_vps, [&](vp& me) -> task<> {
    const auto p = static_cast<std::uint32_t>(me.size());
    const std::uint32_t own = 1 + static_cast<std::uint32_t>(me.rank());
    std::vector<std::uint32_t> mine(part, own), all(part * p, own), sum(part * p);
    const std::plus<std::uint32_t> op;
    if (of == kind::all_gather) {
      co_await pleat::all_gather(me, mine, all, options);
      for (std::uint32_t q = 0; q < p; ++q) EXPECT_EQ(all[q * part + part / 2], 1 + q);
    } else if (of == kind::reduce_scatter) {
      co_await pleat::reduce_scatter(me, all, mine, op, options);
      EXPECT_EQ(mine, std::vector(part, p * (p + 1) / 2));
    } else {
      co_await pleat::all_reduce(me, all, sum, op, options);
      EXPECT_EQ(sum, std::vector(part * p, p * (p + 1) / 2));
    }
  });
  EXPECT_EQ(words_of(ran), "");
  for (std::size_t from = 0; from < ranks; ++from)
    for (std::size_t to = 0; to < ranks; ++to)
      if ((from < ranks / 2) != (to < ranks / 2)) bytes += machine.link(from).bytes_to[to];
  return bytes / (part * sizeof(std::uint32_t));
}

TEST(rank_rounds, have_few_bytes_go_far_if_near_messages_start_sooner) {
  for (const kind of : {kind::all_gather, kind::reduce_scatter, kind::all_reduce}) {
    const std::size_t few = of == kind::all_reduce ? 16 : 8;
    EXPECT_EQ(parts_that_go_far(of, 8, 4e-7), few);
    EXPECT_GT(parts_that_go_far(of, 8, 6e-7), 2 * few);
    EXPECT_GT(parts_that_go_far(of, 8, 4e-7, {.blocks = 1}), 2 * few);
    EXPECT_GT(parts_that_go_far(of, 8, 4e-7, {.cost = usual}), 2 * few);
    EXPECT_EQ(parts_that_go_far(of, 6, 4e-7), parts_that_go_far(of, 6, 6e-7));
    if (of == kind::all_reduce) continue;  // whose parts are nearly equal for any number of VPs
    EXPECT_EQ(parts_that_go_far(of, 8, 4e-7, {}, 1), parts_that_go_far(of, 8, 6e-7, {}, 1));
  }
}

}  // namespace rank_rounds_test
