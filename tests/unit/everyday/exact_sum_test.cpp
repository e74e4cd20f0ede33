// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/collectives/reduce.hpp>
#include <pleat/oblivious/exact_sum.hpp>
#include <pleat/oblivious/reduce.hpp>
#include <pleat/runtime/machine.hpp>

#include "range_cases.hpp"
#include "unit/every_target.hpp"

namespace {

using pleat::exact_sum;

double sum_of(const std::vector<double>& x) {
  exact_sum sum;
  for (const double one : x) sum.add(one);
  return sum.value();
}

/// Numbers whose exact sum is `rest`: pairs that cancel, in random order, with exponents up to
/// `spread` apart.
std::vector<double> numbers_that_sum_to(double rest, std::size_t pairs, int spread, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<double> x{rest};
  for (std::size_t i = 0; i < pairs; ++i) {
    const int exponent = static_cast<int>(random() % static_cast<unsigned>(spread)) - spread / 2;
    x.push_back(std::ldexp(1 + static_cast<double>(random() >> 12) * 0x1p-52, exponent));
    x.push_back(-x.back());
  }
  std::shuffle(x.begin(), x.end(), random);
  return x;
}

TEST(exact_sum, value_is_the_nearest_number_and_the_even_one_of_two) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double greatest = std::numeric_limits<double>::max();
  EXPECT_EQ(sum_of({}), 0);
  EXPECT_FALSE(std::signbit(sum_of({-0.0})));
  EXPECT_EQ(sum_of({1, 0x1p-53}), 1);
  EXPECT_EQ(sum_of({1, 0x1p-53, 0x1p-1074}), 1 + 0x1p-52);
  EXPECT_EQ(sum_of({-1, -0x1p-53, -0x1p-1074}), -1 - 0x1p-52);
  EXPECT_EQ(sum_of({1, 0x1p-53, -0x1p-1074}), 1);
  EXPECT_EQ(sum_of({1 + 0x1p-52, 0x1p-53}), 1 + 0x1p-51);
  EXPECT_EQ(sum_of({0x1p-1074, 0x1p-1074, 0x1p-1074}), 0x1.8p-1073);
  EXPECT_EQ(sum_of({0x1p-1022, -0x1p-1074}), 0x1p-1022 - 0x1p-1074);
  EXPECT_EQ(sum_of({greatest, greatest, -greatest}), greatest);
  EXPECT_EQ(sum_of({greatest, 0x1p969}), greatest);
  EXPECT_EQ(sum_of({greatest, 0x1p970}), infinity);
  EXPECT_EQ(sum_of({-greatest, -greatest}), -infinity);
  EXPECT_EQ(sum_of({1, -infinity, greatest}), -infinity);
  EXPECT_TRUE(std::isnan(sum_of({infinity, -infinity})));
  // To float at once: by way of a double, the first two would be rounded to the even one.
  exact_sum sum(1);
  sum.add(0x1p-24);
  sum.add(0x1p-80);
  EXPECT_EQ(sum.value<float>(), 1 + 0x1p-23f);
  EXPECT_EQ(exact_sum(0x1.8p-149).value<float>(), 0x1p-148f);
  EXPECT_EQ(exact_sum(0x1p-150).value<float>(), 0);
}

class blocks_of_numbers : public every_target {};
ON_EVERY_TARGET(blocks_of_numbers);

TEST_P(blocks_of_numbers, of_any_spread_lose_nothing) {
  for (const int spread : {1, 70, 90, 300, 2040}) {
    for (const std::size_t pairs : {0u, 3u, 8u, 255u, 256u, 5000u}) {
      for (const double rest : {0.7, 0x1.8p-1060, 1.7e308}) {
        const auto x = numbers_that_sum_to(rest, pairs, spread, static_cast<unsigned>(pairs));
        exact_sum sum;
        sum.add(x.data(), x.size());
        ASSERT_EQ(sum.value(), rest) << spread << ' ' << pairs;
      }
    }
  }
  std::vector<double> x(1000, 1.0);
  x[700] = std::numeric_limits<double>::infinity();
  exact_sum sum;
  sum.add(x.data(), x.size());
  EXPECT_EQ(sum.value(), x[700]);
  x.assign(1000, 0.0);
  x[3] = std::numeric_limits<double>::quiet_NaN();
  sum.add(x.data(), x.size());
  EXPECT_TRUE(std::isnan(sum.value()));
}

TEST(exact_sum, carries_reach_the_words_above) {
  exact_sum sum(0x1.fffffffffffffp60);
  for (int doubled = 0; doubled < 60; ++doubled) sum += sum;  // as 2^60 additions
  EXPECT_EQ(sum.value(), 0x1.fffffffffffffp120);
  exact_sum negative(-0x1p-1074);
  for (int doubled = 0; doubled < 40; ++doubled) negative += negative;
  EXPECT_EQ((sum + negative).value(), 0x1.fffffffffffffp120);
  EXPECT_EQ((sum + negative + exact_sum(-0x1.fffffffffffffp120)).value(), -0x1p-1034);
}

TEST(exact_sum, reductions_do_not_depend_on_their_division) {
  auto machine = strict_machine(3);
  for_all([&](std::size_t n, std::size_t vps) {
    const auto x = numbers_that_sum_to(0.1, n, 200, static_cast<unsigned>(vps));
    ASSERT_EQ(pleat::reduce(machine, x, exact_sum(), {}, with(vps)).value(), 0.1);
    const auto half = [](double one) { return one / 2; };
    ASSERT_EQ(
        pleat::transform_reduce(machine, x, exact_sum(), std::plus<>(), half, with(vps)).value(),
        0.05);
  });
}

TEST(exact_sum, collectives_combine_it) {
  pleat::machine machine;
  std::vector<double> sums(5);
  machine.run(5, [&](pleat::vp& me) -> pleat::task<> {
    const double mine[] = {1e300, 1, -1e300, 0x1p-60, 1};
    const exact_sum own(mine[me.rank()]);
    const exact_sum all = co_await pleat::all_reduce(me, own, std::plus<>{});
    sums[me.rank()] = all.value();
  });
  EXPECT_EQ(sums, std::vector<double>(5, 2));
}

}  // namespace
