// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <complex>
#include <cstddef>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/fft.hpp>
#include <pleat/runtime/error.hpp>

#include "random_rounds.hpp"

// Parts of one array as input and output: the same, apart, or refused.

namespace fft_overlap_test {

using complex = std::complex<double>;

TEST(fft_overlap, transforms_of_parts_of_an_array_are_right_or_refused) {
  pleat::machine machine({.processors = 2, .strict = true});
  random_rounds(200, [&](dice& random) {
    const std::size_t batch = 1 + random(4);
    const std::size_t total = batch * random.one_of<std::size_t>({1, 2, 7, 16, 100, 127, 1009});
    const std::size_t a = random(2 * total + 1);
    const std::size_t b = random(3) == 0 ? a : random(2 * total + 1);
    std::vector<complex> array(3 * total);
    for (complex& x : array) x = {static_cast<double>(random(99)), static_cast<double>(random(99))};
    const auto before = array;
    const std::vector<complex> input(array.begin() + static_cast<std::ptrdiff_t>(a),
                                     array.begin() + static_cast<std::ptrdiff_t>(a + total));
    const pleat::fft_options options{.batch = batch,
                                     .vps = random.one_of<std::size_t>({1, 2, 3, 8})};
    const std::span<complex> from(array.data() + a, total), to(array.data() + b, total);
    if (a != b && a < b + total && b < a + total) {
      ASSERT_THROW(pleat::fft(machine, from, to, options), pleat::usage_error);
      ASSERT_EQ(array, before);
      return;
    }
    std::vector<complex> expected(total);
    pleat::fft(machine, input, expected, options);
    pleat::fft(machine, from, to, options);
    ASSERT_TRUE(std::equal(to.begin(), to.end(), expected.begin()));
  });
}

}  // namespace fft_overlap_test
