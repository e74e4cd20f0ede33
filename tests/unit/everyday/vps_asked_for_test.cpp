// SPDX-License-Identifier: Apache-2.0
//
// Numbers of virtual processors that no machine runs are refused by all functions alike.
#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/pleat.hpp>

#include "range_cases.hpp"

namespace vps_asked_for_test {

TEST(vps_asked_for, that_no_machine_runs_are_refused_by_all_functions) {
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

}  // namespace vps_asked_for_test
