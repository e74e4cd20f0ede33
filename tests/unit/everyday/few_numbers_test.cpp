// SPDX-License-Identifier: Apache-2.0
// Calls of few numbers, which the caller's thread does at once, are what the standard's functions
// do: the first one, which measures, and later ones, which do not.
#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/copy_if.hpp>
#include <pleat/oblivious/for_each.hpp>
#include <pleat/oblivious/histogram.hpp>
#include <pleat/oblivious/merge.hpp>
#include <pleat/oblivious/nth_element.hpp>
#include <pleat/oblivious/partition.hpp>
#include <pleat/oblivious/rearrange.hpp>
#include <pleat/oblivious/reduce.hpp>
#include <pleat/oblivious/scan.hpp>
#include <pleat/oblivious/search.hpp>
#include <pleat/oblivious/top_k.hpp>
#include <pleat/oblivious/transform.hpp>
#include <pleat/oblivious/unique.hpp>

namespace few_numbers_test {

constexpr double behind = -7;

/// Calls property(numbers): none and more of them, of few values and of many.
template <class Property> void for_few(const Property& property) {
  std::mt19937 random(1);
  for (const unsigned values : {1U, 3U, 100'000U}) {
    for (const std::size_t n :
         {0U, 1U, 2U, 15U, 16U, 17U, 31U, 33U, 127U, 128U, 129U, 300U, 1000U, 4097U, 20'001U}) {
      std::vector<double> x(n);
      for (double& v : x) v = static_cast<double>(random() % values);
      for (int call = 0; call < 3; ++call) {
        SCOPED_TRACE(std::to_string(n) + " of " + std::to_string(values) + " values");
        property(std::as_const(x));
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}
constexpr auto odd = [](double x) { return static_cast<long>(x) % 2 != 0; };
constexpr auto affine = [](double x) { return 3 * x + 1; };

TEST(few_numbers, are_chosen_and_nothing_is_written_behind_them) {
  for_few([](const std::vector<double>& x) {
    std::vector<double> right;
    std::ranges::copy_if(x, std::back_inserter(right), odd);
    for (const std::size_t places : {right.size(), x.size(), x.size() + 3}) {
      std::vector<double> out(places, behind);
      ASSERT_EQ(pleat::copy_if(x, out, odd) - out.begin(), std::ssize(right));
      ASSERT_TRUE(std::equal(right.begin(), right.end(), out.begin()));
      ASSERT_EQ(std::count(out.begin() + std::ssize(right), out.end(), behind),
                std::ssize(out) - std::ssize(right));
    }
    std::vector<double> divided = x, other = x;
    std::ranges::stable_partition(divided, odd);
    ASSERT_EQ(pleat::partition(other, odd).size(), x.size() - right.size());
    ASSERT_EQ(other, divided);
    other = divided = x;
    const auto rest = std::ranges::unique(divided);
    ASSERT_EQ(pleat::unique(other).size(), rest.size());
    ASSERT_TRUE(std::equal(divided.begin(), rest.begin(), other.begin()));
  });
}

TEST(few_numbers, are_found) {
  for_few([](const std::vector<double>& x) {
    ASSERT_EQ(pleat::find_if(x, odd), std::ranges::find_if(x, odd));
    ASSERT_EQ(pleat::min_element(x), std::ranges::min_element(x));
    ASSERT_EQ(pleat::max_element(x), std::ranges::max_element(x));
    std::vector<double> y = x;
    ASSERT_TRUE(pleat::equal(x, y));
    if (y.empty()) return;
    y[y.size() / 2] += 1;
    ASSERT_FALSE(pleat::equal(x, y));
  });
}

TEST(few_numbers, are_summed_and_counted) {
  for_few([](const std::vector<double>& x) {
    std::vector<double> right(x.size()), out(x.size());
    ASSERT_EQ(pleat::reduce(x, 2.0), std::accumulate(x.begin(), x.end(), 2.0));
    ASSERT_EQ(pleat::transform_reduce(x, x, 0.0),
              std::inner_product(x.begin(), x.end(), x.begin(), 0.0));
    std::inclusive_scan(x.begin(), x.end(), right.begin());
    pleat::inclusive_scan(x, out);
    ASSERT_EQ(out, right);
    std::exclusive_scan(x.begin(), x.end(), right.begin(), 5.0);
    pleat::exclusive_scan(x, out, 5.0);
    ASSERT_EQ(out, right);
    std::ranges::transform(x, right.begin(), affine);
    pleat::transform(x, out, affine);
    ASSERT_EQ(out, right);
    pleat::for_each(out, [](double& v) { v = (v - 1) / 3; });
    ASSERT_EQ(out, x);
    pleat::reverse(out);
    ASSERT_TRUE(std::equal(out.begin(), out.end(), x.rbegin()));
    std::vector<int> counts(10), all(10);
    for (const double v : x) ++counts[static_cast<unsigned>(v) % 10];
    pleat::histogram(x, all, [](double v) { return static_cast<unsigned>(v) % 10; });
    ASSERT_EQ(all, counts);
  });
}

TEST(few_numbers, are_selected) {
  for_few([](const std::vector<double>& x) {
    std::vector<std::size_t> order(x.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [&](std::size_t i, std::size_t j) { return x[i] > x[j]; });
    for (const std::size_t k :
         {std::size_t{0}, std::size_t{1}, std::size_t{16}, x.size() / 3, x.size()}) {
      std::vector<std::size_t> greatest = order;
      greatest.resize(std::min(k, x.size()));
      ASSERT_EQ(pleat::top_k(x, k), greatest);
      if (k >= x.size()) continue;
      std::vector<double> y = x;
      ASSERT_EQ(*pleat::nth_element(y, k, std::greater()), x[order[k]]);
      for (std::size_t i = 0; i < y.size(); ++i)
        ASSERT_TRUE(i < k ? y[i] >= y[k] : y[i] <= y[k]) << i;
      std::ranges::sort(y, std::greater());
      for (std::size_t i = 0; i < y.size(); ++i) ASSERT_EQ(y[i], x[order[i]]) << "none is lost";
    }
  });
}

TEST(few_numbers, are_merged_and_none_is_lost_if_they_are_in_no_order) {
  for_few([](const std::vector<double>& x) {
    for (const std::size_t cut : {std::size_t{0}, x.size() / 50, x.size() / 2, x.size()}) {
      std::vector<double> a(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(cut));
      std::vector<double> b(x.begin() + static_cast<std::ptrdiff_t>(cut), x.end());
      std::vector<double> all = x, out(x.size());
      std::ranges::sort(all);
      pleat::merge(a, b, out);
      std::ranges::sort(out);
      ASSERT_EQ(out, all);
      std::ranges::sort(a);
      std::ranges::sort(b);
      pleat::merge(a, b, out);
      ASSERT_EQ(out, all);
    }
  });
}

}  // namespace few_numbers_test
