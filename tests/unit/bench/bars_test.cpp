// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "report/scaling_text.hpp"

namespace bars_test {

using pleat::bench::bars_text;

TEST(bars, are_as_long_as_their_values_in_eighths_of_a_character) {
  EXPECT_EQ(bars_text({{"a", 4, "x"}, {"bc", 1, "y"}, {"d", 0.5, "z"}}, 8),
            "   a  ████████ x\n"
            "  bc  ██ y\n"
            "   d  █ z\n");
  EXPECT_EQ(bars_text({{"a", 8, ""}, {"b", 1.5, ""}}, 8), "  a  ████████ \n  b  █▌ \n");
}

TEST(bars, dots_lead_to_the_mark) {
  EXPECT_EQ(bars_text({{"1", 1, "1.0", 1}, {"4", 2.5, "2.5", 4}}, 8),
            "  1  ██ 1.0\n"
            "  4  █████··· 2.5\n");
}

TEST(bars, nothing_has_no_length) {
  EXPECT_EQ(bars_text({}, 8), "");
  EXPECT_EQ(bars_text({{"µ", 0, "none"}}, 8), "  µ   none\n");
}

}  // namespace bars_test
