// SPDX-License-Identifier: Apache-2.0
#include "fft_result.hpp"

#include <cstddef>
#include <utility>
#include <vector>

#include <pleat/runtime/error.hpp>

#include "tool/conversion.hpp"
#include "tool/names.hpp"

namespace pleat::bench {
namespace {

/// The descr of a type, in the byte order of another.
std::string descr_like(const npy_contents& other, const number_type& type) {
  const auto order = other.descr.substr(0, other.descr.find_first_not_of("<>=|"));
  return order + descr_of(type);
}

}  // namespace

std::string fft_kind_names() { return names_of(arrays::fft_kind_names); }

fft_kind parse_fft_kind(const std::string& name) {
  return static_cast<fft_kind>(place_of(name, "--transform", arrays::fft_kind_names));
}

npy_dimensions dimensions_of(fft_kind kind) {
  if (kind == fft_kind::fft2 || kind == fft_kind::ifft2) return {2, 2};
  return {1, 2};
}

npy_contents spectrum_of(fft_kind kind, const npy_contents& from, const std::string& name) {
  const bool real = kind == fft_kind::rfft;
  if (!arrays::transforms(kind, from.type)) {
    const bool complex = from.type.kind == number_kind::complex;
    throw error(name + " holds '" + from.descr + "', which " +
                std::string(arrays::fft_kind_names[static_cast<std::size_t>(kind)]) +
                " does not transform; convert it with " +
                numpy_save(name, numpy_load(name) + (real && complex ? ".real" : "") + ".astype('" +
                                     (real ? "f8" : "c16") + "')") +
                (real && complex ? ", or take --transform fft" : ""));
  }
  std::vector<std::size_t> shape = from.shape;
  if (real) {
    shape.back() = shape.back() == 0 ? 0 : shape.back() / 2 + 1;
  } else if (kind == fft_kind::irfft) {
    if (shape.back() == 1)
      throw error(name +
                  " has one number a row, the spectrum of no even number of real ones; "
                  "transform longer rows");
    shape.back() = shape.back() == 0 ? 0 : 2 * (shape.back() - 1);
  }
  const number_type type = arrays::spectrum_type(kind, from.type);
  return {descr_like(from, type), type, std::move(shape), 0, 0};
}

}  // namespace pleat::bench
