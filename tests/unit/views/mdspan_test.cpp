// SPDX-License-Identifier: Apache-2.0
//
// Types with the members of std::mdspan.
#include <array>
#include <complex>
#include <cstddef>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/array_view.hpp>
#include <pleat/oblivious/cholesky.hpp>
#include <pleat/oblivious/closure.hpp>
#include <pleat/oblivious/dct.hpp>
#include <pleat/oblivious/fft.hpp>
#include <pleat/oblivious/fft2.hpp>
#include <pleat/oblivious/fftn.hpp>
#include <pleat/oblivious/matmul.hpp>
#include <pleat/oblivious/rfft.hpp>
#include <pleat/oblivious/stencil.hpp>
#include <pleat/oblivious/transpose.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#include "unit/message_of.hpp"

namespace mdspan_test {

using number = std::complex<double>;

/// A span with the signatures of the reference implementation's. Its indices are of type Index.
template <class T, std::size_t D, class Index = std::size_t> class span {
 public:
  using extents_type = std::array<Index, D>;
  using element_type = T;
  using value_type = std::remove_cv_t<T>;
  using index_type = Index;
  using size_type = std::make_unsigned_t<Index>;
  using rank_type = std::size_t;
  using data_handle_type = T*;
  using reference = T&;
  struct mapping_type {
    extents_type of;
    std::array<std::ptrdiff_t, D> steps;
    [[nodiscard]] constexpr const extents_type& extents() const noexcept { return of; }
    [[nodiscard]] constexpr index_type stride(rank_type i) const {
      return static_cast<index_type>(steps[i]);
    }
    [[nodiscard]] static constexpr bool is_always_strided() noexcept { return true; }
  };

  constexpr span(T* data, const extents_type& of, const std::array<std::ptrdiff_t, D>& steps)
      : data_(data), mapping_{of, steps} {}

  static constexpr rank_type rank() noexcept { return D; }
  [[nodiscard]] constexpr const extents_type& extents() const noexcept { return mapping_.of; }
  [[nodiscard]] constexpr index_type extent(rank_type i) const noexcept { return mapping_.of[i]; }
  [[nodiscard]] constexpr index_type stride(rank_type i) const { return mapping_.stride(i); }
  [[nodiscard]] constexpr const data_handle_type& data_handle() const noexcept { return data_; }
  [[nodiscard]] constexpr const mapping_type& mapping() const noexcept { return mapping_; }
  [[nodiscard]] constexpr size_type size() const noexcept {
    size_type product = 1;
    for (const Index n : mapping_.of) product *= static_cast<size_type>(n);
    return product;
  }
  [[nodiscard]] constexpr bool empty() const noexcept { return size() == 0; }
  constexpr reference operator[](const extents_type& at) const {
    std::ptrdiff_t offset = 0;
    for (std::size_t i = 0; i < D; ++i)
      offset += static_cast<std::ptrdiff_t>(at[i]) * mapping_.steps[i];
    return data_[offset];
  }

 private:
  data_handle_type data_;
  mapping_type mapping_;
};

/// A span with no more than multidimensional_span asks for: a handle that converts to a pointer.
template <class T, std::size_t D> struct least_span {
  struct handle {
    T* to;
    T& operator*() const { return *to; }
    operator T*() const { return to; }  // NOLINT(google-explicit-constructor): as a handle may do
  };
  span<T, D, int> of;

  static constexpr int rank() { return D; }
  [[nodiscard]] int extent(std::size_t i) const { return of.extent(i); }
  [[nodiscard]] int stride(std::size_t i) const { return of.stride(i); }
  [[nodiscard]] handle data_handle() const { return {of.data_handle()}; }
};

/// The layouts of the standard, and a window of every other element of a larger array, backwards.
enum class layout { right, left, strided };
constexpr layout all_layouts[] = {layout::right, layout::left, layout::strided};

/// Numbers of an array of three dimensions, as they lie.
template <class T> struct placed {
  static constexpr std::array<std::ptrdiff_t, 3> steps_of(layout as, const std::array<int, 3>& n) {
    if (as == layout::left) return {1, n[0], std::ptrdiff_t{n[0]} * n[1]};
    if (as == layout::right) return {std::ptrdiff_t{n[1]} * n[2], n[2], 1};
    return {-std::ptrdiff_t{n[1]} * n[2] * 8, std::ptrdiff_t{n[2]} * 4, 2};
  }
  placed(layout as, const std::array<int, 3>& n)
      : numbers(static_cast<std::size_t>(n[0] * n[1] * n[2]) * 8),
        all(numbers.data() + (as == layout::strided ? (n[0] - 1) * n[1] * n[2] * 8 : 0), n,
            steps_of(as, n)) {}
  /// Elements in row-major order, which f(element, their number) may change.
  template <class F> void for_each(const F& f) {
    std::size_t count = 0;
    for (int i = 0; i < all.extent(0); ++i)
      for (int j = 0; j < all.extent(1); ++j)
        for (int k = 0; k < all.extent(2); ++k) f(all[{i, j, k}], count++);
  }
  [[nodiscard]] span<const T, 3, int> read() const {
    return {all.data_handle(), all.extents(), all.mapping().steps};
  }

  std::vector<T> numbers;
  span<T, 3, int> all;
};

template <class T> std::vector<T> counted(std::size_t n) {
  std::vector<T> numbers(n);
  for (std::size_t i = 0; i < n; ++i) numbers[i] = static_cast<double>(i * i % 17);
  return numbers;
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
      message_of<pleat::usage_error>([&] {
        pleat::fft(machine, span<number, 1>{found.data(), {30}, {2}});
      }),
      "mdspan: elements along dimension 0 are 2 apart, not 1: copy them into an array by rows");
}

TEST(mdspan, of_two_dimensions_is_transformed_as_a_matrix) {
  pleat::machine machine(pleat::machine_options{.processors = 2});
  auto found = counted<number>(6 * 10), expected = found;
  pleat::fft2(machine, pleat::strided_view<number>(expected.data(), 6, 8, 10));
  pleat::fft2(machine, span<number, 2>{found.data(), {6, 8}, {10, 1}});
  EXPECT_EQ(found, expected);
  EXPECT_NE(message_of<pleat::usage_error>([&] {
              pleat::fft2(span<number, 2>{found.data(), {6, 8}, {1, 6}});
            }),
            "");
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

  EXPECT_NE(message_of<pleat::usage_error>([&] {
              pleat::matmul(machine, by_columns, b, d, {.op_a = pleat::matrix_op::adjoint});
            }),
            "");
  const span<double, 2> results_by_columns{found.data(), {2, 4}, {1, 2}};
  EXPECT_NE(
      message_of<pleat::usage_error>([&] { pleat::matmul(machine, a, b, results_by_columns); }),
      "");
}

TEST(mdspan, by_rows_is_transposed_closed_and_factorised) {
  pleat::machine machine(pleat::machine_options{.processors = 2});
  std::vector<double> a{4, 2, 0, 2, 5, 0}, turned(6);  // rows of two, three apart
  const span<double, 2> square{a.data(), {2, 2}, {3, 1}};
  pleat::transpose(machine, square, span<double, 2>{turned.data(), {2, 2}, {2, 1}});
  EXPECT_EQ(turned, (std::vector<double>{4, 2, 2, 5, 0, 0}));
  pleat::cholesky(machine, square);
  EXPECT_EQ(a, (std::vector<double>{2, 2, 0, 1, 2, 0}));
  pleat::transpose(machine, square);
  EXPECT_EQ(a, (std::vector<double>{2, 1, 0, 2, 2, 0}));
  pleat::closure<pleat::min_plus>(machine, square);
  EXPECT_EQ(a, (std::vector<double>{2, 1, 0, 2, 2, 0}));
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

  EXPECT_NE(message_of<pleat::usage_error>([&] {
              pleat::stencil(machine, span<double, 2>{found.data(), {20, 30}, {-50, 1}}, 5, plane);
            }),
            "");
}

/// Expects that f(input, output) gives, in any layouts, what it gives for array_views.
template <class In, class Out, class F>
void expect_same_in_all_layouts(const std::array<int, 3>& in, const std::array<int, 3>& out,
                                const F& f) {
  const auto view = []<class T>(std::vector<T>& numbers, const std::array<int, 3>& n) {
    numbers.resize(static_cast<std::size_t>(n[0] * n[1] * n[2]));
    return pleat::array_view<T>(numbers.data(),
                                {static_cast<std::size_t>(n[0]), static_cast<std::size_t>(n[1]),
                                 static_cast<std::size_t>(n[2])});
  };
  std::vector<Out> expected;
  std::vector<In> numbers = counted<In>(static_cast<std::size_t>(in[0] * in[1] * in[2]));
  f(pleat::array_view<const In>(view(numbers, in)), view(expected, out));
  for (const layout from : all_layouts) {
    for (const layout to : all_layouts) {
      placed<In> x(from, in);
      placed<Out> y(to, out);
      x.for_each([&](In& number, std::size_t i) { number = numbers[i]; });
      f(x.read(), y.all);
      y.for_each([&](const Out& number, std::size_t i) {
        EXPECT_LT(std::abs(number - expected[i]), 1e-9) << i;
      });
    }
  }
}

TEST(mdspan, of_any_layout_is_transformed_along_its_axes) {
  pleat::machine m(pleat::machine_options{.processors = 2});
  constexpr std::array<int, 3> each{4, 6, 5}, spectrum{4, 6, 3};
  expect_same_in_all_layouts<number, number>(
      each, each, [&](const auto& x, const auto& y) { pleat::fftn(m, x, y); });
  expect_same_in_all_layouts<double, number>(
      each, spectrum, [&](const auto& x, const auto& y) { pleat::rfftn(m, x, y); });
  expect_same_in_all_layouts<number, double>(
      spectrum, each, [](const auto& x, const auto& y) { pleat::irfftn(x, y); });
  expect_same_in_all_layouts<double, double>(
      each, each, [&](const auto& x, const auto& y) { pleat::dct(m, x, y, {.axes = {{1}}}); });
  expect_same_in_all_layouts<double, double>(
      each, each, [](const auto& x, const auto& y) { pleat::dst(x, y); });
}

TEST(mdspan, with_no_more_than_the_concept_asks_for_is_taken_by_all) {
  auto numbers = counted<number>(16);
  auto x = counted<double>(16), y = x, z = x;
  const auto complex = [&] { return span<number, 2, int>(numbers.data(), {4, 4}, {4, 1}); };
  const auto real = [](std::vector<double>& all) {
    return least_span<double, 2>{{all.data(), {4, 4}, {4, 1}}};
  };
  pleat::fft(least_span<number, 1>{{numbers.data(), {16}, {1}}});
  pleat::fft2(least_span<number, 2>{complex()});
  pleat::fftn(least_span<number, 2>{complex()}, complex(),
              {.direction = pleat::fft_direction::inverse});
  pleat::fft(numbers, numbers, {.direction = pleat::fft_direction::inverse});
  for (std::size_t i = 0; i < 16; ++i) EXPECT_NEAR(numbers[i].real(), x[i], 1e-12);
  pleat::matmul(real(x), real(y), real(z));
  EXPECT_EQ(z[0], x[0] * x[0] + x[1] * x[4] + x[2] * x[8] + x[3] * x[12]);
  pleat::dct(real(x), real(y));
  pleat::stencil(real(z), 1, [](const auto& u) { return u(0, 0) + 1; });
  EXPECT_EQ(z[5], 1 + x[4] * x[1] + x[5] * x[5] + x[6] * x[9] + x[7] * x[13]);
}

TEST(mdspan, without_elements_has_any_strides) {
  std::vector<double> c(6, 2);
  const span<double, 2> results(c.data(), {2, 3}, {3, 1});
  // Row by row, and column by column, elements of no index are 0 apart.
  pleat::matmul(span<double, 2>(nullptr, {2, 0}, {0, 1}), span<double, 2>(nullptr, {0, 3}, {1, 0}),
                results, {.beta = 2});
  EXPECT_EQ(c, std::vector<double>(6, 4));
  pleat::stencil(span<double, 2>(nullptr, {5, 0}, {0, 1}), 3,
                 [](const auto& u) { return u(0, 0); });
  pleat::fft2(span<number, 2>(nullptr, {5, 0}, {0, 1}));
}

}  // namespace mdspan_test
