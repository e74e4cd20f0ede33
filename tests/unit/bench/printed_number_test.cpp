// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <gtest/gtest.h>

#include <pleat/runtime/error.hpp>

#include "sweep/swept_command.hpp"

namespace printed_number_test {

using pleat::bench::printed_number;

TEST(printed_number, is_that_of_the_last_match_however_long_the_line) {
  EXPECT_EQ(printed_number("Time: ([0-9.]+)").last_in("Time: 1\nTime: 2 s, Time: 3.5\n"), 3.5);
  const std::string rest(100'000, 'x');
  EXPECT_EQ(printed_number("Time: ([0-9.]+).*").last_in("Time: 3.5 " + rest), 3.5);
  EXPECT_EQ(printed_number("(\\d+)(?:x|y)*$").last_in(rest + " 7" + rest), 7);
}

TEST(printed_number, is_refused_where_it_is_no_figure) {
  const printed_number any("T: (\\S*)");
  for (const char* const text :
       {"inf", "-inf", "nan", "1e999", "1e300", "1e-300", "0", "-1", "x", ""})
    EXPECT_THROW(static_cast<void>(any.last_in(std::string("T: ") + text)), pleat::error) << text;
  EXPECT_THROW(static_cast<void>(any.last_in("no match")), pleat::error);
}

TEST(printed_number, is_not_looked_for_by_what_is_no_expression_with_one_group) {
  const auto nested = std::string(20'000, '(') + "a" + std::string(20'000, ')');
  for (const std::string& pattern :
       {std::string("("), std::string("a"), std::string("(a)(b)"), std::string("(a)\\1"), nested})
    EXPECT_THROW(printed_number{pattern}, pleat::usage_error);
}

}  // namespace printed_number_test
