// SPDX-License-Identifier: Apache-2.0
#include <complex>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/fft2.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#include "fft_reference.hpp"
#include "unit/runtime/machines.hpp"

namespace fft2_test {

using pleat::fft2;
using pleat::fft_direction;
using pleat::fft_norm;
using pleat::strided_view;

/// Transforms a matrix whose rows are `columns` long, one behind the other.
std::vector<exact> reference_plane(std::vector<exact> x, std::size_t rows, std::size_t columns) {
  for (std::size_t i = 0; i < rows; ++i) {
    const auto row = x.begin() + static_cast<std::ptrdiff_t>(i * columns);
    std::ranges::copy(reference_transform({row, row + static_cast<std::ptrdiff_t>(columns)}), row);
  }
  for (std::size_t j = 0; j < columns; ++j) {
    std::vector<exact> column(rows);
    for (std::size_t i = 0; i < rows; ++i) column[i] = x[i * columns + j];
    column = reference_transform(column);
    for (std::size_t i = 0; i < rows; ++i) x[i * columns + j] = column[i];
  }
  return x;
}

template <class T> class plane {
 public:
  using complex = std::complex<T>;
  plane(std::size_t rows, std::size_t columns, std::size_t padding)
      : rows_(rows), columns_(columns), stride_(columns + padding), data_(rows * stride_, {7, 7}) {}

  [[nodiscard]] strided_view<complex> view() { return {data_.data(), rows_, columns_, stride_}; }
  void fill(unsigned seed) {
    const auto x = random_numbers<T>(rows_ * columns_, seed);
    for (std::size_t i = 0; i < rows_; ++i)
      for (std::size_t j = 0; j < columns_; ++j) view()(i, j) = x[i * columns_ + j];
  }
  [[nodiscard]] std::vector<complex> numbers() {
    std::vector<complex> result;
    for (std::size_t i = 0; i < rows_; ++i)
      for (std::size_t j = 0; j < columns_; ++j) result.push_back(view()(i, j));
    return result;
  }
  /// Tells whether what stands between the rows is as it was.
  [[nodiscard]] bool padding_is_whole() const {
    for (std::size_t i = 0; i < rows_; ++i)
      for (std::size_t j = columns_; j < stride_; ++j)
        if (data_[i * stride_ + j] != complex(7, 7)) return false;
    return true;
  }

 private:
  std::size_t rows_, columns_, stride_;
  std::vector<complex> data_;
};

class fft2_of : public machines {
 protected:
  template <class T>
  void expect_transforms(pleat::machine& m, std::size_t rows, std::size_t columns,
                         std::optional<std::size_t> vps) {
    plane<T> x(rows, columns, 3);
    plane<T> y(rows, columns, 1);
    x.fill(static_cast<unsigned>(rows));
    const auto before = x.numbers();
    const auto expected = reference_plane(widened(before), rows, columns);
    const double allowed = allowed_error(rows) + allowed_error(columns);
    fft2(m, x.view(), y.view(), {.vps = vps});
    ASSERT_LE(relative_error(y.numbers(), expected), allowed)
        << rows << " x " << columns << " on " << vps.value_or(0);
    EXPECT_EQ(x.numbers(), before);
    fft2(m, x.view(), {.vps = vps});
    ASSERT_EQ(x.numbers(), y.numbers()) << "in place";
    fft2(m, x.view(), {.direction = fft_direction::inverse, .vps = vps});
    ASSERT_LE(relative_error(x.numbers(), widened(before)), 2 * allowed) << "and back";
    EXPECT_TRUE(x.padding_is_whole() && y.padding_is_whole());
  }
};

TEST_F(fft2_of, any_size_is_the_definitions_on_any_number_of_workers_and_vps) {
  for (const unsigned workers : {1U, 2U, 3U, 6U}) {
    pleat::machine m({.processors = workers});
    for (const std::size_t rows : {1, 2, 3, 11, 16, 60, 67}) {
      for (const std::size_t columns : {1, 2, 7, 13, 32, 50, 71}) {
        for (const std::size_t vps : {1, 2, 3, 5, 40})
          expect_transforms<double>(m, rows, columns, vps);
        expect_transforms<float>(m, rows, columns, std::nullopt);
      }
    }
  }
}

TEST_F(fft2_of, large_matrices_are_shared) {
  pleat::machine m({.processors = 2U});
  expect_transforms<double>(m, 256, 256, std::nullopt);
  expect_transforms<float>(m, 509, 120, std::nullopt);
  expect_transforms<double>(m, 3, 4096, 8);
  expect_transforms<double>(m, 4096, 3, 8);
}

TEST_F(fft2_of, norms_divide_as_they_say) {
  pleat::machine m({.processors = 1U});
  plane<double> x(4, 4, 0);
  for (const auto& [norm, first] : {std::pair(fft_norm::backward, 16.0),
                                    {fft_norm::forward, 1.0},
                                    {fft_norm::orthogonal, 4.0},
                                    {fft_norm::none, 16.0}}) {
    for (std::size_t i = 0; i < 16; ++i) x.view()(i / 4, i % 4) = 1;
    fft2(m, x.view(), {.norm = norm});
    EXPECT_EQ(x.view()(0, 0), std::complex<double>(first));
  }
}

TEST_F(fft2_of, without_a_machine_the_default_one_transforms) {
  plane<double> x(20, 30, 1);
  plane<double> y(20, 30, 0);
  x.fill(3);
  const auto before = x.numbers();
  const double allowed = allowed_error(20) + allowed_error(30);
  fft2(x.view(), y.view());
  EXPECT_LE(relative_error(y.numbers(), reference_plane(widened(before), 20, 30)), allowed);
  fft2(y.view(), {.direction = fft_direction::inverse});
  EXPECT_LE(relative_error(y.numbers(), widened(before)), 2 * allowed);
}

TEST_F(fft2_of, what_makes_no_sense_is_refused) {
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
