// SPDX-License-Identifier: Apache-2.0
//
// Windows of one array: they are taken unless they share an element.
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/array_view.hpp>
#include <pleat/oblivious/cholesky.hpp>
#include <pleat/oblivious/dct.hpp>
#include <pleat/oblivious/fft2.hpp>
#include <pleat/oblivious/fftn.hpp>
#include <pleat/oblivious/grid_view.hpp>
#include <pleat/oblivious/matmul.hpp>
#include <pleat/oblivious/stencil.hpp>
#include <pleat/oblivious/transpose.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/view.hpp>

#include "random_rounds.hpp"

namespace side_by_side_test {

using number = std::complex<double>;

/// Expects that f(input, output), of 4 x 4 windows of an array of rows of 8, computes beside the
/// input what it computes in memory of its own, changes nothing else, and refuses windows that
/// share one column.
template <class T, class F> void expect_beside(const F& f) {
  std::vector<T> before(32), own(16);
  for (std::size_t i = 0; i < 32; ++i) before[i] = static_cast<double>(i * i % 7 + 1);
  for (std::size_t i = 0; i < 16; ++i) own[i] = before[i / 4 * 8 + 4 + i % 4];
  std::vector<T> all = before;
  f(pleat::strided_view<const T>(before.data(), 4, 4, 8),
    pleat::strided_view<T>(own.data(), 4, 4, 4));
  const auto beside = [&](std::size_t column) {
    f(pleat::strided_view<const T>(all.data(), 4, 4, 8),
      pleat::strided_view<T>(all.data() + column, 4, 4, 8));
  };
  EXPECT_THROW(beside(3), pleat::usage_error);
  EXPECT_EQ(all, before);
  beside(4);
  for (std::size_t i = 0; i < 32; ++i)
    EXPECT_LT(std::abs(all[i] - (i % 8 < 4 ? before[i] : own[i / 8 * 4 + i % 8 - 4])), 1e-12) << i;
}

TEST(windows, side_by_side_are_input_and_output_of_all_functions) {
  pleat::machine m(pleat::machine_options{.processors = 2});
  expect_beside<number>([&](auto in, auto out) { pleat::fft2(m, in, out, {.vps = 2}); });
  expect_beside<number>([&](auto in, auto out) {
    pleat::fftn(m, pleat::array_view(in), pleat::array_view(out), {.vps = 2});
  });
  expect_beside<double>([&](auto in, auto out) {
    pleat::dct(m, pleat::array_view(in), pleat::array_view(out), {.vps = 2});
  });
  expect_beside<double>([&](auto in, auto out) { pleat::matmul(m, in, in, out, {.vps = 2}); });
  expect_beside<double>([&](auto in, auto out) { pleat::transpose(m, in, out, {.vps = 2}); });
  expect_beside<double>(
      [&](auto in, auto out) { pleat::solve_triangular(m, in, out, {.vps = 2}); });
}

TEST(windows, side_by_side_in_any_dimension_are_grids_of_two_steps) {
  pleat::machine m(pleat::machine_options{.processors = 2});
  const auto kernel = [](const auto& u) { return u(0, 0, 1) + u(1, 0, 0) - u.before(); };
  for (std::size_t cut = 0; cut < 3; ++cut) {
    std::array<std::size_t, 3> whole{4, 4, 4};
    whole[cut] = 8;
    const pleat::grid_view<double, 3> shape(nullptr, whole);
    const std::array<std::size_t, 3> each{4, 4, 4};
    std::vector<double> all(128), now(64), before(64);
    for (std::size_t i = 0; i < 128; ++i) all[i] = static_cast<double>(i * i % 7);
    const auto window = [&](std::size_t first) {
      return pleat::grid_view<double, 3>(all.data() + first * shape.stride[cut], each,
                                         shape.stride);
    };
    const auto for_each_cell = [&](const auto& f) {
      for (std::size_t i = 0; i < 64; ++i) {
        const std::size_t x = i / 16, y = i / 4 % 4, z = i % 4;
        f(i, window(0)(x, y, z), window(4)(x, y, z));
      }
    };
    for_each_cell([&](std::size_t i, double a, double b) { now[i] = a, before[i] = b; });
    EXPECT_THROW(pleat::stencil(m, window(0), window(3), 3, kernel), pleat::usage_error);
    pleat::stencil(m, window(0), window(4), 3, kernel);
    pleat::stencil(m, pleat::grid_view<double, 3>(now.data(), each),
                   pleat::grid_view<double, 3>(before.data(), each), 3, kernel);
    for_each_cell([&](std::size_t i, double a, double b) {
      EXPECT_EQ(a, now[i]);
      EXPECT_EQ(b, before[i]);
    });
  }
}

TEST(arrays, of_any_strides_are_transformed_unless_elements_share_a_place) {
  pleat::machine m(pleat::machine_options{.processors = 2});
  std::size_t transformed = 0;
  random_rounds(400, [&](dice& random) {
    std::vector<std::size_t> sizes;
    std::vector<std::ptrdiff_t> strides;
    for (std::size_t i = 1 + random(3); i-- > 0;) {
      sizes.push_back(1 + random(6));
      strides.push_back(static_cast<std::ptrdiff_t>(1 + random(20)) * (random(3) == 0 ? -1 : 1));
    }
    constexpr std::ptrdiff_t middle = 300;
    const number untouched = 12345;
    std::vector<number> place(2 * middle, untouched);
    const pleat::array_view<number> out(place.data() + middle, sizes, strides);
    std::vector<number> in(out.size()), expected(out.size());
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<double>(i * i % 7);
    std::map<std::ptrdiff_t, std::size_t> element_at;
    for (std::size_t i = 0; i < in.size(); ++i) {
      std::ptrdiff_t at = middle;
      for (std::size_t k = sizes.size(), rest = i; k-- > 0; rest /= sizes[k])
        at += static_cast<std::ptrdiff_t>(rest % sizes[k]) * strides[k];
      element_at[at] = i;
    }
    const pleat::array_view<const number> from(in.data(), sizes);
    const pleat::fftn_options options{.vps = random.one_of<std::size_t>({1, 2, 3})};
    if (element_at.size() < in.size()) {
      ASSERT_THROW(pleat::fftn(m, from, out, options), pleat::usage_error);
      return;
    }
    ++transformed;
    pleat::fftn(m, from, out, options);
    pleat::fftn(m, from, pleat::array_view<number>(expected.data(), sizes), options);
    for (std::size_t at = 0; at < place.size(); ++at) {
      const auto element = element_at.find(static_cast<std::ptrdiff_t>(at));
      const number right = element == element_at.end() ? untouched : expected[element->second];
      ASSERT_LT(std::abs(place[at] - right), 1e-9) << at;
    }
  });
  EXPECT_GT(transformed, 0U);
}

}  // namespace side_by_side_test
