// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mpi.h>

#include "communicator/communicator.hpp"
#include "communicator/meeting.hpp"
#include "errors/errors.hpp"
#include "running/persistent_calls.hpp"
#include "running/running_call.hpp"
#include "running/task.hpp"
#include "settings/tally.hpp"

// The three forms of a collective call. Each knows the call of the MPI's own function, own(), and
// has perform(what, comm, plan_of): plan_of(communicator) makes the work of the call, which is
// carried out here; if it is none, own() carries it out. Errors reach the communicator's error
// handler, as the MPI's do.
namespace pleat::preloaded {

/// Performs a call: ours() carries it out, or returns false before it has sent anything; then
/// own(), the MPI's, carries it out.
template <class Ours, class Own>
int interposed(operation what, MPI_Comm comm, const Ours& ours, const Own& own) {
  try {
    const bool carried_out = ours();
    count_call(what, carried_out);
    if (carried_out) return MPI_SUCCESS;
    const int code = own();
    // Other ranks may have carried it out here, if the arguments of this one are wrong.
    if (code != MPI_SUCCESS) communicator::keep_tags(comm);
    return code;
  } catch (...) {
    communicator::keep_tags(comm);
    return report_exception(comm);
  }
}

/// Call that returns when it is done. Ranks meet before the MPI carries it out.
template <class Own> struct blocking {
  Own own;

  template <class PlanOf> int perform(operation what, MPI_Comm comm, const PlanOf& plan_of) const {
    return interposed(
        what, comm,
        [&] {
          communicator* const on = communicator::of(comm);
          if (on == nullptr) return false;
          const quiet_requests until_done;
          const plan work = plan_of(*on);
          if (work) on->complete(work());
          return static_cast<bool>(work);
        },
        [&] {
          meet(comm);
          return own();
        });
  }
};
template <class Own> blocking(Own) -> blocking<Own>;

/// Performs a call that returns a request: request_of(call) gives it the request.
template <class PlanOf, class RequestOf, class Own>
int requested(operation what, MPI_Comm comm, const PlanOf& plan_of, MPI_Request* request,
              const RequestOf& request_of, const Own& own) {
  return interposed(
      what, comm,
      [&] {
        auto on = communicator::not_blocking(comm);
        if (on == nullptr) return false;
        plan work = plan_of(*on);
        if (!work) return false;
        *request = request_of(std::make_shared<running_call>(std::move(on), std::move(work)));
        return true;
      },
      own);
}

/// Call that returns a request.
template <class Own> struct non_blocking {
  MPI_Request* request;
  Own own;

  template <class PlanOf> int perform(operation what, MPI_Comm comm, const PlanOf& plan_of) const {
    return requested(
        what, comm, plan_of, request,
        [&](const std::shared_ptr<running_call>& call) {
          call->on().take_number();
          const MPI_Request made = call->request().active();
          running_call::start(call);
          return made;
        },
        own);
  }
};
template <class Own> non_blocking(MPI_Request*, Own) -> non_blocking<Own>;

/// Call that returns a request that is started later, any number of times.
template <class Own> struct persistent {
  MPI_Request* request;
  Own own;

  template <class PlanOf> int perform(operation what, MPI_Comm comm, const PlanOf& plan_of) const {
    return requested(
        what, comm, plan_of, request,
        [&](std::shared_ptr<running_call> call) { return keep(what, comm, std::move(call)); }, own);
  }
};
template <class Own> persistent(MPI_Request*, Own) -> persistent<Own>;

}  // namespace pleat::preloaded
