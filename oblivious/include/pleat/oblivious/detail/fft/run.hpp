// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

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
#include <pleat/oblivious/detail/distributed/declared.hpp>
#include <pleat/oblivious/detail/fft/plan.hpp>
#include <pleat/oblivious/detail/program/execution.hpp>
#include <pleat/oblivious/detail/program/shared_memory.hpp>
#include <pleat/oblivious/fft_options.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/view.hpp>

// Checks of arguments that all Fourier transforms have in common.
namespace pleat::detail::fourier {

template <class T>
concept real_number = std::same_as<T, float> || std::same_as<T, double>;
template <class C> inline constexpr bool is_complex = false;
template <real_number T> inline constexpr bool is_complex<std::complex<T>> = true;
/// The real one of two types, of real numbers and of complex ones.
template <class A, class B> using real_of = std::conditional_t<is_complex<A>, B, A>;

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
template <class T> mode<T> mode_of(fft_direction direction, fft_norm norm, std::size_t n) noexcept {
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

// Bodies of the transforms, for float and double: what they check, and how they are run.

/// fft: of `in`, which may be `out`.
template <class T>
PLEAT_API run_report transform_complex(machine& named, std::span<const std::complex<T>> in,
                                       std::span<std::complex<T>> out, const fft_options& options);
/// rfft, of real A's to complex B's, and irfft, of complex A's to real B's.
template <class A, class B>
PLEAT_API run_report transform_reals(machine& named, std::span<const A> in, std::span<B> out,
                                     const real_fft_options& options);
/// fft2: of `in`, which may be `out`.
template <class T>
PLEAT_API run_report transform_plane(machine& named, const strided_view<const std::complex<T>>& in,
                                     const strided_view<std::complex<T>>& out,
                                     const fft2_options& options);

/// fftn: of `in`, which may be `out`; rfftn and irfftn, of A's to B's as above; dct, and dst if
/// `sines`. Errors name the caller.
template <class T>
PLEAT_API run_report transform_axes(const char* caller, machine& named,
                                    const array_view<const std::complex<T>>& in,
                                    const array_view<std::complex<T>>& out,
                                    const fftn_options& options);
template <class A, class B>
PLEAT_API run_report transform_real_axes(const char* caller, machine& named,
                                         const array_view<const A>& in, const array_view<B>& out,
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

}  // namespace pleat::detail::fourier
