// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>

#include <pleat/oblivious/detail/distributed/range_program.hpp>
#include <pleat/oblivious/detail/fft/plan.hpp>
#include <pleat/runtime/interval.hpp>

// Between the spectrum of n real numbers, of which a share needs the numbers k and those as far
// from the end, and the transform of complex ones: of m = n/2 pairs where n is even, of n numbers
// where it is odd.
namespace pleat::detail::distribution {

template <class T> using complex_ranges = std::array<arrived_range<std::complex<T>>, 2>;

/// f(k, at, mirrored, count), for runs of numbers k … k + count − 1 of a share: where number k of
/// the first range is, the others behind it, and where number m − k of the second one, the others
/// before it.
template <class T, class F>
void for_each_run(const interval<>& share, std::size_t m, const complex_ranges<T>& come,
                  const F& f) {
  for (std::size_t k = share.first; k < share.last;) {
    const auto& at = come[0].holding(k);
    const auto& mirrored = come[1].holding(m - k);
    const std::size_t count = std::min({share.last, at.at.last, m - mirrored.at.first + 1}) - k;
    f(k, at.element(k), mirrored.element(m - k), count);
    k += count;
  }
}

/// Of n = 2m real numbers, transformed as m complex ones: m + 1 numbers of the spectrum.
template <class T> class even_fold {
 public:
  using complex = std::complex<T>;
  explicit even_fold(std::size_t n) : m_(n / 2), roots_(n) {}

  /// For a share of the spectrum, of m + 1 numbers: which of the m transformed ones.
  [[nodiscard]] std::array<interval<>, 2> wanted_forward(const interval<>& share) const noexcept {
    return {interval<>{share.first, std::min(share.last, m_)},
            interval<>{m_ + 1 - share.last, std::min(m_ + 1 - share.first, m_)}};
  }
  /// Source: Cooley, Lewis, Welch, 1970 (see rfft).
  void forward(const interval<>& share, const complex_ranges<T>& come, complex* to) const noexcept {
    interval<> inside = share;
    if (share.first == 0) {
      const complex z = *come[0].holding(0).element(0);
      to[0] = {z.real() + z.imag(), 0};
      ++inside.first;
    }
    if (share.last == m_ + 1) {
      const complex z = *come[1].holding(0).element(0);
      to[m_ - share.first] = {z.real() - z.imag(), 0};
      --inside.last;
    }
    for_each_run<T>(
        inside, m_, come,
        [&](std::size_t k, const complex* at, const complex* mirrored, std::size_t count) {
          complex* const out = to + (k - share.first);
          for (std::size_t i = 0; i < count; ++i) {
            const complex a = at[i], b = *(mirrored - i);
            const T even_re = (a.real() + b.real()) / 2, even_im = (a.imag() - b.imag()) / 2;
            const T odd_re = (a.imag() + b.imag()) / 2, odd_im = (b.real() - a.real()) / 2;
            const fourier::root w = roots_(k + i);
            const T re = static_cast<T>(w.re), im = static_cast<T>(w.im);
            out[i] = {even_re + re * odd_re - im * odd_im, even_im + re * odd_im + im * odd_re};
          }
        });
  }

  /// For a share of the m numbers to be transformed back: which of the spectrum.
  [[nodiscard]] std::array<interval<>, 2> wanted_back(const interval<>& share) const noexcept {
    return {share, interval<>{m_ + 1 - share.last, m_ + 1 - share.first}};
  }
  /// Twice what forward undoes, as a transform of m numbers that is not divided by 2m needs it.
  void back(const interval<>& share, const complex_ranges<T>& come, complex* to) const noexcept {
    interval<> inside = share;
    if (share.first == 0) {
      const T first = come[0].holding(0).element(0)->real();
      const T last = come[1].holding(m_).element(m_)->real();
      to[0] = {first + last, first - last};
      ++inside.first;
    }
    for_each_run<T>(
        inside, m_, come,
        [&](std::size_t k, const complex* at, const complex* mirrored, std::size_t count) {
          complex* const out = to + (k - share.first);
          for (std::size_t i = 0; i < count; ++i) {
            const complex a = at[i], b = *(mirrored - i);
            const T even_re = a.real() + b.real(), even_im = a.imag() - b.imag();
            const T odd_re = a.real() - b.real(), odd_im = a.imag() + b.imag();
            const fourier::root w = roots_(k + i);
            const T re = static_cast<T>(w.re), im = static_cast<T>(-w.im);
            const T turned_re = re * odd_re - im * odd_im, turned_im = re * odd_im + im * odd_re;
            out[i] = {even_re - turned_im, even_im + turned_re};
          }
        });
  }

 private:
  std::size_t m_;
  fourier::root_table roots_;
};

/// Of n real numbers, n odd, transformed as complex ones: n/2 + 1 numbers of the spectrum.
template <class T> class odd_fold {
 public:
  using complex = std::complex<T>;
  explicit odd_fold(std::size_t n) : n_(n) {}

  [[nodiscard]] std::array<interval<>, 2> wanted_forward(const interval<>& share) const noexcept {
    return {share, interval<>{}};
  }
  void forward(const interval<>& share, const complex_ranges<T>& come, complex* to) const noexcept {
    for (const auto& piece : come[0])
      std::copy_n(piece.data, piece.at.size(), to + (piece.at.first - share.first));
    if (share.first == 0) to[0] = to[0].real();
  }

  [[nodiscard]] std::array<interval<>, 2> wanted_back(const interval<>& share) const noexcept {
    const std::size_t half = n_ / 2 + 1;
    const std::size_t mirrored = std::max(share.first, half);
    return {
        interval<>{share.first, std::min(share.last, half)},
        mirrored < share.last ? interval<>{n_ + 1 - share.last, n_ + 1 - mirrored} : interval<>{}};
  }
  void back(const interval<>& share, const complex_ranges<T>& come, complex* to) const noexcept {
    forward(share, come, to);
    for (const auto& piece : come[1]) {
      for (std::size_t i = 0; i < piece.at.size(); ++i)
        to[n_ - (piece.at.first + i) - share.first] = std::conj(piece.data[i]);
    }
  }

 private:
  std::size_t n_;
};

}  // namespace pleat::detail::distribution
