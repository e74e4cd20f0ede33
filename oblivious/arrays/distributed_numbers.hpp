// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include <pleat/oblivious/stencil_options.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/machine.hpp>

#include "fft_numbers.hpp"
#include "matmul_numbers.hpp"
#include "stencil_numbers.hpp"
#include "typed_array.hpp"

namespace pleat::arrays {

/// Function that moves a rank's block between its memory and where the whole array is: `block` are
/// the bytes of the rank's numbers, the first of which has the index `first` among all. All ranks
/// call it, in the same order as what else is collective; either all return or all throw.
using block_reader = std::function<void(std::span<std::byte> block, std::size_t first)>;
using block_writer = std::function<void(std::span<const std::byte> block, std::size_t first)>;

/// Sorts n numbers that no rank of the machine holds alone, in the order of sort_numbers: `read` is
/// called once, before, `write` once, when all are sorted.
/// Collective. Returns and throws as sort of distributed data; what `read` and `write` throw.
run_report sort_distributed_numbers(machine& on, const number_type& type, std::size_t n,
                                    const block_reader& read, const block_writer& write);

/// Writes, as 8-byte integers, which number comes where in the order of argsort_numbers: equal ones
/// as they stand. Otherwise as sort_distributed_numbers.
void argsort_distributed_numbers(machine& on, const number_type& type, std::size_t n,
                                 const block_reader& read, const block_writer& write);

/// Transforms as transform_numbers does: fft, ifft, fft2 or ifft2 of an array of one dimension or
/// two, fft2 and ifft2 of two. Numbers are read and written as by sort_distributed_numbers.
/// Requires: transforms(kind, type). Collective. Throws: as fft and fft2 of distributed data; what
/// `read` and `write` throw.
void transform_distributed_numbers(machine& on, fft_kind kind, const number_type& type,
                                   const std::vector<std::size_t>& shape, const block_reader& read,
                                   const block_writer& write);

/// Function as block_reader and block_writer, for the numbers of a matrix that lie in these rows
/// and columns, row by row. A writer may change what it is given.
using rectangle_reader = std::function<void(std::span<std::byte> numbers, const interval<>& rows,
                                            const interval<>& columns)>;
using rectangle_writer = rectangle_reader;

/// The product of matrices of which each rank has rectangles, m × k and k × n, over a semiring, as
/// multiply_matrices makes it: sums of floating-point numbers are rounded in another order.
/// `read_a` and `read_b` are called once each, before, `write` once, with the product.
/// Requires: has_products(semiring, type). Collective. Throws: as matmul of distributed matrices;
/// what the readers and `write` throw.
void multiply_distributed_numbers(machine& on, semiring_kind semiring, const number_type& type,
                                  std::size_t m, std::size_t k, std::size_t n,
                                  const rectangle_reader& read_a, const rectangle_reader& read_b,
                                  const rectangle_writer& write);

/// Steps of a grid of which each rank has a slab: kernels and cells as for step_cells. A wave
/// begins at rest. Requires: steps_cells(kernel, type); one to three dimensions, two for life.
/// Collective. Throws: as stencil of a distributed grid; what `read` and `write` throw.
void step_distributed_cells(machine& on, stencil_kernel kernel, std::size_t steps,
                            const number_type& type, const std::vector<std::size_t>& shape,
                            const block_reader& read, const block_writer& write,
                            const stencil_options& options = {});

}  // namespace pleat::arrays
