// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <mpi.h>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <pleat/oblivious/distributed_matrix.hpp>
#include <pleat/oblivious/matmul.hpp>
#include <pleat/runtime/error.hpp>

#include "work_of_ranks.hpp"

// ScaLAPACK and BLACS come without headers.
extern "C" {
int Csys2blacs_handle(MPI_Comm comm);
void Cblacs_gridinit(int* grid, const char* order, int down, int across);
void Cblacs_gridinfo(int grid, int* down, int* across, int* row, int* column);
void Cblacs_gridexit(int grid);
int numroc_(const int* n, const int* block, const int* place, const int* first, const int* places);
void descinit_(int* description, const int* m, const int* n, const int* row_block,
               const int* column_block, const int* first_row, const int* first_column,
               const int* grid, const int* leading, int* info);
void pdgemm_(const char* op_a, const char* op_b, const int* m, const int* n, const int* k,
             const double* alpha, const double* a, const int* row_a, const int* column_a,
             const int* of_a, const double* b, const int* row_b, const int* column_b,
             const int* of_b, const double* beta, double* c, const int* row_c, const int* column_c,
             const int* of_c);
void openblas_set_num_threads(int threads);
}

namespace pleat::bench {
namespace {

/// ScaLAPACK's product C = A·B of n × n matrices of double, in a block-cyclic distribution over a
/// near-square grid of the ranks, with OpenBLAS on each rank.
class scalapack_product {
 public:
  /// Requires: n below 2^31. `threads`: threads of OpenBLAS on each rank.
  scalapack_product(std::size_t n, int ranks, int threads) : n_(static_cast<int>(n)) {
    openblas_set_num_threads(threads);
    for (int d = 1; d * d <= ranks; ++d)
      if (ranks % d == 0) down_ = d;
    grid_ = Csys2blacs_handle(MPI_COMM_WORLD);
    Cblacs_gridinit(&grid_, "Row", down_, ranks / down_);
    Cblacs_gridinfo(grid_, &down_, &across_, &row_, &column_);
    const int first = 0;
    rows_ = numroc_(&n_, &block, &row_, &first, &down_);
    columns_ = numroc_(&n_, &block, &column_, &first, &across_);
    const int leading = std::max(1, rows_);
    int info = 0;
    descinit_(description_, &n_, &n_, &block, &block, &first, &first, &grid_, &leading, &info);
    if (info != 0) throw std::runtime_error("ScaLAPACK refuses this matrix");
    const std::size_t elements = static_cast<std::size_t>(leading) * std::max(1, columns_);
    for (std::vector<double>* local : {&a_, &b_, &c_}) local->resize(elements);
  }
  scalapack_product(const scalapack_product&) = delete;
  scalapack_product& operator=(const scalapack_product&) = delete;
  ~scalapack_product() { Cblacs_gridexit(grid_); }

  /// Sets the elements of A and B to a(row, column) and b(row, column), and C to 0.
  void load(const auto& a, const auto& b) {
    each([&](std::size_t at, std::size_t i, std::size_t j) {
      a_[at] = a(i, j);
      b_[at] = b(i, j);
    });
    std::ranges::fill(c_, 0.0);
  }
  void multiply() {
    const double one = 1, zero = 0;
    const int first = 1;
    pdgemm_("N", "N", &n_, &n_, &n_, &one, a_.data(), &first, &first, description_, b_.data(),
            &first, &first, description_, &zero, c_.data(), &first, &first, description_);
  }
  /// Returns the contribution of this rank's elements of C to each element of C·x.
  [[nodiscard]] std::vector<double> part_of_product_with(std::span<const double> x) const {
    std::vector<double> y(x.size());
    each([&](std::size_t at, std::size_t i, std::size_t j) { y[i] += c_[at] * x[j]; });
    return y;
  }

 private:
  static constexpr int block = 128;  // rows and columns of a block

  /// Returns the index, in the whole matrix, of a local row or column.
  [[nodiscard]] static std::size_t global(int local, int place, int places) {
    return static_cast<std::size_t>((local / block * places + place) * block + local % block);
  }
  /// Calls f(place, row, column) for each local element.
  void each(const auto& f) const {
    std::size_t at = 0;
    for (int j = 0; j < columns_; ++j)
      for (int i = 0; i < rows_; ++i) f(at++, global(i, row_, down_), global(j, column_, across_));
  }

  int n_;
  int grid_ = 0;
  int down_ = 1, across_ = 1, row_ = 0, column_ = 0;
  int rows_ = 0, columns_ = 0;  // of the local parts
  int description_[9] = {};
  std::vector<double> a_, b_, c_;  // column-major
};

/// Returns the contribution of this rank's rectangle of C to each element of C·x.
std::vector<double> part_of_product(const distributed_matrix<double>& c,
                                    std::span<const double> x) {
  std::vector<double> y(x.size());
  const strided_view<const double> mine = c.local();
  for (std::size_t i = 0; i < mine.rows; ++i)
    for (std::size_t j = 0; j < mine.columns; ++j)
      y[c.rows().first + i] += mine.data[i * mine.stride + j] * x[c.columns().first + j];
  return y;
}

/// Adds up the parts of two vectors over all ranks. Returns the largest difference between the two
/// sums, relative to the largest element of the second.
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
  scalapack_product rival(n, static_cast<int>(machine.ranks()), threads);
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
