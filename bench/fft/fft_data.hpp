// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#include "measure/big_block.hpp"

namespace pleat::bench {

/// Shape of what is transformed: arrays of planes × rows × columns numbers, `batch` of them one
/// behind the other. One plane makes transforms of two dimensions, and one row of one.
struct fft_shape {
  std::size_t planes = 1;
  std::size_t rows = 1;
  std::size_t columns = 0;
  std::size_t batch = 1;

  /// Numbers of each array.
  [[nodiscard]] constexpr std::size_t numbers() const { return planes * rows * columns; }
};

/// The precision: float or double, of real numbers or of the parts of complex ones.
template <class Number> using fft_part = decltype(std::real(Number()));

/// Results a row: of real numbers only those that are not conjugates of others.
template <class Number> constexpr std::size_t spectrum_columns(const fft_shape& shape) {
  return std::floating_point<Number> ? shape.columns / 2 + 1 : shape.columns;
}

/// Smaller transforms are measured as batches of this many numbers.
inline constexpr std::size_t fft_batch_numbers = std::size_t{1} << 20;
inline constexpr std::size_t largest_fft_in_batch = std::size_t{1} << 16;
constexpr std::size_t fft_batch(std::size_t n) {
  return n <= largest_fft_in_batch ? std::max<std::size_t>(fft_batch_numbers / n, 1) : 1;
}

/// Random numbers, real or complex, and room for results.
template <class Number, class Result> class transform_arrays {
 public:
  transform_arrays(machine& on, const fft_shape& shape, std::size_t results, std::uint64_t seed)
      : shape_(shape),
        from_memory_(
            bytes_of({shape.planes, shape.rows, shape.columns, shape.batch, sizeof(Number)}), on),
        to_memory_(bytes_of({results, shape.batch, sizeof(Result)}), on),
        from(from_memory_.as<Number>(shape.numbers() * shape.batch)),
        to(to_memory_.as<Result>(results * shape.batch)),
        seed_(seed) {
    fill();
  }

  void fill() {
    std::mt19937_64 random(seed_);
    std::uniform_real_distribution<fft_part<Number>> one(-1, 1);
    for (auto& number : from) {
      if constexpr (std::floating_point<Number>) {
        number = one(random);
      } else {
        const auto re = one(random);
        number = {re, one(random)};
      }
    }
    std::ranges::fill(to, Result());
  }

  [[nodiscard]] const fft_shape& shape() const { return shape_; }
  [[nodiscard]] measured_arrays arrays() const { return {&from_memory_, &to_memory_}; }

 protected:
  fft_shape shape_;

 private:
  big_block from_memory_, to_memory_;

 public:
  const std::span<Number> from;
  const std::span<Result> to;

 private:
  std::uint64_t seed_;
};

/// Numbers and room for their Fourier transforms.
template <class Number>
class fft_data : public transform_arrays<Number, std::complex<fft_part<Number>>> {
 public:
  using part = fft_part<Number>;
  using base = transform_arrays<Number, std::complex<part>>;
  using base::from, base::to;

  fft_data(machine& on, const fft_shape& shape, std::uint64_t seed)
      : base(on, shape, bytes_of({shape.planes, shape.rows, spectrum_columns<Number>(shape)}),
             seed) {}

  /// Checks some results of the first and the last transform by the definition, and the energy of
  /// all. Throws: pleat::error naming who transformed.
  void verify(const std::string& who) const {
    const auto n = static_cast<double>(shape_.numbers());
    const double allowed =
        16 * std::log2(n + 2) * static_cast<double>(std::numeric_limits<part>::epsilon());
    bool right = std::abs(energy_ratio() - 1) <= allowed;
    const auto planes = some_of(shape_.planes);
    const auto rows = some_of(shape_.rows);
    const auto columns = some_of(length_);
    for (const std::size_t array : {std::size_t{0}, shape_.batch - 1}) {
      for (std::size_t i = 0; i < columns.size(); ++i) {
        // Not on the diagonal of a matrix, where a transposed result would be right, too.
        const std::size_t h = planes[(i + 2) % planes.size()], k = rows[i];
        const std::size_t l = columns[(i + 1) % columns.size()];
        const std::complex<double> result(
            to[array * results() + (h * shape_.rows + k) * length_ + l]);
        // A result is as large as √n, and so is what it may be off, times ε.
        right = right &&
                std::abs(result - defined(array, h, k, l)) <= allowed * std::sqrt(n) + 1e-13 * n;
      }
    }
    if (!right) throw error(who + " did not transform: its results are not the definition's");
  }

 private:
  using base::shape_;

  /// Results of an array.
  [[nodiscard]] std::size_t results() const { return shape_.planes * shape_.rows * length_; }
  static std::array<std::size_t, 4> some_of(std::size_t n) {
    return {0, n / 3, n / 2 + n / 7, n - 1};
  }

  // 1, as Parseval has it: the numbers' energy, n times, is that of the results. Those of real
  // numbers that are not stored are as large as the ones they are the conjugates of.
  [[nodiscard]] double energy_ratio() const {
    long double before = 0, after = 0;
    for (const auto& number : from) before += std::norm(number);
    for (std::size_t i = 0; i < to.size(); ++i) {
      const std::size_t l = i % length_;
      const bool twice = std::floating_point<Number> && l != 0 && 2 * l != shape_.columns;
      after += (twice ? 2 : 1) * std::norm(to[i]);
    }
    return static_cast<double>(after / (before * static_cast<long double>(shape_.numbers())));
  }

  // e^(−2πi·jk/n)
  static std::complex<double> root(std::size_t j, std::size_t k, std::size_t n) {
    return std::polar(
        1.0, -2 * std::numbers::pi * static_cast<double>(j * k % n) / static_cast<double>(n));
  }

  // Result (h, k, l) of an array, by the definition. Column by column: then there is a root to
  // compute for each row of each plane and for each column, not for each number.
  [[nodiscard]] std::complex<double> defined(std::size_t array, std::size_t h, std::size_t k,
                                             std::size_t l) const {
    const auto numbers = from.subspan(array * shape_.numbers(), shape_.numbers());
    std::vector<std::complex<double>> down;
    for (std::size_t i = 0; i < shape_.planes; ++i)
      for (std::size_t j = 0; j < shape_.rows; ++j)
        down.push_back(root(i, h, shape_.planes) * root(j, k, shape_.rows));
    std::complex<double> sum;
    for (std::size_t m = 0; m < shape_.columns; ++m) {
      std::complex<double> column;
      for (std::size_t j = 0; j < down.size(); ++j)
        column += down[j] * std::complex<double>(numbers[j * shape_.columns + m]);
      sum += column * root(m, l, shape_.columns);
    }
    return sum;
  }

  std::size_t length_ = spectrum_columns<Number>(shape_);  // of a row of results
};

/// Real numbers, one sequence behind the other, and room for their cosine transforms of type 2 with
/// the factor 2.
template <class T> class cosine_data : public transform_arrays<T, T> {
 public:
  using base = transform_arrays<T, T>;
  using base::from, base::to, base::shape;

  cosine_data(machine& on, const fft_shape& of, std::uint64_t seed)
      : base(on, of, of.columns, seed) {}

  /// Checks some results of the first and the last sequence by the definition. Throws: pleat::error
  /// naming who transformed.
  void verify(const std::string& who) const {
    const std::size_t n = shape().columns;
    const double allowed = 16 * std::log2(static_cast<double>(n) + 2) *
                               static_cast<double>(std::numeric_limits<T>::epsilon()) *
                               std::sqrt(static_cast<double>(n)) +
                           1e-13 * static_cast<double>(n);
    for (const std::size_t first : {std::size_t{0}, (shape().batch - 1) * n}) {
      for (const std::size_t k : {std::size_t{0}, n / 3, n / 2 + n / 7, n - 1}) {
        double sum = 0;
        for (std::size_t j = 0; j < n; ++j)
          sum += 2 * static_cast<double>(from[first + j]) *
                 std::cos(std::numbers::pi * static_cast<double>(k * (2 * j + 1) % (4 * n)) /
                          static_cast<double>(2 * n));
        if (!(std::abs(static_cast<double>(to[first + k]) - sum) <= allowed))
          throw error(who + " did not transform: its results are not the definition's");
      }
    }
  }
};

}  // namespace pleat::bench
