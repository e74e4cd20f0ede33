// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/argsort.hpp>
#include <pleat/oblivious/group_by.hpp>
#include <pleat/oblivious/merge.hpp>
#include <pleat/oblivious/nth_element.hpp>
#include <pleat/oblivious/search.hpp>
#include <pleat/oblivious/sort.hpp>
#include <pleat/oblivious/sort_by_key.hpp>
#include <pleat/oblivious/top_k.hpp>
#include <pleat/oblivious/unique.hpp>
#include <pleat/runtime/machine.hpp>

#include "nan_cases.hpp"
#include "range_cases.hpp"

namespace nan_test {

/// Records: algorithms that sort, select or search find elements behind a projection, too.
template <class T> struct record {
  T key;
  std::size_t id;
};

template <class T> std::vector<record<T>> records_of(const std::vector<T>& keys) {
  std::vector<record<T>> records(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) records[i] = {keys[i], i};
  return records;
}
template <class T>
std::vector<std::size_t> ids_of(const std::vector<record<T>>& records, std::size_t first = 0) {
  std::vector<std::size_t> ids;
  for (const auto& r : records) ids.push_back(r.id + first);
  return ids;
}

/// Expects that the k-th element is what it would be if all were sorted, and that the others are on
/// its sides.
template <class R, class Key>
void expect_selected(const R& selected, std::size_t k, const Key& key, numbers_then_nans order) {
  for (std::size_t i = 0; i < k; ++i) ASSERT_FALSE(order(key(selected[k]), key(selected[i])));
  for (std::size_t i = k; i < selected.size(); ++i)
    ASSERT_FALSE(order(key(selected[i]), key(selected[k])));
}

template <class T, class Compare> void expect_one_rule(const Compare& less, bool falling) {
  auto machine = strict_machine(2);
  const numbers_then_nans order{falling};
  const auto key = [](const auto& r) { return r.key; };
  for (const std::size_t n : {1u, 1009u, 40'001u}) {
    for (const unsigned of : {1u, 3u, 997u}) {
      for (const std::size_t vps : {1u, 3u}) {
        SCOPED_TRACE(std::to_string(n) + " numbers, NaNs one of " + std::to_string(of) + ", " +
                     std::to_string(vps) + " VPs");
        const std::vector<T> x = numbers_with_nans<T>(n, of, static_cast<unsigned>(n));
        const std::vector<std::size_t> sorted = indices_in_order(x, order);
        const std::vector<std::size_t> greatest = indices_from_greatest(x, order);
        const std::vector<std::size_t> begins = begins_of_groups(x, order);
        const auto records = records_of(x);
        auto some = records;
        pleat::stable_sort(machine, some, less, &record<T>::key, {.vps = vps});
        ASSERT_EQ(ids_of(some), sorted);
        ASSERT_EQ(pleat::argsort(machine, x, less, {.vps = vps}), sorted);
        auto keys = x;
        auto ids = ids_of(records);
        pleat::sort_by_key(machine, keys, ids, less, {.vps = vps});
        ASSERT_EQ(ids, sorted);

        some = records;
        ASSERT_EQ(pleat::group_by(machine, some, less, &record<T>::key, with(vps)), begins);
        ASSERT_EQ(ids_of(some), sorted);
        auto plain = x;
        ASSERT_EQ(pleat::group_by(machine, plain, less, with(vps)), begins);
        ASSERT_EQ(pleat::unique(machine, plain, {}, with(vps)).begin() - plain.begin(),
                  static_cast<long>(begins.size()) - 1);

        ASSERT_EQ(pleat::min_element(machine, x, less, with(vps)) - x.begin(),
                  static_cast<long>(sorted.front()));
        ASSERT_EQ(pleat::max_element(machine, x, less, with(vps)) - x.begin(),
                  static_cast<long>(greatest.front()));
        ASSERT_EQ(pleat::min_element(machine, records, less, &record<T>::key, with(vps))->id,
                  sorted.front());
        ASSERT_EQ(pleat::max_element(machine, records, less, &record<T>::key, with(vps))->id,
                  greatest.front());
        const std::size_t k = std::min<std::size_t>(n, 40);
        const std::vector<std::size_t> first(greatest.begin(),
                                             greatest.begin() + static_cast<long>(k));
        ASSERT_EQ(pleat::top_k(machine, x, k, less, with(vps)), first);
        ASSERT_EQ(pleat::top_k(machine, records, k, less, &record<T>::key, with(vps)), first);

        for (const std::size_t at : {std::size_t{0}, n / 3, n - 1}) {
          plain = x;
          pleat::nth_element(machine, plain, at, less, with(vps));
          expect_selected(plain, at, std::identity(), order);
          some = records;
          pleat::nth_element(machine, some, at, less, &record<T>::key, with(vps));
          expect_selected(some, at, key, order);
        }

        // The concatenation of two sorted ranges, sorted.
        const auto rest = numbers_with_nans<T>(n / 2, of, static_cast<unsigned>(n + 1));
        auto more = records_of(rest), merged = std::vector<record<T>>(n + n / 2);
        some = records;
        pleat::stable_sort(machine, some, less, &record<T>::key);
        pleat::stable_sort(machine, more, less, &record<T>::key);
        for (auto& r : more) r.id += n;
        pleat::merge(machine, some, more, merged, less, &record<T>::key, with(vps));
        auto all = x;
        all.insert(all.end(), rest.begin(), rest.end());
        ASSERT_EQ(ids_of(merged), indices_in_order(all, order));
      }
    }
  }
}

TEST(nan, is_last_by_less_for_all_functions) {
  expect_one_rule<double>(std::ranges::less(), false);
}
TEST(nan, is_last_by_greater_for_all_functions) {
  expect_one_rule<float>(std::greater<>(), true);
  expect_one_rule<long double>(std::ranges::greater(), true);  // in no lanes
}

TEST(nan, is_last_where_numbers_of_two_types_are_merged) {
  auto machine = strict_machine(2);
  std::vector<double> a(5000, NAN);
  std::vector<int> b(4000);
  for (std::size_t i = 0; i < b.size(); ++i) a[i] = static_cast<double>(b[i] = static_cast<int>(i));
  std::vector<double> out(9000);
  for (const std::size_t vps : {1u, 2u, 7u}) {
    pleat::merge(machine, a, b, out, {}, with(vps));
    for (std::size_t i = 0; i < out.size(); ++i)
      ASSERT_TRUE(i < 8000 ? out[i] == static_cast<double>(i / 2) : std::isnan(out[i])) << i;
  }
}

}  // namespace nan_test
