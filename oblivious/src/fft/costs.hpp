// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <pleat/oblivious/detail/fft/plan.hpp>

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
struct chosen_method {
  fourier::method method;
  std::size_t columns = 0;  ///< lanes that are in use (direct)
};
/// The cheapest. `row_bytes`: of `lanes` complex numbers.
chosen_method method_of(std::size_t n, std::size_t lanes, std::size_t row_bytes);

/// Requires: p a prime above largest_prime. O(p log p).
template <class T> prime_convolution<T> make_prime_convolution(unsigned p);
/// Makes the plan of columns of m points. Requires m ≥ 1, prime factors below 2^32.
template <class T> column_plan<T> make_column_plan(std::size_t m);

}  // namespace pleat::detail::fourier
