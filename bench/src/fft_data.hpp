// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <random>
#include <span>
#include <string>
#include <string_view>

#include <pleat/runtime/error.hpp>

#include "big_block.hpp"

namespace pleat::bench {

/// Smaller transforms are measured as batches of this many numbers.
inline constexpr std::size_t fft_batch_numbers = std::size_t{1} << 20;
inline constexpr std::size_t largest_fft_in_batch = std::size_t{1} << 16;
constexpr std::size_t fft_batch(std::size_t n) {
  return n <= largest_fft_in_batch ? std::max<std::size_t>(fft_batch_numbers / n, 1) : 1;
}

/// Calls f.template operator()<T>() for the precision of that name, of the parts of complex
/// numbers. Throws: pleat::usage_error naming the precisions.
template <class F> void with_fft_type(std::string_view name, const F& f) {
  if (name == "f64") return f.template operator()<double>();
  if (name == "f32") return f.template operator()<float>();
  throw usage_error("--type: fft of '" + std::string(name) +
                    "' is not measured; choose f64 or f32, of the parts of complex numbers");
}

/// Random numbers and room for their transforms.
template <class T> class fft_data {
 public:
  fft_data(std::size_t n, std::size_t batch, std::uint64_t seed)
      : n_(n),
        from_memory_(n * batch * sizeof(std::complex<T>)),
        to_memory_(n * batch * sizeof(std::complex<T>)),
        from(from_memory_.as<std::complex<T>>(n * batch)),
        to(to_memory_.as<std::complex<T>>(n * batch)),
        seed_(seed) {
    fill();
  }

  void fill() {
    std::mt19937_64 random(seed_);
    std::uniform_real_distribution<T> part(-1, 1);
    for (auto& number : from) {
      const T re = part(random);
      number = {re, part(random)};
    }
    std::ranges::fill(to, std::complex<T>());
  }

  /// Checks some results of the first and the last transform by the definition, and the energy of
  /// all. Throws: pleat::error naming who transformed.
  void verify(const std::string& who) const {
    long double before = 0;
    long double after = 0;
    for (const auto& number : from) before += std::norm(number);
    for (const auto& number : to) after += std::norm(number);
    const long double allowed =
        16 * std::log2(static_cast<long double>(n_) + 2) * std::numeric_limits<T>::epsilon();
    bool right = std::abs(after / (before * static_cast<long double>(n_)) - 1) <= allowed;
    for (const std::size_t first : {std::size_t{0}, from.size() - n_}) {
      for (const std::size_t k : {std::size_t{0}, n_ / 3, n_ / 2 + n_ / 7, n_ - 1}) {
        std::complex<double> sum;
        for (std::size_t j = 0; j < n_; ++j) {
          const double angle =
              -2 * std::numbers::pi * static_cast<double>(j * k % n_) / static_cast<double>(n_);
          sum += std::complex<double>(from[first + j]) * std::polar(1.0, angle);
        }
        // A result is as large as √n, and so is what it may be off, times ε.
        const auto off = std::abs(std::complex<double>(to[first + k]) - sum);
        right = right && off <= static_cast<double>(allowed) * std::sqrt(static_cast<double>(n_)) +
                                    1e-13 * static_cast<double>(n_);
      }
    }
    if (!right) throw error(who + " did not transform: its results are not the definition's");
  }

 private:
  std::size_t n_;
  big_block from_memory_, to_memory_;

 public:
  const std::span<std::complex<T>> from, to;

 private:
  std::uint64_t seed_;
};

}  // namespace pleat::bench
