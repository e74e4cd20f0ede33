// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/detail/program/shared_memory.hpp>

#include "random_rounds.hpp"

namespace strided_box_test {

using pleat::detail::strided_box;

/// Indices of an element.
using place = std::vector<std::ptrdiff_t>;

/// A box, and all its elements by the definition.
struct enumerated_box {
  std::size_t bytes;
  place sizes, strides;
  std::intptr_t first;
  std::multimap<std::intptr_t, place> elements;  ///< of each byte

  enumerated_box(dice& random, std::size_t dimensions)
      : bytes(1 + random(6)), first(static_cast<std::intptr_t>(1000 + random(100))) {
    // Sometimes all distances are multiples of one.
    const std::size_t unit = random.one_of<std::size_t>({1, 1, bytes, 6});
    for (std::size_t i = 0; i < dimensions; ++i) {
      sizes.push_back(static_cast<std::ptrdiff_t>(random(12) == 0 ? 0 : 1 + random(4)));
      const auto stride = static_cast<std::ptrdiff_t>(unit * random(random(2) == 0 ? 8 : 60));
      strides.push_back(random(3) == 0 ? -stride : stride);
    }
    place at(dimensions);
    enumerate(0, first, at);
  }
  [[nodiscard]] strided_box box() const {
    strided_box result(reinterpret_cast<const void*>(first), bytes);
    for (std::size_t i = 0; i < sizes.size(); ++i)
      result.along(static_cast<std::size_t>(sizes[i]), strides[i]);
    return result;
  }
  [[nodiscard]] bool shares_bytes_with(const enumerated_box& other) const {
    for (const auto& [byte, at] : elements)
      if (other.elements.contains(byte)) return true;
    return false;
  }
  /// Elements that differ in the index of dimension i share a byte.
  [[nodiscard]] bool collides_along(std::size_t i) const {
    for (const auto& [byte, at] : elements)
      for (auto [one, end] = elements.equal_range(byte); one != end; ++one)
        if (one->second[i] != at[i]) return true;
    return false;
  }

 private:
  void enumerate(std::size_t i, std::intptr_t address, place& at) {
    if (i == sizes.size()) {
      for (std::size_t k = 0; k < bytes; ++k)
        elements.emplace(address + static_cast<std::intptr_t>(k), at);
      return;
    }
    for (at[i] = 0; at[i] < sizes[i]; ++at[i]) enumerate(i + 1, address + at[i] * strides[i], at);
  }
};

TEST(strided_box, overlaps_where_an_enumeration_of_bytes_does) {
  random_rounds(4000, [](dice& random) {
    const enumerated_box a(random, random(5)), b(random, random(5));
    ASSERT_EQ(overlap(a.box(), b.box()), a.shares_bytes_with(b));
    ASSERT_EQ(overlap(b.box(), a.box()), a.shares_bytes_with(b));
  });
}

TEST(strided_box, collides_where_an_enumeration_of_bytes_does) {
  random_rounds(4000, [](dice& random) {
    const enumerated_box a(random, random(5));
    const auto found = a.box().colliding_dimension();
    if (found) {
      ASSERT_TRUE(a.collides_along(*found)) << *found;
    } else {
      for (std::size_t i = 0; i < a.sizes.size(); ++i) ASSERT_FALSE(a.collides_along(i)) << i;
    }
  });
}

TEST(strided_box, of_large_arrays_is_compared_without_looking_at_each_row) {
  constexpr std::ptrdiff_t bytes = 8;
  const auto* const first = reinterpret_cast<const std::byte*>(std::intptr_t{1} << 40);
  // Windows of one array of 2^32 elements, side by side in dimension `cut`.
  for (int cut = 0; cut < 8; ++cut) {
    for (const bool reaches : {false, true}) {
      strided_box a(first, bytes), b(first + 8 * (bytes << 4 * cut), bytes);
      for (int i = 0; i < 8; ++i) {
        a.along(i != cut ? 16 : reaches ? 9 : 8, bytes << 4 * i);
        b.along(i != cut ? 16 : 8, bytes << 4 * i);
      }
      EXPECT_EQ(overlap(a, b), reaches) << cut;
      EXPECT_FALSE(a.colliding_dimension());
    }
  }
  // Rows of one array, padded in other ways in each dimension: one takes even rows, one odd ones.
  constexpr std::ptrdiff_t row = 64 * bytes;
  const auto rows = [&](std::ptrdiff_t begin, std::initializer_list<std::ptrdiff_t> apart) {
    strided_box result(first + begin * row, bytes);
    for (const std::ptrdiff_t stride : apart) result.along(64, stride * row);
    return result.along(64, bytes);
  };
  const auto even = rows(0, {64 * 64 * 10, 64 * 6, 4});
  EXPECT_FALSE(even.colliding_dimension());
  EXPECT_FALSE(overlap(even, rows(1, {64 * 64 * 14 + 2, 64 * 8 + 2, 6})));
  EXPECT_TRUE(overlap(even, rows(1, {64 * 64 * 14 + 2, 64 * 8 + 2, 5})));
  // Every other element of a long array, and every fourth between them.
  constexpr std::size_t many = std::size_t{1} << 36;
  const auto every = [&](std::ptrdiff_t begin, std::ptrdiff_t stride) {
    return strided_box(first + begin * bytes, bytes).along(many / 4, stride * bytes);
  };
  EXPECT_FALSE(overlap(every(0, 2), every(1, 4)));
  EXPECT_TRUE(overlap(every(0, 2), every(2, 4)));
  EXPECT_TRUE(overlap(every(0, 3), every(1, 4)));
}

// The even numbers below some 2^45 in an order that nests nowhere, and odd ones: exact answers
// would take more memory than there is.
TEST(strided_box, that_would_take_too_long_to_compare_is_taken_to_overlap) {
  const auto* const first = reinterpret_cast<const std::byte*>(std::intptr_t{1} << 40);
  strided_box a(first, 1), b(first + 1, 1);
  for (std::ptrdiff_t i = 1; i < 5; ++i) {
    a.along(5000, 2 * (1000003 * i + 1));
    b.along(5000, 2 * (1000033 * i + 5));
  }
  EXPECT_TRUE(overlap(a, b));
}

}  // namespace strided_box_test
