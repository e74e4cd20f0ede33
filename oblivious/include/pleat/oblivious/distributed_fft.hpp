// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>

#include <pleat/oblivious/detail/distributed/fft_blocks.hpp>
#include <pleat/oblivious/detail/fft/arguments.hpp>
#include <pleat/oblivious/distributed.hpp>
#include <pleat/oblivious/fft.hpp>
#include <pleat/oblivious/fft2.hpp>
#include <pleat/oblivious/fft_options.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/view.hpp>

namespace pleat {

/// Of fft of distributed data: the members mean what they mean in fft_options.
struct distributed_fft_options {
  fft_direction direction = fft_direction::forward;
  fft_norm norm = fft_norm::backward;
  std::size_t batch = 1;
};

/// The discrete Fourier transform of all numbers of all ranks, in place and in natural order; of
/// any size, on any number of ranks.
///
/// ```cpp
/// pleat::fft(machine, distributed_signal);
/// pleat::fft(machine, distributed_signal, {.direction = pleat::fft_direction::inverse});
/// ```
///
/// Requires: T is float or double. Collective, see distributed: with the same options on all ranks.
/// Guarantees: relative error (L2) at most 2·log2(n)·ε, n numbers each. Blocks are written when all
/// ranks have all of their results.
///
/// Cost, on R ranks, of `batch` transforms of n numbers each, N in all: on each rank the work of
/// fft on N/R numbers, and exchanges, each of a 0-superstep and N/R numbers sent and received.
/// Memory besides the block, in numbers:
///
///     the transforms                          exchanges              memory
///     R divides their number                  none; one superstep    none (1)
///     others, n < 4096 or batch > R           2                      N/R + ⌈batch/R⌉·n
///     n has a divisor d, 16·R ≤ d ≤ √n (2)    3 for each             N/R + 2·n/R (3)
///     n has a divisor d, R ≤ d ≤ √n           3 for each             N/R + 2·n/R to 4·n/R
///     else: a convolution of m, m < 4n        4 for each, and 1      N/R + 3·m/R to 6·m/R
///
/// (1) N/R, if a rank has fewer lines than workers. (2) And no prime factor above 61; and vectors
/// are of one length on all ranks. (3) Kept by the machine for the next call, see
/// machine::scratch. In addition, that of fft for a rank's rows, and in an exchange up to three
/// times what a rank sends. More than √m ranks share a convolution no better than √m ranks. On one
/// rank it is fft of the block.
///
/// Throws: usage_error (see distributed; a batch that does not divide the numbers); std::bad_alloc.
/// The numbers are then what they were.
///
/// Source: Bailey, FFTs in External or Hierarchical Memory, 1990 (the six-step method); Bluestein,
/// A Linear Filtering Approach to the Computation of Discrete Fourier Transform, 1970.
template <detail::fourier::real_number T>
void fft(machine& on, distributed<std::complex<T>>& data,
         const distributed_fft_options& options = {}) {
  const bool inverse = options.direction == fft_direction::inverse;
  detail::distribution::collective_call call = data.collective(
      on, detail::distribution::fft_name(false, inverse, options.norm), 0, options.batch);
  std::size_t n = 0;
  call.here([&] {
    n = detail::fourier::size_of_each("fft", data.size(), options.batch);
    if (n != 0 && data.ranks() == 1)
      pleat::fft(on, data.local(), {options.direction, options.norm, options.batch, {}});
  });
  if (n == 0 || data.ranks() == 1) return call.only_meet();
  detail::distribution::transform_lines<T>(
      on, call, data, options.batch,
      detail::fourier::ends_of<T>(options.direction, options.norm, n));
}

/// Of fft2 of distributed data: the members mean what they mean in fft2_options.
struct distributed_fft2_options {
  fft_direction direction = fft_direction::forward;
  fft_norm norm = fft_norm::backward;
};

/// The two-dimensional discrete Fourier transform of a matrix of `rows` rows, one behind the other
/// in the blocks of all ranks: of all rows, then of all columns. In place.
///
/// ```cpp
/// pleat::fft2(machine, distributed_image, rows);
/// ```
///
/// Requires: T is float or double. Collective, see distributed: with the same arguments on all
/// ranks. Guarantees: as fft. Cost: that of fft of `rows` lines, of fft of as many lines as there
/// are columns, and two more exchanges: two in all, if the number of ranks divides both. Memory:
/// that of one of these at a time, and as much as the block once more. Throws: usage_error (see
/// distributed; `rows` that do not divide the numbers); std::bad_alloc. The numbers are then what
/// they were.
template <detail::fourier::real_number T>
void fft2(machine& on, distributed<std::complex<T>>& matrix, std::size_t rows,
          const distributed_fft2_options& options = {}) {
  const bool inverse = options.direction == fft_direction::inverse;
  detail::distribution::collective_call call =
      matrix.collective(on, detail::distribution::fft_name(true, inverse, options.norm), 0, rows);
  std::size_t columns = 0;
  call.here([&] {
    columns = detail::distribution::columns_of(matrix.size(), rows);
    if (columns != 0 && matrix.ranks() == 1)
      pleat::fft2(on, strided_view<std::complex<T>>(matrix.local().data(), rows, columns, columns),
                  {options.direction, options.norm, {}});
  });
  if (columns == 0 || matrix.ranks() == 1) return call.only_meet();
  const double scale = detail::fourier::scale_of(options.direction, options.norm, matrix.size());
  detail::distribution::transform_blocks(on, call, matrix, [&](const auto* from, auto* to) {
    detail::distribution::line_transforms<T> lines(on, call, inverse);
    detail::distribution::transform_plane(on, call, lines, from, to, rows, columns, scale);
  });
}

}  // namespace pleat
