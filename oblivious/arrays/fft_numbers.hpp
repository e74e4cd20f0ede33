// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include <pleat/oblivious/fft_options.hpp>
#include <pleat/runtime/machine.hpp>

#include "typed_array.hpp"

namespace pleat::arrays {

/// The transforms, named as in numpy.fft.
enum class fft_kind { fft, ifft, rfft, irfft, fft2, ifft2 };
inline constexpr std::array<std::string_view, 6> fft_kind_names{"fft",   "ifft", "rfft",
                                                                "irfft", "fft2", "ifft2"};

/// Tells whether there is a transform of such numbers: complex ones of float or double; for rfft
/// float or double.
[[nodiscard]] bool transforms(fft_kind kind, const number_type& type) noexcept;

/// The numbers that a transform of others works on, if there is one: float16, float and their
/// complex numbers in single precision, all but long doubles in double; none of complex ones for
/// rfft.
[[nodiscard]] std::optional<number_type> transformed_type(fft_kind kind,
                                                          const number_type& type) noexcept;

/// Type of the results: of the same precision.
[[nodiscard]] number_type spectrum_type(fft_kind kind, const number_type& type) noexcept;

struct transform_options {
  fft_norm norm = fft_norm::backward;
  std::optional<std::size_t> vps = {};
};

/// Transforms an array along some axes; of real numbers the last one named is theirs. Sizes along
/// them may differ: the transform is as long as the output, for rfft as `size_of_last` says. `to`
/// is the memory of `from`, or other memory.
/// Requires: transforms(kind, from.type), to.type = spectrum_type(kind, from.type).
/// Throws: as pleat::fftn, rfftn, irfftn; errors name the caller.
run_report transform_along(const char* caller, machine& on, fft_kind kind,
                           const strided_array& from, const strided_array& to,
                           const std::vector<std::size_t>& axes,
                           const std::optional<std::size_t>& size_of_last,
                           const transform_options& options = {});

/// Transforms each row, for fft2 and ifft2 each matrix of the last two dimensions; what lies in the
/// dimensions before is a batch. `to` has the same shape, but n/2 + 1 numbers a row of rfft's
/// result, and for irfft, which takes n from it, of its input. All else is as above.
run_report transform_numbers(const char* caller, machine& on, fft_kind kind,
                             const typed_array& from, const typed_array& to,
                             const transform_options& options = {});

/// Transforms float or double along some axes by cosines, or by sines.
/// Requires: arrays of one type.
/// Throws: as pleat::dct.
run_report transform_trigonometric(const char* caller, machine& on, bool sines,
                                   const strided_array& from, const strided_array& to,
                                   const trigonometric_options& options);

}  // namespace pleat::arrays
