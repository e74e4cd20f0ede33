// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/error.hpp>

#include "kernels/choice.hpp"

namespace forced_kernels_test {

using namespace pleat::detail::kernels;

const std::vector<names_of_work> works{{"vectors", {"avx2", "baseline"}},
                                       {"sort-u32", {"vector", "digits"}},
                                       {"sort-u64", {"vector", "digits", "counting"}},
                                       {"sort-pairs-u32", {"digits"}}};

std::optional<std::size_t> forced(const char* text, std::size_t work) {
  return forced_kernels(text, works).kernel_of(works[work]);
}

TEST(forced_kernels, say_nothing_of_what_is_not_named) {
  EXPECT_EQ(forced("", 0), std::nullopt);
  EXPECT_EQ(forced_kernels().kernel_of(works[0]), std::nullopt);
  EXPECT_EQ(forced("vectors=avx2", 1), std::nullopt);
}

TEST(forced_kernels, are_places_in_the_list_of_those_there_are) {
  EXPECT_EQ(forced("vectors=baseline", 0), 1U);
  EXPECT_EQ(forced("vectors=baseline,sort-u64=counting", 2), 2U);
  EXPECT_EQ(forced("sort-u32=digits,vectors=avx2", 0), 0U);
}

TEST(forced_kernels, of_all_types_are_named_without_one) {
  EXPECT_EQ(forced("sort=digits", 1), 1U);
  EXPECT_EQ(forced("sort=digits", 2), 1U);
  EXPECT_EQ(forced("sort=digits", 3), std::nullopt);  // sort-pairs is other work
  EXPECT_EQ(forced("sort-pairs=digits", 3), 0U);
  EXPECT_EQ(forced("sort=counting", 1), std::nullopt);  // which cannot do this one
  EXPECT_EQ(forced("sort=counting", 2), 2U);
}

TEST(forced_kernels, named_later_have_precedence) {
  EXPECT_EQ(forced("sort=vector,sort-u32=digits", 1), 1U);
  EXPECT_EQ(forced("sort=vector,sort-u32=digits", 2), 0U);
  EXPECT_EQ(forced("sort-u32=digits,sort=vector", 1), 0U);
}

TEST(forced_kernels, that_are_none_are_refused_in_a_line_that_says_what_there_is) {
  const std::vector<std::pair<const char*, const char*>> wrong{
      {"avx2", "\"avx2\" forces nothing: write work=kernel, with commas between them"},
      {"vectors=avx2,", ""},  // a comma too many is none of these
      {",", "\"\" forces nothing: write work=kernel, with commas between them"},
      {"sorts=digits",
       "no choice is called \"sorts\": choose vectors, sort-u32, sort-u64 or sort-pairs-u32"},
      {"=digits", "no choice is called \"\": choose vectors, sort-u32, sort-u64 or sort-pairs-u32"},
      {"vectors=avx512", "\"avx512\" cannot do vectors here: choose avx2 or baseline"},
      {"sort=", "\"\" cannot do sort here: choose vector, digits or counting"},
      {"sort-u32=counting", "\"counting\" cannot do sort-u32 here: choose vector or digits"}};
  for (const auto& [text, said] : wrong) {
    std::string got;
    try {
      static_cast<void>(forced_kernels(text, works));
    } catch (const pleat::usage_error& e) {
      got = e.what();
    }
    EXPECT_EQ(got, said) << text;
  }
}

}  // namespace forced_kernels_test
