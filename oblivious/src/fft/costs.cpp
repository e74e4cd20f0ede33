// SPDX-License-Identifier: Apache-2.0
#include "fft/costs.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include <pleat/oblivious/detail/fft/many.hpp>

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

namespace {

/// Beyond this, a matrix: its passes stay in the caches, one column would not.
constexpr std::size_t largest_direct = std::size_t{1} << 13;
/// Cost of the passes of a matrix besides their columns (measured).
constexpr double passes = 300;

/// Cost of a row, in a stage. A prime's butterfly takes 4 multiply-adds for every two points of
/// which it has the sum, those up to 8 are bound by what they read and write.
double cost_of_stage(unsigned radix) {
  if (radix <= 8) return 1;
  if (radix <= largest_prime) return radix / 8.0;
  const auto size = static_cast<double>(prime_convolution_size(radix));
  // There and back; points are copied twice, and the response is a factor of every row.
  return 2 * cost_of_columns(static_cast<std::size_t>(size)) / radix + 3;
}

std::size_t groups_of(std::size_t columns, std::size_t lanes) {
  return (columns + lanes - 1) / lanes;
}

double cost_of_matrix(std::size_t n, std::size_t lanes) {
  const std::size_t rows = middle_divisor(n);
  const std::size_t width = n / rows;
  return static_cast<double>(groups_of(width, lanes)) * cost_of_columns(rows) +
         static_cast<double>(groups_of(rows, lanes)) * cost_of_columns(width) + passes;
}

double cost_of_chirp(std::size_t n, std::size_t lanes) {
  return 2 * cost_of_matrix(convolution_size(2 * n - 1, lanes), lanes);
}

/// The greatest number of lanes that divides n.
std::size_t lanes_used(std::size_t n, std::size_t lanes) {
  if (n % lanes == 0 && n / lanes >= lanes) return lanes;
  std::size_t columns = std::min(lanes, n);
  while (n % columns != 0) --columns;
  return columns;
}

}  // namespace

double cost_of_columns(std::size_t m) {
  double stages = 0;
  for (const unsigned radix : radices_of(m)) stages += cost_of_stage(radix);
  return static_cast<double>(m) * std::max(stages, 1.0);
}

std::size_t prime_convolution_size(std::size_t p) {
  std::size_t best = 0;
  const auto try_size = [&best](std::size_t size) {
    if (best == 0 || cost_of_columns(size) < cost_of_columns(best)) best = size;
  };
  if (is_smooth(p - 1)) try_size(p - 1);
  for (const std::size_t size : convolution_sizes(2 * (p - 1) - 1)) try_size(size);
  return best;
}

bool convolves_in_cache(std::size_t m, std::size_t row_bytes) {
  constexpr std::size_t cache = std::size_t{1} << 20;
  const std::size_t prime = greatest_prime_of(m);
  if (prime <= largest_prime) return true;
  return prime <= cache / row_bytes &&
         2 * std::max(prime, prime_convolution_size(prime)) * row_bytes <= cache;
}

chosen_method method_of(std::size_t n, std::size_t lanes, std::size_t row_bytes) {
  const bool smooth = is_smooth(n);
  if (n > largest_direct) {
    // Rows, as many at a time as a vector has lanes, are what processors share: a matrix of few of
    // them occupies few processors, a convolution of all numbers any. That one leaves the nearer
    // caches, for which it takes half as long again (measured).
    constexpr std::size_t occupied = 4;
    constexpr double farther = 1.5;
    if (smooth) return {method::matrix};
    const std::size_t groups = groups_of(middle_divisor(n), lanes);
    const double few =
        static_cast<double>(occupied) / static_cast<double>(std::min(groups, occupied));
    const bool pays = convolves_in_cache(n, row_bytes) &&
                      few * cost_of_matrix(n, lanes) <= farther * cost_of_chirp(n, lanes);
    return {pays ? method::matrix : method::chirp};
  }
  const std::size_t columns = lanes_used(n, lanes);
  if (smooth && columns == lanes) return {method::direct, columns};
  const double matrix = cost_of_matrix(n, lanes);
  const bool direct = columns > 1 && cost_of_columns(n / columns) <= matrix;
  const double cheaper = direct ? cost_of_columns(n / columns) : matrix;
  if (!smooth && cheaper > cost_of_chirp(n, lanes)) return {method::chirp};
  return direct ? chosen_method{method::direct, columns} : chosen_method{method::matrix};
}

namespace {

std::uint64_t power_modulo(std::uint64_t base, std::uint64_t exponent, std::uint64_t p) {
  std::uint64_t power = 1;
  for (; exponent != 0; exponent /= 2, base = base * base % p)
    if (exponent % 2 == 1) power = power * base % p;
  return power;
}

/// The least number whose powers are all but 0 modulo p.
std::uint64_t generator_of(std::uint64_t p) {
  std::vector<std::uint64_t> primes;  // of p − 1
  for (std::uint64_t rest = p - 1; rest > 1;) {
    primes.push_back(greatest_prime_of(rest));
    while (rest % primes.back() == 0) rest /= primes.back();
  }
  std::uint64_t g = 2;
  while (std::ranges::any_of(
      primes, [&](std::uint64_t prime) { return power_modulo(g, (p - 1) / prime, p) == 1; }))
    ++g;
  return g;
}

/// Response for c = 0 … p − 2, around the cycle, divided by its size; of numbers more exact than T
/// where T is float.
template <class T>
std::vector<T> response_of(const std::vector<std::uint32_t>& powers, unsigned p, std::size_t size) {
  std::vector<double> numbers(2 * size);
  const auto put = [&](std::size_t at, std::uint32_t power) {
    const root w = root_of_unity(power, p);
    numbers[2 * at] = w.re;
    numbers[2 * at + 1] = w.im;
  };
  for (std::size_t c = 0; c < powers.size(); ++c) {
    put(c, powers[c]);
    if (c != 0) put(size - powers.size() + c, powers[c]);
  }
  const mode<double> divided{.scale = 1 / static_cast<double>(size)};
  transform_alone<double>(*plan_for<double>(size), numbers.data(), divided, numbers.data());
  return {numbers.begin(), numbers.end()};
}

}  // namespace

template <class T> prime_convolution<T> make_prime_convolution(unsigned p) {
  const std::size_t size = prime_convolution_size(p);
  prime_convolution<T> made{p, make_column_plan<T>(size), {}, {}, {}};
  const std::uint64_t g = generator_of(p);
  std::uint64_t power = 1;
  for (unsigned b = 0; b + 1 < p; ++b, power = power * g % p)
    made.results.push_back(static_cast<std::uint32_t>(power));
  made.points = made.results;
  std::reverse(made.points.begin() + 1, made.points.end());
  made.response = response_of<T>(made.results, p, size);
  return made;
}
template prime_convolution<float> make_prime_convolution(unsigned);
template prime_convolution<double> make_prime_convolution(unsigned);

}  // namespace pleat::detail::fourier
