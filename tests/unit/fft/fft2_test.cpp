// SPDX-License-Identifier: Apache-2.0
// Two-dimensional transforms of any shape are compared with the definition in fft_random_test.
#include <complex>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/fft2.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#include "fft_reference.hpp"

namespace fft2_test {

using pleat::fft2;
using pleat::strided_view;

TEST(fft2_of, without_a_machine_the_default_one_transforms) {
  constexpr std::size_t rows = 20, columns = 30;
  const auto before = random_numbers<double>(rows * columns, 3);
  auto x = before, y = before;
  std::vector<std::complex<double>> z(x.size());
  const auto view = [](auto& of) {
    return strided_view<std::complex<double>>(of.data(), rows, columns, columns);
  };
  pleat::machine m({.processors = 1U});
  fft2(m, view(x));
  fft2(view(y), view(z));
  EXPECT_LE(relative_error(z, widened(x)), allowed_error(rows) + allowed_error(columns));
  fft2(view(z), {.direction = pleat::fft_direction::inverse});
  EXPECT_LE(relative_error(z, widened(before)), 2 * (allowed_error(rows) + allowed_error(columns)));
}

TEST(fft2_of, what_makes_no_sense_is_refused) {
  pleat::machine m({.processors = 2U});
  std::vector<std::complex<double>> numbers(64);
  using view = strided_view<std::complex<double>>;
  auto* const data = numbers.data();
  EXPECT_NO_THROW(fft2(m, view(data, 0, 0, 0)));
  EXPECT_NO_THROW(fft2(m, view(data, 4, 4, 8), view(data + 32, 4, 4, 8)));
  EXPECT_THROW(fft2(m, view(data, 4, 4, 4), view(data + 32, 4, 5, 5)), pleat::usage_error);
  EXPECT_THROW(fft2(m, view(data, 4, 4, 3)), pleat::usage_error);
  EXPECT_THROW(fft2(m, view(data, 4, 4, 4), view(data + 4, 4, 4, 4)), pleat::usage_error);
  EXPECT_THROW(fft2(m, view(data, 4, 4, 4), {.vps = 0}), pleat::usage_error);
}

}  // namespace fft2_test
