// SPDX-License-Identifier: Apache-2.0
// Operations with a count for each rank: whatever the counts, data ends where they say.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

#include <pleat/collectives/all_gather.hpp>
#include <pleat/collectives/all_to_all.hpp>
#include <pleat/collectives/gather.hpp>
#include <pleat/collectives/reduce_scatter.hpp>
#include <pleat/collectives/scatter.hpp>

#include "collective_runs.hpp"

namespace irregular_test {

using namespace collective_runs;
using pleat::collective_options, pleat::task, pleat::vp;

using counts = std::vector<std::size_t>;

/// The shapes of counts that are known to hurt, n elements in all or nearly so.
std::vector<counts> shapes(std::size_t p, std::size_t n) {
  const std::size_t each = n / p;
  std::vector<counts> all(9, counts(p));
  for (std::size_t r = 0; r < p; ++r) {
    const double middle = (static_cast<double>(r) + 0.5) / static_cast<double>(p) - 0.5;
    all[0][r] = each;                                                      // regular
    all[1][r] = r == p / 2 ? n : 0;                                        // degenerate
    all[2][r] = r == 0 ? n / 2 : n / 2 / std::max<std::size_t>(1, p - 1);  // spike
    all[3][r] = r % 2 == 0 ? 2 * each : 0;                                 // half the ranks empty
    all[4][r] = 2 * each * (p - r) / p;                                    // linearly decreasing
    all[5][r] = static_cast<std::size_t>(2.0 * static_cast<double>(each) *
                                         std::exp(-18 * middle * middle));  // bell curve
    all[6][r] = r % 2 == 0 ? each + each / 3 : each - each / 3;             // count ± bias
    all[7][r] = r % 3 == 1 ? 0 : 1;  // gaps between single elements
  }
  return all;  // the last: all zero
}

struct place {
  std::size_t first, count, total;
};
place place_of(const counts& c, std::size_t rank) {
  const auto begin = c.begin();
  const auto at = begin + static_cast<std::ptrdiff_t>(rank);
  return {std::accumulate(begin, at, std::size_t{0}), c[rank],
          std::accumulate(begin, c.end(), std::size_t{0})};
}

using word = std::uint32_t;

/// Part q is that of rank q, counted from 0.
bool holds_all(const block<word>& all, const counts& c) {
  for (std::size_t q = 0; q < c.size(); ++q) {
    const place at = place_of(c, q);
    if (!all.holds(at.first, at.count, q, 0)) return false;
  }
  return true;
}

task<> check_gathers(vp& me, verdict& found, const counts& c, collective_options options) {
  const place own = place_of(c, me.rank());
  const bool root = me.rank() == options.root;
  block<word> mine(own.count), all(own.total);
  mine.fill(me.rank());
  co_await all_gather_v(me, mine.read(), all.all(), c, options);
  found.expect(holds_all(all, c), me, "all_gather_v", own.total);

  all.clear();
  for (std::size_t i = 0; i < own.count; ++i) all[own.first + i] = mine[i];
  co_await all_gather_v(me, all.part(own.first, own.count), all.all(), c, options);
  found.expect(holds_all(all, c), me, "all_gather_v in place", own.total);

  all.clear();
  const std::span<word> to = root ? all.all() : std::span<word>();
  co_await gather_v(me, mine.read(), to, c, options);
  found.expect(!root || holds_all(all, c), me, "gather_v", own.total);

  mine.clear();
  co_await scatter_v(me, std::span<const word>(to), mine.all(), c, options);
  found.expect(mine.holds(0, own.count, me.rank(), 0), me, "scatter_v", own.total);
}

task<> check_reduce_scatter(vp& me, verdict& found, const counts& c, collective_options options) {
  const place own = place_of(c, me.rank());
  block<word> in(own.total), out(own.count), sum(own.count);
  in.fill(me.rank());
  for (std::size_t i = 0; i < own.count; ++i) {
    for (std::size_t q = 0; q < me.size(); ++q) sum[i] += made<word>(q, own.first + i);
  }
  co_await reduce_scatter_v(me, in.read(), out.all(), c, std::plus<word>(), options);
  found.expect(std::ranges::equal(out.read(), sum.read()), me, "reduce_scatter_v", own.total);
  found.expect(in.holds(0, own.total, me.rank(), 0), me, "reduce_scatter_v's input", own.total);
  const std::span<word> place = in.part(own.first, own.count);
  co_await reduce_scatter_v(me, in.all(), place, c, std::plus<word>(), options);
  found.expect(std::ranges::equal(place, sum.read()), me, "reduce_scatter_v in place", own.total);
}

task<> check_counts(vp& me, verdict& found) {
  for (const std::size_t n : {0u, 300u, 20000u}) {
    for (const counts& c : shapes(me.size(), n)) {
      for (const std::size_t blocks : {0u, 1u, 5u}) {
        if (blocks != 0 && n > 300) continue;
        const collective_options options{.root = me.size() / 2, .blocks = blocks};
        co_await check_gathers(me, found, c, options);
      }
      for (const unsigned ports : {2u, 3u, 50u})
        co_await check_gathers(me, found, c, {.root = 0, .ports = ports});
    }
  }
}

TEST(irregular_data, arrives_whatever_the_counts) {
  everywhere(check_counts);
  over_ranks(check_counts, {7});
}

task<> check_sums(vp& me, verdict& found) {
  for (const std::size_t n : {0u, 300u, 10000u}) {
    for (const counts& c : shapes(me.size(), n)) {
      for (const std::size_t blocks : {0u, 1u, 5u}) {
        if (blocks != 0 && n > 300) continue;
        for (const bool commutes : {true, false}) {
          const collective_options options{.blocks = blocks, .commutative = commutes};
          co_await check_reduce_scatter(me, found, c, options);
        }
      }
    }
  }
}

TEST(irregular_data, is_summed_whatever_the_counts) {
  everywhere(check_sums);
  over_ranks(check_sums, {2, 7});
}

TEST(irregular_data, of_one_rank_arrives_from_each) {
  everywhere([](vp& me, verdict& found) -> task<> {
    for (std::size_t root = 0; root < me.size(); ++root) {
      counts c(me.size());
      c[root] = 1000;
      const collective_options options{.root = me.size() - 1 - root};
      co_await check_gathers(me, found, c, options);
      co_await check_reduce_scatter(me, found, c, options);
    }
  });
}

/// Number of elements of rank r for rank q: any, many of them none.
std::size_t amount(std::size_t r, std::size_t q, std::size_t n) {
  return (r * 7 + q * 5) % 3 == 0 ? 0 : (r * 11 + q * 3) % (n + 1);
}

task<> check_all_to_all_v(vp& me, verdict& found, collective_options options) {
  const std::size_t p = me.size(), r = me.rank();
  for (const std::size_t n : {0u, 1u, 13u, 900u}) {
    counts sent(p), received(p);
    for (std::size_t q = 0; q < p; ++q) {
      sent[q] = amount(r, q, n);
      received[q] = amount(q, r, n);
    }
    block<word> in(place_of(sent, 0).total), out(place_of(received, 0).total);
    in.fill(r);
    co_await all_to_all_v(me, in.read(), out.all(), sent, received, options);
    for (std::size_t q = 0; q < p; ++q) {
      counts of_q(p);
      for (std::size_t s = 0; s < p; ++s) of_q[s] = amount(q, s, n);
      found.expect(out.holds(place_of(received, q).first, received[q], q, place_of(of_q, r).first),
                   me, "all_to_all_v", n);
    }
  }
}

TEST(irregular_data, of_all_for_all_arrives) {
  everywhere([](vp& me, verdict& found) { return check_all_to_all_v(me, found, {}); });
  over_ranks(
      [](vp& me, verdict& found) -> task<> {
        for (const unsigned radix : {0u, 2u, 3u, 5u, 7u}) {
          for (const unsigned ports : {1u, 2u, 9u}) {
            if (radix > me.size()) continue;
            co_await check_all_to_all_v(me, found, {.radix = radix, .ports = ports});
          }
        }
      },
      {2, 7, 13});
}

task<> check_in_place(vp& me, verdict& found) {
  const std::size_t p = me.size(), r = me.rank();
  counts c(p);  // the same both ways
  for (std::size_t q = 0; q < p; ++q) c[q] = (r + q) * 5 % 23;
  block<word> x(place_of(c, 0).total);
  x.fill(r);
  const collective_options options{};
  co_await all_to_all_v(me, x.all(), x.all(), c, c, options);
  for (std::size_t q = 0; q < p; ++q) {
    counts of_q(p);
    for (std::size_t s = 0; s < p; ++s) of_q[s] = (q + s) * 5 % 23;
    found.expect(x.holds(place_of(c, q).first, c[q], q, place_of(of_q, r).first), me,
                 "all_to_all_v in place", q);
  }
}

TEST(irregular_data, of_all_for_all_may_take_the_place_of_what_was_sent) {
  everywhere(check_in_place);
  over_ranks(check_in_place);
}

}  // namespace irregular_test
