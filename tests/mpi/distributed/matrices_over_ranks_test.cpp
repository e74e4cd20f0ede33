// SPDX-License-Identifier: Apache-2.0
// Distributed matrices on the ranks of MPI. What depends on sizes, operations and semirings is
// tested without MPI, in tests/unit/distributed.
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/distributed_matrix.hpp>
#include <pleat/oblivious/matmul.hpp>

#include "over_all_ranks.hpp"

namespace matrices_over_ranks_test {

using number = std::int64_t;
using pleat::distributed_matrix;

number element(std::size_t i, std::size_t j) {
  return static_cast<number>((i * 7919 + j * 104'729) % 101) - 50;
}

std::vector<number> product(std::size_t m, std::size_t n, std::size_t k) {
  std::vector<number> c(m * n);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t l = 0; l < k; ++l)
      for (std::size_t j = 0; j < n; ++j) c[i * n + j] += element(i, l) * element(l, j);
  return c;
}

TEST(matrices_over_ranks, are_multiplied_as_by_the_definition) {
  for (const unsigned workers : {1u, 2u}) {
    pleat::machine machine(over_all_ranks(workers));
    const std::size_t sizes[][3] = {{1, 1, 1},    {0, 3, 2},     {3, 4, 0},
                                    {50, 60, 70}, {300, 7, 400}, {5, 200, 9000}};
    for (const auto& [m, n, k] : sizes) {
      distributed_matrix<number> a(machine, m, k), b(machine, k, n), c(machine, m, n);
      a.fill(machine, element);
      b.fill(machine, element);
      pleat::matmul(machine, a, b, c);
      ASSERT_EQ(c.gather(machine), product(m, n, k)) << m << " x " << n << " x " << k;
    }
  }
}

}  // namespace matrices_over_ranks_test
