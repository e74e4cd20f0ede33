// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <numeric>
#include <span>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/view.hpp>

namespace view_test {

using pleat::strided_view;

static_assert(std::is_trivially_copyable_v<strided_view<int>>);
static_assert(std::is_convertible_v<strided_view<int>, strided_view<const int>>);
static_assert(!std::is_convertible_v<strided_view<const int>, strided_view<int>>,
              "const is added, never taken away");
static_assert(std::is_convertible_v<std::span<int>, strided_view<int>>);

std::vector<int> counted(std::size_t n) {
  std::vector<int> values(n);
  std::iota(values.begin(), values.end(), 0);
  return values;
}

TEST(strided_view, finds_every_element_of_a_window) {
  auto matrix = counted(6 * 10);
  const strided_view<int> window(matrix.data() + 2 * 10 + 3, 3, 4, 10);
  EXPECT_EQ(window.size(), 12u);
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t column = 0; column < 4; ++column)
      EXPECT_EQ(window(row, column), static_cast<int>((row + 2) * 10 + column + 3));
  }
}

TEST(strided_view, gives_rows_as_spans_of_its_columns) {
  auto matrix = counted(5 * 7);
  const strided_view<int> window(matrix.data() + 1, 5, 3, 7);
  for (std::size_t row = 0; row < 5; ++row) {
    const std::span<int> r = window.row(row);
    ASSERT_EQ(r.size(), 3u);
    EXPECT_EQ(r.data(), matrix.data() + row * 7 + 1);
  }
}

TEST(strided_view, of_a_span_is_one_row) {
  auto values = counted(9);
  const strided_view<int> view = std::span<int>(values);
  EXPECT_EQ(view.rows, 1u);
  EXPECT_EQ(view.columns, 9u);
  EXPECT_EQ(view.row(0).data(), values.data());
  EXPECT_EQ(view(0, 8), 8);
}

TEST(strided_view, is_usable_in_constant_expressions) {
  static constexpr int values[] = {0, 1, 2, 3, 4, 5};
  constexpr strided_view<const int> view(values, 2, 2, 3);
  static_assert(view(1, 1) == 4 && view.size() == 4 && view.row(1)[0] == 3);
}

}  // namespace view_test
