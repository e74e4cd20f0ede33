// SPDX-License-Identifier: Apache-2.0
#include "fft_numbers.hpp"

#include <complex>

#include <pleat/oblivious/array_view.hpp>
#include <pleat/oblivious/detail/fft/run.hpp>

namespace pleat::arrays {
namespace {

namespace fourier = detail::fourier;

template <class E> array_view<E> view_of(const strided_array& array) {
  return {reinterpret_cast<E*>(array.data), array.shape, array.strides};
}

template <class T>
run_report transform_as(const char* caller, machine& on, fft_kind kind, const strided_array& from,
                        const strided_array& to, const std::vector<std::size_t>& axes,
                        const std::optional<std::size_t>& size_of_last,
                        const transform_options& how) {
  using complex = std::complex<T>;
  if (kind == fft_kind::rfft)
    return fourier::transform_real_axes(caller, on, view_of<const T>(from), view_of<complex>(to),
                                        {how.norm, axes, size_of_last, how.vps});
  if (kind == fft_kind::irfft)
    return fourier::transform_real_axes(caller, on, view_of<const complex>(from), view_of<T>(to),
                                        {how.norm, axes, size_of_last, how.vps});
  const bool inverse = kind == fft_kind::ifft || kind == fft_kind::ifft2;
  return fourier::transform_axes<T>(
      caller, on, view_of<const complex>(from), view_of<complex>(to),
      {inverse ? fft_direction::inverse : fft_direction::forward, how.norm, axes, how.vps});
}

}  // namespace

bool transforms(fft_kind kind, const number_type& type) noexcept {
  const bool real = kind == fft_kind::rfft;
  return type.kind == (real ? number_kind::floating : number_kind::complex) &&
         (type.part() == 4 || type.part() == 8);
}

std::optional<number_type> transformed_type(fft_kind kind, const number_type& type) noexcept {
  const bool complex = type.kind == number_kind::complex;
  if (type.part() > 8 || (complex && kind == fft_kind::rfft)) return std::nullopt;
  const bool single = (complex || type.kind == number_kind::floating) && type.part() <= 4;
  const std::size_t part = single ? 4 : 8;
  if (kind == fft_kind::rfft) return number_type{number_kind::floating, part};
  return number_type{number_kind::complex, 2 * part};
}

number_type spectrum_type(fft_kind kind, const number_type& type) noexcept {
  if (kind == fft_kind::irfft) return {number_kind::floating, type.part()};
  return {number_kind::complex, 2 * type.part()};
}

run_report transform_along(const char* caller, machine& on, fft_kind kind,
                           const strided_array& from, const strided_array& to,
                           const std::vector<std::size_t>& axes,
                           const std::optional<std::size_t>& size_of_last,
                           const transform_options& options) {
  return from.type.part() == 4
             ? transform_as<float>(caller, on, kind, from, to, axes, size_of_last, options)
             : transform_as<double>(caller, on, kind, from, to, axes, size_of_last, options);
}

run_report transform_numbers(const char* caller, machine& on, fft_kind kind,
                             const typed_array& from, const typed_array& to,
                             const transform_options& options) {
  if (from.elements() == 0 || to.elements() == 0) return {};
  const std::size_t last = from.shape.size() - 1;
  const bool matrices = kind == fft_kind::fft2 || kind == fft_kind::ifft2;
  const auto axes = matrices ? std::vector{last - 1, last} : std::vector{last};
  return transform_along(caller, on, kind, from, to, axes, {}, options);
}

run_report transform_trigonometric(const char* caller, machine& on, bool sines,
                                   const strided_array& from, const strided_array& to,
                                   const trigonometric_options& options) {
  const auto transform = [&]<class T>() {
    return fourier::transform_trigonometric<T>(caller, on, sines, view_of<const T>(from),
                                               view_of<T>(to), options);
  };
  return from.type.part() == 4 ? transform.template operator()<float>()
                               : transform.template operator()<double>();
}

}  // namespace pleat::arrays
