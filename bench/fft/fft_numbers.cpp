// SPDX-License-Identifier: Apache-2.0
#include "fft_numbers.hpp"

#include <array>
#include <complex>
#include <cstddef>
#include <string_view>

#include <pleat/oblivious/fft.hpp>
#include <pleat/oblivious/fft2.hpp>
#include <pleat/oblivious/rfft.hpp>
#include <pleat/runtime/error.hpp>

#include "tool/conversion.hpp"
#include "tool/names.hpp"

namespace pleat::bench {
namespace {

constexpr std::array<std::string_view, 6> names{"fft", "ifft", "rfft", "irfft", "fft2", "ifft2"};

/// A type of that many bytes in the byte order of another.
std::string descr_like(const npy_array& other, char kind, std::size_t bytes) {
  const auto order = other.descr.substr(0, other.descr.find_first_not_of("<>=|"));
  return order + kind + std::to_string(bytes);
}

std::size_t rows_of(const npy_array& array) {
  return array.shape.size() == 1 ? 1 : array.shape.front();
}

template <class T>
run_report transform_as(machine& on, fft_kind kind, const npy_array& from, npy_array& to) {
  using complex = std::complex<T>;
  const bool inverse = kind == fft_kind::ifft || kind == fft_kind::ifft2;
  const fft_direction direction = inverse ? fft_direction::inverse : fft_direction::forward;
  const std::size_t rows = rows_of(from);
  if (from.elements == 0 || to.elements == 0) return {};
  switch (kind) {
    case fft_kind::rfft:
      return rfft(on, from.memory.as<T>(from.elements), to.memory.as<complex>(to.elements),
                  {.batch = rows});
    case fft_kind::irfft:
      return irfft(on, from.memory.as<complex>(from.elements), to.memory.as<T>(to.elements),
                   {.batch = rows});
    case fft_kind::fft:
    case fft_kind::ifft:
      return fft(on, from.memory.as<complex>(from.elements), to.memory.as<complex>(to.elements),
                 {.direction = direction, .batch = rows});
    case fft_kind::fft2:
    case fft_kind::ifft2:
      break;
  }
  const std::size_t columns = from.shape[1];
  return fft2(
      on,
      strided_view<complex>(from.memory.as<complex>(from.elements).data(), rows, columns, columns),
      strided_view<complex>(to.memory.as<complex>(to.elements).data(), rows, columns, columns),
      {.direction = direction});
}

}  // namespace

std::string fft_kind_names() { return names_of(names); }

fft_kind parse_fft_kind(const std::string& name) {
  return static_cast<fft_kind>(place_of(name, "--transform", names));
}

npy_dimensions dimensions_of(fft_kind kind) {
  if (kind == fft_kind::fft2 || kind == fft_kind::ifft2) return {2, 2};
  return {1, 2};
}

npy_array spectrum_of(fft_kind kind, const npy_array& from, const std::string& name, machine* on) {
  const bool real = kind == fft_kind::rfft;
  const std::size_t part = real ? from.type.bytes : from.type.bytes / 2;
  const bool fits = from.type.kind == (real ? number_kind::floating : number_kind::complex) &&
                    (part == 4 || part == 8);
  if (!fits) {
    const bool complex = from.type.kind == number_kind::complex;
    const bool pairs = !real && from.type.kind == number_kind::floating && kind == fft_kind::fft;
    throw error(name + " holds '" + from.descr + "', which " +
                std::string(names[static_cast<std::size_t>(kind)]) +
                " does not transform; convert it with " +
                numpy_save(name, numpy_load(name) + (real && complex ? ".real" : "") + ".astype('" +
                                     (real ? "f8" : "c16") + "')") +
                (pairs             ? ", or take --transform rfft"
                 : real && complex ? ", or take --transform fft"
                                   : ""));
  }
  std::vector<std::size_t> shape = from.shape;
  if (real) {
    shape.back() = shape.back() == 0 ? 0 : shape.back() / 2 + 1;
    return make_npy(descr_like(from, 'c', 2 * part), {number_kind::complex, 2 * part},
                    std::move(shape), on);
  }
  if (kind != fft_kind::irfft) return make_npy(from.descr, from.type, std::move(shape), on);
  if (shape.back() == 1)
    throw error(name +
                " has one number a row, the spectrum of no even number of real ones; "
                "transform longer rows");
  shape.back() = shape.back() == 0 ? 0 : 2 * (shape.back() - 1);
  return make_npy(descr_like(from, 'f', part), {number_kind::floating, part}, std::move(shape), on);
}

run_report transform_numbers(machine& on, fft_kind kind, const npy_array& from, npy_array& to) {
  const std::size_t part = kind == fft_kind::rfft ? from.type.bytes : from.type.bytes / 2;
  return part == 4 ? transform_as<float>(on, kind, from, to)
                   : transform_as<double>(on, kind, from, to);
}

}  // namespace pleat::bench
