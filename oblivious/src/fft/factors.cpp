// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include <pleat/oblivious/detail/fft/plan.hpp>

namespace pleat::detail::fourier {

namespace {

/// Primes with a butterfly, in the order of their stages: the later stage is the cheaper one.
constexpr std::array odd_primes{61U, 59U, 53U, 47U, 43U, 41U, 37U, 31U, 29U,
                                23U, 19U, 17U, 13U, 11U, 7U,  5U,  3U};
static_assert(odd_primes.front() == largest_prime);

/// n without the factors that have a butterfly.
std::size_t rough_part(std::size_t n) noexcept {
  for (const unsigned prime : odd_primes)
    while (n % prime == 0) n /= prime;
  return n >> std::countr_zero(n);
}

/// Lists the prime factors of n, ascending. Requires: n without those that have a butterfly.
std::vector<std::size_t> rough_primes(std::size_t n) {
  std::vector<std::size_t> primes;
  for (std::size_t divisor = largest_prime + 2; divisor * divisor <= n; divisor += 2)
    for (; n % divisor == 0; n /= divisor) primes.push_back(divisor);
  if (n > 1) primes.push_back(n);
  return primes;
}

}  // namespace

bool is_smooth(std::size_t n) noexcept { return rough_part(n) == 1; }

std::size_t greatest_prime_of(std::size_t n) {
  const std::vector<std::size_t> large = rough_primes(rough_part(n));
  if (!large.empty()) return large.back();
  for (const unsigned prime : odd_primes)
    if (n % prime == 0) return prime;
  return n == 1 ? 1 : 2;
}

std::size_t middle_divisor(std::size_t n) noexcept {
  auto divisor = static_cast<std::size_t>(std::sqrt(static_cast<double>(n)));
  while (divisor * divisor > n) --divisor;
  while (n % divisor != 0) --divisor;
  return divisor;
}

std::vector<std::size_t> convolution_sizes(std::size_t n) {
  std::vector<std::size_t> sizes{std::bit_ceil(n)};
  for (const std::size_t odd : {3, 5, 7, 9, 15, 21, 25, 27, 35, 45, 49, 63}) {
    std::size_t size = odd;
    while (size < n) size *= 2;
    sizes.push_back(size);
  }
  return sizes;
}

std::size_t convolution_size(std::size_t n, std::size_t lanes) {
  const auto tiles = [lanes](std::size_t size) {
    const std::size_t rows = middle_divisor(size);
    return ((rows + lanes - 1) / lanes) * ((size / rows + lanes - 1) / lanes);
  };
  std::pair best(tiles(std::bit_ceil(n)), std::bit_ceil(n));
  for (const std::size_t size : convolution_sizes(n))
    best = std::min(best, std::pair(tiles(size), size));
  return best.second;
}

std::vector<unsigned> radices_of(std::size_t n) {
  std::vector<unsigned> radices;
  for (const unsigned prime : odd_primes) {
    for (; n % prime == 0; n /= prime) radices.push_back(prime);
  }
  auto bits = static_cast<unsigned>(std::countr_zero(n));
  n >>= bits;
  for (; bits > 4 || bits == 3; bits -= 3) radices.push_back(8);
  for (; bits >= 2; bits -= 2) radices.push_back(4);
  if (bits == 1) radices.push_back(2);
  for (const std::size_t prime : rough_primes(n)) radices.push_back(static_cast<unsigned>(prime));
  return radices;
}

}  // namespace pleat::detail::fourier
