// SPDX-License-Identifier: Apache-2.0
#include "node.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/placement.hpp>
#include <pleat/runtime/topology.hpp>

#include "check.hpp"
#include "host/binding.hpp"
#include "machine/environment.hpp"

namespace pleat::mpi {

node::node(MPI_Comm all) {
  check(MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm_));
  int rank = 0, size = 1;
  check(MPI_Comm_rank(comm_, &rank));
  check(MPI_Comm_size(comm_, &size));
  rank_ = static_cast<std::size_t>(rank);
  size_ = static_cast<std::size_t>(size);
}

node::~node() { MPI_Comm_free(&comm_); }

MPI_Comm node::side_by_side(MPI_Comm all) const {
  int rank = 0, size = 1;
  check(MPI_Comm_rank(all, &rank));
  check(MPI_Comm_size(all, &size));
  int first = rank;  // of this node
  check(MPI_Bcast(&first, 1, MPI_INT, 0, comm_));
  std::vector<int> first_of(static_cast<std::size_t>(size));  // [rank]: of its node
  check(MPI_Allgather(&first, 1, MPI_INT, first_of.data(), 1, MPI_INT, all));
  int position = 0;
  for (int other = 0; other < size; ++other) {
    const auto its = std::pair(first_of[static_cast<std::size_t>(other)], other);
    position += its < std::pair(first, rank);
  }
  MPI_Comm ordered = MPI_COMM_NULL;
  check(MPI_Comm_split(all, 0, position, &ordered));
  return ordered;
}

bool node::overlaps(const topology& machine) const {
  unsigned pus = 0;
  for (const processing_unit& unit : machine.units()) pus = std::max(pus, unit.pu + 1);
  check(MPI_Allreduce(MPI_IN_PLACE, &pus, 1, MPI_UNSIGNED, MPI_MAX, comm_));
  std::vector<int> users(pus);
  for (const processing_unit& unit : machine.units()) users[unit.pu] = unit.allowed ? 1 : 0;
  check(MPI_Allreduce(MPI_IN_PLACE, users.data(), static_cast<int>(pus), MPI_INT, MPI_SUM, comm_));
  return std::any_of(users.begin(), users.end(), [](int count) { return count > 1; });
}

void node::divide_cores(machine_options& options, bool shared) const {
  if (!shared || options.place || std::getenv("PLEAT_PLACE") != nullptr) return;
  const placement cores = place(*options.topology);
  const std::size_t count = cores.processors.size();
  interval<std::size_t> mine = interval<std::size_t>{0, count}.share(rank_, size_);
  if (count < size_) {  // some cores have several processes
    const std::size_t core = rank_ * count / size_;
    mine = {core, core + 1};
    if (!options.wait && std::getenv("PLEAT_WAIT") == nullptr) options.wait = wait_policy::park;
  }
  if (!options.workers && !detail::environment::pin() && !detail::affinity::can_change()) {
    // The kernel places the workers of this share.
    if (!options.processors && !options.trace) {
      options.processors =
          detail::environment::processors().value_or(static_cast<unsigned>(mine.size()));
    }
    return;
  }
  placement_request share{.how = placement_request::policy::list};
  for (std::size_t i = mine.first; i < mine.last; ++i) share.list.push_back(cores.processors[i].pu);
  options.place = std::move(share);
}

}  // namespace pleat::mpi
