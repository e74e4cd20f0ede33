// SPDX-License-Identifier: Apache-2.0
#include "running/persistent_calls.hpp"

#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "engines/engines.hpp"

namespace pleat::preloaded {

namespace {

struct persistent_calls {
  std::mutex guard;
  std::map<MPI_Request, std::shared_ptr<running_call>> all;
};
persistent_calls& kept() {
  static auto& one = *new persistent_calls;  // NOLINT(cppcoreguidelines-owning-memory)
  return one;
}

/// Call that tells tags; when it has ended, well or not, they are known.
struct telling {
  explicit telling(std::shared_ptr<told_tags> all) : tags(std::move(all)) {}
  telling(const telling&) = delete;
  telling& operator=(const telling&) = delete;
  ~telling() { tags->set_known(); }
  std::shared_ptr<told_tags> tags;
};

void tell(operation what, std::unique_ptr<communicator> by, std::shared_ptr<told_tags> tags) {
  const auto told = std::make_shared<telling>(std::move(tags));
  plan work = [&on = *by, what, told]() -> task {
    std::vector<part> entries;
    for (int& tag : told->tags->entries())
      entries.push_back({reinterpret_cast<std::byte*>(&tag), sizeof tag});
    const task telling_all = all_broadcast(on, what, entries, 1);
    co_await telling_all;
  };
  by->take_number();
  running_call::start(std::make_shared<running_call>(std::move(by), std::move(work), false));
}

}  // namespace

MPI_Request keep(operation what, MPI_Comm comm, std::shared_ptr<running_call> call) {
  tell(what, communicator::not_blocking(comm), call->on().take_own_tags());
  const MPI_Request request = call->request().persistent();
  const std::lock_guard lock(kept().guard);
  kept().all[request] = std::move(call);
  kept_calls.store(true, std::memory_order_relaxed);
  return request;
}

int start(MPI_Request& request) noexcept {
  if (!any_kept()) return PMPI_Start(&request);
  std::shared_ptr<running_call> ours;
  {
    const std::lock_guard lock(kept().guard);
    const auto at = kept().all.find(request);
    if (at != kept().all.end()) ours = at->second;
  }
  const int code = PMPI_Start(&request);
  if (ours != nullptr && code == MPI_SUCCESS) running_call::start(ours);
  return code;
}

void forget(MPI_Request request) noexcept {
  if (!any_kept()) return;
  std::shared_ptr<running_call> last;  // freed without the lock
  const std::lock_guard lock(kept().guard);
  const auto at = kept().all.find(request);
  if (at == kept().all.end()) return;
  last = std::move(at->second);
  kept().all.erase(at);
}

}  // namespace pleat::preloaded
