// SPDX-License-Identifier: Apache-2.0
//
// A type with the members of std::mdspan that the library looks at.
#include <array>
#include <complex>
#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/fft.hpp>
#include <pleat/oblivious/fft2.hpp>
#include <pleat/oblivious/matmul.hpp>
#include <pleat/oblivious/rfft.hpp>
#include <pleat/oblivious/stencil.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

namespace mdspan_test {

using number = std::complex<double>;

template <class T, std::size_t D> struct span {
  T* data;
  std::array<std::size_t, D> extents;
  std::array<std::ptrdiff_t, D> strides;

  static constexpr std::size_t rank() noexcept { return D; }
  [[nodiscard]] std::size_t extent(std::size_t i) const { return extents[i]; }
  [[nodiscard]] std::ptrdiff_t stride(std::size_t i) const { return strides[i]; }
  [[nodiscard]] T* data_handle() const { return data; }
};

template <class T> std::vector<T> counted(std::size_t n) {
  std::vector<T> numbers(n);
  for (std::size_t i = 0; i < n; ++i) numbers[i] = static_cast<double>(i * i % 17);
  return numbers;
}

/// The message of the usage_error that a call throws.
template <class Call> std::string refusal(const Call& call) {
  try {
    call();
  } catch (const pleat::usage_error& error) {
    return error.what();
  }
  return "none";
}

TEST(mdspan, of_one_dimension_is_transformed_as_a_range) {
  pleat::machine machine(pleat::machine_options{.processors = 2});
  const auto signal = counted<number>(60);
  std::vector<number> expected(60), found(60);
  pleat::fft(machine, signal, expected);
  pleat::fft(machine, span<const number, 1>{signal.data(), {60}, {1}},
             span<number, 1>{found.data(), {60}, {1}});
  EXPECT_EQ(found, expected);

  auto reals = counted<double>(60);
  pleat::rfft(machine, reals, std::span(expected).first(31));
  const span<number, 1> spectrum{found.data(), {31}, {1}};
  pleat::rfft(span<double, 1>{reals.data(), {60}, {1}}, spectrum);
  expected.resize(31);
  EXPECT_EQ(std::vector(found.begin(), found.begin() + 31), expected);
  pleat::irfft(machine, spectrum, span<double, 1>{reals.data(), {60}, {1}});
  EXPECT_NEAR(reals[5], 25 % 17, 1e-12);

  EXPECT_EQ(
      refusal([&] {
        pleat::fft(machine, span<number, 1>{found.data(), {30}, {2}});
      }),
      "mdspan: elements along dimension 0 are 2 apart, not 1: copy them into an array by rows, "
      "or take a function for any strides (fftn)");
}

TEST(mdspan, of_two_dimensions_is_transformed_as_a_matrix) {
  pleat::machine machine(pleat::machine_options{.processors = 2});
  auto found = counted<number>(6 * 10), expected = found;
  pleat::fft2(machine, pleat::strided_view<number>(expected.data(), 6, 8, 10));
  pleat::fft2(machine, span<number, 2>{found.data(), {6, 8}, {10, 1}});
  EXPECT_EQ(found, expected);
  EXPECT_NE(refusal([&] { pleat::fft2(span<number, 2>{found.data(), {6, 8}, {1, 6}}); }), "none");
}

TEST(mdspan, by_rows_and_by_columns_is_multiplied) {
  pleat::machine machine(pleat::machine_options{.processors = 2});
  const auto x = counted<double>(6), y = counted<double>(12);
  const pleat::strided_view<const double> a(x.data(), 2, 3, 3), b(y.data(), 3, 4, 4);
  std::vector<double> expected(8), found(8);
  const pleat::strided_view<double> c(expected.data(), 2, 4, 4);
  const span<double, 2> d{found.data(), {2, 4}, {4, 1}};
  pleat::matmul(machine, a, b, c);
  pleat::matmul(machine, span<const double, 2>{x.data(), {2, 3}, {3, 1}}, b, d);
  EXPECT_EQ(found, expected);

  // x as the columns of a matrix: its transpose.
  const span<const double, 2> by_columns{x.data(), {3, 2}, {1, 3}};
  found.assign(8, 0);
  pleat::matmul(by_columns, b, d, {.op_a = pleat::matrix_op::transpose});
  EXPECT_EQ(found, expected);
  std::vector<double> square(9), again(9);
  pleat::matmul(machine, a, a, pleat::strided_view<double>(square.data(), 3, 3, 3),
                {.op_a = pleat::matrix_op::transpose});
  pleat::matmul(machine, by_columns, a, span<double, 2>{again.data(), {3, 3}, {3, 1}});
  EXPECT_EQ(again, square);

  EXPECT_NE(refusal([&] {
              pleat::matmul(machine, by_columns, b, d, {.op_a = pleat::matrix_op::adjoint});
            }),
            "none");
  const span<double, 2> results_by_columns{found.data(), {2, 4}, {1, 2}};
  EXPECT_NE(refusal([&] { pleat::matmul(machine, a, b, results_by_columns); }), "none");
}

TEST(mdspan, of_one_to_three_dimensions_is_stepped_as_a_grid) {
  pleat::machine machine(pleat::machine_options{.processors = 2});
  const auto mean = [](const auto& u) { return (u(-1) + u(0) + u(1)) / 3; };
  auto found = counted<double>(1000), expected = found;
  pleat::stencil(machine, expected, 5, mean);
  pleat::stencil(machine, span<double, 1>{found.data(), {1000}, {1}}, 5, mean);
  EXPECT_EQ(found, expected);

  const auto plane = [](const auto& u) { return (u(-1, 0) + u(0, 1)) / 2; };
  pleat::stencil(machine, pleat::grid_view<double, 2>(expected.data(), {20, 30}, {50, 1}), 5,
                 plane);
  pleat::stencil(span<double, 2>{found.data(), {20, 30}, {50, 1}}, 5, plane);
  EXPECT_EQ(found, expected);

  const auto room = [](const auto& u) { return (u(-1, 0, 0) + u(0, 0, 1)) / 2; };
  pleat::stencil(machine, pleat::grid_view<double, 3>(expected.data(), {10, 10, 10}), 5, room);
  pleat::stencil(machine, span<double, 3>{found.data(), {10, 10, 10}, {100, 10, 1}}, 5, room);
  EXPECT_EQ(found, expected);

  EXPECT_NE(refusal([&] {
              pleat::stencil(machine, span<double, 2>{found.data(), {20, 30}, {-50, 1}}, 5, plane);
            }),
            "none");
}

}  // namespace mdspan_test
