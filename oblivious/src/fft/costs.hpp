// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

// Costs of transforms, by which plans are chosen. The unit: a row of vectors that is read from
// cache, multiplied by roots, and written.
namespace pleat::detail::fourier {

/// Columns of m points, as many as a vector has lanes.
double cost_of_columns(std::size_t m);
/// The size of the cheapest convolution for the prime p > largest_prime (prime_convolution).
std::size_t prime_convolution_size(std::size_t p);
/// Tells whether the columns of m points, `row_bytes` each row, convolve in the cache of a core, if
/// at all.
bool convolves_in_cache(std::size_t m, std::size_t row_bytes);

/// Method of the transform of n points.
enum class way { direct, matrix, chirp };
struct chosen_way {
  fourier::way way;
  std::size_t columns = 0;  ///< lanes that are in use (direct)
};
/// The cheapest. `row_bytes`: of `lanes` complex numbers.
chosen_way way_of(std::size_t n, std::size_t lanes, std::size_t row_bytes);

}  // namespace pleat::detail::fourier
