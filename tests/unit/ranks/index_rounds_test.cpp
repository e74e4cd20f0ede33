// SPDX-License-Identifier: Apache-2.0
#include "processes/index_rounds.hpp"

#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

namespace index_rounds_test {

using pleat::detail::cheapest_radix, pleat::detail::index_rounds;
using pleat::detail::process_message_cost;

TEST(index_rounds, bring_all_mail_to_its_process_in_one_message_for_each_digit) {
  for (std::size_t n = 1; n <= 40; ++n) {
    for (std::size_t radix = 2; radix <= n + 1; ++radix) {
      const index_rounds rounds{n, radix};
      std::vector<std::size_t> went(n), hops(n);
      std::size_t messages = 0, mail = 0;
      for (std::size_t place = 1; place < n; place *= radix) {
        for (std::size_t digit = 1; digit <= rounds.digits(place); ++digit) {
          ++messages;
          rounds.for_mail(place, digit, [&](std::size_t number) {
            went[number] += digit * place;
            ++hops[number];
            ++mail;
          });
        }
      }
      for (std::size_t number = 0; number < n; ++number) {
        ASSERT_EQ(went[number], number) << n << " processes, radix " << radix;
        ASSERT_EQ(hops[number], rounds.hops(number));
      }
      ASSERT_EQ(rounds.sent().messages, messages) << n << " processes, radix " << radix;
      ASSERT_EQ(rounds.sent().mail, mail) << n << " processes, radix " << radix;
    }
  }
}

TEST(the_cheapest_radix, is_small_for_short_mail_and_none_for_long_mail_to_many) {
  const process_message_cost cost{1e-6, 1e-10};
  const auto radix = [&](std::size_t n, std::size_t widest, double bytes_each) {
    return cheapest_radix(n, widest, static_cast<double>(widest) * bytes_each, cost);
  };
  EXPECT_EQ(radix(7, 6, 8), 0u);
  EXPECT_EQ(radix(8, 7, 8), 2u);
  EXPECT_EQ(radix(64, 63, 8), 2u);
  EXPECT_GT(radix(64, 63, 3000), 2u);
  EXPECT_EQ(radix(64, 63, 1e5), 0u);
  EXPECT_EQ(radix(64, 0, 0), 2u);
  EXPECT_EQ(radix(64, 3, 1e6), 2u) << "long mail goes straight";
  EXPECT_EQ(cheapest_radix(64, 63, 1000, {}), 0u) << "messages cost nothing";
  std::size_t last = 2;
  for (double bytes = 1; bytes < 1e4; bytes *= 2) {
    const std::size_t now = radix(1024, 1023, bytes);
    EXPECT_GE(now, last);
    last = now;
  }
}

}  // namespace index_rounds_test
