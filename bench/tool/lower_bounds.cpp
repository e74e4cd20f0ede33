// SPDX-License-Identifier: Apache-2.0
#include "lower_bounds.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace pleat::bench {
namespace {

// What all bounds have in common: one processor pays nothing, several one superstep at least.
template <class Messages> double bound(std::size_t p, double sigma, const Messages& messages) {
  assert(p >= 1 && sigma >= 0);
  return p == 1 ? 0 : messages(static_cast<double>(p)) + sigma;
}

}  // namespace

double matmul_lower_bound(std::size_t n, std::size_t p, double sigma) {
  assert(p <= n);
  return bound(p, sigma, [n](double q) { return static_cast<double>(n) / std::cbrt(q * q); });
}

double matmul_in_place_lower_bound(std::size_t n, std::size_t p, double sigma) {
  assert(p <= n);
  return bound(p, sigma, [n](double q) { return static_cast<double>(n) / std::sqrt(q); });
}

double fft_lower_bound(std::size_t n, std::size_t p, double sigma) {
  assert(p <= n);
  return bound(p, sigma, [n](double q) {
    const double share = static_cast<double>(n) / q;
    return share * std::log2(static_cast<double>(n)) / std::max(1.0, std::log2(share));
  });
}

double sort_lower_bound(std::size_t n, std::size_t p, double sigma) {
  return fft_lower_bound(n, p, sigma);
}

double stencil_lower_bound(std::size_t n, unsigned d, std::size_t p, double sigma) {
  assert(d >= 1);
  return bound(p, sigma, [n, d](double q) {
    return std::pow(static_cast<double>(n), d) / std::pow(q, (d - 1.0) / d);
  });
}

double broadcast_lower_bound(std::size_t p, double sigma) {
  assert(p >= 1 && sigma >= 0);
  const double degree = std::max(2.0, sigma);
  return degree * std::log2(static_cast<double>(p)) / std::log2(degree);
}

double prefix_lower_bound(std::size_t p, double sigma) { return broadcast_lower_bound(p, sigma); }

double point_to_point_lower_bound(std::size_t n, std::size_t p, double sigma) {
  return bound(p, sigma, [n](double) { return static_cast<double>(n); });
}

}  // namespace pleat::bench
