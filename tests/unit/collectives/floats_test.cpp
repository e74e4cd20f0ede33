// SPDX-License-Identifier: Apache-2.0
// Sums of floating-point numbers, which round: the same to the last bit on all ranks and in every
// run, however many workers and processes there are.
#include <cmath>
#include <cstddef>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <pleat/collectives/reduce.hpp>
#include <pleat/collectives/reduce_scatter.hpp>
#include <pleat/collectives/scan.hpp>

#include "collective_runs.hpp"
#include "operators.hpp"
#include "rank_threads.hpp"
#include "tree_sums.hpp"

namespace floats_test {

using namespace collective_runs;
using pleat::collective_options, pleat::task, pleat::vp;

using real = double;

bool same_bits(std::span<const real> a, std::span<const real> b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

std::vector<real> input_of(std::size_t rank, std::size_t n) {
  std::vector<real> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = value_for<real>(rank, i);
  return x;
}
/// Results of each rank of each operation.
struct results {
  std::vector<std::vector<real>> everywhere, at_root, parts, prefixes;
};

results sums(unsigned workers, std::size_t p, std::size_t n, const collective_options& options) {
  pleat::machine machine({.processors = workers});
  std::vector<std::vector<real>> none(p);
  results all{none, none, none, none};
  machine.run(p, [&](vp& me) -> task<> {
    const std::size_t r = me.rank();
    const std::vector<real> in = input_of(r, n), long_in = input_of(r, n * p);
    all.everywhere[r].resize(n);
    all.at_root[r].resize(n);
    all.parts[r].resize(n);
    all.prefixes[r].resize(n);
    const std::span<const real> x(in), y(long_in);
    const std::span<real> everywhere(all.everywhere[r]), at_root(all.at_root[r]);
    const std::span<real> part(all.parts[r]), prefix(all.prefixes[r]);
    const std::plus<> add;
    co_await all_reduce(me, x, everywhere, add, options);
    co_await reduce(me, x, at_root, add, options);
    co_await reduce_scatter(me, y, part, add, options);
    co_await scan(me, x, prefix, add, options);
  });
  return all;
}

/// Calls check(p, n, options) for all that may matter.
template <class Check> void for_all(const Check& check) {
  for (const std::size_t p : {2u, 3u, 8u, 13u}) {
    for (const std::size_t n : {1u, 6u, 1200u}) {
      for (const std::size_t blocks : {0u, 1u, 5u}) {
        SCOPED_TRACE(std::to_string(p) + " VPs, " + std::to_string(n) + " elements, " +
                     std::to_string(blocks) + " blocks");
        check(p, n, blocks);
      }
    }
  }
}

TEST(floats, are_summed_to_the_same_bits_on_all_ranks_in_every_run_on_any_workers) {
  for_all([](std::size_t p, std::size_t n, std::size_t blocks) {
    const collective_options options{.blocks = blocks, .commutative = true};
    const results first = sums(1, p, n, options);
    for (const unsigned workers : {2u, 3u, 2u}) {
      const results other = sums(workers, p, n, options);
      for (std::size_t r = 0; r < p; ++r) {
        ASSERT_TRUE(same_bits(first.everywhere[0], other.everywhere[r])) << "rank " << r;
        ASSERT_TRUE(same_bits(first.parts[r], other.parts[r])) << "rank " << r;
        ASSERT_TRUE(same_bits(first.prefixes[r], other.prefixes[r])) << "rank " << r;
      }
      ASSERT_TRUE(same_bits(first.at_root[0], other.at_root[0]));
    }
  });
}

/// Expects v VPs to find the sums of the tree.
void expect_tree_sums(machine_of_ranks& machine, std::size_t v, std::size_t n,
                      const collective_options& options) {
  std::vector<std::string> wrong(v);
  const auto ran =
      machine.run(v, [&](vp& me) { return tree_sums::compare(me, n, options, wrong[me.rank()]); });
  ASSERT_EQ(words_of(ran), "");
  ASSERT_EQ(wrong, std::vector<std::string>(v))
      << v << " VPs on " << machine.ranks() << " processes, " << n << " elements, start "
      << options.cost.value_or(pleat::message_cost{}).start << ", " << options.blocks << " blocks";
}

TEST(floats, are_summed_along_one_tree_by_any_processes) {
  const std::vector<std::vector<unsigned>> placements{{1},
                                                      {3},
                                                      {1, 1},
                                                      {1, 3},
                                                      {1, 1, 1},
                                                      {2, 3, 1, 2},
                                                      std::vector<unsigned>(5, 1),
                                                      {3, 1, 1, 2, 1, 1},
                                                      std::vector<unsigned>(7, 1),
                                                      std::vector<unsigned>(8, 1)};
  const std::size_t sizes[] = {1, 150, 0, 3};
  std::size_t number = 0;  // of sizes and costs, which take turns
  for (const auto& workers : placements) {
    if (pleat::detail::sanitized && workers.size() > 3) continue;
    machine_of_ranks machine(workers);
    for (std::size_t v = 1; v <= 33; v += pleat::detail::sanitized ? 8 : 1, ++number) {
      expect_tree_sums(machine, v, sizes[number % 4], {.cost = tree_sums::costs()[number % 3]});
      if (HasFailure()) return;
    }
  }
  const pleat::detail::process_message_cost near_is_cheap{1e-6, 1e-9, 1e-7};
  machine_of_ranks four({1, 1, 1, 1}, {}, &near_is_cheap);
  for (const std::size_t n : {3u, 150u}) expect_tree_sums(four, 4, n, {});  // gathered, and not
  machine_of_ranks machine({2, 1, 1});
  for (const pleat::message_cost& cost : tree_sums::costs()) {
    expect_tree_sums(machine, 7, pleat::detail::sanitized ? 20'003 : 1'000'003, {.cost = cost});
    // Options of operators that commute are ignored.
    expect_tree_sums(machine, 7, 150, {.blocks = 3, .cost = cost});
    constexpr auto trees = pleat::collective_schedule::negabinary;
    expect_tree_sums(machine, 7, 150, {.schedule = trees, .groups = {2, 1}, .cost = cost});
  }
}

TEST(floats, are_summed_along_that_tree_where_every_vp_is_a_process) {
  pleat::machine machine({.trace = pleat::tracing{}});
  for (const std::size_t v : {2u, 7u, 33u}) {
    std::vector<std::string> wrong(v);
    machine.run(v, [&](vp& me) { return tree_sums::compare(me, 5, {}, wrong[me.rank()]); });
    EXPECT_EQ(wrong, std::vector<std::string>(v));
  }
}

TEST(floats, of_which_some_are_no_numbers_keep_their_order) {
  // The larger of two that are not equal to each other depends on which is the first.
  everywhere(
      [](vp& me, verdict& found) -> task<> {
        const real zero = me.rank() % 2 == 0 ? -0.0 : 0.0;
        const std::vector<real> in(100, zero);
        std::vector<real> out(100);
        const std::span<const real> x(in);
        const std::span<real> y(out);
        const pleat::maximum larger;
        const collective_options options{};
        co_await all_reduce(me, x, y, larger, options);
        for (std::size_t i = 0; i < out.size(); ++i)
          found.expect(std::signbit(out[i]), me, "the first of equals", i);
      },
      {2, 3, 8});
}

}  // namespace floats_test
