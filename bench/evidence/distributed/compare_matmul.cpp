// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <mpi.h>
#include <span>
#include <string>
#include <vector>

#include <pleat/oblivious/distributed_matrix.hpp>
#include <pleat/oblivious/matmul.hpp>
#include <pleat/runtime/error.hpp>

#include "evidence/distributed/rivals/mpi_rivals.hpp"
#include "work_of_ranks.hpp"

namespace pleat::bench {

namespace {

/// Contribution of this rank's rectangle of C to each row of C·x.
std::vector<double> part_of_product(const distributed_matrix<double>& c,
                                    std::span<const double> x) {
  std::vector<double> y(x.size());
  const strided_view<const double> mine = c.local();
  for (std::size_t i = 0; i < mine.rows; ++i)
    for (std::size_t j = 0; j < mine.columns; ++j)
      y[c.rows().first + i] += mine.data[i * mine.stride + j] * x[c.columns().first + j];
  return y;
}

/// The largest difference of two vectors, relative to the largest element, where each rank has a
/// part of the sum.
double difference(std::vector<double> parts, std::vector<double> other_parts) {
  double largest = 0, apart = 0;
  const int n = static_cast<int>(parts.size());
  for (std::vector<double>* sum : {&parts, &other_parts})
    MPI_Allreduce(MPI_IN_PLACE, sum->data(), n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    apart = std::max(apart, std::abs(parts[i] - other_parts[i]));
    largest = std::max(largest, std::abs(other_parts[i]));
  }
  return apart / largest;
}

}  // namespace

void compare_distributed_matmul(pleat::machine& machine, std::size_t n, std::size_t repetitions) {
  if (n > std::size_t{std::numeric_limits<int>::max()})
    throw usage_error("matmul: smaller matrices, ScaLAPACK counts in int");
  const auto a_of = [n](std::size_t i, std::size_t j) { return scrambled_share(i * n + j) - 0.5; };
  const auto b_of = [n](std::size_t i, std::size_t j) {
    return scrambled_share(n * n + i * n + j) - 0.5;
  };
  distributed_matrix<double> a(machine, n, n), b(machine, n, n), c(machine, n, n);
  const int threads = static_cast<int>(machine.vps_here(machine.threads()).size());
  scalapack_product rival(MPI_COMM_WORLD, n, threads);
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = scrambled_share(2 * n * n + i);
  compare_sides(machine,
                {.work = "distributed-matmul",
                 .n = n,
                 .type = "f64",
                 .rival = "scalapack with openblas, " PLEAT_MPI_NAME,
                 .rival_version = PLEAT_SCALAPACK_VERSION ", " PLEAT_MPI_VERSION},
                {.prepare_ours =
                     [&] {
                       a.fill(machine, a_of);
                       b.fill(machine, b_of);
                     },
                 .ours = [&] { pleat::matmul(machine, a, b, c); },
                 .prepare_rival = [&] { rival.load(a_of, b_of); },
                 .rival = [&] { rival.multiply(); },
                 .check = [&]() -> std::string {
                   return difference(part_of_product(c, x), rival.part_of_product_with(x)) < 1e-11
                              ? ""
                              : "pleat and the rival have different products";
                 }},
                repetitions);
}

}  // namespace pleat::bench
