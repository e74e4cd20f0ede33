// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstddef>
#include <functional>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>

#include <pleat/oblivious/fft/plan.hpp>
#include <pleat/oblivious/fft/program.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat {

enum class fft_direction {
  forward,  ///< X_k = Σ x_j e^(−2πi·jk/n)
  inverse,  ///< with e^(+2πi·jk/n)
};

/// Which transforms are divided by what. The default makes the inverse one undo the other.
enum class fft_norm {
  backward,    ///< the inverse one by n
  forward,     ///< the forward one by n
  orthogonal,  ///< both by √n
  none,        ///< neither: one after the other multiplies by n
};

struct fft_options {
  fft_direction direction = fft_direction::forward;
  fft_norm norm = fft_norm::backward;
  /// How many transforms of equal size stand one behind the other; the size is that of the range
  /// divided by this.
  std::size_t batch = 1;
  /// How many virtual processors, any number; unset: one a processor, fewer for little data. As
  /// many as numbers, a power of two: the program of the model, one number a VP.
  std::optional<std::size_t> vps = {};
};

namespace detail::fourier {

template <class T>
concept real_number = std::same_as<T, float> || std::same_as<T, double>;
template <class C> inline constexpr bool is_complex = false;
template <real_number T> inline constexpr bool is_complex<std::complex<T>> = true;

/// A contiguous range of complex<float> or complex<double>.
template <class R>
concept complex_range = std::ranges::contiguous_range<R> && std::ranges::sized_range<R> &&
    is_complex<std::ranges::range_value_t<R>>;
template <complex_range R> using part_of = typename std::ranges::range_value_t<R>::value_type;

/// Fewer bytes than this per VP are transformed before a second processor has heard of them.
inline constexpr std::size_t least_share_bytes = std::size_t{1} << 16;

/// Requires n ≥ 1.
inline double scale_of(const fft_options& options, std::size_t n) noexcept {
  const auto points = static_cast<double>(n);
  const bool inverse = options.direction == fft_direction::inverse;
  if (options.norm == fft_norm::orthogonal) return 1 / std::sqrt(points);
  return options.norm == (inverse ? fft_norm::backward : fft_norm::forward) ? 1 / points : 1.0;
}

inline std::size_t fft_vps(machine& on, std::size_t bytes, const fft_options& options) {
  if (options.vps == std::size_t{0})
    throw usage_error("fft: 0 virtual processors cannot transform; leave fft_options::vps unset");
  return options.vps.value_or(
      std::clamp<std::size_t>(bytes / least_share_bytes, 1, on.processors()));
}

/// Requires numbers in the batch.
template <class T> run_report run_batch(machine& on, const batch<T>& work, std::size_t vps) {
  fft_program<T> program(work, vps);
  program.use(reinterpret_cast<T*>(on.scratch(program.numbers() * sizeof(T)).data()));
  if (vps == 1) {
    program.transform_share(0);
    return {};
  }
  return on.run(vps, [&program](vp& me) { return program(me); });
}

}  // namespace detail::fourier

/// The discrete Fourier transform of complex numbers, in natural order, on the virtual processors
/// of a machine; of any size.
///
///     pleat::fft(machine, signal, spectrum);
///     pleat::fft(machine, spectrum, signal, {.direction = pleat::fft_direction::inverse});
///
/// Requires: two contiguous ranges of complex<float> or complex<double>, equally long; the same
/// memory, or memory that does not overlap. Not for use inside a run.
/// Guarantees: relative error (L2) at most 2·log2(n)·ε for sizes without prime factors above 7,
/// a small multiple of that for others. The same result for the same number of VPs.
/// Returns what the run did; the report is empty if none took place, because one VP transforms
/// without.
///
/// Cost: O((n log n)/P) local work, h = n/P numbers in one superstep; for prime factors above 7
/// three such transforms' work and seven supersteps. Memory: as much as the numbers take, and
/// 16·√n lanes a VP, taken from the machine, which keeps it (prime factors above 7: 4 to 8 times
/// that); for batches, as much for each processor as one transform. Roots of unity, O(√n) of them,
/// are computed at the first transform of a size and kept.
/// Throws: usage_error (unequal sizes, a size the batch does not divide, 0 VPs); std::bad_alloc.
/// Thread safety: one call per machine at a time.
///
/// Source: Cooley, Tukey, An Algorithm for the Machine Calculation of Complex Fourier Series, 1965;
/// Bailey, FFTs in External or Hierarchical Memory, 1990; Bilardi et al., Network-Oblivious
/// Algorithms, section 4; Bluestein, A Linear Filtering Approach, 1970.
template <detail::fourier::complex_range In, detail::fourier::complex_range Out>
run_report fft(machine& on, In&& in, Out&& out, const fft_options& options = {}) {
  using T = detail::fourier::part_of<Out>;
  static_assert(std::same_as<std::ranges::range_value_t<In>, std::complex<T>>,
                "pleat::fft: numbers come in and go out in one precision");
  static_assert(!std::is_const_v<std::remove_pointer_t<decltype(std::ranges::data(out))>>,
                "pleat::fft needs a range it may write to");
  const auto total = static_cast<std::size_t>(std::ranges::size(in));
  if (total != static_cast<std::size_t>(std::ranges::size(out)))
    throw usage_error("fft: " + std::to_string(total) + " numbers come in, " +
                      std::to_string(std::ranges::size(out)) +
                      " go out; give it ranges of the same size");
  if (options.batch == 0 || total % options.batch != 0)
    throw usage_error("fft: " + std::to_string(total) + " numbers are no " +
                      std::to_string(options.batch) +
                      " transforms of equal size; choose fft_options::batch to divide the size");
  const std::size_t vps = detail::fourier::fft_vps(on, total * sizeof(std::complex<T>), options);
  if (total == 0) return {};
  const std::size_t n = total / options.batch;
  const detail::fourier::ends<T> how{options.direction == fft_direction::inverse,
                                     static_cast<T>(detail::fourier::scale_of(options, n)), false};
  return detail::fourier::run_batch<T>(
      on,
      {detail::fourier::plan_for<T>(n), reinterpret_cast<const T*>(std::ranges::data(in)),
       reinterpret_cast<T*>(std::ranges::data(out)), options.batch, how},
      vps);
}

/// In place.
template <detail::fourier::complex_range R>
run_report fft(machine& on, R&& numbers, const fft_options& options = {}) {
  return fft(on, numbers, numbers, options);
}

}  // namespace pleat
