// SPDX-License-Identifier: Apache-2.0
#include "fft/costs.hpp"

#include <algorithm>
#include <cstddef>

#include <pleat/oblivious/detail/fft/plan.hpp>

namespace pleat::detail::fourier {

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

chosen_way way_of(std::size_t n, std::size_t lanes, std::size_t row_bytes) {
  const bool smooth = is_smooth(n);
  if (n > largest_direct) {
    // Rows, as many at a time as a vector has lanes, are what processors share: a matrix of few of
    // them occupies few processors, a convolution of all numbers any. That one leaves the nearer
    // caches, for which it takes half as long again (measured).
    constexpr std::size_t occupied = 4;
    constexpr double farther = 1.5;
    if (smooth) return {way::matrix};
    const std::size_t groups = groups_of(middle_divisor(n), lanes);
    const double few =
        static_cast<double>(occupied) / static_cast<double>(std::min(groups, occupied));
    const bool pays = convolves_in_cache(n, row_bytes) &&
                      few * cost_of_matrix(n, lanes) <= farther * cost_of_chirp(n, lanes);
    return {pays ? way::matrix : way::chirp};
  }
  const std::size_t columns = lanes_used(n, lanes);
  if (smooth && columns == lanes) return {way::direct, columns};
  const double matrix = cost_of_matrix(n, lanes);
  const bool direct = columns > 1 && cost_of_columns(n / columns) <= matrix;
  const double cheaper = direct ? cost_of_columns(n / columns) : matrix;
  if (!smooth && cheaper > cost_of_chirp(n, lanes)) return {way::chirp};
  return direct ? chosen_way{way::direct, columns} : chosen_way{way::matrix};
}

}  // namespace pleat::detail::fourier
