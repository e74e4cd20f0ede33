// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <sys/types.h>

#include <pleat/runtime/detail/threads.hpp>

// Objects of a process, made when they are first needed. A function's static variable is not for
// these: a child that is forked while another thread makes it, or has its lock, would wait for ever
// for a thread that it does not have. None is ever destroyed, because destructors of static objects
// may need them.
namespace pleat::detail {

/// An object that does not change. A child has its parent's, if that was ready at the fork.
///
/// Thread safety: all of it. Threads that ask for it at the same time may each make one; all get
/// the same.
template <class T> class made_once {
 public:
  constexpr made_once() = default;

  /// Throws: what make() throws; the next call tries again.
  template <class Make> const T& get(const Make& make) {
    // Pairs with the release of the exchange below, or an earlier one.
    const T* known = object_.load(std::memory_order_acquire);
    if (known != nullptr) return *known;
    auto made = std::make_unique<const T>(make());
    if (object_.compare_exchange_strong(known, made.get(), std::memory_order_acq_rel))
      return *made.release();
    return *known;
  }

 private:
  std::atomic<const T*> object_{nullptr};
};

/// An object that changes, such as a lock and what it guards. A child has one of its own: its
/// parent's may be locked, or half changed, by a thread that the child does not have.
///
/// Thread safety: all of it. The object is made without arguments; its own thread safety is its
/// own.
template <class T> class each_process {
 public:
  constexpr each_process() = default;

  T& get() {
    const pid_t process = this_process();
    // Acquire and release: whoever sees the object sees what its constructor wrote.
    owned* found = current_.load(std::memory_order_acquire);
    while (found == nullptr || found->process != process) {
      auto made = std::make_unique<owned>(process);
      if (current_.compare_exchange_strong(found, made.get(), std::memory_order_acq_rel))
        found = made.release();
    }
    return found->object;
  }

 private:
  struct owned {
    explicit owned(pid_t of) : process(of) {}

    const pid_t process;
    T object;
  };
  std::atomic<owned*> current_{nullptr};
};

}  // namespace pleat::detail
