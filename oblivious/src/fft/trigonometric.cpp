// SPDX-License-Identifier: Apache-2.0
#include "fft/trigonometric.hpp"

#include <algorithm>
#include <cstddef>
#include <numbers>

#include <pleat/oblivious/detail/fft/many.hpp>
#include <pleat/runtime/detail/watch.hpp>
#include <pleat/runtime/interval.hpp>

namespace pleat::detail::fourier {
namespace {

/// The transform inside: of the numbers that `enter` makes of a line.
template <class T> batch<T> inner_of(const trigonometric_kind& kind, std::size_t n) {
  const ends<T> forward{};
  switch (kind.type) {
    case 1:
      return real_batch<T>(kind.sines ? 2 * (n + 1) : 2 * (n - 1), nullptr, nullptr, 1, forward);
    case 2:
      return real_batch<T>(n, nullptr, nullptr, 1, forward);
    case 3:
      return real_batch<T>(n, nullptr, nullptr, 1, {true, T{1}, false});
    default:
      break;
  }
  return {plan_for<T>(n % 2 == 0 ? n / 2 : 2 * n), nullptr, nullptr, 1, forward};
}

template <class T> struct pair { T re, im; };
template <class T> pair<T> times(pair<T> a, const root& w) noexcept {
  const auto re = static_cast<T>(w.re), im = static_cast<T>(w.im);
  return {a.re * re - a.im * im, a.re * im + a.im * re};
}

}  // namespace

template <class T>
trigonometric_line<T>::trigonometric_line(const trigonometric_kind& kind, std::size_t n, T scale)
    : kind_(kind),
      n_(n),
      scale_(scale),
      inner_(inner_of<T>(kind, n)),
      roots_(kind.type == 1   ? 1
             : kind.type == 4 ? 8 * n
                              : 4 * n),
      points_(inner_.how.inverse ? inner_.frequency_numbers() : inner_.time_numbers()),
      results_(inner_.how.inverse ? inner_.time_numbers() : inner_.frequency_numbers()) {}

template <class T> std::size_t trigonometric_line<T>::numbers() const noexcept {
  return whole_lines<T>(together * points_) + whole_lines<T>(together * results_) +
         sequence_numbers(inner_);
}

template <class T>
void trigonometric_line<T>::operator()(const T* from, T* to, std::size_t count,
                                       T* memory) const noexcept {
  T* const points = memory;
  T* const results = points + whole_lines<T>(together * points_);
  T* const rest = results + whole_lines<T>(together * results_);
  batch<T> inner = inner_;
  inner.from = points;
  inner.to = results;
  for (std::size_t first = 0; first < count && !given_up(); first += together) {
    const std::size_t some = std::min(together, count - first);
    for (std::size_t i = 0; i < some; ++i) enter(from + (first + i) * n_, points + i * points_);
    inner.count = some;
    transform_sequences(inner, interval<>{0, some}, rest);
    for (std::size_t i = 0; i < some; ++i) leave(results + i * results_, to + (first + i) * n_);
  }
}

template <class T> void trigonometric_line<T>::enter(const T* x, T* points) const noexcept {
  switch (kind_.type) {
    case 1:
      return enter_type1(x, points);
    case 2:
      return enter_type2(x, points);
    case 3:
      return enter_type3(x, points);
    default:
      return enter_type4(x, points);
  }
}
template <class T> void trigonometric_line<T>::leave(const T* results, T* y) const noexcept {
  switch (kind_.type) {
    case 1:
      return leave_type1(results, y);
    case 2:
      return leave_type2(results, y);
    case 3:
      return leave_type3(results, y);
    default:
      return leave_type4(results, y);
  }
}

// Type 1: the numbers and their mirror image, even or odd, are periodic; their spectrum is real or
// imaginary.
template <class T> void trigonometric_line<T>::enter_type1(const T* x, T* points) const noexcept {
  const T ends = kind_.orthogonalized && !kind_.sines ? std::numbers::sqrt2_v<T> : T{1};
  if (kind_.sines) {
    points[0] = points[n_ + 1] = 0;
    for (std::size_t j = 0; j < n_; ++j) {
      points[j + 1] = x[j];
      points[2 * n_ + 1 - j] = -x[j];
    }
    return;
  }
  const std::size_t last = n_ - 1;
  points[0] = ends * x[0];
  points[last] = ends * x[last];
  for (std::size_t j = 1; j < last; ++j) points[j] = points[2 * last - j] = x[j];
}
template <class T> void trigonometric_line<T>::leave_type1(const T* results, T* y) const noexcept {
  if (kind_.sines) {
    for (std::size_t k = 0; k < n_; ++k) y[k] = -scale_ * results[2 * (k + 1) + 1];
    return;
  }
  for (std::size_t k = 0; k < n_; ++k) y[k] = scale_ * results[2 * k];
  if (!kind_.orthogonalized) return;
  y[0] /= std::numbers::sqrt2_v<T>;
  y[n_ - 1] /= std::numbers::sqrt2_v<T>;
}

// Type 2: even numbers upwards, then odd ones downwards; result k, turned by k/4n of a circle, has
// those of k and n − k. Sines are cosines of numbers of alternating sign, in reversed order.
template <class T> void trigonometric_line<T>::enter_type2(const T* x, T* points) const noexcept {
  const T odd = kind_.sines ? T{-1} : T{1};
  for (std::size_t j = 0; 2 * j < n_; ++j) points[j] = x[2 * j];
  for (std::size_t j = 0; 2 * j + 1 < n_; ++j) points[n_ - 1 - j] = odd * x[2 * j + 1];
}
template <class T> void trigonometric_line<T>::leave_type2(const T* results, T* y) const noexcept {
  const auto at = [&](std::size_t k) -> T& { return y[kind_.sines ? n_ - 1 - k : k]; };
  for (std::size_t k = 0; 2 * k <= n_; ++k) {
    const auto turned = times<T>({results[2 * k], results[2 * k + 1]}, roots_(k));
    at(k) = 2 * scale_ * turned.re;
    if (k != 0) at(n_ - k) = -2 * scale_ * turned.im;
  }
  if (kind_.orthogonalized) at(0) /= std::numbers::sqrt2_v<T>;
}

// Type 3: the same steps backwards.
template <class T> void trigonometric_line<T>::enter_type3(const T* x, T* points) const noexcept {
  const auto at = [&](std::size_t k) { return x[kind_.sines ? n_ - 1 - k : k]; };
  points[0] = at(0) * (kind_.orthogonalized ? std::numbers::sqrt2_v<T> : T{1});
  points[1] = 0;
  for (std::size_t k = 1; 2 * k <= n_; ++k) {
    const root w = roots_(k);
    const auto turned = times<T>({at(k), -at(n_ - k)}, {w.re, -w.im});
    points[2 * k] = turned.re;
    points[2 * k + 1] = turned.im;
  }
}
template <class T> void trigonometric_line<T>::leave_type3(const T* results, T* y) const noexcept {
  const T odd = kind_.sines ? -scale_ : scale_;
  for (std::size_t j = 0; 2 * j < n_; ++j) y[2 * j] = scale_ * results[j];
  for (std::size_t j = 0; 2 * j + 1 < n_; ++j) y[2 * j + 1] = odd * results[n_ - 1 - j];
}

// Type 4: of n/2 pairs of a number from the front and one from the back, turned before and after;
// for odd n, of the numbers turned, and as many zeros.
template <class T> void trigonometric_line<T>::enter_type4(const T* x, T* points) const noexcept {
  const auto at = [&](std::size_t j) { return x[kind_.sines ? n_ - 1 - j : j]; };
  if (n_ % 2 == 0) {
    for (std::size_t j = 0; 2 * j < n_; ++j) {
      const auto turned = times<T>({at(2 * j), at(n_ - 1 - 2 * j)}, roots_(4 * j + 1));
      points[2 * j] = turned.re;
      points[2 * j + 1] = turned.im;
    }
    return;
  }
  for (std::size_t j = 0; j < n_; ++j) {
    const auto turned = times<T>({at(j), 0}, roots_(2 * j));
    points[2 * j] = turned.re;
    points[2 * j + 1] = turned.im;
  }
  std::fill(points + 2 * n_, points + 4 * n_, T{});
}
template <class T> void trigonometric_line<T>::leave_type4(const T* results, T* y) const noexcept {
  const T odd = kind_.sines ? T{-1} : T{1};
  const auto put = [&](std::size_t k, T value) {
    y[k] = (k % 2 == 0 ? T{1} : odd) * 2 * scale_ * value;
  };
  if (n_ % 2 == 0) {
    for (std::size_t k = 0; 2 * k < n_; ++k) {
      const auto turned = times<T>({results[2 * k], results[2 * k + 1]}, roots_(4 * k));
      put(2 * k, turned.re);
      put(n_ - 1 - 2 * k, -turned.im);
    }
    return;
  }
  for (std::size_t k = 0; k < n_; ++k)
    put(k, times<T>({results[2 * k], results[2 * k + 1]}, roots_(2 * k + 1)).re);
}

template class trigonometric_line<float>;
template class trigonometric_line<double>;

}  // namespace pleat::detail::fourier
