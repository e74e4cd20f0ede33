// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/error.hpp>

#include "tool/words.hpp"
#include "unit/message_of.hpp"

namespace numbers_test {

using pleat::bench::parse_count, pleat::bench::parse_counts;
using counts = std::vector<std::size_t>;

TEST(numbers, reads_every_notation_of_a_count) {
  EXPECT_EQ(parse_count("0", "--n"), 0U);
  EXPECT_EQ(parse_count("1048576", "--n"), 1048576U);
  EXPECT_EQ(parse_count("2^20", "--n"), 1048576U);
  EXPECT_EQ(parse_count("3^4", "--n"), 81U);
  EXPECT_EQ(parse_count("2^0", "--n"), 1U);
  EXPECT_EQ(parse_count("1e6", "--n"), 1000000U);
  EXPECT_EQ(parse_count("1.5e6", "--n"), 1500000U);
  EXPECT_EQ(parse_count("1Ki", "--n"), 1024U);
  EXPECT_EQ(parse_count("64Mi", "--n"), 67108864U);
  EXPECT_EQ(parse_count("2Gi", "--n"), 2147483648U);
  EXPECT_EQ(parse_count("5k", "--n"), 5000U);
  EXPECT_EQ(parse_count("2.5M", "--n"), 2500000U);
  EXPECT_EQ(parse_count("1G", "--n"), 1000000000U);
  EXPECT_EQ(parse_count("18446744073709551615", "--n"), std::numeric_limits<std::size_t>::max());
}

TEST(numbers, refuses_what_is_no_count_and_names_option_and_text) {
  for (const char* text :
       {"",        "x",  "-1",   "+1", " 1", "1 ",  "2^^20", "2^",   "^2",  "2^-1", "1.5",
        "0.0001k", "1e", "1e-1", "Ki", "i",  "1Ti", "1Kii",  "0x10", "inf", "nan",  "1e400"}) {
    const auto said =
        message_of<pleat::usage_error>([&] { static_cast<void>(parse_count(text, "--n")); });
    EXPECT_NE(said.find("--n: '" + std::string(text) + "'"), std::string::npos)
        << text << ": " << said;
  }
}

TEST(numbers, refuses_what_does_not_fit) {
  for (const char* text : {"2^64", "18446744073709551616", "1e300", "20000000000Gi", "10^20"}) {
    const auto said =
        message_of<pleat::usage_error>([&] { static_cast<void>(parse_count(text, "--n")); });
    EXPECT_NE(said.find("too large"), std::string::npos) << text << ": " << said;
  }
}

TEST(numbers, ranges_take_a_step) {
  EXPECT_EQ(parse_counts("1..6+1", "--n"), (counts{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(parse_counts("1..6+2", "--n"), (counts{1, 3, 5, 6}));
  EXPECT_EQ(parse_counts("1e3..1e6*10", "--n"), (counts{1000, 10000, 100000, 1000000}));
  EXPECT_EQ(parse_counts("2^62..2^63", "--n"),
            (counts{std::size_t{1} << 62, std::size_t{1} << 63}));
  EXPECT_EQ(parse_counts("1..3+18446744073709551615", "--n"), (counts{1, 3}));
}

TEST(numbers, max_is_the_end_and_the_bound) {
  EXPECT_EQ(parse_counts("1,2,4..max", "--processors", 16), (counts{1, 2, 4, 8, 16}));
  EXPECT_EQ(parse_counts("1,2,4..max", "--processors", 12), (counts{1, 2, 4, 8, 12}));
  EXPECT_EQ(parse_counts("1,2,4..max", "--processors", 3), (counts{1, 2, 3}));
  EXPECT_EQ(parse_counts("1,2,4..max", "--processors", 2), (counts{1, 2}));
  EXPECT_EQ(parse_counts("1,2,4..max", "--processors", 1), (counts{1}));
  EXPECT_EQ(parse_counts("max", "--processors", 6), (counts{6}));
  EXPECT_EQ(parse_counts("1..max+1", "--processors", 4), (counts{1, 2, 3, 4}));
  // Without a range to max a number above it is meant.
  EXPECT_EQ(parse_counts("1,4", "--processors", 2), (counts{1, 4}));
}

}  // namespace numbers_test
