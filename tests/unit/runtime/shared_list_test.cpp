// SPDX-License-Identifier: Apache-2.0
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/shared_list.hpp>

namespace shared_list_test {

using pleat::shared_list;

shared_list<int> list_of(std::vector<int> elements) {
  shared_list<int> made;
  made.unshared() = std::move(elements);
  return made;
}

TEST(shared_list, reads_as_the_array_that_was_written) {
  const shared_list<int> list = list_of({3, 1, 2});
  EXPECT_EQ(list, (std::vector<int>{3, 1, 2}));
  EXPECT_NE(list, (std::vector<int>{3, 1}));
  EXPECT_EQ(list[1], 1);
  EXPECT_EQ(list.front(), 3);
  EXPECT_EQ(list.back(), 2);
  EXPECT_EQ(std::vector<int>(list.begin(), list.end()), (std::vector<int>{3, 1, 2}));
}

TEST(shared_list, is_written_in_place_where_nobody_has_a_copy) {
  shared_list<int> list = list_of({3, 1, 2});
  const int* const before = list.data();
  list.unshared()[0] = 4;
  EXPECT_EQ(list, (std::vector<int>{4, 1, 2}));
  EXPECT_EQ(list.data(), before);
  { const shared_list<int> gone = list; }  // NOLINT(performance-unnecessary-copy-initialization)
  list.unshared()[0] = 5;
  EXPECT_EQ(list.data(), before);
}

TEST(shared_list, leaves_copies_as_they_are) {
  shared_list<int> list = list_of({3, 1, 2});
  const shared_list<int> copy = list;
  list.unshared().push_back(7);
  EXPECT_EQ(list, (std::vector<int>{7}));
  EXPECT_EQ(copy, (std::vector<int>{3, 1, 2}));
}

TEST(shared_list, moves_and_is_assigned) {
  shared_list<int> list = list_of({3, 1, 2});
  shared_list<int> moved = std::move(list);
  EXPECT_EQ(moved.size(), 3u);
  list = moved;
  EXPECT_EQ(list, moved);
  moved = shared_list<int>();
  EXPECT_EQ(list.size(), 3u);
  shared_list<int>& itself = list;
  list = itself;
  EXPECT_EQ(list.size(), 3u);
}

}  // namespace shared_list_test
