// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/prefix.hpp>
#include <pleat/runtime/machine.hpp>

#include "strict_machine.hpp"

namespace prefix_test {

std::vector<std::uint64_t> random_values(std::size_t n) {
  std::mt19937_64 random(n);
  std::vector<std::uint64_t> values(n);
  for (std::uint64_t& value : values) value = random();
  return values;
}

// x → a·x + b modulo 2^64; one after the other is associative, and does not commute.
struct affine {
  std::uint64_t a, b;
  bool operator==(const affine&) const = default;
};
affine first_then(const affine& f, const affine& g) { return {g.a * f.a, g.a * f.b + g.b}; }

TEST(prefix, adds_up_any_number_of_values) {
  for (const unsigned workers : {1u, 2u, 3u}) {
    pleat::machine on = strict_machine(workers);
    for (std::size_t v = 1; v <= 70; ++v) {
      std::vector<std::uint64_t> values = random_values(v), sums(v);
      std::partial_sum(values.begin(), values.end(), sums.begin());
      pleat::prefix(on, values);
      ASSERT_EQ(values, sums) << v << " VPs, " << workers << " workers";
    }
  }
}

TEST(prefix, keeps_the_order_of_operators_that_do_not_commute) {
  for (const unsigned workers : {1u, 2u, 3u}) {
    pleat::machine on = strict_machine(workers);
    for (const std::size_t v : {1, 2, 3, 5, 16, 37, 128, 1000}) {
      const std::vector<std::uint64_t> drawn = random_values(2 * v);
      std::vector<affine> values(v);
      for (std::size_t i = 0; i < v; ++i) values[i] = {drawn[2 * i] | 1u, drawn[2 * i + 1]};
      std::vector<affine> sums(v);
      std::partial_sum(values.begin(), values.end(), sums.begin(), first_then);
      pleat::prefix(on, values, first_then);
      ASSERT_EQ(values, sums) << v << " VPs, " << workers << " workers";
    }
  }
}

TEST(prefix, takes_values_that_do_not_fit_a_slot_and_those_of_one_byte) {
  pleat::machine on = strict_machine(2);
  std::vector<std::array<int, 30>> large(37);
  for (auto& value : large) value.fill(1);
  pleat::prefix(on, large, [](std::array<int, 30> a, const std::array<int, 30>& b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
    return a;
  });
  for (std::size_t i = 0; i < large.size(); ++i) EXPECT_EQ(large[i][29], static_cast<int>(i) + 1);

  std::array<bool, 5> flags{false, false, true, false, false};
  pleat::prefix(on, flags, [](bool a, bool b) { return a || b; });
  EXPECT_EQ(flags, (std::array<bool, 5>{false, false, true, true, true}));
}

TEST(prefix, goes_up_and_down_the_labels_once) {
  pleat::machine on = strict_machine(1);
  for (std::size_t v = 2; v <= 300; ++v) {
    std::vector<int> values(v, 1);
    const pleat::run_report report = pleat::prefix(on, values);
    ASSERT_EQ(report.supersteps.size(), pleat::label_count(v));
    for (unsigned label = 0; label < report.supersteps.size(); ++label)
      ASSERT_EQ(report.supersteps[label], label == 0 ? 1u : 2u) << v << " VPs";
    ASSERT_LE(report.messages, 2 * v);
  }
}

TEST(prefix, has_degree_one_on_every_folding) {
  pleat::machine_options options;
  options.trace = pleat::tracing{};
  pleat::machine on(options);
  for (std::size_t v = 2; v <= 130; ++v) {
    std::vector<int> values(v, 1);
    const pleat::run_report report = pleat::prefix(on, values);
    const pleat::cost_trace& costs = report.costs.value();
    for (unsigned j = 0; j <= costs.labels(); ++j)
      for (unsigned label = 0; label < j; ++label)
        ASSERT_LE(costs.F(label, j), costs.S(label)) << v << " VPs, p = 2^" << j;
  }
}

TEST(prefix, combines_no_more_than_three_times_for_a_value) {
  pleat::machine on = strict_machine(2);
  for (const std::size_t v : {2, 37, 256, 1000}) {
    std::atomic<std::size_t> combined = 0;
    std::vector<int> values(v, 1);
    pleat::prefix(on, values, [&combined](int a, int b) {
      combined.fetch_add(1, std::memory_order_relaxed);
      return a + b;
    });
    EXPECT_LE(combined.load(), 3 * v);
    EXPECT_GE(combined.load(), v - 1);
  }
}

TEST(prefix, is_a_step_of_programs_too) {
  pleat::machine on = strict_machine(2);
  std::vector<std::uint64_t> results(37);
  on.run(results.size(), [&results](pleat::vp& me) -> pleat::task<> {
    std::uint64_t value = 1;
    for (int times = 0; times < 2; ++times) {
      pleat::task<> step = pleat::prefix(me, value);
      co_await std::move(step);
    }
    results[me.rank()] = value;
  });
  for (std::size_t i = 0; i < results.size(); ++i) EXPECT_EQ(results[i], (i + 1) * (i + 2) / 2);
}

// A value that is a range besides travels as what it is, not as its elements.
struct up_to_three {
  std::size_t count = 0;
  long elements[3] = {};

  [[nodiscard]] const long* begin() const { return elements; }
  [[nodiscard]] const long* end() const { return elements + count; }
};

TEST(prefix, of_values_that_are_ranges_keeps_them_whole) {
  pleat::machine on = strict_machine(2);
  std::vector<up_to_three> values(13);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = {i % 3, {7, 8, static_cast<long>(i)}};
  std::vector<up_to_three> expected = values;
  const auto add = [](const up_to_three& a, const up_to_three& b) {
    return up_to_three{(a.count + b.count) % 4, {a.elements[0], b.elements[1], a.elements[2] + 1}};
  };
  // Associative in what is compared: the count mod 4, the first's first, the last's second.
  const auto alike = [](const up_to_three& a, const up_to_three& b) {
    return a.count == b.count && a.elements[0] == b.elements[0] && a.elements[1] == b.elements[1];
  };
  for (std::size_t i = 1; i < expected.size(); ++i) expected[i] = add(expected[i - 1], values[i]);
  pleat::prefix(on, values, add);
  EXPECT_TRUE(std::ranges::equal(values, expected, alike));
}

}  // namespace prefix_test
