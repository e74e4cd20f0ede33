// SPDX-License-Identifier: Apache-2.0
// Real and two-dimensional transforms of random shapes, strides, batches and options are those of
// the definition and can be undone.
#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstddef>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/fft2.hpp>
#include <pleat/oblivious/rfft.hpp>
#include <pleat/runtime/machine.hpp>

#include "fft_reference.hpp"
#include "random_rounds.hpp"

namespace fft_random_test {

using pleat::fft_direction;
using pleat::fft_norm;
using pleat::strided_view;

/// 1, a prime (beyond 61 by a convolution), odd, a power of two, or anything, up to `most`; without
/// factors for which the definition takes long.
std::size_t random_length(dice& random, std::size_t most) {
  const auto greatest_factor = [](std::size_t n) {
    for (std::size_t d = 2; d * d <= n; ++d)
      while (n > d && n % d == 0) n /= d;
    return n;
  };
  const auto prime = [&](std::size_t n) { return n > 1 && greatest_factor(n) == n; };
  std::size_t n = 1 + random(most);
  switch (random(6)) {
    case 0:
      return 1 + random(3);
    case 1:
      n = std::min<std::size_t>(n, 2000);
      while (!prime(n)) n = n % most + 1;
      return n;
    case 2:
      n = n - 1 + n % 2;
      break;
    case 3:
      return std::bit_floor(n);
    default:
      break;
  }
  while (greatest_factor(n) > 2000) n = n > 2 ? n - 2 : most;
  return n;
}
std::optional<std::size_t> random_vps(dice& random) {
  if (random(3) == 0) return std::nullopt;
  return random.one_of<std::size_t>({1, 2, 3, 5, 16, 100});
}
fft_norm random_norm(dice& random) {
  return random.one_of(
      {fft_norm::backward, fft_norm::forward, fft_norm::orthogonal, fft_norm::none});
}
/// Divisor of a transform of n numbers.
long double divisor(fft_norm norm, bool forward, std::size_t n) {
  const auto all = static_cast<long double>(n);
  if (norm == fft_norm::orthogonal) return std::sqrt(all);
  return norm == (forward ? fft_norm::forward : fft_norm::backward) ? all : 1;
}
template <class T> std::vector<T> reals(std::size_t n, dice& random) {
  std::vector<T> x(n);
  for (T& number : x) number = std::uniform_real_distribution<T>(-1, 1)(random.generator());
  return x;
}
template <class T> std::vector<std::complex<T>> as_complex(std::span<const T> x) {
  return {x.begin(), x.end()};
}

/// Transforms of real numbers, one behind the other, surrounded by numbers nobody may write.
template <class T> struct real_case {
  std::size_t n, batch;
  pleat::real_fft_options options;

  [[nodiscard]] std::size_t length() const { return n / 2 + 1; }
  [[nodiscard]] std::vector<std::complex<T>> forward(pleat::machine& on,
                                                     const std::vector<T>& x) const {
    std::vector<std::complex<T>> y(batch * length() + 2, {7, 7});
    pleat::rfft(on, x, std::span(y).subspan(1, batch * length()), options);
    EXPECT_TRUE(y.front() == std::complex<T>(7, 7) && y.back() == std::complex<T>(7, 7));
    return {y.begin() + 1, y.end() - 1};
  }
  [[nodiscard]] std::vector<T> inverse(pleat::machine& on,
                                       const std::vector<std::complex<T>>& y) const {
    std::vector<T> x(batch * n + 2, 7);
    pleat::irfft(on, y, std::span(x).subspan(1, batch * n), options);
    EXPECT_TRUE(x.front() == 7 && x.back() == 7);
    return {x.begin() + 1, x.end() - 1};
  }
  [[nodiscard]] std::span<const T> numbers(const std::vector<T>& x, std::size_t b) const {
    return std::span(x).subspan(b * n, n);
  }
  [[nodiscard]] std::vector<std::complex<T>> spectrum(const std::vector<std::complex<T>>& y,
                                                      std::size_t b) const {
    const auto first = y.begin() + static_cast<std::ptrdiff_t>(b * length());
    return {first, first + static_cast<std::ptrdiff_t>(length())};
  }
};

template <class T> void expect_real(pleat::machine& on, dice& random, std::size_t most) {
  const std::size_t n = random_length(random, most);
  const std::size_t batch = random(3) == 0 ? 2 + random(4) : 1;
  const real_case<T> c{n, batch, {random_norm(random), batch, random_vps(random)}};
  SCOPED_TRACE(std::to_string(batch) + " transforms of " + std::to_string(n) + " on " +
               std::to_string(c.options.vps.value_or(0)) + " VPs");
  const std::vector<T> x = reals<T>(n * batch, random);
  const auto y = c.forward(on, x);
  const std::vector<T> back = c.inverse(on, y);
  const long double forward_by = divisor(c.options.norm, true, n);
  const long double both_by = forward_by * divisor(c.options.norm, false, n);
  const double allowed = allowed_error(n);
  for (std::size_t b = 0; b < batch; ++b) {
    const std::vector<std::complex<T>> numbers = as_complex(c.numbers(x, b));
    const std::vector<std::complex<T>> spectrum = c.spectrum(y, b);
    EXPECT_EQ(spectrum.front().imag(), 0);
    if (n % 2 == 0) {
      EXPECT_EQ(spectrum.back().imag(), 0);
    }
    std::vector<exact> undone = widened(numbers);
    for (exact& number : undone) number *= static_cast<long double>(n) / both_by;
    EXPECT_LE(relative_error(as_complex(c.numbers(back, b)), undone), 2 * allowed);
    std::vector<exact> expected = reference_transform(widened(numbers));
    expected.resize(n / 2 + 1);
    for (exact& number : expected) number /= forward_by;
    EXPECT_LE(relative_error(spectrum, expected), allowed);
  }
}

TEST(fft_random, real_transforms_are_the_definitions) {
  pleat::machine on({.processors = 2U});
  random_rounds(120, [&](dice& random) {
    const std::size_t most = random(20) == 0 ? 120'000 : 400;
    expect_real<double>(on, random, most);
    expect_real<float>(on, random, most);
  });
}

// ---------------------------------------------------------------- matrices

/// A matrix within a larger array, whose other numbers nobody may write.
template <class T> class window {
 public:
  using complex = std::complex<T>;
  window(std::size_t rows, std::size_t columns, dice& random)
      : rows_(rows),
        columns_(columns),
        stride_(columns + (random(2) == 0 ? 0 : random(9))),
        first_(1 + random(4)),
        data_(first_ + rows * stride_ + 3, fence) {}

  [[nodiscard]] strided_view<complex> view() {
    return {data_.data() + first_, rows_, columns_, stride_};
  }
  void hold(const std::vector<complex>& numbers) {
    for (std::size_t k = 0; k < numbers.size(); ++k)
      view()(k / columns_, k % columns_) = numbers[k];
  }
  /// Takes the numbers out; checks that all else is whole.
  [[nodiscard]] std::vector<complex> numbers() {
    std::vector<complex> result, rest = data_;
    for (std::size_t i = 0; i < rows_; ++i) {
      for (std::size_t j = 0; j < columns_; ++j) {
        result.push_back(view()(i, j));
        rest[first_ + i * stride_ + j] = fence;
      }
    }
    EXPECT_EQ(std::ranges::count(rest, fence), static_cast<std::ptrdiff_t>(rest.size()));
    return result;
  }

 private:
  static constexpr complex fence{7, 7};
  std::size_t rows_, columns_, stride_, first_;
  std::vector<complex> data_;
};

/// By the definition, of one axis after the other.
std::vector<exact> reference_plane(std::vector<exact> x, std::size_t rows, std::size_t columns,
                                   int sign) {
  const auto transform = [&](std::size_t first, std::size_t step, std::size_t count) {
    std::vector<exact> line(count);
    for (std::size_t k = 0; k < count; ++k) line[k] = x[first + k * step];
    line = reference_transform(line, sign);
    for (std::size_t k = 0; k < count; ++k) x[first + k * step] = line[k];
  };
  for (std::size_t i = 0; i < rows; ++i) transform(i * columns, 1, columns);
  for (std::size_t j = 0; j < columns; ++j) transform(j, columns, rows);
  return x;
}

template <class T> void expect_plane(pleat::machine& on, dice& random, std::size_t most) {
  const std::size_t rows = random_length(random, most);
  const std::size_t columns = random_length(random, most);
  const bool forward = random(2) == 0;
  const pleat::fft2_options options{forward ? fft_direction::forward : fft_direction::inverse,
                                    random_norm(random), random_vps(random)};
  const bool in_place = random(2) == 0;
  SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns) + " on " +
               std::to_string(options.vps.value_or(0)) + " VPs" + (in_place ? ", in place" : ""));
  const std::size_t n = rows * columns;
  const auto numbers = random_numbers<T>(n, static_cast<unsigned>(random.word()));
  const auto transformed = [&](const std::vector<std::complex<T>>& x,
                               const pleat::fft2_options& how) {
    window<T> in(rows, columns, random);
    window<T> out(rows, columns, random);
    in.hold(x);
    if (in_place)
      pleat::fft2(on, in.view(), how);
    else
      pleat::fft2(on, in.view(), out.view(), how);
    if (!in_place) {
      EXPECT_EQ(in.numbers(), x);
    }
    return in_place ? in.numbers() : out.numbers();
  };
  const auto y = transformed(numbers, options);
  const double allowed = allowed_error(rows) + allowed_error(columns);
  const long double by = divisor(options.norm, forward, n);
  auto expected = reference_plane(widened(numbers), rows, columns, forward ? -1 : 1);
  for (exact& number : expected) number /= by;
  EXPECT_LE(relative_error(y, expected), allowed);
  pleat::fft2_options other = options;
  other.direction = forward ? fft_direction::inverse : fft_direction::forward;
  std::vector<exact> undone = widened(numbers);
  for (exact& number : undone)
    number *= static_cast<long double>(n) / by / divisor(options.norm, !forward, n);
  EXPECT_LE(relative_error(transformed(y, other), undone), 2 * allowed);
}

TEST(fft_random, matrices_are_the_definitions) {
  pleat::machine on({.processors = 2U});
  random_rounds(60, [&](dice& random) {
    const std::size_t most = random(10) == 0 ? 400 : 70;
    expect_plane<double>(on, random, most);
    expect_plane<float>(on, random, most);
  });
}

}  // namespace fft_random_test
