// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <complex>
#include <concepts>
#include <cstddef>
#include <span>
#include <type_traits>

#include <pleat/oblivious/fft_options.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/view.hpp>

namespace pleat {
// Whoever has distributed data has included distributed.hpp.
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

/// Fewer points than this are transformed by one rank: that they fit its cache saves more than
/// other processors could.
inline constexpr std::size_t least_divided_points = 4096;

/// A block of distributed data on this rank, and the elements of all ranks.
template <class T> struct rank_block {
  std::span<T> local;
  std::size_t all;
};

/// fft of distributed data: `call` is one of them.
template <class T>
PLEAT_API run_report transform_over_ranks(machine& on, distribution::collective_call& call,
                                          const rank_block<std::complex<T>>& data,
                                          const distributed_fft_options& options,
                                          std::size_t least_divided = least_divided_points);
/// fft2 of a matrix of `rows` rows.
template <class T>
PLEAT_API void transform_plane_over_ranks(machine& on, distribution::collective_call& call,
                                          const rank_block<std::complex<T>>& matrix,
                                          std::size_t rows,
                                          const distributed_fft2_options& options);
/// rfft and irfft.
template <class T>
PLEAT_API run_report transform_real_over_ranks(machine& on, distribution::collective_call& call,
                                               const rank_block<const T>& real,
                                               const rank_block<std::complex<T>>& spectrum,
                                               const distributed_rfft_options& options,
                                               std::size_t least_divided = least_divided_points);
template <class T>
PLEAT_API run_report transform_back_over_ranks(machine& on, distribution::collective_call& call,
                                               const rank_block<const std::complex<T>>& spectrum,
                                               const rank_block<T>& real,
                                               const distributed_rfft_options& options,
                                               std::size_t least_divided = least_divided_points);

/// Names of calls that ranks make together, of which all have the same options.
[[nodiscard]] PLEAT_API const char* fft_name(fft_direction direction, fft_norm norm) noexcept;
[[nodiscard]] PLEAT_API const char* fft2_name(fft_direction direction, fft_norm norm) noexcept;
[[nodiscard]] PLEAT_API const char* rfft_name(fft_direction direction, fft_norm norm) noexcept;

}  // namespace fourier
}  // namespace pleat::detail
