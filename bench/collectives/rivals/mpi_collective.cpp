// SPDX-License-Identifier: Apache-2.0
#include "mpi_collective.hpp"

#include <algorithm>
#include <mpi.h>

namespace pleat::bench {
namespace {

// A block has at least a page: MPI takes no null pointer as a buffer.
big_block block_for(std::size_t bytes) { return big_block(std::max<std::size_t>(bytes, 8)); }

}  // namespace

mpi_collective::mpi_collective(const collective_share& mine)
    : mine_(mine), input_(block_for(mine.input_bytes())), result_(block_for(mine.result_bytes())) {
  int before = 0;
  for (const std::size_t count : counts_of(mine.one, mine.ranks)) {
    counts_.push_back(static_cast<int>(count));
    begins_.push_back(before);
    before += counts_.back();
  }
}

std::span<std::byte> mpi_collective::input() const {
  return input_.bytes().first(mine_.input_bytes());
}
std::span<std::byte> mpi_collective::result() const {
  return result_.bytes().first(mine_.result_bytes());
}

void mpi_collective::perform() const {
  const MPI_Comm all = MPI_COMM_WORLD;
  const MPI_Datatype type = combines(mine_.one.what) ? MPI_DOUBLE : MPI_BYTE;
  const int total = begins_.back() + counts_.back();
  const int share = counts_[mine_.rank];
  void* const in = input_.bytes().data();
  void* const out = result_.bytes().data();
  switch (mine_.one.what) {
    case operation::broadcast:
      MPI_Bcast(mine_.rank == 0 ? in : out, total, type, 0, all);
      break;
    case operation::scatter:
      MPI_Scatter(in, share, type, out, share, type, 0, all);
      break;
    case operation::gather:
      MPI_Gather(in, share, type, out, share, type, 0, all);
      break;
    case operation::all_gather:
      MPI_Allgather(in, share, type, out, share, type, all);
      break;
    case operation::all_gather_v:
      MPI_Allgatherv(in, share, type, out, counts_.data(), begins_.data(), type, all);
      break;
    case operation::all_to_all:
      MPI_Alltoall(in, share, type, out, share, type, all);
      break;
    case operation::reduce:
      MPI_Reduce(in, out, total, type, MPI_SUM, 0, all);
      break;
    case operation::reduce_scatter:
      MPI_Reduce_scatter_block(in, out, share, type, MPI_SUM, all);
      break;
    case operation::reduce_scatter_v:
      MPI_Reduce_scatter(in, out, counts_.data(), type, MPI_SUM, all);
      break;
    case operation::all_reduce:
      MPI_Allreduce(in, out, total, type, MPI_SUM, all);
      break;
    case operation::scan:
      MPI_Scan(in, out, total, type, MPI_SUM, all);
      break;
  }
}

std::optional<std::string> mpi_collective::verify(std::uint64_t seed) const {
  prepare(seed);
  mine_.spoil(result());
  perform();
  return mine_.first_wrong(result(), seed);
}

}  // namespace pleat::bench
