// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "evaluate/lower_bound.hpp"

namespace lower_bounds_test {

using namespace pleat::bench;
using bound = std::function<double(std::size_t n, std::size_t p, double sigma)>;

const std::map<std::string, bound>& all_bounds() {
  static const std::map<std::string, bound> bounds{
      {"matmul", matmul_lower_bound},
      {"matmul in place", matmul_in_place_lower_bound},
      {"transpose", transpose_lower_bound},
      {"elimination", elimination_lower_bound},
      {"fft", fft_lower_bound},
      {"sort", sort_lower_bound},
      {"1-stencil", [](auto n, auto p, double s) { return stencil_lower_bound(n, 1, p, s); }},
      {"2-stencil", [](auto n, auto p, double s) { return stencil_lower_bound(n, 2, p, s); }},
      {"broadcast", [](auto, auto p, double s) { return broadcast_lower_bound(p, s); }},
      {"prefix", [](auto, auto p, double s) { return prefix_lower_bound(p, s); }},
      {"point to point", point_to_point_lower_bound}};
  return bounds;
}

TEST(lower_bounds, of_one_processor_are_nothing) {
  for (const auto& [name, of] : all_bounds()) {
    for (const double sigma : {0.0, 1.0, 1e6}) {
      EXPECT_EQ(of(1, 1, sigma), 0) << name;
      EXPECT_EQ(of(1 << 20, 1, sigma), 0) << name;
    }
  }
}

TEST(lower_bounds, of_several_are_finite_and_above_nothing) {
  for (const auto& [name, of] : all_bounds()) {
    for (std::size_t n = 2; n <= std::size_t{1} << 40; n *= 8) {
      for (std::size_t p = 2; p <= n; p *= 2) {
        for (const double sigma : {0.0, 1.0, 1e6}) {
          const double least = of(n, p, sigma);
          EXPECT_TRUE(std::isfinite(least) && least > 0) << name << ", " << n << ", " << p;
        }
      }
    }
  }
}

TEST(lower_bounds, grow_with_latency) {
  for (const auto& [name, of] : all_bounds())
    for (std::size_t p = 2; p <= 4096; p *= 2)
      EXPECT_GE(of(4096, p, 100), of(4096, p, 1)) << name << ", " << p;
}

TEST(lower_bounds, are_those_of_the_model) {
  EXPECT_DOUBLE_EQ(matmul_lower_bound(4096, 64, 7), 4096 / 16.0 + 7);
  EXPECT_DOUBLE_EQ(matmul_in_place_lower_bound(4096, 64, 7), 4096 / 8.0 + 7);
  EXPECT_DOUBLE_EQ(fft_lower_bound(4096, 64, 7), 64 * 12 / 6.0 + 7);
  EXPECT_DOUBLE_EQ(sort_lower_bound(4096, 16, 7), 256 * 12 / 8.0 + 7);
  EXPECT_DOUBLE_EQ(stencil_lower_bound(512, 1, 64, 7), 512 + 7);
  EXPECT_DOUBLE_EQ(stencil_lower_bound(512, 2, 64, 7), 512 * 512 / 8.0 + 7);
  EXPECT_DOUBLE_EQ(stencil_lower_bound(512, 3, 64, 7), 512.0 * 512 * 512 / 16 + 7);
  EXPECT_DOUBLE_EQ(broadcast_lower_bound(64, 0), 12);
  EXPECT_DOUBLE_EQ(broadcast_lower_bound(64, 1), 12);
  EXPECT_DOUBLE_EQ(broadcast_lower_bound(64, 8), 16);
  EXPECT_DOUBLE_EQ(broadcast_lower_bound(2, 16), 4);
  EXPECT_DOUBLE_EQ(prefix_lower_bound(64, 8), 16);
  EXPECT_DOUBLE_EQ(point_to_point_lower_bound(100, 8, 7), 107);
}

TEST(lower_bounds, of_one_element_on_each_processor_have_a_superstep_for_each_level) {
  EXPECT_DOUBLE_EQ(fft_lower_bound(4096, 4096, 3), 12 + 3);
  EXPECT_DOUBLE_EQ(sort_lower_bound(4096, 4096, 3), 12 + 3);
  EXPECT_DOUBLE_EQ(sort_lower_bound(4096, 2048, 3), 24 + 3);  // where log(n/p) is 1 of itself
}

}  // namespace lower_bounds_test
