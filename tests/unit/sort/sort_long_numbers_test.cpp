// SPDX-License-Identifier: Apache-2.0
// Compiled with extensions, where numbers of 16 bytes count among the arithmetic types, and
// without.
#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/argsort.hpp>
#include <pleat/oblivious/matmul.hpp>
#include <pleat/oblivious/sort_by_key.hpp>

#include "random_rounds.hpp"
#include "sorted_values.hpp"

namespace sort_long_numbers_test {

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;

template <class T> class sort_long_numbers : public testing::Test {};
using long_numbers = testing::Types<wide
#if defined(__SIZEOF_FLOAT128__) && !defined(__STRICT_ANSI__) && !defined(__clang__)
                                    ,
                                    __float128
#endif
                                    >;
TYPED_TEST_SUITE(sort_long_numbers, long_numbers);

TYPED_TEST(sort_long_numbers, are_sorted_in_both_directions) {
  using T = TypeParam;
  auto machine = strict_machine(2);
  random_rounds(15, [&](dice& random) {
    std::vector<T> keys(random.size(5000));
    const unsigned shift = random.one_of({0u, 60u, 64u});
    for (T& key : keys) key = static_cast<T>(static_cast<unsigned_wide>(random.word()) << shift);
    const auto options = with(random.one_of<std::size_t>({1, 2, 5}));
    auto expected = keys;
    std::sort(expected.begin(), expected.end());
    auto sorted = keys;
    pleat::sort(machine, sorted, {}, options);
    ASSERT_TRUE(sorted == expected);
    sorted = keys;
    pleat::stable_sort(machine, sorted, std::ranges::greater(), options);
    std::reverse(expected.begin(), expected.end());
    ASSERT_TRUE(sorted == expected);
    const auto order = pleat::argsort(machine, keys, std::greater<>(), {}, options);
    for (std::size_t i = 0; i < keys.size(); ++i) ASSERT_TRUE(keys[order[i]] == expected[i]);
  });
}

TEST(matmul_long_numbers, integers_of_16_bytes_are_numbers) {
  auto machine = strict_machine(2);
  random_rounds(10, [&](dice& random) {
    const std::size_t m = 1 + random(9), n = 1 + random(9), k = 1 + random(9);
    std::vector<wide> a(m * k), b(k * n), c(m * n);
    for (auto* matrix : {&a, &b, &c})
      for (wide& x : *matrix) x = static_cast<wide>(random.word() >> 4) - (wide{1} << 59);
    auto expected = c;
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        expected[i * n + j] *= 5;
        for (std::size_t p = 0; p < k; ++p) expected[i * n + j] -= a[i * k + p] * b[p * n + j];
      }
    pleat::matmul(machine, pleat::strided_view<const wide>(a.data(), m, k, k),
                  pleat::strided_view<const wide>(b.data(), k, n, n),
                  pleat::strided_view<wide>(c.data(), m, n, n),
                  {.alpha = -1, .beta = 5, .vps = random.one_of<std::size_t>({1, 2, 8})});
    ASSERT_TRUE(c == expected);
  });
}

}  // namespace sort_long_numbers_test
