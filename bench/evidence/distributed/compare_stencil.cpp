// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <mpi.h>
#include <span>
#include <string>
#include <vector>

#include <pleat/oblivious/stencil.hpp>
#include <pleat/runtime/error.hpp>

#include "stencil/heat.hpp"
#include "work_of_ranks.hpp"
#include "works.hpp"

namespace pleat::bench {
namespace {

/// Stencil of an MPI program without Pleat: a slab of rows with a halo of one row on either side.
/// Each step MPI_Sendrecv's a row with either neighbour and then updates the slab, on `threads`
/// threads of OpenMP. The outermost rows and cells of the grid stay as they are.
template <std::size_t D> class mpi_halo_exchange {
 public:
  /// Rows [first, first + rows) of a grid of `all` rows, of `row` cells each. Requires: rows >= 1.
  mpi_halo_exchange(MPI_Comm comm, std::size_t first, std::size_t rows, std::size_t all,
                    std::size_t row, int threads);

  void load(std::span<const double> slab);
  void advance(std::size_t steps);
  /// The slab, as it is now.
  [[nodiscard]] std::span<const double> slab() const;

 private:
  void exchange();

  MPI_Comm comm_;
  int threads_, before_ = MPI_PROC_NULL, after_ = MPI_PROC_NULL;
  std::ptrdiff_t rows_, row_;
  std::ptrdiff_t begin_, end_;  // of the rows that are updated, in the window
  std::vector<double> now_, next_;
};

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
  std::copy(slab.begin(), slab.end(), next_.begin() + row_);  // the outermost never change
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

template <std::size_t D>
void compare(pleat::machine& machine, std::size_t n, std::size_t steps, std::size_t repetitions) {
  if (n < machine.ranks()) throw usage_error("stencil: every rank needs a row, take a greater n");
  if (n > std::size_t{std::numeric_limits<int>::max()})
    throw usage_error("stencil: MPI_Sendrecv counts in int, take a smaller n");
  std::array<std::size_t, D> extents;
  extents.fill(n);
  pleat::distributed_grid<double, D> grid(machine, extents);
  const auto fill = [&] {
    if constexpr (D == 1)
      grid.fill(machine, [](std::size_t x) { return scrambled_share(x); });
    else
      grid.fill(machine, [n](std::size_t x, std::size_t y) { return scrambled_share(x * n + y); });
  };
  fill();
  const interval<> rows = grid.rows();
  const std::size_t row = D == 1 ? 1 : n;
  const std::span<double> slab(grid.local().data, rows.size() * row);
  const std::vector<double> start(slab.begin(), slab.end());
  const int threads = static_cast<int>(machine.vps_here(machine.threads()).size());
  mpi_halo_exchange<D> rival(MPI_COMM_WORLD, rows.first, rows.size(), n, row, threads);
  compare_sides(machine,
                {.work = "distributed-stencil" + std::to_string(D),
                 .n = n,
                 .type = "f64",
                 .rival = "halo exchange in each step, " PLEAT_MPI_NAME,
                 .rival_version = PLEAT_MPI_VERSION},
                {.prepare_ours = fill,
                 .ours =
                     [&] {
                       pleat::stencil(machine, grid, steps, heat_kernel<double, D>(),
                                      {.edges = pleat::boundary::fixed});
                     },
                 .prepare_rival = [&] { rival.load(start); },
                 .rival = [&] { rival.advance(steps); },
                 .check = [&]() -> std::string {
                   return everywhere(std::ranges::equal(slab, rival.slab()))
                              ? ""
                              : "pleat and the rival have different cells";
                 }},
                repetitions);
}

}  // namespace

void compare_distributed_stencil(pleat::machine& machine, std::size_t dimensions, std::size_t n,
                                 std::size_t steps, std::size_t repetitions) {
  if (dimensions == 1)
    compare<1>(machine, n, steps, repetitions);
  else
    compare<2>(machine, n, steps, repetitions);
}

}  // namespace pleat::bench
