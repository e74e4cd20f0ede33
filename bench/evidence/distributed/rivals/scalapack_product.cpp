// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <stdexcept>

#include "mpi_rivals.hpp"

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

constexpr int block = 128;  // rows, and columns, dealt out together

}  // namespace

scalapack_product::scalapack_product(MPI_Comm comm, std::size_t n, int threads)
    : n_(static_cast<int>(n)) {
  openblas_set_num_threads(threads);
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  for (int d = 1; d * d <= ranks; ++d)
    if (ranks % d == 0) down_ = d;
  grid_ = Csys2blacs_handle(comm);
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

scalapack_product::~scalapack_product() { Cblacs_gridexit(grid_); }

std::size_t scalapack_product::global(int local, int place, int places) {
  return static_cast<std::size_t>((local / block * places + place) * block + local % block);
}

void scalapack_product::fill(std::vector<double>& local, const element& value) const {
  std::size_t at = 0;
  for (int j = 0; j < columns_; ++j)
    for (int i = 0; i < rows_; ++i)
      local[at++] = value(global(i, row_, down_), global(j, column_, across_));
}

void scalapack_product::load(const element& a, const element& b) {
  fill(a_, a);
  fill(b_, b);
  std::ranges::fill(c_, 0.0);
}

void scalapack_product::multiply() {
  const double one = 1, zero = 0;
  const int first = 1;
  pdgemm_("N", "N", &n_, &n_, &n_, &one, a_.data(), &first, &first, description_, b_.data(), &first,
          &first, description_, &zero, c_.data(), &first, &first, description_);
}

std::vector<double> scalapack_product::part_of_product_with(std::span<const double> x) const {
  std::vector<double> y(x.size());
  std::size_t at = 0;
  for (int j = 0; j < columns_; ++j)
    for (int i = 0; i < rows_; ++i)
      y[global(i, row_, down_)] += c_[at++] * x[global(j, column_, across_)];
  return y;
}

}  // namespace pleat::bench
