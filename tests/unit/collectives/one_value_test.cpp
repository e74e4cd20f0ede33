// SPDX-License-Identifier: Apache-2.0
// The forms of the operations for one value a rank, against a serial loop over the ranks.
#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <ranges>
#include <utility>
#include <vector>

#include <pleat/collectives/broadcast.hpp>
#include <pleat/collectives/reduce.hpp>
#include <pleat/collectives/scan.hpp>

#include "collective_runs.hpp"

namespace one_value_test {

using namespace collective_runs;
using pleat::collective_options, pleat::task, pleat::vp;

using matrix = std::array<unsigned, 4>;

/// Associative, and does not commute.
struct product {
  matrix operator()(const matrix& a, const matrix& b) const {
    return {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2],
            a[2] * b[1] + a[3] * b[3]};
  }
};

/// The last one: does not commute either, and any type will do.
struct second {
  template <class T> T operator()(const T&, const T& b) const { return b; }
};

template <class T> struct value_of;
template <> struct value_of<long> {
  static long at(std::size_t rank) { return static_cast<long>(rank * rank) - 7; }
};
template <> struct value_of<matrix> {
  static matrix at(std::size_t rank) {
    const auto r = static_cast<unsigned>(rank);
    return {r + 1, 2 * r + 3, 5, r ^ 2U};
  }
};
template <> struct value_of<std::pair<bool, long>> {
  static std::pair<bool, long> at(std::size_t rank) {
    return {rank % 2 == 0, static_cast<long>(rank)};
  }
};

/// Sum of ranks first … last − 1.
template <class T, class Op> T serial(const Op& op, std::size_t first, std::size_t last) {
  T sum = value_of<T>::at(first);
  for (std::size_t rank = first + 1; rank < last; ++rank) sum = op(sum, value_of<T>::at(rank));
  return sum;
}

/// Checks the segment of all VPs, or one that begins elsewhere.
template <class T, class Op>
task<> check(vp& me, verdict& found, Op op, collective_options options) {
  const pleat::segment in = options.within.value_or(me.all());
  const std::size_t last = in.first + in.size;
  const T mine = value_of<T>::at(me.rank());

  const T all = co_await pleat::all_reduce(me, mine, op, options);
  found.expect(all == serial<T>(op, in.first, last), me, "all_reduce", in.size);
  const std::optional<T> reduced = co_await pleat::reduce(me, mine, op, options);
  found.expect(reduced.has_value() == (me.rank() == in.first + options.root), me, "root", in.size);
  if (reduced) found.expect(*reduced == all, me, "reduce", in.size);
  const T sum = co_await pleat::scan(me, mine, op, options);
  found.expect(sum == serial<T>(op, in.first, me.rank() + 1), me, "scan", in.size);
  if constexpr (!std::ranges::range<T>) {
    const T init = value_of<T>::at(100);
    const T before = co_await pleat::exclusive_scan(me, mine, init, op, options);
    const T expected = me.rank() == in.first ? init : op(init, serial<T>(op, in.first, me.rank()));
    found.expect(before == expected, me, "exclusive_scan", in.size);
    const T sent = co_await pleat::broadcast(me, mine, options);
    found.expect(sent == value_of<T>::at(in.first + options.root), me, "broadcast", in.size);
  }
}

TEST(one_value, goes_through_every_operation) {
  everywhere([](vp& me, verdict& found) -> task<> {
    for (const std::size_t root : {std::size_t{0}, me.size() / 2, me.size() - 1}) {
      const collective_options options{.root = root};
      co_await check<long>(me, found, std::plus<>{}, options);
      co_await check<matrix>(me, found, product{}, options);
      co_await check<std::pair<bool, long>>(me, found, second{}, options);
    }
  });
}

TEST(one_value, is_that_of_the_ranks_of_a_segment) {
  for (const unsigned workers : {1U, 2U, 3U}) {
    pleat::machine machine({.processors = workers});
    run_on(machine, 8, [](vp& me, verdict& found) -> task<> {
      const pleat::segment half{me.rank() / 4 * 4, 4, 1};
      const collective_options options{.within = half, .root = 1 + me.rank() / 4};
      co_await check<long>(me, found, std::plus<>{}, options);
      co_await check<matrix>(me, found, product{}, options);
    });
  }
}

TEST(one_value, takes_part_when_it_is_awaited_not_when_it_is_called) {
  for (const unsigned workers : {1U, 2U, 3U}) {
    pleat::machine machine({.processors = workers});
    run_on(machine, 5, [](vp& me, verdict& found) -> task<> {
      std::optional<task<std::size_t>> sum;
      const auto call_sum = [&] { sum.emplace(pleat::all_reduce(me, me.rank(), std::plus<>{})); };
      if (me.rank() % 2 == 0) call_sum();
      task<std::size_t> sent = pleat::broadcast(me, me.rank(), {.root = 3});
      if (me.rank() % 2 == 1) call_sum();
      const std::size_t of_root = co_await sent;
      found.expect(of_root == 3, me, "broadcast");
      const std::size_t of_all = co_await *sum;
      found.expect(of_all == 10, me, "all_reduce");
    });
  }
}

// Values for init may be of any type that becomes the value's.
TEST(one_value, says_where_the_elements_of_each_rank_begin) {
  pleat::machine machine({.processors = 2});
  std::vector<std::size_t> begins(5);
  machine.run(5, [&](vp& me) -> task<> {
    const std::size_t count = me.rank() + 1;
    begins[me.rank()] = co_await pleat::exclusive_scan(me, count, 0, std::plus<>{});
  });
  EXPECT_EQ(begins, (std::vector<std::size_t>{0, 1, 3, 6, 10}));
}

}  // namespace one_value_test
