// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/top_k.hpp>
#include <pleat/runtime/machine.hpp>

#include "range_cases.hpp"

namespace top_k_test {

TEST(top_k, gives_the_first_of_equal_elements_first) {
  auto machine = strict_machine(3);
  for_all([&](std::size_t n, std::size_t vps) {
    std::mt19937 random(static_cast<unsigned>(n));
    std::vector<std::string> x(n);
    for (auto& s : x) s = std::to_string(random() % 50);
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) { return x[i]; });
    for (const std::size_t k : {0u, 1u, 5u, 100u, 20000u}) {
      auto expected = order;
      expected.resize(std::min(k, n));
      ASSERT_EQ(pleat::top_k(machine, x, k, {}, {}, with(vps)), expected);
    }
    std::ranges::sort(order);
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return x[i].size(); });
    order.resize(std::min<std::size_t>(n, 9));
    ASSERT_EQ(pleat::top_k(machine, x, 9, std::greater<>(), &std::string::size, with(vps)), order);
  });
}

}  // namespace top_k_test
