// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

namespace pleat::bench {

/// Binds the calling thread to one PU (operating-system index).
/// Throws: pleat::environment_error if the kernel refuses.
void pin_this_thread(unsigned pu);

/// Lets the calling thread, and threads it starts from now on, run on these PUs and no others.
/// Throws: pleat::environment_error if the kernel refuses.
void restrict_this_thread(std::span<const unsigned> pus);

/// Lets the calling thread run where the parent process may. libgomp binds the thread that loads it
/// to one PU when OMP_PROC_BIND is set, and this program is linked with it.
void allow_what_parent_may();

/// Calls body(i) on a thread of its own bound to pus[i], for every i, and waits for all.
///
/// Throws: the first exception a thread ended with, once all have ended; so a body that throws
/// while others wait for it must release them itself.
template <class Body> void on_pinned_threads(std::span<const unsigned> pus, const Body& body) {
  std::mutex lock;
  std::exception_ptr failure;
  {
    std::vector<std::jthread> threads;
    threads.reserve(pus.size());
    for (unsigned i = 0; i < pus.size(); ++i) {
      threads.emplace_back([&, i] {
        try {
          pin_this_thread(pus[i]);
          body(i);
        } catch (...) {
          const std::lock_guard hold(lock);
          if (!failure) failure = std::current_exception();
        }
      });
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace pleat::bench
