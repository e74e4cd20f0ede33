// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <gtest/gtest.h>

#include <pleat/runtime/error.hpp>

#include "tool/numbers.hpp"
#include "unit/message_of.hpp"

namespace share_test {

using pleat::bench::least_share;
using pleat::bench::parse_share;

TEST(share, percent_and_fraction_are_the_same) {
  EXPECT_EQ(parse_share("2%", "--x"), 0.02);
  EXPECT_EQ(parse_share("0.02", "--x"), 0.02);
  EXPECT_EQ(parse_share("99.5%", "--x"), 0.995);
  EXPECT_EQ(parse_share("0", "--x"), 0);
  EXPECT_EQ(parse_share("0%", "--x"), 0);
}

TEST(share, what_is_none_is_refused_by_the_name_of_its_option) {
  for (const std::string text : {"", "%", "x", "2", "1", "100%", "-1%", "-0.5", "nan", "inf", "2 %",
                                 "2%%", "0.02x", "1e-999"}) {
    const auto said = message_of([&] { (void)parse_share(text, "--band"); });
    EXPECT_NE(said.find("--band: '" + text + "'"), std::string::npos) << said;
    EXPECT_NE(said.find("write 2% or 0.02"), std::string::npos) << said;
  }
}

TEST(share, zero_is_refused_where_it_makes_no_sense) {
  for (const char* text : {"0", "0%"})
    EXPECT_THROW((void)parse_share(text, "--precision", least_share::above_zero),
                 pleat::usage_error);
  EXPECT_EQ(parse_share("0.1", "--precision", least_share::above_zero), 0.1);
}

}  // namespace share_test
