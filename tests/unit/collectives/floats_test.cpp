// SPDX-License-Identifier: Apache-2.0
// Sums of floating-point numbers, which round: the same to the last bit on all ranks and in every
// run, however many workers there are; in order, those of a serial loop.
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
std::vector<real> serial(std::size_t ranks, std::size_t n) {
  std::vector<real> sum = input_of(0, n);
  for (std::size_t rank = 1; rank < ranks; ++rank) {
    for (std::size_t i = 0; i < n; ++i) sum[i] += value_for<real>(rank, i);
  }
  return sum;
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
    const collective_options options{.blocks = blocks};
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

// Scans are, whatever is said of the operator.
TEST(floats, are_summed_in_order_to_the_bits_of_a_serial_loop) {
  for_all([](std::size_t p, std::size_t n, std::size_t blocks) {
    for (const bool commutes : {true, false}) {
      const results all = sums(2, p, n, {.blocks = blocks, .commutative = commutes});
      for (std::size_t r = 0; r < p; ++r)
        ASSERT_TRUE(same_bits(all.prefixes[r], serial(r + 1, n))) << "rank " << r;
      if (commutes) continue;
      const std::vector<real> expected = serial(p, n), long_expected = serial(p, n * p);
      ASSERT_TRUE(same_bits(all.at_root[0], expected));
      for (std::size_t r = 0; r < p; ++r) {
        ASSERT_TRUE(same_bits(all.everywhere[r], expected)) << "rank " << r;
        ASSERT_TRUE(same_bits(all.parts[r], std::span(long_expected).subspan(r * n, n)));
      }
    }
  });
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
