// SPDX-License-Identifier: Apache-2.0
//
// Refusals that all functions have in common, and what they pass on.
#include <complex>
#include <cstddef>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/pleat.hpp>

#include "range_cases.hpp"

namespace refusals_test {

TEST(refusals, are_of_numbers_of_vps_that_no_machine_runs) {
  auto on = strict_machine(2);
  std::vector<double> x(1024), y(1024);
  std::vector<std::complex<double>> z(1024);
  std::vector<double> both(2048);
  std::vector<std::size_t> counts(2);
  const std::vector<double> keys(1024);
  const auto matrix = [](std::vector<double>& of) {
    return pleat::strided_view<double>(of.data(), 16, 16, 16);
  };
  const auto positive = [](double key) { return key > 0; };
  const auto add = [](double& sum, double key) { sum += key; };
  for (const std::size_t vps :
       {std::size_t{0}, std::size_t{1} << 32, std::size_t{1} << 63, SIZE_MAX}) {
    SCOPED_TRACE(vps);
    using error = pleat::usage_error;
    EXPECT_THROW(pleat::for_each(on, x, [](double&) {}, {.vps = vps}), error);
    EXPECT_THROW(pleat::transform(on, keys, y, positive, with(vps)), error);
    EXPECT_THROW((void)pleat::reduce(on, keys, 0.0, std::plus<>(), with(vps)), error);
    EXPECT_THROW((void)pleat::aggregate(on, keys, 0.0, add, std::plus<>(), with(vps)), error);
    EXPECT_THROW(pleat::inclusive_scan(on, keys, y, std::plus<>(), with(vps)), error);
    EXPECT_THROW(pleat::copy_if(on, keys, y, positive, with(vps)), error);
    EXPECT_THROW((void)pleat::partition(on, x, positive, with(vps)), error);
    EXPECT_THROW((void)pleat::unique(on, x, {}, with(vps)), error);
    EXPECT_THROW((void)pleat::find_if(on, keys, positive, with(vps)), error);
    EXPECT_THROW((void)pleat::equal(on, x, keys, {}, with(vps)), error);
    EXPECT_THROW((void)pleat::max_element(on, keys, {}, with(vps)), error);
    EXPECT_THROW(pleat::merge(on, keys, keys, both, {}, with(vps)), error);
    EXPECT_THROW((void)pleat::nth_element(on, x, 5, {}, with(vps)), error);
    EXPECT_THROW((void)pleat::top_k(on, keys, 1, {}, with(vps)), error);
    EXPECT_THROW(pleat::histogram(on, keys, counts, positive, with(vps)), error);
    EXPECT_THROW(pleat::reverse(on, x, with(vps)), error);
    EXPECT_THROW(pleat::rotate(on, x, 3, with(vps)), error);
    EXPECT_THROW(pleat::random_shuffle(on, x, 1, with(vps)), error);
    EXPECT_THROW((void)pleat::group_by(on, x, {}, with(vps)), error);
    EXPECT_THROW(pleat::sort(on, x, {}, {.vps = vps}), error);
    EXPECT_THROW(pleat::stable_sort(on, x, std::not_equal_to<>(), {.vps = vps}), error);
    EXPECT_THROW((void)pleat::argsort(on, keys, {}, {.vps = vps}), error);
    EXPECT_THROW(pleat::fft(on, z, {.vps = vps}), error);
    EXPECT_THROW(pleat::matmul(on, matrix(x), matrix(x), matrix(y), {.vps = vps}), error);
    EXPECT_THROW(pleat::stencil(on, x, 3, [](const auto& u) { return u(0); }, {.vps = vps}), error);
  }
}

// Callables that throw: the caller gets their exception, and elements stay where they were.
TEST(refusals, of_callables_are_passed_on) {
  auto on = strict_machine(2);
  constexpr std::size_t n = 5000;
  const std::vector<int> keys(n, 1);
  std::vector<int> x = keys, y(n), both(2 * n), counts(2);
  const auto throws = [](const auto&... values) -> int {
    if (sizeof...(values) > 0) throw refusal();
    return 0;
  };
  const auto count = [](int& sum, int) { ++sum; };
  for (const std::size_t vps : vp_counts) {
    SCOPED_TRACE(vps);
    const pleat::range_options how = with(vps);
    for (const std::size_t bad : {std::size_t{0}, n / 2, n - 1}) {
      const auto refuse = [&](std::size_t i) {
        if (i == bad) throw refusal();
      };
      EXPECT_THROW(pleat::for_each_index(on, n, refuse, {.vps = vps}), refusal);
      EXPECT_THROW(pleat::for_each_index(on, n, refuse, {.vps = vps, .chunk = 10}), refusal);
    }
    EXPECT_THROW(pleat::transform(on, keys, y, throws, how), refusal);
    EXPECT_THROW((void)pleat::reduce(on, keys, 0, throws, how), refusal);
    EXPECT_THROW((void)pleat::transform_reduce(on, keys, 0, std::plus<>(), throws, how), refusal);
    EXPECT_THROW((void)pleat::aggregate(on, keys, 0, throws, std::plus<>(), how), refusal);
    EXPECT_THROW(pleat::inclusive_scan(on, keys, y, throws, how), refusal);
    EXPECT_THROW(pleat::copy_if(on, keys, y, throws, how), refusal);
    EXPECT_THROW((void)pleat::partition(on, x, throws, how), refusal);
    EXPECT_THROW((void)pleat::unique(on, x, throws, how), refusal);
    EXPECT_THROW((void)pleat::find_if(on, keys, throws, how), refusal);
    EXPECT_THROW((void)pleat::min_element(on, keys, throws, how), refusal);
    EXPECT_THROW(pleat::merge(on, keys, keys, both, throws, how), refusal);
    EXPECT_THROW((void)pleat::top_k(on, keys, 3, throws, how), refusal);
    EXPECT_THROW(pleat::histogram(on, keys, counts, throws, how), refusal);
    if (vps > 1) {
      EXPECT_THROW((void)pleat::aggregate(on, keys, 0, count, throws, how), refusal);
    }
    EXPECT_EQ(x, keys);
  }
  x.assign(50'021, 1);  // beyond what is left to the standard library
  EXPECT_THROW((void)pleat::nth_element(on, x, 5, throws, with(3)), refusal);
  EXPECT_EQ(x, std::vector<int>(50'021, 1));
}

TEST(refusals, are_of_short_outputs_and_places_that_do_not_exist) {
  using error = pleat::usage_error;
  auto on = strict_machine(2);
  constexpr std::size_t n = 3000;
  std::vector<int> x(n, 1), out(n - 1), counts(2), none;
  const auto same = [](int i) { return i; };
  for (const std::size_t vps : {1U, 3U}) {
    const pleat::range_options how = with(vps);
    EXPECT_THROW(pleat::transform(on, x, out, same, how), error);
    EXPECT_THROW(pleat::copy_if(on, x, out, same, how), error);
    EXPECT_THROW(pleat::merge(on, x, none, out, {}, how), error);
    EXPECT_THROW(pleat::inclusive_scan(on, x, out, {}, how), error);
    EXPECT_THROW(pleat::exclusive_scan(on, x, out, 0, {}, how), error);
    for (const int bad : {-1, 2}) {
      x[n / 2] = bad;
      EXPECT_THROW(pleat::histogram(on, x, counts, {}, how), error);
      x[n / 2] = 1;
    }
  }
  EXPECT_THROW(pleat::histogram(on, x, none), error);
  pleat::histogram(on, none, none);
  // When earlier calls have told that several VPs are worth their cost.
  const std::vector<int> many(std::size_t{1} << 22, 1);
  const auto count = [&](std::vector<int>& to) { pleat::histogram(on, many, to, same); };
  count(counts);
  EXPECT_THROW(count(none), error);
  EXPECT_THROW(pleat::rotate(x, n + 1), error);
  EXPECT_THROW((void)pleat::nth_element(on, x, n + 1), error);
  EXPECT_THROW(pleat::pack(x, std::vector<bool>(n - 1), out), error);
  EXPECT_THROW(pleat::pack(x, std::vector<bool>(n + 1), out), error);
  EXPECT_THROW(pleat::pack(x, std::vector<char>(n, 1), out), error);
  EXPECT_THROW(pleat::for_each_index(on, 3, same, {.chunk = 0}), error);
}

}  // namespace refusals_test
