// SPDX-License-Identifier: Apache-2.0
#include "mpi_session.hpp"

#include <pleat/runtime/error.hpp>

#include "measure/child_process.hpp"
#include "pleat_rivals_linked.hpp"

namespace pleat::bench {

template <class Attempt> auto mpi_session::attempt(const Attempt& what) {
  try {
    return what();
  } catch (const environment_error& failure) {
    lost_ = failure.what();
    rival_.reset();
    throw;
  }
}

mpi_session::mpi_session(std::string_view rival, std::span<const unsigned> pus) : name_(rival) {
  try {
    attempt([&] {
      const bool open = name_ == "openmpi";
      const mpi_launch how{open ? mpi_launch::kind::openmpi : mpi_launch::kind::mpich,
                           open ? PLEAT_OPENMPI_LAUNCHER : PLEAT_MPICH_LAUNCHER,
                           companion_program("pleat-rival-" + name_)};
      rival_ = std::make_unique<mpi_rival>(how, pus);
    });
  } catch (const environment_error&) {  // lost() has it
  }
}

void mpi_session::verify(const collective& one) {
  attempt([&] { rival_->verify(one); });
}

std::vector<double> mpi_session::time(const collective& one, std::size_t repetitions) {
  return attempt([&] { return rival_->time(one, repetitions); });
}

}  // namespace pleat::bench
