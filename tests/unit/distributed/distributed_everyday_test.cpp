// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/distributed.hpp>
#include <pleat/oblivious/for_each.hpp>
#include <pleat/oblivious/reduce.hpp>
#include <pleat/oblivious/transform.hpp>

#include "on_ranks.hpp"

namespace distributed_everyday_test {

const std::size_t sizes[] = {0, 1, 5, 300, 4099, 300'007};

double sample(std::size_t i) { return 1.0 / (1.0 + static_cast<double>(i * 7919 % 10'007)); }

/// x → factor·x + summand, modulo 2^64: composition does not commute.
struct affine {
  std::uint64_t factor = 1, summand = 0;
  friend bool operator==(const affine&, const affine&) = default;
};
struct compose {
  affine operator()(affine a, affine b) const {
    return {a.factor * b.factor, a.factor * b.summand + a.summand};
  }
};

TEST(distributed_everyday, sums_are_bit_for_bit_those_of_one_array) {
  pleat::machine one({.processors = 1, .place = pleat::parse_placement("unpinned")});
  for (const auto& workers : machines_of_ranks()) {
    const machine_of_ranks machine(workers);
    for (const std::size_t n : sizes) {
      std::vector<double> array(n);
      std::vector<float> floats(n);
      std::vector<affine> maps(n);
      for (std::size_t i = 0; i < n; ++i) {
        array[i] = sample(i);
        floats[i] = static_cast<float>(array[i]);
        maps[i] = {2 * i + 3, i};
      }
      const auto less_precise = [](double a, double b) { return a + 0.5 * b; };
      const double sum = pleat::reduce(one, array, 0.25);
      const float small = pleat::reduce(one, floats, 0.0F);
      const double odd = pleat::reduce(one, array, 0.0, less_precise);
      const affine all = pleat::reduce(one, maps, affine(), compose());
      const auto square = [](double x) { return x * x; };
      const double squares = pleat::transform_reduce(one, array, 0.5, std::plus<>(), square);
      const double product = pleat::transform_reduce(one, array, floats, 0.0);
      on_ranks(machine, [&](pleat::machine& on) {
        pleat::distributed<double> data(on, n);
        data.fill(on, sample);
        EXPECT_EQ(pleat::reduce(on, data, 0.25), sum) << n;
        EXPECT_EQ(pleat::reduce(on, data, 0.0, less_precise), odd) << n;
        pleat::distributed<float> others(on, n);
        others.fill(on, [](std::size_t i) { return static_cast<float>(sample(i)); });
        EXPECT_EQ(pleat::reduce(on, others, 0.0F), small) << n;
        EXPECT_EQ(pleat::transform_reduce(on, data, 0.5, std::plus<>(), square), squares) << n;
        EXPECT_EQ(pleat::transform_reduce(on, data, others, 0.0), product) << n;
        pleat::distributed<affine> functions(on, n);
        functions.fill(on, [](std::size_t i) { return affine{2 * i + 3, i}; });
        EXPECT_EQ(pleat::reduce(on, functions, affine(), compose()), all) << n;
      });
    }
  }
}

TEST(distributed_everyday, loops_reach_every_element) {
  for (const auto& workers : machines_of_ranks()) {
    const machine_of_ranks machine(workers);
    for (const std::size_t n : sizes) {
      on_ranks(machine, [&](pleat::machine& on) {
        pleat::distributed<std::uint64_t> data(on, n);
        data.fill(on, [](std::size_t i) { return i; });
        pleat::for_each(on, data, [](std::uint64_t& x) { x += 5; });
        pleat::distributed<double> halves(on, n);
        pleat::transform(on, data, halves,
                         [](std::uint64_t x) { return 0.5 * static_cast<double>(x); });
        pleat::transform(on, data, data, [](std::uint64_t x) { return 2 * x; });
        for (std::size_t j = 0; j < data.local().size(); ++j) {
          const std::uint64_t i = data.global_index(j);
          ASSERT_EQ(data.local()[j], 2 * (i + 5));
          ASSERT_EQ(halves.local()[j], 0.5 * static_cast<double>(i + 5));
        }
      });
    }
  }
}

TEST(distributed_everyday, throws_on_all_ranks_what_one_throws) {
  const machine_of_ranks machine({1, 2, 1});
  const std::size_t n = 10'000;
  const auto expect_thrown = [&](const std::function<void(pleat::machine&)>& act) {
    for (const std::string& each : words_on_ranks(machine, act))
      EXPECT_NE(each.find("of the last"), std::string::npos) << each;
  };
  expect_thrown([&](pleat::machine& on) {
    pleat::distributed<std::size_t> data(on, n);
    data.fill(on, [](std::size_t i) { return i; });
    pleat::for_each(on, data, [&](std::size_t x) {
      if (x == n - 1) throw std::runtime_error("of the last");
    });
  });
  expect_thrown([&](pleat::machine& on) {
    pleat::distributed<std::size_t> data(on, n);
    data.fill(on, [](std::size_t i) { return i; });
    static_cast<void>(pleat::reduce(on, data, std::size_t{0}, [&](std::size_t a, std::size_t b) {
      if (b == n - 1) throw std::runtime_error("of the last");
      return a + b;
    }));
  });
  for (const std::string& each : words_on_ranks(machine, [](pleat::machine& on) {
         const pleat::distributed<int> three(on, 3), four(on, 4);
         static_cast<void>(pleat::reduce(on, on.rank() == 2 ? three : four, 0));
       }))
    EXPECT_NE(each.find("must make the same calls"), std::string::npos) << each;
}

TEST(distributed_everyday, refuses_on_all_ranks_what_is_wrong_on_one) {
  const machine_of_ranks machine({1, 2, 1});
  for (std::size_t culprit = 0; culprit < 3; ++culprit) {
    const auto refused = [&](const char* why, const std::function<void(pleat::machine&)>& act) {
      for (const std::string& each : words_on_ranks(machine, act))
        EXPECT_NE(each.find(why), std::string::npos) << each;
    };
    refused("an output of 4 elements for 3", [&](pleat::machine& on) {
      const pleat::distributed<int> three(on, 3);
      pleat::distributed<int> like(on, 3), longer(on, 4);
      pleat::transform(on, three, on.rank() == culprit ? longer : like, [](int x) { return x; });
    });
    pleat::machine alone({.processors = 1, .place = pleat::parse_placement("unpinned")});
    const pleat::distributed<int> others(alone, 3);
    refused("block 0 of 1 on rank", [&](pleat::machine& on) {
      const pleat::distributed<int> three(on, 3);
      static_cast<void>(pleat::reduce(on, on.rank() == culprit ? others : three, 0));
    });
    refused("block 0 of 1 on rank", [&](pleat::machine& on) {
      pleat::distributed<int> three(on, 3), mine(alone, 3);
      pleat::transform(on, three, on.rank() == culprit ? mine : three, [](int x) { return x; });
    });
  }
}

}  // namespace distributed_everyday_test
