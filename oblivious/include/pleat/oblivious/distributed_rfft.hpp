// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>

#include <pleat/oblivious/detail/distributed/real_blocks.hpp>
#include <pleat/oblivious/detail/fft/arguments.hpp>
#include <pleat/oblivious/distributed.hpp>
#include <pleat/oblivious/fft_options.hpp>
#include <pleat/oblivious/rfft.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat {

/// Of rfft and irfft of distributed data: the members mean what they mean in fft_options.
struct distributed_rfft_options {
  fft_norm norm = fft_norm::backward;
  std::size_t batch = 1;
};

/// The discrete Fourier transform of all real numbers of all ranks: of the n results, of which
/// those beyond n/2 are conjugates of others, the first n/2 + 1, in natural order. Of any size, on
/// any number of ranks.
///
/// ```cpp
/// pleat::distributed<double> signal(machine, n);
/// pleat::distributed<std::complex<double>> spectrum(machine, n / 2 + 1);
/// pleat::rfft(machine, signal, spectrum);
/// pleat::irfft(machine, spectrum, signal);
/// ```
///
/// Requires: T is float or double; batch · n real numbers, and batch · (n/2 + 1) complex ones, on
/// one machine. Collective, see distributed: with the same options on all ranks.
/// Guarantees: relative error (L2) at most 2·log2(n)·ε, n numbers each. The first result, and for
/// even n the last one, has the imaginary part 0. What is transformed stays as it is.
///
/// Cost, on R ranks, of `batch` transforms of n numbers each:
///
///     the transforms                     like fft of           exchanges besides
///     R divides their number             one array (rfft)      none; one superstep
///     others, n < 4096 or batch > R      one array (rfft)      2
///     n even                             n/2 complex numbers   1 each, 2 unless R divides n/2
///     n odd                              n complex numbers     2 each
///
/// An exchange is a 0-superstep. Memory: that of fft of so many numbers, and as much as a block of
/// results once more. On one rank it is rfft of the block.
///
/// Throws: usage_error (see distributed; a batch that does not divide the numbers, a spectrum of
/// another size); std::bad_alloc. The spectrum has unspecified values then.
///
/// Source: as rfft, and as fft of distributed data.
template <detail::fourier::real_number T>
void rfft(machine& on, const distributed<T>& real, distributed<std::complex<T>>& spectrum,
          const distributed_rfft_options& options = {}) {
  detail::distribution::rfft_of_blocks(on, real, spectrum, options.norm, options.batch);
}

/// Undoes rfft: n real numbers, n even or odd as the data for them are, from the first n/2 + 1
/// numbers of their spectrum. Imaginary parts that the spectrum of real numbers does not have, of
/// the first number and for even n of the last, are not read.
///
/// As rfft, with the data in each other's place.
template <detail::fourier::real_number T>
void irfft(machine& on, const distributed<std::complex<T>>& spectrum, distributed<T>& real,
           const distributed_rfft_options& options = {}) {
  detail::distribution::irfft_of_blocks(on, spectrum, real, options.norm, options.batch);
}

}  // namespace pleat
