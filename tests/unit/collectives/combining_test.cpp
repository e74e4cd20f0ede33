// SPDX-License-Identifier: Apache-2.0
// Reductions and scans against a serial loop over the ranks: any operator that is associative, any
// type, number of VPs and workers, root and option.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <vector>

#include <pleat/collectives/reduce.hpp>
#include <pleat/collectives/reduce_scatter.hpp>
#include <pleat/collectives/scan.hpp>

#include "collective_runs.hpp"
#include "operators.hpp"

namespace combining_test {

using namespace collective_runs;
using pleat::collective_options, pleat::task, pleat::vp;

/// in_first … in_last − 1 of element i, from left to right.
template <class T, class Op> T serial(const Op& op, std::size_t last, std::size_t i) {
  T sum = value_for<T>(0, i);
  for (std::size_t rank = 1; rank < last; ++rank)
    sum = static_cast<T>(op(sum, value_for<T>(rank, i)));
  return sum;
}

template <class T, class Op>
bool is_sum(std::span<const T> x, const Op& op, std::size_t last, std::size_t first) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    const T expected = serial<T>(op, last, first + i);
    if (std::memcmp(&x[i], &expected, sizeof(T)) != 0) return false;
  }
  return true;
}

template <class T> block<T> input_of(const vp& me, std::size_t n) {
  block<T> in(n);
  for (std::size_t i = 0; i < n; ++i) in[i] = value_for<T>(me.rank(), i);
  return in;
}

template <class T, class Op>
task<> check_reduce(vp& me, verdict& found, std::size_t n, Op op, collective_options options) {
  const bool root = me.rank() == options.root;
  block<T> in = input_of<T>(me, n), out(root ? n : 0);
  co_await reduce(me, in.read(), out.all(), op, options);
  found.expect(!root || is_sum<T>(out.read(), op, me.size(), 0), me, "reduce", n);
  co_await reduce(me, in.all(), root ? in.all() : std::span<T>(), op, options);
  if (root) {
    found.expect(is_sum<T>(in.read(), op, me.size(), 0), me, "reduce in place", n);
  } else {
    const block<T> same = input_of<T>(me, n);
    found.expect(n == 0 || std::memcmp(in.read().data(), same.read().data(), n * sizeof(T)) == 0,
                 me, "reduce leaves its input alone", n);
  }
}

template <class T, class Op>
task<> check_all_reduce(vp& me, verdict& found, std::size_t n, Op op, collective_options options) {
  block<T> in = input_of<T>(me, n), out(n);
  co_await all_reduce(me, in.read(), out.all(), op, options);
  found.expect(is_sum<T>(out.read(), op, me.size(), 0), me, "all_reduce", n);
  co_await all_reduce(me, in.all(), in.all(), op, options);
  found.expect(is_sum<T>(in.read(), op, me.size(), 0), me, "all_reduce in place", n);
}

template <class T, class Op>
task<> check_reduce_scatter(vp& me, verdict& found, std::size_t n, Op op,
                            collective_options options) {
  const std::size_t first = me.rank() * n;
  block<T> in = input_of<T>(me, n * me.size()), out(n);
  co_await reduce_scatter(me, in.read(), out.all(), op, options);
  found.expect(is_sum<T>(out.read(), op, me.size(), first), me, "reduce_scatter", n);
  const std::span<T> own = in.part(first, n);
  co_await reduce_scatter(me, in.all(), own, op, options);
  found.expect(is_sum<T>(own, op, me.size(), first), me, "reduce_scatter in place", n);
}

template <class T, class Op>
task<> check_scans(vp& me, verdict& found, std::size_t n, Op op, collective_options options) {
  const std::size_t r = me.rank();
  block<T> in = input_of<T>(me, n), same = input_of<T>(me, n), out(n);
  co_await scan(me, in.read(), out.all(), op, options);
  found.expect(is_sum<T>(out.read(), op, r + 1, 0), me, "scan", n);
  co_await exclusive_scan(me, in.read(), out.all(), op, options);
  found.expect(is_sum<T>(out.read(), op, r == 0 ? 1 : r, 0), me, "exclusive_scan", n);
  co_await scan(me, in.all(), in.all(), op, options);
  found.expect(is_sum<T>(in.read(), op, r + 1, 0), me, "scan in place", n);
  co_await exclusive_scan(me, same.all(), same.all(), op, options);
  found.expect(is_sum<T>(same.read(), op, r == 0 ? 1 : r, 0), me, "exclusive_scan in place", n);
}

template <class T, class Op>
task<> check_all(vp& me, verdict& found, std::size_t n, Op op, collective_options options) {
  co_await check_reduce<T>(me, found, n, op, options);
  co_await check_reduce_scatter<T>(me, found, n, op, options);
  co_await check_scans<T>(me, found, n, op, options);
  co_await check_all_reduce<T>(me, found, n, op, options);
}

task<> check_roots(vp& me, verdict& found) {
  for (const std::size_t n : {1u, 6u, 7u, 300u}) {
    for (std::size_t root = 0; root < me.size(); ++root) {
      for (const bool commutes : {true, false}) {
        const collective_options options{.root = root, .commutative = commutes};
        co_await check_reduce<std::uint64_t>(me, found, n, std::plus<>(), options);
      }
    }
  }
}

TEST(combining, is_right_for_every_root) {
  everywhere(check_roots);
  over_ranks(check_roots);
}

task<> check_blocks(vp& me, verdict& found) {
  for (const std::size_t n : {0u, 1u, 7u, 1001u}) {
    for (const std::size_t blocks : {0u, 1u, 3u, 40u}) {
      if (n > 7 && blocks != 3 && blocks != 0) continue;
      for (const bool commutes : {true, false}) {
        const collective_options options{
            .root = me.size() / 2, .blocks = blocks, .commutative = commutes};
        co_await check_all<std::uint32_t>(me, found, n, std::plus<>(), options);
      }
    }
  }
}

TEST(combining, is_right_for_every_size_and_number_of_blocks) {
  everywhere(check_blocks, {1, 2, 3, 8, 17});
  over_ranks(check_blocks, {5, 13});
}

/// Without a word in the options: an operator nobody knows is applied in the order of the ranks.
template <class T, class Op> void check_operator(const Op& op) {
  const auto program = [&](vp& me, verdict& found) -> task<> {
    for (const std::size_t n : {1u, 3u, 260u}) {
      if (n * sizeof(T) > 10000) break;
      const collective_options options{.root = me.size() - 1};
      co_await check_all<T>(me, found, n, op, options);
    }
  };
  everywhere(program, {1, 2, 3, 5, 8, 13});
  over_ranks(program, {2, 7});
}

TEST(combining, of_matrices_keeps_their_order) { check_operator<matrix>(matrix_product()); }
TEST(combining, of_texts_keeps_their_order) { check_operator<text>(concatenation()); }
TEST(combining, of_permutations_of_64_in_aligned_memory_keeps_their_order) {
  check_operator<permutation<64, 64>>(composition());
}
TEST(combining, of_types_aligned_to_more_than_a_line_is_right) {
  check_operator<permutation<256, 256>>(composition());
}
TEST(combining, of_three_bytes_is_right) { check_operator<bytes_of<3>>(bytewise_sum()); }
TEST(combining, of_bool_is_right) { check_operator<bool>(std::logical_or<>()); }
TEST(combining, of_types_that_arithmetic_widens_is_right) {
  check_operator<signed char>([](signed char a, signed char b) { return a ^ b; });
}
TEST(combining, by_maximum_and_minimum_is_right) {
  check_operator<std::uint16_t>(pleat::maximum());
  check_operator<std::uint16_t>(pleat::minimum());
}
TEST(combining, by_an_operator_with_memory_of_its_own_is_right) {
  const std::vector<std::uint32_t> table{3, 1, 4, 1, 5};
  check_operator<std::uint32_t>(std::function<std::uint32_t(std::uint32_t, std::uint32_t)>(
      [table](std::uint32_t a, std::uint32_t b) { return a * b * (table[0] - table[1] * 2); }));
}

TEST(combining, of_types_in_any_number_of_blocks_is_right_if_said_to_commute) {
  everywhere(
      [](vp& me, verdict& found) -> task<> {
        for (const std::size_t n : {1u, 5u, 70u}) {
          for (const std::size_t blocks : {0u, 1u, 4u}) {
            const collective_options options{.blocks = blocks, .commutative = true};
            co_await check_all<bytes_of<3>>(me, found, n, bytewise_sum(), options);
            co_await check_all<bytes_of<48>>(me, found, n, bytewise_sum(), options);
            if (n < 70)
              co_await check_all<bytes_of<256, 256>>(me, found, n, bytewise_sum(), options);
            co_await check_all<bool>(me, found, n, std::bit_xor<>(), options);
          }
        }
      },
      {1, 3, 8});
}

task<> check_large(vp& me, verdict& found) {
  constexpr std::size_t most = std::size_t{1} << (pleat::detail::sanitized ? 13 : 17);
  for (const std::size_t n : {most / 16, most / 2}) {
    for (const bool commutes : {true, false}) {
      const collective_options options{.root = me.size() - 1, .commutative = commutes};
      const std::plus<> add;
      co_await check_reduce<std::uint64_t>(me, found, n, add, options);
      co_await check_all_reduce<std::uint64_t>(me, found, n, add, options);
      co_await check_reduce_scatter<std::uint64_t>(me, found, n / me.size(), add, options);
      co_await check_scans<std::uint64_t>(me, found, n, add, options);
    }
  }
}

TEST(combining, of_large_data_is_right) {
  everywhere(check_large, {1, 2, 3});
  over_ranks(check_large, {4});
}

}  // namespace combining_test
