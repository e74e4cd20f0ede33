// SPDX-License-Identifier: Apache-2.0
#include "persistent_calls.hpp"

#include <map>
#include <mutex>
#include <utility>

namespace pleat::preloaded {

namespace {

struct persistent_calls {
  std::mutex guard;
  std::map<MPI_Request, std::shared_ptr<running_call>> all;
};
persistent_calls& calls() {
  static auto& one = *new persistent_calls;  // NOLINT(cppcoreguidelines-owning-memory)
  return one;
}

}  // namespace

MPI_Request keep(std::shared_ptr<running_call> call) {
  const MPI_Request request = call->request().persistent();
  const std::lock_guard lock(calls().guard);
  calls().all[request] = std::move(call);
  kept_calls.store(true, std::memory_order_relaxed);
  return request;
}

int start(MPI_Request& request) noexcept {
  if (!any_kept()) return PMPI_Start(&request);
  std::shared_ptr<running_call> ours;
  {
    const std::lock_guard lock(calls().guard);
    const auto at = calls().all.find(request);
    if (at != calls().all.end()) ours = at->second;
  }
  const int code = PMPI_Start(&request);
  if (ours != nullptr && code == MPI_SUCCESS) running_call::start(ours);
  return code;
}

void forget(MPI_Request request) noexcept {
  if (!any_kept()) return;
  std::shared_ptr<running_call> last;  // freed without the lock
  const std::lock_guard lock(calls().guard);
  const auto at = calls().all.find(request);
  if (at == calls().all.end()) return;
  last = std::move(at->second);
  calls().all.erase(at);
}

}  // namespace pleat::preloaded
