// SPDX-License-Identifier: Apache-2.0
#include "threads/worker_affinity.hpp"

#include <exception>

namespace pleat::detail {

void worker_affinity::apply(std::size_t worker) const {
  switch (how_) {
    case workers::bound:
      return bind_this_thread(worker, pus_[worker]);
    case workers::kept:
      return move_this_thread(worker, pus_[worker], rest_);
    case workers::free:
    case workers::borrowed:
      return;  // the kernel, or their owner, places them
  }
}

void worker_affinity::move_back(std::size_t worker) const noexcept {
  try {
    // The application may have restricted the whole process meanwhile.
    const affinity now = affinity::current();
    if (now.includes(pus_[worker])) move_this_thread(worker, pus_[worker], now);
  } catch (const std::exception&) {
    // The cpuset has changed meanwhile, and so have the PUs on which the thread may run.
  }
}

}  // namespace pleat::detail
