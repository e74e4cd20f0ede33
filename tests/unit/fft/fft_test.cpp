// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/fft.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#include "fft_reference.hpp"
#include "unit/runtime/machines.hpp"

namespace fft_test {

using pleat::fft, pleat::fft_direction, pleat::fft_norm;

class fft_of : public machines {
 protected:
  template <class T>
  void expect_transforms(pleat::machine& m, std::size_t n, std::optional<std::size_t> vps) {
    const auto x = random_numbers<T>(n, static_cast<unsigned>(n));
    const auto expected = reference_transform(widened(x));
    std::vector<std::complex<T>> y(n);
    fft(m, x, y, {.vps = vps});
    ASSERT_LE(relative_error(y, expected), allowed_error(n))
        << n << " on " << vps.value_or(0) << " VPs";
    auto z = x;
    fft(m, z, {.vps = vps});
    ASSERT_EQ(z, y) << "in place";
    fft(m, z, {.direction = fft_direction::inverse, .vps = vps});
    ASSERT_LE(relative_error(z, widened(x)), 2 * allowed_error(n)) << "and back";
  }
};

TEST_F(fft_of, any_size_is_the_definitions_on_any_number_of_workers_and_vps) {
  for (const unsigned workers : {1U, 3U, 6U}) {
    pleat::machine m({.processors = workers});
    for (const std::size_t n : {1, 2, 3, 4, 8, 15, 16, 64, 97, 100, 256, 1000, 1024}) {
      for (const std::size_t vps : {1, 2, 3, 7, 16, 64}) expect_transforms<double>(m, n, vps);
      expect_transforms<float>(m, n, std::nullopt);
      expect_transforms<double>(m, n, n);  // one number a VP
    }
  }
}

TEST_F(fft_of, the_recursion_is_right_wherever_it_ends) {
  pleat::machine m({.processors = 3U, .strict = true});  // what is lent is left alone
  for (std::size_t n = 2; n <= std::size_t{1} << 12; n *= 2) {
    for (std::size_t vps = 2; vps <= n; vps *= 2) expect_transforms<double>(m, n, vps);
  }
  // Also in the passes of a matrix on several VPs.
  for (const std::size_t vps : {1 << 9, 1 << 10, 1 << 11}) {
    expect_transforms<double>(m, std::size_t{1} << 16, vps);
    expect_transforms<float>(m, std::size_t{1} << 17, vps);
  }
}

TEST_F(fft_of, large_sizes_stay_within_the_promised_error_and_pass_the_caches) {
  pleat::machine m({.processors = 2U});
  for (const std::size_t n : {std::size_t{1} << 16, std::size_t{1} << 18, std::size_t{120'000}}) {
    expect_transforms<double>(m, n, std::nullopt);
    expect_transforms<float>(m, n, std::nullopt);
  }
  expect_transforms<double>(m, std::size_t{1} << 20, std::nullopt);
  expect_transforms<double>(m, 2003, std::nullopt);
  expect_transforms<double>(m, 10'007, 3);
}

/// n numbers, the first of them `shift` numbers behind the beginning of a line; nines around them.
template <class T> class array_in_line {
 public:
  using complex = std::complex<T>;
  static constexpr std::size_t line = 64 / sizeof(complex);

  array_in_line(std::size_t n, std::size_t shift) : room_(n + 3 * line, {9, 9}) {
    const auto address = reinterpret_cast<std::uintptr_t>(room_.data());
    first_ = 2 * line - address / sizeof(complex) % line + shift;
    numbers = std::span(room_).subspan(first_, n);
  }
  [[nodiscard]] bool kept_around() const {
    return room_[first_ - 1] == complex(9, 9) && room_[first_ + numbers.size()] == complex(9, 9);
  }

  std::span<complex> numbers;

 private:
  std::vector<complex> room_;
  std::size_t first_;
};

/// Compares transforms in and out of place, from anywhere in a line to anywhere: by columns or by
/// panels of them.
template <class T> void expect_the_same_anywhere(pleat::machine& m, std::size_t n) {
  const auto x = random_numbers<T>(n, 3);
  const auto reference = reference_transform(widened(x));
  for (const std::size_t vps : {1, 2, 3}) {
    std::vector<std::complex<T>> expected(n);
    fft(m, x, expected, {.vps = vps});
    ASSERT_LE(relative_error(expected, reference), allowed_error(n)) << n;
    constexpr std::size_t line = array_in_line<T>::line;
    for (const std::size_t shift : {std::size_t{0}, std::size_t{1}, line - 1}) {
      const array_in_line<T> from(n, shift), to(n, shift);
      std::ranges::copy(x, from.numbers.begin());
      fft(m, from.numbers, to.numbers, {.vps = vps});
      ASSERT_TRUE(std::ranges::equal(to.numbers, expected)) << n << " from " << shift;
      fft(m, from.numbers, {.vps = vps});
      ASSERT_TRUE(std::ranges::equal(from.numbers, expected)) << n << " in place from " << shift;
      ASSERT_TRUE(from.kept_around() && to.kept_around()) << n << " from " << shift;
    }
  }
}

TEST_F(fft_of, memory_of_any_alignment) {
  pleat::machine m({.processors = 2U});
  for (const std::size_t n : {1 << 12, 1 << 17, 301 * 300}) {
    expect_the_same_anywhere<double>(m, n);
    expect_the_same_anywhere<float>(m, n);
  }
}

TEST_F(fft_of, factors_up_to_61_and_chirps_are_shared_by_all_vps) {
  pleat::machine m({.processors = 3U, .strict = true});  // what is lent is left alone
  for (const std::size_t n : {11, 143, 61, 64 * 13, 17 * 31 * 7, 29 * 64, 37 * 41, 11 * 1024,
                              // convolutions
                              67, 71, 134, 5 * 67, 1021, 64 * 67}) {
    for (const std::size_t vps : {1, 2, 3, 7, 40}) expect_transforms<double>(m, n, vps);
  }
  for (const std::size_t n : {13 * 13 * 13 * 13, 31 * 4096, 23 * 5000}) {
    expect_transforms<double>(m, n, std::nullopt);
    expect_transforms<float>(m, n, std::nullopt);
  }
}

TEST_F(fft_of, a_chirp_of_what_it_is_made_of_stays_within_the_promised_error) {
  pleat::machine m({.processors = 2U});
  for (const std::size_t n : {67, 509, 2003}) {
    // Tones and the chirp itself: all energy in one number of the result, or of the convolution.
    std::vector<std::complex<double>> tone(n), chirp(n), y(n), ones(n, 1);
    for (std::size_t j = 0; j < n; ++j) {
      const auto number = [](pleat::detail::fourier::root w) {
        return std::complex<double>(w.re, -w.im);
      };
      tone[j] = number(pleat::detail::fourier::root_of_unity(j * (n / 3) % n, n));
      chirp[j] = number(pleat::detail::fourier::root_of_unity(j * j % (2 * n), 2 * n));
    }
    for (const auto& x : {tone, chirp, ones}) {
      fft(m, x, y);
      EXPECT_LE(relative_error(y, reference_transform(widened(x))), allowed_error(n)) << n;
    }
  }
}

TEST_F(fft_of, a_batch_is_each_of_its_transforms) {
  pleat::machine m({.processors = 3U});
  for (const std::size_t n : {1, 12, 64, 407, 509, 1024, 20000}) {
    for (const std::size_t count : {1, 2, 5, 40}) {
      const auto x = random_numbers<float>(n * count, 9);
      for (const std::size_t vps : {1, 2, 3, 8, 64}) {
        auto y = x;
        fft(m, y, {.batch = count, .vps = vps});
        for (std::size_t i = 0; i < count; ++i) {
          auto expected = line_of(x, i, n);
          fft(m, expected, {.vps = 1});
          ASSERT_LE(relative_error(line_of(y, i, n), widened(expected)), 2 * allowed_error(n))
              << n << " x " << count << " on " << vps;
        }
      }
    }
  }
}

TEST_F(fft_of, norms_divide_as_they_say) {
  pleat::machine m({.processors = 2U});
  const std::size_t n = 360;
  const auto x = random_numbers<double>(n, 2);
  const auto with = [&](fft_direction direction, fft_norm norm) {
    std::vector<std::complex<double>> y(n);
    fft(m, x, y, {.direction = direction, .norm = norm});
    return y;
  };
  for (const auto direction : {fft_direction::forward, fft_direction::inverse}) {
    const bool inverse = direction == fft_direction::inverse;
    auto plain = widened(with(direction, fft_norm::none));
    EXPECT_LE(
        relative_error(with(direction, inverse ? fft_norm::forward : fft_norm::backward), plain),
        1);
    for (auto& number : plain) number /= std::sqrt(static_cast<long double>(n));
    EXPECT_LE(relative_error(with(direction, fft_norm::orthogonal), plain), 2);
    for (auto& number : plain) number /= std::sqrt(static_cast<long double>(n));
    EXPECT_LE(
        relative_error(with(direction, inverse ? fft_norm::backward : fft_norm::forward), plain),
        2);
  }
}

TEST_F(fft_of, what_makes_no_sense_is_refused) {
  pleat::machine m({.processors = 2U});
  std::vector<std::complex<double>> x(12), y(11);
  EXPECT_THROW(fft(m, x, y), pleat::usage_error);
  EXPECT_THROW(fft(m, x, {.batch = 5}), pleat::usage_error);
  EXPECT_THROW(fft(m, x, {.batch = 0}), pleat::usage_error);
  EXPECT_THROW(fft(m, x, {.vps = 0}), pleat::usage_error);
  x.clear();
  EXPECT_NO_THROW(fft(m, x)) << "of nothing";
}

TEST_F(fft_of, machines_of_several_threads_share_the_plans) {
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t) {
    threads.emplace_back([t, this] {
      pleat::machine m({.processors = 1U});
      for (std::size_t n = 1; n < 150; ++n) expect_transforms<double>(m, (n * 7 + t) % 400 + 1, 1);
    });
  }
  for (auto& thread : threads) thread.join();
}

}  // namespace fft_test
