// SPDX-License-Identifier: Apache-2.0
#include "fft/prime_convolution.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <pleat/oblivious/detail/fft/alone.hpp>
#include <pleat/oblivious/detail/fft/plan.hpp>

#include "fft/costs.hpp"

namespace pleat::detail::fourier {

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
  const ends<double> divided{.scale = 1 / static_cast<double>(size)};
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
