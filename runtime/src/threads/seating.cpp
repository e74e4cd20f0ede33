// SPDX-License-Identifier: Apache-2.0
#include "threads/seating.hpp"

#include <exception>

namespace pleat::detail {

void seating::take_seat(std::size_t thread) const {
  switch (how_) {
    case hold::pinned:
      return bind_this_thread(thread, pus_[thread]);
    case hold::kept:
      return move_this_thread(thread, pus_[thread], rest_);
    case hold::free:
      return;
  }
}

void seating::go_back(std::size_t thread) const noexcept {
  try {
    // Somebody may have restricted the whole process meanwhile.
    const affinity now = affinity::current();
    if (now.includes(pus_[thread])) move_this_thread(thread, pus_[thread], now);
  } catch (const std::exception&) {
    // The cpuset has changed meanwhile, and with it where the kernel lets the thread be.
  }
}

}  // namespace pleat::detail
