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

/// Computes the discrete Fourier transform of complex numbers, of any size and in natural order, on
/// the virtual processors of a machine.
///
/// ```cpp
/// pleat::fft(machine, signal, spectrum);
/// pleat::fft(machine, spectrum, signal, {.direction = pleat::fft_direction::inverse});
/// ```
///
/// Requires: two contiguous ranges (or std::mdspan) of complex<float> or complex<double>, of equal
/// length; they are the same memory or do not overlap.
/// Guarantees: relative error (L2) at most 2·log2(n)·ε. The same result for the same number of VPs.
/// Returns the report of the run; it is empty if one VP transforms alone, without a run.
///
/// Cost: O((n log n)/P) local work, in two supersteps of h ≤ 2n/P and n/P numbers: the first also
/// brings points from the blocks of other VPs, the last one results to them. A prime factor q above
/// 61 becomes convolutions of q − 1 numbers, or of 2q to 2¼·q numbers, if n/q lines of them fill
/// the vectors and the processors and some of them fit in the cache. Otherwise the cost is that of
/// two transforms of m numbers, 2n − 1 ≤ m ≤ 2¼·n for large n, in three supersteps with h ≤ 2m/P.
/// For n a power of two and P > √n see fft_options::vps.
///
/// Memory: n numbers (m where n is replaced by m); for each VP and lane of a vector √n numbers, up
/// to 8·√n if n has few divisors; and for panels of columns at most n/4 numbers for a VP alone, n/8
/// for several. It is taken from the machine, which keeps it. A batch takes as much for each
/// processor as one transform. O(√n) roots of unity (n + m where n is replaced by m) are computed
/// at the first transform of a size and kept. So a prime n takes up to 6 times the input in all, at
/// the first transform too.
///
/// Throws: usage_error (unequal sizes, a partial overlap, a size the batch does not divide, 0 VPs);
/// std::bad_alloc. Thread safety: calls on one machine take turns.
///
/// Source: Cooley, Tukey, An Algorithm for the Machine Calculation of Complex Fourier Series, 1965;
/// Bailey, FFTs in External or Hierarchical Memory, 1990; Bilardi, Pietracaprina, Pucci,
/// Scquizzato, Silvestri, Network-Oblivious Algorithms, 2016, section 4.2; Rader, Discrete Fourier
/// Transforms When the Number of Data Samples Is Prime, 1968; Bluestein, A Linear Filtering
/// Approach to the Computation of Discrete Fourier Transform, 1970.
template <detail::fourier::complex_range In, detail::fourier::complex_range Out>
run_report fft(machine& on, In&& in, Out&& out, const fft_options& options = {}) {
  using T = detail::fourier::part_of<Out>;
  static_assert(std::same_as<detail::fourier::part_of<In>, T>,
                "pleat::fft: numbers come in and go out in one precision");
  static_assert(detail::fourier::writable<Out>, "pleat::fft needs a range it may write to");
  const std::span<const std::complex<T>> from = detail::fourier::numbers_of(in);
  const std::span<std::complex<T>> to = detail::fourier::numbers_of(out);
  return detail::fourier::transform_complex<T>(on, from, to, options);
}

/// Transforms in place.
template <detail::fourier::complex_range R>
run_report fft(machine& on, R&& numbers, const fft_options& options = {}) {
  return pleat::fft(on, numbers, numbers, options);
}

/// Runs on the default machine, as does the next overload.
template <detail::fourier::complex_range In, detail::fourier::complex_range Out>
run_report fft(In&& in, Out&& out, const fft_options& options = {}) {
  return pleat::fft(*detail::call_machine(), in, out, options);
}
template <detail::fourier::complex_range R>
run_report fft(R&& numbers, const fft_options& options = {}) {
  return pleat::fft(*detail::call_machine(), numbers, numbers, options);
}

/// Computes the discrete Fourier transform of the numbers of all ranks, in place and in natural
/// order, for any size and any number of ranks.
///
/// ```cpp
/// pleat::fft(machine, distributed_signal);
/// pleat::fft(machine, distributed_signal, {.direction = pleat::fft_direction::inverse});
/// ```
///
/// Requires: T is float or double. Collective, see distributed; all ranks pass the same options.
/// Guarantees: relative error (L2) at most 2·log2(n)·ε for transforms of n numbers each. Blocks are
/// written only after all ranks have all of their results. Returns the report of the run in which
/// the ranks transformed lines together, or in which this rank transformed whole lines; it is empty
/// if there was no such run.
///
/// Cost, on R ranks, of `batch` transforms of n numbers each, N in all: on each rank the work of
/// fft on N/R numbers, and exchanges, each of a 0-superstep and N/R numbers sent and received.
/// Memory besides the block, in numbers:
///
///     the transforms                          exchanges              memory
///     R divides their number                  none; one superstep    none (1)
///     others, n < 4096 or batch > R (2)       2                      N/R + ⌈batch/R⌉·n
///     n is a matrix for fft                   3 for each             N/R + 2·n/R (3)
///     n is a convolution of m, m < 4n         4 for each, and 1      N/R + n/R + 4·m/R (3)
///
/// (1) N/R, if a rank has fewer lines than workers. (2) Also if ranks have vectors of different
/// lengths: PLEAT_KERNELS (kernels.hpp) forces one length. (3) Kept by the machine for the next
/// call, see machine::scratch. An exchange takes up to three times the sent data in addition. The
/// columns of a matrix of about √n × √n are divided among workers in groups as wide as a vector, of
/// 16 columns or fewer; workers beyond the number of groups do not help. On one rank the call is
/// fft of the block.
///
/// Throws: usage_error (see distributed; a batch that does not divide the numbers); std::bad_alloc.
/// After an exception the numbers are unchanged.
///
/// Source: Bailey, FFTs in External or Hierarchical Memory, 1990 (the six-step method); Bluestein,
/// A Linear Filtering Approach to the Computation of Discrete Fourier Transform, 1970.
template <detail::fourier::real_number T>
run_report fft(machine& on, distributed<std::complex<T>>& data,
               const distributed_fft_options& options = {}) {
  using detail::fourier::rank_call;
  const bool inverse = options.direction == fft_direction::inverse;
  const rank_call what = inverse ? rank_call::inverse_fft : rank_call::fft;
  auto call = data.collective(on, name_of(what, options.norm), 0, options.batch);
  return detail::fourier::transform_over_ranks<T>(on, call, data.local(), data.size(), options);
}

/// Rejects all other calls, and says why.
template <class... A>
requires(!requires(A && ... a) { pleat::fft(std::forward<A>(a)...); }) detail::no_result
    fft(A&&...) {
  static_assert(!detail::wrong_call<A...>::machine_is_late, "pleat::fft: the machine comes first");
  static_assert(detail::wrong_call<A...>::machine_is_late || detail::never<A...>,
                "pleat::fft: give one or two contiguous ranges of std::complex<float> or "
                "std::complex<double>, then fft_options; real numbers are for rfft");
  return {};
}

}  // namespace pleat
