// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <concepts>
#include <cstddef>
#include <ranges>
#include <string>

#include <pleat/oblivious/detail/fft/plan.hpp>
#include <pleat/oblivious/detail/fft/run.hpp>
#include <pleat/oblivious/detail/program/shared_memory.hpp>
#include <pleat/oblivious/fft_options.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat {

/// The discrete Fourier transform of complex numbers, in natural order, on the virtual processors
/// of a machine; of any size.
///
/// ```cpp
/// pleat::fft(machine, signal, spectrum);
/// pleat::fft(machine, spectrum, signal, {.direction = pleat::fft_direction::inverse});
/// ```
///
/// Requires: two contiguous ranges of complex<float> or complex<double>, equally long; the same
/// memory, or memory that does not overlap. Not for use inside a run.
/// Guarantees: relative error (L2) at most 2·log2(n)·ε. The same result for the same number of VPs.
/// Returns what the run did; the report is empty if none took place, because one VP transforms
/// without.
///
/// Cost: O((n log n)/P) local work, h = n/P numbers in one superstep; if n has a prime factor above
/// 61, that of two transforms of m numbers, 2n − 1 ≤ m ≤ 2¼·n for large n, in two supersteps with
/// h = m/P.
/// Memory: for n numbers (m instead), and for √n a VP and lane of a vector, up to 8·√n if n has few
/// divisors; taken from the machine, which keeps it. For batches, as much for each processor as one
/// transform. Roots of unity, O(√n) of them (n + m instead), are computed at the first transform of
/// a size and kept. So a prime n takes up to 6 times the input in all, at the first transform too.
/// Throws: usage_error (unequal sizes, a partial overlap, a size the batch does not divide, 0 VPs);
/// std::bad_alloc. Thread safety: calls on one machine take turns.
///
/// Source: Cooley, Tukey, An Algorithm for the Machine Calculation of Complex Fourier Series, 1965;
/// Bailey, FFTs in External or Hierarchical Memory, 1990; Bilardi et al., Network-Oblivious
/// Algorithms, section 4; Bluestein, A Linear Filtering Approach, 1970.
template <detail::fourier::complex_range In, detail::fourier::complex_range Out>
run_report fft(machine& on, In&& in, Out&& out, const fft_options& options = {}) {
  using T = detail::fourier::part_of<Out>;
  static_assert(std::same_as<std::ranges::range_value_t<In>, std::complex<T>>,
                "pleat::fft: numbers come in and go out in one precision");
  static_assert(detail::fourier::writable<Out>, "pleat::fft needs a range it may write to");
  const auto total = static_cast<std::size_t>(std::ranges::size(in));
  if (total != static_cast<std::size_t>(std::ranges::size(out)))
    throw usage_error("fft: " + std::to_string(total) + " numbers come in, " +
                      std::to_string(std::ranges::size(out)) +
                      " go out; give it ranges of the same size");
  const std::size_t n = detail::fourier::size_of_each("fft", total, options.batch);
  const std::size_t vps =
      detail::fourier::fft_vps(on, "fft", total * sizeof(std::complex<T>), options.vps);
  if (total == 0) return {};
  const auto* const first_in = std::ranges::data(in);
  const auto* const first_out = std::ranges::data(out);
  if (first_in != first_out &&
      detail::arrays_overlap(first_in, first_in + total, first_out, first_out + total))
    throw usage_error("fft: the ranges overlap; give it the same one twice, or two");
  return detail::fourier::run_batch<T>(
      on,
      {detail::fourier::plan_for<T>(n), reinterpret_cast<const T*>(std::ranges::data(in)),
       reinterpret_cast<T*>(std::ranges::data(out)), options.batch,
       detail::fourier::ends_of<T>(options.direction, options.norm, n)},
      vps);
}

/// In place.
template <detail::fourier::complex_range R>
run_report fft(machine& on, R&& numbers, const fft_options& options = {}) {
  return fft(on, numbers, numbers, options);
}

}  // namespace pleat
