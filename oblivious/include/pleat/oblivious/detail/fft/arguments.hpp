// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <complex>
#include <concepts>
#include <cstddef>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include <pleat/oblivious/array_view.hpp>
#include <pleat/oblivious/detail/fft/kernels.hpp>
#include <pleat/oblivious/detail/program/execution.hpp>
#include <pleat/oblivious/detail/program/shared_memory.hpp>
#include <pleat/oblivious/fft_options.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

// Checks of arguments that all Fourier transforms have in common.
namespace pleat::detail::fourier {

template <class T>
concept real_number = std::same_as<T, float> || std::same_as<T, double>;
template <class C> inline constexpr bool is_complex = false;
template <real_number T> inline constexpr bool is_complex<std::complex<T>> = true;

/// Numbers that lie one after the other. Throws: usage_error for a span of which they do not.
template <std::ranges::contiguous_range R>
requires std::ranges::sized_range<R>
auto numbers_of(R& range) { return std::span(std::ranges::data(range), std::ranges::size(range)); }
template <multidimensional_span M>
requires(M::rank() == 1) auto numbers_of(const M& m) {
  static_cast<void>(detail::step_in_rows(m, 0, true));
  span_element<M>* const first = m.data_handle();
  return std::span(first, static_cast<std::size_t>(m.extent(0)));
}
template <class R>
concept array = requires(R& r) {
  fourier::numbers_of(r);
};
template <array R>
using number_of = typename decltype(fourier::numbers_of(std::declval<R&>()))::element_type;
/// Contiguous complex<float> or complex<double>, and float or double: a range, or a std::mdspan.
template <class R>
concept complex_range = array<R> && is_complex<std::remove_const_t<number_of<R>>>;
template <class R>
concept real_range = array<R> && real_number<std::remove_const_t<number_of<R>>>;
template <complex_range R> using part_of = typename number_of<R>::value_type;
template <class R>
concept writable = !std::is_const_v<number_of<R>>;

/// Factor of the results of n points. Requires n ≥ 1.
inline double scale_of(fft_direction direction, fft_norm norm, std::size_t n) noexcept {
  const auto points = static_cast<double>(n);
  const bool inverse = direction == fft_direction::inverse;
  if (norm == fft_norm::orthogonal) return 1 / std::sqrt(points);
  return norm == (inverse ? fft_norm::backward : fft_norm::forward) ? 1 / points : 1.0;
}
template <class T> ends<T> ends_of(fft_direction direction, fft_norm norm, std::size_t n) noexcept {
  return {direction == fft_direction::inverse, static_cast<T>(scale_of(direction, norm, n)), false};
}

/// Number of VPs that transform that many bytes. Throws: usage_error.
inline std::size_t fft_vps(const machine& on, const char* caller, std::size_t bytes,
                           const std::optional<std::size_t>& vps) {
  const double grains = static_cast<double>(bytes) / static_cast<double>(least_bytes_per_vp);
  return choose_vps(caller, vps, grains, on.threads());
}

/// The size of each of `batch` transforms of `total` numbers. Throws: usage_error.
inline std::size_t size_of_each(const char* caller, std::size_t total, std::size_t batch) {
  if (batch == 0 || total % batch != 0)
    throw usage_error(std::string(caller) + ": " + std::to_string(total) + " numbers are no " +
                      std::to_string(batch) +
                      " transforms of equal size; choose batch to divide the size");
  return total / batch;
}

/// Throws: usage_error if `count` transforms of n real numbers do not have so many complex ones.
inline void check_spectrum(const char* caller, std::size_t n, std::size_t count,
                           std::size_t spectrum, const char* where = "a range") {
  const std::size_t wanted = n == 0 ? 0 : count * (n / 2 + 1);
  if (spectrum != wanted)
    throw usage_error(std::string(caller) + ": " + std::to_string(count) + " transforms of " +
                      std::to_string(n) + " real numbers have " + std::to_string(wanted) +
                      " complex ones, not " + std::to_string(spectrum) + "; give it " + where +
                      " of n/2 + 1 of them for each");
}
/// Throws as that, or if they share memory.
template <class T>
void check_real(const char* caller, std::size_t n, std::size_t count, std::span<const T> real,
                std::span<const std::complex<T>> spectrum) {
  fourier::check_spectrum(caller, n, count, spectrum.size());
  if (detail::ranges_overlap(real, spectrum))
    throw usage_error(std::string(caller) +
                      ": the numbers and their spectrum overlap; give it two ranges");
}

}  // namespace pleat::detail::fourier
