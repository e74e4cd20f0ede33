// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <concepts>
#include <span>
#include <utility>

#include <pleat/oblivious/detail/fft/run.hpp>
#include <pleat/oblivious/detail/program/wrong_call.hpp>
#include <pleat/oblivious/fft_options.hpp>
#include <pleat/runtime/detail/call_machine.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat {

/// Computes the first n/2 + 1 results of the discrete Fourier transform of n real numbers; the
/// others are conjugates of these.
///
/// ```cpp
/// std::vector<std::complex<double>> spectrum(signal.size() / 2 + 1);
/// pleat::rfft(machine, signal, spectrum);
/// pleat::irfft(machine, spectrum, signal);
/// ```
///
/// Requires: a contiguous range of batch · n numbers, float or double, and one of batch · (n/2 + 1)
/// complex numbers of the same precision. The ranges do not overlap.
/// Guarantees, throws, memory and thread safety: as fft. The first result, and for even n the last
/// one, has the imaginary part 0.
///
/// Cost: for even n that of fft for n/2 numbers, and one more superstep (h = n/P) to fold the
/// results; for odd n that of fft for n numbers, 2 more supersteps, and n more complex numbers of
/// memory: with the plan 4 times the input, or 13 times for a prime n. The VPs always hold blocks:
/// unlike fft, there is no program with one number a VP.
///
/// Source: Cooley, Lewis, Welch, The Fast Fourier Transform Algorithm: Programming Considerations
/// in the Calculation of Sine, Cosine and Laplace Transforms, 1970.
template <detail::fourier::real_range In, detail::fourier::complex_range Out>
run_report rfft(machine& on, In&& in, Out&& out, const real_fft_options& options = {}) {
  using T = std::remove_const_t<detail::fourier::number_of<In>>;
  static_assert(std::same_as<detail::fourier::part_of<Out>, T>,
                "pleat::rfft: numbers come in and go out in one precision");
  static_assert(detail::fourier::writable<Out>, "pleat::rfft needs a range it may write to");
  const std::span<const T> real = detail::fourier::numbers_of(in);
  const std::span<std::complex<T>> spectrum = detail::fourier::numbers_of(out);
  return detail::fourier::transform_reals(on, real, spectrum, options);
}

/// Runs on the default machine.
template <detail::fourier::real_range In, detail::fourier::complex_range Out>
run_report rfft(In&& in, Out&& out, const real_fft_options& options = {}) {
  return pleat::rfft(*detail::call_machine(), in, out, options);
}

/// Undoes rfft: computes n real numbers from the first n/2 + 1 numbers of their spectrum, where n
/// is the size of the output divided by `batch`, even or odd. The imaginary parts of the first
/// number, and for even n of the last, are not read: in the spectrum of real numbers they are 0.
///
/// All else is as for rfft, with the ranges exchanged.
template <detail::fourier::complex_range In, detail::fourier::real_range Out>
run_report irfft(machine& on, In&& in, Out&& out, const real_fft_options& options = {}) {
  using T = std::remove_const_t<detail::fourier::number_of<Out>>;
  static_assert(std::same_as<detail::fourier::part_of<In>, T>,
                "pleat::irfft: numbers come in and go out in one precision");
  static_assert(detail::fourier::writable<Out>, "pleat::irfft needs a range it may write to");
  const std::span<const std::complex<T>> spectrum = detail::fourier::numbers_of(in);
  const std::span<T> real = detail::fourier::numbers_of(out);
  return detail::fourier::transform_reals(on, spectrum, real, options);
}

/// Runs on the default machine.
template <detail::fourier::complex_range In, detail::fourier::real_range Out>
run_report irfft(In&& in, Out&& out, const real_fft_options& options = {}) {
  return pleat::irfft(*detail::call_machine(), in, out, options);
}

/// Computes the first n/2 + 1 results of the discrete Fourier transform of the n real numbers of
/// all ranks, in natural order; the others are conjugates of these. The size and the number of
/// ranks may be any.
///
/// ```cpp
/// pleat::distributed<double> signal(machine, n);
/// pleat::distributed<std::complex<double>> spectrum(machine, n / 2 + 1);
/// pleat::rfft(machine, signal, spectrum);
/// pleat::irfft(machine, spectrum, signal);
/// ```
///
/// Requires: T is float or double; batch · n real numbers, and batch · (n/2 + 1) complex ones, on
/// one machine. Collective, see distributed; all ranks pass the same options.
/// Guarantees: relative error (L2) at most 2·log2(n)·ε for transforms of n numbers each. The first
/// result, and for even n the last one, has the imaginary part 0. The input does not change.
///
/// Cost, on R ranks, of `batch` transforms of n numbers each: that of fft of distributed data for
/// n/2 complex numbers, or n if n is odd; and for even n, and for irfft, one more exchange.
/// Memory: that of fft, and n/R numbers to fold the results; no block is copied. On one rank the
/// call is rfft of the block.
///
/// Throws: usage_error (see distributed; a batch that does not divide the numbers, a spectrum of
/// another size); std::bad_alloc. After an exception the spectrum has unspecified values.
///
/// Source: as rfft, and as fft of distributed data.
template <detail::fourier::real_number T>
run_report rfft(machine& on, const distributed<T>& real, distributed<std::complex<T>>& spectrum,
                const distributed_rfft_options& options = {}) {
  const char* const name = name_of(detail::fourier::rank_call::rfft, options.norm);
  auto call = real.collective(on, name, sizeof(std::complex<T>), options.batch);
  call.check([&] { spectrum.require_machine(on, name); });
  return detail::fourier::transform_reals_over_ranks<T>(
      on, call, fft_direction::forward, real.size(), spectrum.size(), real.local().data(),
      reinterpret_cast<T*>(spectrum.local().data()), options);
}

/// Undoes rfft: computes n real numbers from the first n/2 + 1 numbers of their spectrum, where n
/// is the size of the output divided by `batch`, even or odd. The imaginary parts of the first
/// number, and for even n of the last, are not read: in the spectrum of real numbers they are 0.
///
/// All else is as for rfft, with the arrays exchanged.
template <detail::fourier::real_number T>
run_report irfft(machine& on, const distributed<std::complex<T>>& spectrum, distributed<T>& real,
                 const distributed_rfft_options& options = {}) {
  const char* const name = name_of(detail::fourier::rank_call::irfft, options.norm);
  auto call = real.collective(on, name, sizeof(std::complex<T>), options.batch);
  call.check([&] { spectrum.require_machine(on, name); });
  return detail::fourier::transform_reals_over_ranks<T>(
      on, call, fft_direction::inverse, real.size(), spectrum.size(),
      reinterpret_cast<const T*>(spectrum.local().data()), real.local().data(), options);
}

/// Rejects all other calls, and says why.
template <class... A>
requires(!requires(A && ... a) { pleat::rfft(std::forward<A>(a)...); }) detail::no_result
    rfft(A&&...) {
  static_assert(
      detail::never<A...>,
      "pleat::rfft: give a contiguous range of float or double, one of std::complex of it, "
      "and real_fft_options; the machine comes first");
  return {};
}
/// Rejects all other calls, and says why.
template <class... A>
requires(!requires(A && ... a) { pleat::irfft(std::forward<A>(a)...); }) detail::no_result
    irfft(A&&...) {
  static_assert(detail::never<A...>,
                "pleat::irfft: give a contiguous range of std::complex of float or double, one of "
                "float or double, and real_fft_options; the machine comes first");
  return {};
}

}  // namespace pleat
