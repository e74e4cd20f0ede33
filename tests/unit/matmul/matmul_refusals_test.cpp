// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/matmul.hpp>
#include <pleat/runtime/error.hpp>

#include "unit/matmul/matmul_problem.hpp"

namespace matmul_refusals_test {

using namespace matmul_tests;

/// The call throws a usage_error of one line that says `why`.
template <class F> void refused(const F& call, const std::string& why) {
  try {
    call();
    ADD_FAILURE() << "not refused: " << why;
  } catch (const pleat::usage_error& error) {
    EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
  }
}

TEST(matmul_refusals, are_of_what_cannot_be_multiplied) {
  machine& on = workers(1);
  matrix<double> a(3, 4), b(4, 5), c(3, 5);
  const auto times = [&on](auto x, auto y, auto z, const matmul_options<double>& o = {}) {
    return [=, &on] { pleat::matmul(on, x, y, z, o); };
  };
  refused(times(a.view(), c.view(), b.view()), "op(a) is 3 x 4 and op(b) is 3 x 5");
  refused(times(a.view(), b.view(), c.view(), {.op_a = matrix_op::transpose}), "op(a) is 4 x 3");
  refused(times(a.view(), b.view(), b.view()), "c must be 3 x 5, and is 4 x 5");
  refused(times(strided_view<double>(&a(0, 0), 3, 4, 3), b.view(), c.view()), "leading dimension");
  refused(times(strided_view<double>(nullptr, 3, 4, 4), b.view(), c.view()), "points nowhere");
  refused(times(a.view(), b.view(), c.view(), {.vps = 0}), "0 virtual processors");
  refused(times(a.view(), b.view(), c.view(), {.beta = 2, .accumulate = true}), "accumulate");
  matrix<double> s(4, 4);
  refused(times(s.view(), matrix<double>(4, 4).view(), s.view()), "c overlaps a");
  refused([&] { pleat::matmul<pleat::min_plus>(on, a.view(), b.view(), c.view(), {.alpha = 2}); },
          "plus_times only");
  matrix<std::int64_t> index(3, 4);
  refused([&] { pleat::matmul_argmin(on, a.view(), b.view(), c.view(), index.view()); },
          "index must be 3 x 5");
}

TEST(matmul_refusals, tell_windows_that_overlap_from_those_that_interleave) {
  std::vector<int> memory(1000);
  const auto window = [&](std::size_t at, std::size_t r, std::size_t c, std::size_t s) {
    return strided_view<int>(memory.data() + at, r, c, s);
  };
  // Against the definition: all small windows of a few strides.
  for (const auto& [s, t] : {std::pair{5u, 5u}, {6u, 6u}, {3u, 7u}, {8u, 5u}})
    for (std::size_t at = 0; at < 20; ++at)
      for (std::size_t r = 1; r <= 3; ++r)
        for (std::size_t c = 1; c <= 5; ++c) {
          const auto x = window(7, 3, 3, s);
          const auto y = window(at, r, c, t);
          std::vector<int> marks(60);
          for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t j = 0; j < 3; ++j) marks[7 + i * s + j] = 1;
          bool common = false;
          for (std::size_t i = 0; i < r; ++i)
            for (std::size_t j = 0; j < c; ++j) common = common || marks[at + i * t + j] != 0;
          ASSERT_EQ(pleat::detail::matmul::overlap(x, y), common)
              << s << ' ' << at << ' ' << r << ' ' << c;
          ASSERT_EQ(pleat::detail::matmul::overlap(y, x), common)
              << s << ' ' << at << ' ' << r << ' ' << c;
        }
}

struct throwing {
  static int zero() { return 0; }
  static int plus(int a, int b) { return a + b; }
  static int times(int a, int b) {
    if (a == 13) throw std::domain_error("thirteen");
    return a * b;
  }
};
TEST(matmul_refusals, of_the_semiring_are_passed_on) {
  matrix<int> a(20, 20), b(20, 20), c(20, 20);
  a(17, 3) = 13;
  for (const std::size_t vps : {1, 2, 64})
    EXPECT_THROW(pleat::matmul<throwing>(workers(2), a.view(), b.view(), c.view(), {.vps = vps}),
                 std::domain_error);
}

}  // namespace matmul_refusals_test
