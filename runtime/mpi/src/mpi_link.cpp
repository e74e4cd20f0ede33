// SPDX-License-Identifier: Apache-2.0
#include "mpi_link.hpp"

#include <cstdio>
#include <utility>

#include <pleat/runtime/error.hpp>

#include "check.hpp"
#include "communicator.hpp"
#include "processes/process_group.hpp"

namespace pleat::mpi {

mpi_link::mpi_link(std::shared_ptr<communicator_state> of) : mpi_link(of, of->take()) {}

mpi_link::mpi_link(std::shared_ptr<communicator_state> of, std::unique_ptr<traffic> what)
    : link(rank_in(what->processes()), size_of(what->processes())),
      of_(std::move(of)),
      traffic_(std::move(what)) {
  if (traffic_->cost) set_cost(*traffic_->cost);
}

bool mpi_link::is_open() const noexcept {
  int finalized = 0;
  MPI_Finalized(&finalized);
  return finalized == 0;
}

mpi_link::~mpi_link() {
  if (!is_open()) {
    if (self() == 0) {
      std::fputs(
          "pleat: a machine over ranks was destroyed after MPI_Finalize: destroy it before, "
          "for instance at the end of a block around it\n",
          stderr);
    }
    static_cast<void>(traffic_.release());  // nobody can say what is under way
    return;
  }
  detail::process_group::part(*this);
  traffic_->cost = cost();
  traffic_->begin_to_leave();
  of_->give_back(std::move(traffic_));
}

void mpi_link::enter() {
  if (!is_open()) throw usage_error(while_mpi_lasts);
  int level = MPI_THREAD_SINGLE, main = 0;
  MPI_Query_thread(&level);
  MPI_Is_thread_main(&main);
  if (level == MPI_THREAD_FUNNELED && main == 0) {
    throw usage_error(
        "a machine over ranks is used by the thread that has initialised MPI: call run there, or "
        "initialise MPI with MPI_THREAD_SERIALIZED");
  }
}

void mpi_link::post(std::size_t to, std::span<detail::byte_buffer* const> parts,
                    std::span<enclosure> beside) {
  traffic_->post(to, parts, beside);
}

void mpi_link::take_back_loans() noexcept { traffic_->take_back_loans(); }

void mpi_link::recycle(arrival&& from) noexcept { traffic_->recycle(std::move(from)); }

std::optional<detail::link::arrival> mpi_link::poll() { return traffic_->poll(); }

}  // namespace pleat::mpi
