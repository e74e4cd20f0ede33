// SPDX-License-Identifier: Apache-2.0
#include "fft_numbers.hpp"

#include <complex>

#include <pleat/oblivious/fft.hpp>
#include <pleat/oblivious/fft2.hpp>
#include <pleat/oblivious/rfft.hpp>

namespace pleat::arrays {
namespace {

template <class T>
run_report transform_planes(machine& on, const typed_array& from, const typed_array& to,
                            const fft2_options& options) {
  using complex = std::complex<T>;
  const std::size_t columns = from.row();
  const std::size_t rows = from.shape[from.shape.size() - 2];
  const auto plane = [&](const typed_array& array, std::size_t first) {
    return strided_view<complex>(array.as<complex>().data() + first, rows, columns, columns);
  };
  run_report report;
  for (std::size_t first = 0; first < from.elements(); first += rows * columns)
    report = fft2(on, strided_view<const complex>(plane(from, first)), plane(to, first), options);
  return report;
}

template <class T>
run_report transform_as(machine& on, fft_kind kind, const typed_array& from, const typed_array& to,
                        const transform_options& how) {
  using complex = std::complex<T>;
  if (from.elements() == 0 || to.elements() == 0) return {};
  const bool inverse = kind == fft_kind::ifft || kind == fft_kind::ifft2;
  const fft_direction direction = inverse ? fft_direction::inverse : fft_direction::forward;
  const std::size_t rows = from.rows();
  switch (kind) {
    case fft_kind::rfft:
      return rfft(on, from.as<T>(), to.as<complex>(), {how.norm, rows, how.vps});
    case fft_kind::irfft:
      return irfft(on, from.as<complex>(), to.as<T>(), {how.norm, rows, how.vps});
    case fft_kind::fft:
    case fft_kind::ifft:
      return fft(on, from.as<complex>(), to.as<complex>(), {direction, how.norm, rows, how.vps});
    case fft_kind::fft2:
    case fft_kind::ifft2:
      break;
  }
  return transform_planes<T>(on, from, to, {direction, how.norm, how.vps});
}

// The bytes of one part of a complex number, or of a real one.
std::size_t part_of(const number_type& type) noexcept {
  return type.kind == number_kind::complex ? type.bytes / 2 : type.bytes;
}

}  // namespace

bool transforms(fft_kind kind, const number_type& type) noexcept {
  const bool real = kind == fft_kind::rfft;
  return type.kind == (real ? number_kind::floating : number_kind::complex) &&
         (part_of(type) == 4 || part_of(type) == 8);
}

std::optional<number_type> transformed_type(fft_kind kind, const number_type& type) noexcept {
  const bool complex = type.kind == number_kind::complex;
  if (part_of(type) > 8 || (complex && kind == fft_kind::rfft)) return std::nullopt;
  const bool single = (complex || type.kind == number_kind::floating) && part_of(type) <= 4;
  const std::size_t part = single ? 4 : 8;
  if (kind == fft_kind::rfft) return number_type{number_kind::floating, part};
  return number_type{number_kind::complex, 2 * part};
}

number_type spectrum_type(fft_kind kind, const number_type& type) noexcept {
  if (kind == fft_kind::irfft) return {number_kind::floating, part_of(type)};
  return {number_kind::complex, 2 * part_of(type)};
}

std::size_t runs_of(fft_kind kind, const typed_array& from) noexcept {
  if (from.elements() == 0) return 0;
  const bool matrices = kind == fft_kind::fft2 || kind == fft_kind::ifft2;
  return matrices ? from.rows() / from.shape[from.shape.size() - 2] : 1;
}

run_report transform_numbers(machine& on, fft_kind kind, const typed_array& from,
                             const typed_array& to, const transform_options& options) {
  return part_of(from.type) == 4 ? transform_as<float>(on, kind, from, to, options)
                                 : transform_as<double>(on, kind, from, to, options);
}

}  // namespace pleat::arrays
