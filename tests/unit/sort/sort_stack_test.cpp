// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <pthread.h>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/argsort.hpp>

#include "sorted_values.hpp"

// Sorts take their memory from the machine, not from the caller's stack.

namespace sort_stack_test {

constexpr std::size_t small_stack = std::size_t{pleat::detail::sanitized ? 384 : 96} << 10;

void on_a_small_stack(const std::function<void()>& call) {
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, small_stack), 0);
  pthread_t thread{};
  const auto body = [](void* what) -> void* {
    (*static_cast<const std::function<void()>*>(what))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, body, const_cast<std::function<void()>*>(&call)),
            0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

struct large {
  std::int64_t key;
  std::array<std::int64_t, 6> rest;
};

TEST(sort_stack, values_of_any_size_are_sorted_on_a_small_one) {
  for (const std::size_t vps : {1, 2, 40}) {
    auto machine = strict_machine(2);
    std::vector<large> values(60000);
    std::vector<std::uint64_t> numbers(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i].key = static_cast<std::int64_t>(i * 7919 % 60013);
      numbers[i] = i * 0x9e3779b97f4a7c15U;
    }
    const auto strings = make_strings(20000, 1);
    std::vector<std::size_t> order;
    on_a_small_stack([&] {
      auto again = values;
      pleat::sort(
          machine, again, [](const large& a, const large& b) { return a.key < b.key; }, with(vps));
      pleat::stable_sort(machine, values, {}, &large::key, with(vps));
      pleat::sort(machine, numbers, {}, with(vps));
      order = pleat::argsort(machine, strings, {}, {}, with(vps));
    });
    EXPECT_TRUE(std::ranges::is_sorted(values, {}, &large::key));
    EXPECT_TRUE(std::ranges::is_sorted(numbers));
    EXPECT_TRUE(std::ranges::is_sorted(order, {}, [&](std::size_t i) { return strings[i]; }));
  }
}

}  // namespace sort_stack_test
