// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/collectives/commutes.hpp>
#include <pleat/oblivious/distributed.hpp>
#include <pleat/oblivious/scan.hpp>

#include "on_ranks.hpp"

namespace distributed_scan_test {

const std::size_t sizes[] = {0, 1, 3, 300, 4099, 70'001};

double sample(std::size_t i) { return 1.0 / (1.0 + static_cast<double>(i * 7919 % 10'007)); }

/// x → factor·x + summand, modulo 2^64: composition does not commute.
struct affine {
  affine(std::uint64_t f = 1, std::uint64_t s = 0) : factor(f), summand(s) {}
  std::uint64_t factor, summand;
  friend bool operator==(const affine&, const affine&) = default;
};
struct compose {
  affine operator()(affine a, affine b) const {
    return {a.factor * b.factor, a.factor * b.summand + a.summand};
  }
};

template <class T> void expect_local(const pleat::distributed<T>& data, const std::vector<T>& all) {
  for (std::size_t j = 0; j < data.local().size(); ++j)
    ASSERT_EQ(data.local()[j], all[data.global_index(j)]) << data.global_index(j);
}

// In floating point a library's own association is part of the result, so the array's is compared.
TEST(distributed_scan, of_rounded_sums_is_bit_for_bit_that_of_one_array) {
  pleat::machine one({.processors = 1, .place = pleat::parse_placement("unpinned")});
  const auto odd = [](double a, double b) { return a + 0.5 * b; };
  for (const auto& workers : few_ranks()) {
    const machine_of_ranks machine(workers);
    for (const std::size_t n : sizes) {
      std::vector<double> array(n), inclusive(n), exclusive(n), strange(n);
      for (std::size_t i = 0; i < n; ++i) array[i] = sample(i);
      pleat::inclusive_scan(one, array, inclusive);
      pleat::exclusive_scan(one, array, exclusive, 0.25);
      pleat::inclusive_scan(one, array, strange, odd);
      on_ranks(machine, [&](pleat::machine& on) {
        pleat::distributed<double> data(on, n), out(on, n);
        data.fill(on, sample);
        pleat::exclusive_scan(on, data, out, 0.25);
        expect_local(out, exclusive);
        pleat::inclusive_scan(on, data, out, odd);
        expect_local(out, strange);
        pleat::inclusive_scan(on, data, data);  // in place
        expect_local(data, inclusive);
      });
    }
  }
}

TEST(distributed_scan, of_what_does_not_round_is_that_of_a_loop) {
  for (const auto& workers : few_ranks()) {
    const machine_of_ranks machine(workers);
    for (const std::size_t n : sizes) {
      std::vector<std::uint64_t> ends(n);
      std::vector<affine> composed(n);
      std::vector<bool> any(n);
      std::uint64_t sum = 0;
      affine all;
      bool some = false;
      for (std::size_t i = 0; i < n; ++i) {
        ends[i] = sum += i * 101 % 256;
        composed[i] = all;
        all = compose()(all, {2 * i + 3, i});
        any[i] = some |= i == n / 2;
      }
      on_ranks(machine, [&](pleat::machine& on) {
        pleat::distributed<std::uint8_t> bytes(on, n);
        bytes.fill(on, [](std::size_t i) { return static_cast<std::uint8_t>(i * 101 % 256); });
        pleat::distributed<std::uint64_t> out(on, n);
        pleat::exclusive_scan(on, bytes, out, std::uint64_t{0});
        for (std::size_t j = 0; j < out.local().size(); ++j)
          ASSERT_EQ(out.local()[j] + bytes.local()[j], ends[out.global_index(j)]);
        pleat::distributed<affine> maps(on, n);
        maps.fill(on, [](std::size_t i) { return affine{2 * i + 3, i}; });
        pleat::exclusive_scan(on, maps, maps, affine(), compose());
        expect_local(maps, composed);
        pleat::distributed<bool> bits(on, n);
        bits.fill(on, [&](std::size_t i) { return i == n / 2; });
        pleat::inclusive_scan(on, bits, bits, std::logical_or<>());
        for (std::size_t j = 0; j < bits.local().size(); ++j)
          ASSERT_EQ(bits.local()[j], any[bits.global_index(j)]);
      });
    }
  }
}

TEST(distributed_scan, throws_on_all_ranks_what_one_throws) {
  const machine_of_ranks machine({1, 2, 1});
  for (const std::string& each : words_on_ranks(machine, [](pleat::machine& on) {
         pleat::distributed<int> data(on, 1000);
         data.fill(on, [](std::size_t i) { return i == 999 ? 1 : 0; });
         pleat::inclusive_scan(on, data, data, [](int a, int b) {
           if (b == 1) throw std::runtime_error("of the last");
           return a + b;
         });
       }))
    EXPECT_NE(each.find("of the last"), std::string::npos) << each;
  for (const std::string& each : words_on_ranks(machine, [](pleat::machine& on) {
         const pleat::distributed<int> data(on, 3);
         pleat::distributed<int> like(on, 3), longer(on, 4);
         pleat::exclusive_scan(on, data, on.rank() == 1 ? longer : like, 0);
       }))
    EXPECT_NE(each.find("an output of 4 elements for 3"), std::string::npos) << each;
}

}  // namespace distributed_scan_test
