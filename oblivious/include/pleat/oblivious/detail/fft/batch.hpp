// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>

#include <pleat/oblivious/detail/fft/kernels.hpp>
#include <pleat/oblivious/detail/fft/plan.hpp>
#include <pleat/oblivious/detail/fft/tiling.hpp>
#include <pleat/runtime/interval.hpp>

namespace pleat::detail::fourier {

/// Kind of the numbers of one side, that of time; those of the other are complex.
enum class signal {
  complex,
  real_pairs,  ///< n real ones, n even: transformed as n/2 complex ones
  real_alone,  ///< n real ones, n odd: transformed as complex ones whose imaginary parts are 0
};

/// `count` transforms of one size, one behind the other.
template <class T> struct batch {
  std::shared_ptr<const transform_plan<T>> plan;  ///< of the complex transform
  const T* from;
  T* to;
  std::size_t count;
  ends<T> how;
  fourier::signal signal = signal::complex;
  std::shared_ptr<const real_plan<T>> pairs = nullptr;  ///< for real_pairs

  /// Complex numbers that are transformed.
  [[nodiscard]] std::size_t points() const noexcept { return plan->size; }
  /// Numbers (not pairs) of one transform on the side of time, and on that of frequency.
  [[nodiscard]] std::size_t time_numbers() const noexcept {
    return signal == signal::real_alone ? points() : 2 * points();
  }
  [[nodiscard]] std::size_t frequency_numbers() const noexcept {
    if (signal == signal::complex) return 2 * points();
    return 2 * (time_numbers() / 2 + 1);
  }
  /// Numbers of memory in which the transform takes place, if it is not the results' own.
  [[nodiscard]] std::size_t spare_numbers() const noexcept {
    return signal == signal::real_alone ? fourier::whole_lines<T>(2 * points()) : 0;
  }

  /// Tells whether something is done to the numbers before the complex transform (enter), or after
  /// it (leave).
  [[nodiscard]] bool enters() const noexcept {
    return signal == signal::real_alone || (signal == signal::real_pairs && how.inverse);
  }
  [[nodiscard]] bool leaves() const noexcept {
    return signal == signal::real_alone || (signal == signal::real_pairs && !how.inverse);
  }

  [[nodiscard]] const T* input(std::size_t i) const noexcept {
    return from + i * (how.inverse ? frequency_numbers() : time_numbers());
  }
  [[nodiscard]] T* output(std::size_t i) const noexcept {
    return to + i * (how.inverse ? time_numbers() : frequency_numbers());
  }
  /// Memory from which transform i takes its complex numbers, and to which it writes them.
  [[nodiscard]] const T* source(std::size_t i, T* spare) const noexcept {
    return enters() ? target(i, spare) : input(i);
  }
  [[nodiscard]] T* target(std::size_t i, T* spare) const noexcept {
    return signal == signal::real_alone ? spare : output(i);
  }

  /// Numbers on which share q of w works when it enters or leaves: these, and if the signal is
  /// real_pairs those as far from the end.
  [[nodiscard]] interval<> folded(std::size_t q, std::size_t w) const noexcept {
    return interval<>{0, signal == signal::real_pairs ? points() / 2 + 1 : points()}.share(q, w);
  }
  void enter(std::size_t i, T* spare, interval<> mine) const noexcept;
  void leave(std::size_t i, T* spare, interval<> mine) const noexcept;
};

/// `count` transforms of n real numbers; `from` and `to` are real or pairs, as the direction wants.
/// Requires n ≥ 1.
template <class T>
batch<T> real_batch(std::size_t n, const T* from, T* to, std::size_t count, ends<T> how) {
  if (n % 2 == 1) return {fourier::plan_for<T>(n), from, to, count, how, signal::real_alone};
  const auto pairs = fourier::real_plan_for<T>(n);
  return {pairs->half, from, to, count, how, signal::real_pairs, pairs};
}

template <class T> void batch<T>::enter(std::size_t i, T* spare, interval<> mine) const noexcept {
  const T* const x = input(i);
  if (signal == signal::real_pairs) {
    fourier::fold_pairs<T>(*pairs, mine.first, mine.last, true,
                           fourier::mirrored_at(x, mine.first, points()),
                           fourier::mirrored_at(output(i), mine.first, points()));
    return;
  }
  const std::size_t n = points();
  for (std::size_t j = mine.first; j < mine.last; ++j) {
    const bool beyond = j > n / 2;
    const T* const pair = x + 2 * (beyond ? n - j : j);
    spare[2 * j] = how.inverse ? pair[0] : x[j];
    spare[2 * j + 1] = how.inverse && j != 0 ? (beyond ? -pair[1] : pair[1]) : 0;
  }
}

template <class T> void batch<T>::leave(std::size_t i, T* spare, interval<> mine) const noexcept {
  T* const y = output(i);
  if (signal == signal::real_pairs) {
    const auto at = fourier::mirrored_at(y, mine.first, points());
    fourier::fold_pairs<T>(*pairs, mine.first, mine.last, false, {at.low, at.high}, at);
    return;
  }
  if (how.inverse) {
    for (std::size_t j = mine.first; j < mine.last; ++j) y[j] = spare[2 * j];
    return;
  }
  for (std::size_t k = mine.first; k < std::min(mine.last, points() / 2 + 1); ++k) {
    y[2 * k] = spare[2 * k];
    y[2 * k + 1] = k == 0 ? 0 : spare[2 * k + 1];
  }
}

}  // namespace pleat::detail::fourier
