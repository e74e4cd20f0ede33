// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <concepts>
#include <cstddef>
#include <functional>
#include <ranges>
#include <string>

#include <pleat/oblivious/detail/fft/plan.hpp>
#include <pleat/oblivious/detail/fft/run.hpp>
#include <pleat/oblivious/fft_options.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat {

namespace detail::fourier {

/// `count` transforms of n real numbers; `from` and `to` are real or pairs, as the direction wants.
/// Requires n ≥ 1.
template <class T>
batch<T> real_batch(std::size_t n, const T* from, T* to, std::size_t count, ends<T> how) {
  if (n % 2 == 1) return {plan_for<T>(n), from, to, count, how, signal::real_alone};
  const auto pairs = real_plan_for<T>(n);
  return {pairs->half, from, to, count, how, signal::real_pairs, pairs};
}

/// Throws: usage_error if real numbers and their spectrum do not fit, or share memory.
template <class T>
void check_real(const char* caller, std::size_t n, std::size_t count, const T* real,
                std::size_t numbers, const T* spectrum, std::size_t length) {
  const std::size_t wanted = n == 0 ? 0 : count * (n / 2 + 1);
  if (length != wanted)
    throw usage_error(std::string(caller) + ": " + std::to_string(count) + " transforms of " +
                      std::to_string(n) + " real numbers have " + std::to_string(wanted) +
                      " complex ones, not " + std::to_string(length) +
                      "; give it a range of n/2 + 1 of them for each");
  const std::less<const void*> before;
  if (numbers != 0 && before(real, spectrum + 2 * length) && before(spectrum, real + numbers))
    throw usage_error(std::string(caller) +
                      ": the numbers and their spectrum overlap; give it two ranges");
}

/// rfft or irfft, as the direction says: `numbers` real ones, a spectrum of `length` complex ones.
template <class T>
run_report transform_real(machine& on, const char* caller, fft_direction direction, const T* from,
                          T* to, std::size_t numbers, std::size_t length,
                          const real_fft_options& options) {
  const bool forward = direction == fft_direction::forward;
  const std::size_t n = size_of_each(caller, numbers, options.batch);
  check_real<T>(caller, n, options.batch, forward ? from : to, numbers, forward ? to : from,
                length);
  const std::size_t vps = fft_vps(on, caller, numbers * sizeof(T), options.vps);
  if (numbers == 0) return {};
  const ends<T> how = ends_of<T>(direction, options.norm, n);
  return run_batch(on, real_batch<T>(n, from, to, options.batch, how), vps);
}

}  // namespace detail::fourier

/// The discrete Fourier transform of real numbers: of the n results, of which those beyond n/2 are
/// conjugates of others, the first n/2 + 1.
///
/// ```cpp
/// std::vector<std::complex<double>> spectrum(signal.size() / 2 + 1);
/// pleat::rfft(machine, signal, spectrum);
/// pleat::irfft(machine, spectrum, signal);
/// ```
///
/// Requires: a contiguous range of batch · n numbers, float or double, and one of batch · (n/2 + 1)
/// complex numbers of the same precision, which does not overlap it. Not for use inside a run.
/// Guarantees, throws, memory and thread safety: as fft. The first result, and for even n the last
/// one, has the imaginary part 0.
///
/// Cost: for even n that of fft for n/2 numbers, and a superstep more (h = n/P) to fold the
/// results; for odd n that of fft for n numbers, 2 supersteps more, and n complex numbers of memory
/// more: with its plan 4 times the input, 13 times for a prime. Any number of VPs holds blocks:
/// there is no program of one number a VP, as fft has.
///
/// Source: Cooley, Lewis, Welch, The Fast Fourier Transform Algorithm: Programming Considerations
/// in the Calculation of Sine, Cosine and Laplace Transforms, 1970.
template <detail::fourier::real_range In, detail::fourier::complex_range Out>
run_report rfft(machine& on, In&& in, Out&& out, const real_fft_options& options = {}) {
  using T = std::ranges::range_value_t<In>;
  static_assert(std::same_as<detail::fourier::part_of<Out>, T>,
                "pleat::rfft: numbers come in and go out in one precision");
  static_assert(detail::fourier::writable<Out>, "pleat::rfft needs a range it may write to");
  return detail::fourier::transform_real<T>(on, "rfft", fft_direction::forward,
                                            std::ranges::data(in),
                                            reinterpret_cast<T*>(std::ranges::data(out)),
                                            std::ranges::size(in), std::ranges::size(out), options);
}

/// Undoes rfft: n real numbers, n even or odd as the range for them is, from the first n/2 + 1
/// numbers of their spectrum. Imaginary parts that the spectrum of real numbers does not have, of
/// the first number and for even n of the last, are not read.
///
/// As rfft, with the ranges in each other's place.
template <detail::fourier::complex_range In, detail::fourier::real_range Out>
run_report irfft(machine& on, In&& in, Out&& out, const real_fft_options& options = {}) {
  using T = std::ranges::range_value_t<Out>;
  static_assert(std::same_as<detail::fourier::part_of<In>, T>,
                "pleat::irfft: numbers come in and go out in one precision");
  static_assert(detail::fourier::writable<Out>, "pleat::irfft needs a range it may write to");
  return detail::fourier::transform_real<T>(
      on, "irfft", fft_direction::inverse, reinterpret_cast<const T*>(std::ranges::data(in)),
      std::ranges::data(out), std::ranges::size(out), std::ranges::size(in), options);
}

}  // namespace pleat
