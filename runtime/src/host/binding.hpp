// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <cstddef>
#include <memory>
#include <sched.h>
#include <span>
#include <sys/types.h>
#include <vector>

namespace pleat::detail {

/// The set of PUs a thread may run on, as the kernel keeps it; for any number of PUs. Up to 1024 of
/// them it takes no memory: a thread that looks where it is must not fail for want of some.
class PLEAT_API affinity {
 public:
  /// Reads the set of a thread of this process, 0 for the calling one, back from the kernel; all
  /// PUs where that refuses to tell, as in some containers. Throws environment_error.
  [[nodiscard]] static affinity current(pid_t thread = 0);
  /// Tells whether the kernel tells affinities and lets them be changed. Cost: two system calls,
  /// the first time in a process.
  [[nodiscard]] static bool can_change() noexcept;
  [[nodiscard]] static affinity only(unsigned pu);
  [[nodiscard]] static affinity of(std::span<const unsigned> pus);
  /// Reads that thread's set into this object, which takes memory if it has more PUs than fit.
  void read(pid_t thread);

  /// Makes it that thread's. Throws environment_error with the kernel's reason.
  void apply(pid_t thread = 0) const;
  [[nodiscard]] std::vector<unsigned> pus() const;
  [[nodiscard]] bool includes(unsigned pu) const noexcept { return CPU_ISSET_S(pu, bytes_, set()); }
  [[nodiscard]] bool is_only(unsigned pu) const noexcept {
    return CPU_COUNT_S(bytes_, set()) == 1 && includes(pu);
  }
  friend bool operator==(const affinity& a, const affinity& b) { return a.pus() == b.pus(); }

 private:
  /// The empty one.
  explicit affinity(std::size_t pus);
  /// Returns false where the kernel refuses to tell. Throws environment_error.
  bool try_read(pid_t thread);

  [[nodiscard]] cpu_set_t* set() noexcept { return more_ ? more_.get() : &few_; }
  [[nodiscard]] const cpu_set_t* set() const noexcept { return more_ ? more_.get() : &few_; }

  struct deleter {
    void operator()(cpu_set_t* set) const noexcept { CPU_FREE(set); }
  };
  cpu_set_t few_;
  std::unique_ptr<cpu_set_t, deleter> more_;  // instead, if they do not fit
  std::size_t bytes_;
};

/// Binds the calling thread to a PU as that worker of a machine, and looks at what the kernel made
/// of it. Throws environment_error.
PLEAT_API void bind_this_thread(std::size_t worker, unsigned pu);
/// Moves it there in the same way, and lets it run on all of `rest` from then on.
PLEAT_API void move_this_thread(std::size_t worker, unsigned pu, const affinity& rest);
/// The error of a worker that was bound to this PU and may run on others.
[[noreturn]] PLEAT_API void not_bound(std::size_t worker, unsigned pu, const affinity& instead);

/// Restores, at its end, the affinity that the calling thread had at its beginning.
class PLEAT_API affinity_scope {
 public:
  affinity_scope() : before_(affinity::current()) {}
  ~affinity_scope();
  affinity_scope(const affinity_scope&) = delete;
  affinity_scope& operator=(const affinity_scope&) = delete;

 private:
  affinity before_;
};

}  // namespace pleat::detail
