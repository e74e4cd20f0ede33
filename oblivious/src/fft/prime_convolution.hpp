// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <pleat/oblivious/detail/fft/plan.hpp>

namespace pleat::detail::fourier {

/// Requires: p a prime above largest_prime. O(p log p).
template <class T> prime_convolution<T> make_prime_convolution(unsigned p);
/// Makes the plan of columns of m points. Requires m ≥ 1, prime factors below 2^32.
template <class T> column_plan<T> make_column_plan(std::size_t m);

}  // namespace pleat::detail::fourier
