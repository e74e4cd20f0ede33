// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string>

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

}  // namespace matmul_refusals_test
