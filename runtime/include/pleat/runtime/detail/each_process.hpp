// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <sys/types.h>

#include <pleat/runtime/detail/threads.hpp>

// Objects of a process, made when they are first needed. Static variables of functions do not
// serve: if a child is forked while another thread initialises one, or holds its lock, the child
// would wait for ever for a thread that it does not have. The objects are never destroyed, because
// destructors of static objects may need them.
namespace pleat::detail {

/// Constant object of a process. A forked child has its parent's object, if that was made before
/// the fork.
///
/// Thread safety: all calls. Threads that call get() at the same time may each make an object; all
/// get the same one.
template <class T> class made_once {
 public:
  constexpr made_once() = default;

  /// Throws: what make() throws; the next call tries again.
  template <class Make> const T& get(const Make& make) {
    // acquire: pairs with the release of the exchange below, or of an earlier one
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

/// Mutable object of a process, such as a lock and the data it guards. A forked child has an object
/// of its own: its parent's may be locked, or half changed, by a thread that the child does not
/// have.
///
/// Thread safety: all calls. The object is default constructed, and has to provide its own thread
/// safety.
template <class T> class each_process {
 public:
  constexpr each_process() = default;

  T& get() {
    const pid_t process = this_process();
    // acquire: pairs with the release of the exchange that published the object
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
