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
      return;  // they are where the kernel, or their owner, has put them
  }
}

void worker_affinity::move_back(std::size_t worker) const noexcept {
  try {
    // The application may have restricted the whole process meanwhile.
    const affinity now = affinity::current();
    if (now.includes(pus_[worker])) move_this_thread(worker, pus_[worker], now);
  } catch (const std::exception&) {
    // The cpuset has changed meanwhile, and with it where the kernel lets the thread be.
  }
}

}  // namespace pleat::detail
