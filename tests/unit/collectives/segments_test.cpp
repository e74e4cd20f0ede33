// SPDX-License-Identifier: Apache-2.0
// Operations in parts of the machine: ranks are those of the segment, segments do not disturb each
// other, and neither do they what the program itself sends.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>

#include <pleat/collectives/all_gather.hpp>
#include <pleat/collectives/all_to_all.hpp>
#include <pleat/collectives/broadcast.hpp>
#include <pleat/collectives/gather.hpp>
#include <pleat/collectives/reduce.hpp>
#include <pleat/collectives/reduce_scatter.hpp>
#include <pleat/collectives/scan.hpp>
#include <pleat/collectives/scatter.hpp>

#include "collective_runs.hpp"

namespace segments_test {

using namespace collective_runs;
using pleat::collective_options, pleat::segment, pleat::task, pleat::vp;

using word = std::uint32_t;

/// The i-cluster a rank is in, for any number of VPs.
segment cluster(const vp& me, unsigned label) {
  const pleat::rank_range ranks = pleat::cluster_of(me.size(), me.rank(), label);
  return {ranks.first, ranks.last - ranks.first, label};
}

/// Every operation once, in a segment; the numbers are those of ranks within it, and of `salt`.
task<> check_in(vp& me, verdict& found, segment in, std::size_t n, std::size_t salt) {
  const std::size_t p = in.size, r = me.rank() - in.first, base = in.first * 100 + salt;
  const collective_options options{.within = in, .root = (salt + in.first) % p};
  block<word> one(n), all(n * p), other(n * p), sum(n), total(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t q = 0; q < p; ++q) {
      total[i] += made<word>(base + q, i);
      if (q <= r) sum[i] += made<word>(base + q, i);
    }
  }
  if (r == options.root) one.fill(base, 5);
  co_await broadcast(me, one.all(), options);
  found.expect(one.holds(0, n, base, 5), me, "broadcast", in.size);

  one.fill(base + r);
  co_await all_gather(me, one.read(), all.all(), options);
  for (std::size_t q = 0; q < p; ++q)
    found.expect(all.holds(q * n, n, base + q, 0), me, "all_gather", in.size);

  all.fill(base + r);
  co_await all_to_all(me, all.read(), other.all(), options);
  for (std::size_t q = 0; q < p; ++q)
    found.expect(other.holds(q * n, n, base + q, r * n), me, "all_to_all", in.size);

  block<word> out(n);
  const std::plus<> add;
  for (const bool commutes : {true, false}) {
    collective_options by = options;
    by.commutative = commutes;
    co_await all_reduce(me, one.read(), out.all(), add, by);
    found.expect(std::ranges::equal(out.read(), total.read()), me, "all_reduce", in.size);
    out.clear();
    co_await reduce(me, one.read(), out.all(), add, by);
    found.expect(r != options.root || std::ranges::equal(out.read(), total.read()), me, "reduce",
                 in.size);
  }
  co_await scan(me, one.read(), out.all(), add, options);
  found.expect(std::ranges::equal(out.read(), sum.read()), me, "scan", in.size);

  co_await scatter(me, all.read(), out.all(), options);
  found.expect(out.holds(0, n, base + options.root, r * n), me, "scatter", in.size);
  co_await gather(me, one.read(), other.all(), options);
  for (std::size_t q = 0; r == options.root && q < p; ++q)
    found.expect(other.holds(q * n, n, base + q, 0), me, "gather", in.size);
}

TEST(collective_segments, of_one_label_work_at_the_same_time_with_roots_of_their_own) {
  everywhere([](vp& me, verdict& found) -> task<> {
    for (const std::size_t n : {1u, 20u, 600u}) {
      for (unsigned label = 0; label <= me.labels(); ++label) {
        const segment in = label == me.labels() ? segment{me.rank(), 1, label} : cluster(me, label);
        co_await check_in(me, found, in, n, label);
      }
    }
  });
}

TEST(collective_segments, may_be_cut_out_of_those_that_divide_gives) {
  everywhere(
      [](vp& me, verdict& found) -> task<> {
        if (!std::has_single_bit(me.size())) co_return;
        segment in = me.all();
        while (in.size > 1) {
          co_await check_in(me, found, in, 30, in.size);
          in = in.divide(2, me.rank()).part;
        }
        co_await check_in(me, found, in, 30, 1);
        const segment alone = me.all().divide(me.size(), me.rank()).part;
        co_await check_in(me, found, alone, 30, 2);
      },
      {1, 2, 4, 8, 16});
}

TEST(collective_segments, are_used_alternately) {
  everywhere([](vp& me, verdict& found) -> task<> {
    if (me.size() < 2) co_return;
    for (std::size_t round = 0; round < 5; ++round) {
      co_await check_in(me, found, cluster(me, 1), 10, round);
      co_await check_in(me, found, me.all(), 10, round);
    }
  });
}

TEST(collective_segments, leave_the_others_in_peace) {
  everywhere([](vp& me, verdict& found) -> task<> {
    if (me.size() < 2) co_return;
    const segment mine = cluster(me, 1);
    if (mine.first == 0) {
      for (std::size_t round = 0; round < 3; ++round) co_await check_in(me, found, mine, 40, round);
    } else {
      me.send(mine.first, 7);
      if (me.labels() > 1) co_await me.sync(1);
    }
    co_await me.sync(0);
    co_await check_in(me, found, me.all(), 40, 9);
  });
}

TEST(collective_segments, share_their_pairs_with_what_the_program_sends_and_pushes) {
  everywhere([](vp& me, verdict& found) -> task<> {
    const std::size_t p = me.size(), r = me.rank();
    const std::size_t next = (r + 1) % p, previous = (r + p - 1) % p;
    for (std::size_t round = 0; round < 4; ++round) {
      // Two on their way in the program's own channel, one as a message, while operations go on.
      if (p > 1) {
        co_await me.push(next, r * 10 + round);
        co_await me.push(next, r * 20 + round);
      }
      me.send(next, made<word>(r, round));
      co_await check_in(me, found, me.all(), 25, round);
      if (p > 1) {
        const auto first = co_await me.pop<std::size_t>(previous);
        found.expect(first == previous * 10 + round, me, "the first value pushed", round);
      }
      co_await me.sync(0);
      const auto message = me.receive();
      found.expect(message && message->get<word>() == made<word>(previous, round), me, "message",
                   round);
      co_await check_in(me, found, me.all(), 3, round);
      if (p > 1) {
        const auto second = co_await me.pop<std::size_t>(previous);
        found.expect(second == previous * 20 + round, me, "the second value pushed", round);
      }
    }
  });
}

TEST(collective_segments, keep_their_schedules_from_run_to_run) {
  pleat::machine machine({.processors = 2});
  for (int run = 0; run < 3; ++run) {
    for (const std::size_t p : {7u, 8u, 3u}) {
      run_on(machine, p, [](vp& me, verdict& found) -> task<> {
        co_await check_in(me, found, me.all(), 100, 1);
      });
    }
  }
}

}  // namespace segments_test
