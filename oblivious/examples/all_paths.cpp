// SPDX-License-Identifier: Apache-2.0
//
// All shortest paths of a network. Their lengths are the closure of the matrix of streets over
// (min, +); one more product says through which place each path reaches its end.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>
#include <vector>

#include <pleat/oblivious/closure.hpp>
#include <pleat/oblivious/matmul.hpp>
#include <pleat/oblivious/semiring.hpp>
#include <pleat/runtime/machine.hpp>

int main() {
  constexpr std::size_t n = 300;
  constexpr float no_street = std::numeric_limits<float>::infinity();
  std::vector<float> streets(n * n, no_street), lengths, last(n * n);
  std::mt19937 random(1);
  for (std::size_t u = 0; u < n; ++u) {  // a ring with a street across from each place
    const std::size_t across = (u + 2 + random() % (n - 4)) % n, next = (u + 1) % n;
    streets[u * n + next] = streets[next * n + u] = 10;
    streets[u * n + across] = static_cast<float>(50 + random() % 100);
  }
  lengths = streets;
  for (std::size_t u = 0; u < n; ++u) lengths[u * n + u] = 0;

  pleat::machine machine;
  using matrix = pleat::strided_view<float>;
  const matrix shortest(lengths.data(), n, n, n);
  pleat::closure<pleat::min_plus>(machine, shortest);
  std::vector<std::int32_t> before(n * n);
  pleat::matmul_argmin(machine, shortest, matrix(streets.data(), n, n, n),
                       matrix(last.data(), n, n, n),
                       pleat::strided_view<std::int32_t>(before.data(), n, n, n));

  const std::size_t from = 0, to = n / 2;
  float length = 0;
  std::printf("%g:", lengths[from * n + to]);
  for (std::size_t v = to; v != from;) {
    const auto u = static_cast<std::size_t>(before[from * n + v]);
    length += streets[u * n + v];
    std::printf(" %zu <-", v);
    v = u;
  }
  std::printf(" %zu\n", from);
  return std::abs(length - lengths[from * n + to]) <= 1e-4f * length ? 0 : 1;
}
