// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <complex>
#include <concepts>
#include <cstddef>
#include <span>
#include <type_traits>

#include <pleat/oblivious/array_view.hpp>
#include <pleat/oblivious/fft_options.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/view.hpp>

namespace pleat {
// Forward declaration: a caller that has distributed data has included distributed.hpp.
template <class T>
requires(std::is_object_v<T> && !std::is_const_v<T> &&
         std::default_initializable<T>) class distributed;
}  // namespace pleat

// The bodies of the transforms, for float and double: what they check, and how they are run.
namespace pleat::detail {

namespace distribution {
class collective_call;
}

namespace fourier {

/// fft: of `in`, which may be `out`.
template <class T>
PLEAT_API run_report transform_complex(machine& named, std::span<const std::complex<T>> in,
                                       std::span<std::complex<T>> out, const fft_options& options);
/// rfft and irfft.
template <class T>
PLEAT_API run_report transform_real(machine& named, std::span<const T> real,
                                    std::span<std::complex<T>> spectrum,
                                    const real_fft_options& options);
template <class T>
PLEAT_API run_report transform_back(machine& named, std::span<const std::complex<T>> spectrum,
                                    std::span<T> real, const real_fft_options& options);
/// fft2: of `in`, which may be `out`.
template <class T>
PLEAT_API run_report transform_plane(machine& named, const strided_view<const std::complex<T>>& in,
                                     const strided_view<std::complex<T>>& out,
                                     const fft2_options& options);

/// fftn: of `in`, which may be `out`; rfftn, irfftn; dct, and dst if `sines`. Errors name the
/// caller.
template <class T>
PLEAT_API run_report transform_axes(const char* caller, machine& named,
                                    const array_view<const std::complex<T>>& in,
                                    const array_view<std::complex<T>>& out,
                                    const fftn_options& options);
template <class T>
PLEAT_API run_report transform_real_axes(const char* caller, machine& named,
                                         const array_view<const T>& in,
                                         const array_view<std::complex<T>>& out,
                                         const real_fftn_options& options);
template <class T>
PLEAT_API run_report transform_axes_back(const char* caller, machine& named,
                                         const array_view<const std::complex<T>>& in,
                                         const array_view<T>& out,
                                         const real_fftn_options& options);
template <class T>
PLEAT_API run_report transform_trigonometric(const char* caller, machine& named, bool sines,
                                             const array_view<const T>& in,
                                             const array_view<T>& out,
                                             const trigonometric_options& options);

/// Fewer points than this are transformed by one rank: that they fit its cache saves more than
/// other processors could.
inline constexpr std::size_t least_divided_points = 4096;

/// Transforms of distributed data, as ranks name their call: with the same options on all of them.
enum class rank_call { fft, inverse_fft, fft2, inverse_fft2, rfft, irfft };
[[nodiscard]] PLEAT_API const char* name_of(rank_call what, fft_norm norm) noexcept;

/// fft of distributed data: `all` of them, this rank's `block`. `call` is one of theirs.
template <class T>
PLEAT_API run_report transform_over_ranks(machine& on, distribution::collective_call& call,
                                          std::span<std::complex<T>> block, std::size_t all,
                                          const distributed_fft_options& options,
                                          std::size_t least_divided = least_divided_points);
/// fft2 of a matrix of `rows` rows.
template <class T>
PLEAT_API void transform_plane_over_ranks(machine& on, distribution::collective_call& call,
                                          std::span<std::complex<T>> block, std::size_t all,
                                          std::size_t rows,
                                          const distributed_fft2_options& options);
/// rfft or irfft, as the direction says, of so many real numbers and of their spectrum; `from` and
/// `to` are this rank's blocks.
template <class T>
PLEAT_API run_report transform_reals_over_ranks(machine& on, distribution::collective_call& call,
                                                fft_direction direction, std::size_t real,
                                                std::size_t spectrum, const T* from, T* to,
                                                const distributed_rfft_options& options,
                                                std::size_t least_divided = least_divided_points);

}  // namespace fourier
}  // namespace pleat::detail
