// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "mpi_rivals.hpp"
#include "stencil/heat.hpp"

namespace pleat::bench {

template <std::size_t D>
mpi_halo_exchange<D>::mpi_halo_exchange(MPI_Comm comm, std::size_t first, std::size_t rows,
                                        std::size_t all, std::size_t row, int threads)
    : comm_(comm),
      threads_(threads),
      rows_(static_cast<std::ptrdiff_t>(rows)),
      row_(static_cast<std::ptrdiff_t>(row)),
      begin_(first == 0 ? 2 : 1),
      end_(first + rows == all ? rows_ : rows_ + 1),
      now_((rows + 2) * row),
      next_((rows + 2) * row) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  if (rank > 0) before_ = rank - 1;
  if (rank + 1 < ranks) after_ = rank + 1;
}

template <std::size_t D> void mpi_halo_exchange<D>::load(std::span<const double> slab) {
  std::copy(slab.begin(), slab.end(), now_.begin() + row_);
  std::copy(slab.begin(), slab.end(), next_.begin() + row_);  // outermost cells are never written
}

template <std::size_t D> std::span<const double> mpi_halo_exchange<D>::slab() const {
  return {now_.data() + row_, static_cast<std::size_t>(rows_ * row_)};
}

template <std::size_t D> void mpi_halo_exchange<D>::exchange() {
  const int cells = static_cast<int>(row_);
  double* const rows = now_.data();
  MPI_Sendrecv(rows + row_, cells, MPI_DOUBLE, before_, 0, rows + (rows_ + 1) * row_, cells,
               MPI_DOUBLE, after_, 0, comm_, MPI_STATUS_IGNORE);
  MPI_Sendrecv(rows + rows_ * row_, cells, MPI_DOUBLE, after_, 1, rows, cells, MPI_DOUBLE, before_,
               1, comm_, MPI_STATUS_IGNORE);
}

template <std::size_t D> void mpi_halo_exchange<D>::advance(std::size_t steps) {
  for (std::size_t t = 0; t < steps; ++t) {
    exchange();
    const double* const from = now_.data();
    double* const to = next_.data();
    if (threads_ == 1) {
      heat_rows<D>(row_, from, to, begin_, end_);
    } else if constexpr (D == 1) {
      const std::ptrdiff_t n = end_ - begin_;
#pragma omp parallel for schedule(static) num_threads(threads_)
      for (int k = 0; k < threads_; ++k)
        heat_rows<D>(row_, from, to, begin_ + n * k / threads_, begin_ + n * (k + 1) / threads_);
    } else {
#pragma omp parallel for schedule(static) num_threads(threads_)
      for (std::ptrdiff_t i = begin_; i < end_; ++i) heat_rows<D>(row_, from, to, i, i + 1);
    }
    now_.swap(next_);
  }
}

template class mpi_halo_exchange<1>;
template class mpi_halo_exchange<2>;

}  // namespace pleat::bench
