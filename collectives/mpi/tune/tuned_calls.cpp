// SPDX-License-Identifier: Apache-2.0
#include "tuned_calls.hpp"

#include <algorithm>

namespace pleat::preloaded {

tuned_call::tuned_call(operation what, std::size_t bytes, MPI_Comm comm)
    : what_(what), comm_(comm) {
  int ranks = 0, rank = 0;
  PMPI_Comm_size(comm, &ranks);
  PMPI_Comm_rank(comm, &rank);
  const auto p = static_cast<std::size_t>(ranks);
  const std::size_t all = std::max<std::size_t>(bytes / sizeof(double), 1);
  const bool in_parts = what == operation::allgather || what == operation::allgatherv ||
                        what == operation::reduce_scatter ||
                        what == operation::reduce_scatter_block || what >= operation::alltoall;
  const std::size_t each = in_parts ? (all + p - 1) / p : all;
  count_ = static_cast<int>(each);
  counts_.assign(p, count_);
  for (std::size_t r = 0; r < p; ++r) {
    if (what == operation::allgatherv || what == operation::reduce_scatter || sized_by_root(what)) {
      counts_[r] = r % 2 == 1 ? 0 : (r + 1 < p ? 2 : 1) * count_;
    } else if (what == operation::alltoallv || what == operation::alltoallw) {
      counts_[r] = (r + static_cast<std::size_t>(rank)) % 2 == 1 ? 0 : 2 * count_;
    }
  }
  places_.assign(p, 0);
  for (std::size_t r = 1; r < p; ++r) places_[r] = places_[r - 1] + counts_[r - 1];
  for (const int place : places_) bytes_before_.push_back(place * static_cast<int>(sizeof(double)));
  types_.assign(p, MPI_DOUBLE);
  const std::size_t total =
      in_parts ? static_cast<std::size_t>(places_.back() + counts_.back()) : all;
  in_.assign(total, 0.0);
  for (std::size_t i = 0; i < total; ++i) in_[i] = static_cast<double>((i + 3) * (rank + 1) % 97);
  out_.assign(total, 0.0);
}

void tuned_call::perform(const collective_calls& by) {
  int rank = 0;
  PMPI_Comm_rank(comm_, &rank);
  double* const in = in_.data();
  double* const out = out_.data();
  const int* const counts = counts_.data();
  const int* const places = places_.data();
  const int own = counts_[static_cast<std::size_t>(rank)];
  switch (what_) {
    case operation::bcast:
      by.bcast(rank == 0 ? in : out, count_, MPI_DOUBLE, 0, comm_);
      break;
    case operation::allgather:
      by.allgather(in, count_, MPI_DOUBLE, out, count_, MPI_DOUBLE, comm_);
      break;
    case operation::allgatherv:
      by.allgatherv(in, own, MPI_DOUBLE, out, counts, places, MPI_DOUBLE, comm_);
      break;
    case operation::reduce:
      by.reduce(in, out, count_, MPI_DOUBLE, MPI_SUM, 0, comm_);
      break;
    case operation::allreduce:
      by.allreduce(in, out, count_, MPI_DOUBLE, MPI_SUM, comm_);
      break;
    case operation::reduce_scatter:
      by.reduce_scatter(in, out, counts, MPI_DOUBLE, MPI_SUM, comm_);
      break;
    case operation::reduce_scatter_block:
      by.reduce_scatter_block(in, out, count_, MPI_DOUBLE, MPI_SUM, comm_);
      break;
    case operation::scan:
      by.scan(in, out, count_, MPI_DOUBLE, MPI_SUM, comm_);
      break;
    case operation::exscan:
      by.exscan(in, out, count_, MPI_DOUBLE, MPI_SUM, comm_);
      break;
    case operation::alltoall:
      by.alltoall(in, count_, MPI_DOUBLE, out, count_, MPI_DOUBLE, comm_);
      break;
    case operation::alltoallv:
      by.alltoallv(in, counts, places, MPI_DOUBLE, out, counts, places, MPI_DOUBLE, comm_);
      break;
    case operation::alltoallw:
      by.alltoallw(in, counts, bytes_before_.data(), types_.data(), out, counts,
                   bytes_before_.data(), types_.data(), comm_);
      break;
    case operation::gather:
      by.gather(in, count_, MPI_DOUBLE, out, count_, MPI_DOUBLE, 0, comm_);
      break;
    case operation::gatherv:
      by.gatherv(in, own, MPI_DOUBLE, out, counts, places, MPI_DOUBLE, 0, comm_);
      break;
    case operation::scatter:
      by.scatter(in, count_, MPI_DOUBLE, out, count_, MPI_DOUBLE, 0, comm_);
      break;
    case operation::scatterv:
      by.scatterv(in, counts, places, MPI_DOUBLE, out, own, MPI_DOUBLE, 0, comm_);
      break;
  }
}

bool tuned_call::agree(const collective_calls& a, const collective_calls& b) {
  std::ranges::fill(out_, -1.0);
  perform(a);
  const std::vector<double> expected = out_;
  std::ranges::fill(out_, -1.0);
  perform(b);
  // The summands are small whole numbers, so that their sum is the same in every order.
  int same = out_ == expected ? 1 : 0, all_same = 0;
  PMPI_Allreduce(&same, &all_same, 1, MPI_INT, MPI_MIN, comm_);
  return all_same == 1;
}

}  // namespace pleat::preloaded
