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

/// The set of PUs on which a thread may run, as the kernel keeps it; for any number of PUs. For up
/// to 1024 PUs it allocates nothing: a thread that checks where it is must not fail for lack of
/// memory.
class PLEAT_API affinity {
 public:
  /// Reads the set of a thread of this process, 0 for the calling one, from the kernel. If the
  /// kernel refuses, as in some containers, the set has all PUs. Throws environment_error.
  [[nodiscard]] static affinity current(pid_t thread = 0);
  /// Tells whether the kernel reports affinities and allows changes. Cost: two system calls for the
  /// first call in a process.
  [[nodiscard]] static bool can_change() noexcept;
  [[nodiscard]] static affinity only(unsigned pu);
  [[nodiscard]] static affinity of(std::span<const unsigned> pus);
  /// Reads the set of that thread into this object, which allocates if it has more PUs than fit.
  void read(pid_t thread);

  /// Sets the affinity of that thread. Throws environment_error with the kernel's reason.
  void apply(pid_t thread = 0) const;
  /// Sets it again, unless the cpuset has changed meanwhile and the kernel has moved the thread.
  void restore(pid_t thread = 0) const noexcept {
    static_cast<void>(::sched_setaffinity(thread, bytes_, set()));
  }
  [[nodiscard]] std::vector<unsigned> pus() const;
  [[nodiscard]] bool includes(unsigned pu) const noexcept { return CPU_ISSET_S(pu, bytes_, set()); }
  [[nodiscard]] bool is_only(unsigned pu) const noexcept {
    return CPU_COUNT_S(bytes_, set()) == 1 && includes(pu);
  }
  friend bool operator==(const affinity& a, const affinity& b) { return a.pus() == b.pus(); }

 private:
  /// Makes an empty set.
  explicit affinity(std::size_t pus);
  /// Returns false if the kernel refuses. Throws environment_error.
  bool try_read(pid_t thread);

  [[nodiscard]] cpu_set_t* set() noexcept { return more_ ? more_.get() : &few_; }
  [[nodiscard]] const cpu_set_t* set() const noexcept { return more_ ? more_.get() : &few_; }

  struct deleter {
    void operator()(cpu_set_t* set) const noexcept { CPU_FREE(set); }
  };
  cpu_set_t few_;
  std::unique_ptr<cpu_set_t, deleter> more_;  // used instead, if the PUs do not fit
  std::size_t bytes_;
};

/// Binds the calling thread, worker `worker` of a machine, to a PU, and checks the result. Throws
/// environment_error.
void bind_this_thread(std::size_t worker, unsigned pu);
/// Moves the calling thread to a PU in the same way, and then lets it run on all of `rest`.
void move_this_thread(std::size_t worker, unsigned pu, const affinity& rest);
/// Throws the error of a worker that was bound to this PU and may run on others.
[[noreturn]] void not_bound(std::size_t worker, unsigned pu, const affinity& instead);

/// Restores, on destruction, the affinity that the calling thread had on construction.
class PLEAT_API affinity_scope {
 public:
  affinity_scope() : before_(affinity::current()) {}
  ~affinity_scope() { before_.restore(); }
  affinity_scope(const affinity_scope&) = delete;
  affinity_scope& operator=(const affinity_scope&) = delete;

 private:
  affinity before_;
};

/// Returns the PUs that this process may use by its affinity. A single thread may have fewer: an
/// application, or its OpenMP, binds threads one by one. The result is the affinity of the main
/// thread when this library was loaded; if OpenMP had bound that thread to one of its places
/// before, it is the union of the places. Throws: environment_error.
[[nodiscard]] affinity process_affinity();

// Queries of other parallel runtimes in this process. The references to their functions are weak,
// so that Pleat does not have to be linked with them.

/// Tells whether the calling thread is inside a parallel region of OpenMP with several threads, or
/// inside a task of oneTBB. Other threads then work at the same time on the cores that a machine
/// would use. Cost: some ns.
[[nodiscard]] bool in_foreign_region() noexcept;

/// Returns the PUs of each place of OpenMP. Empty if no OpenMP runtime is linked, or if its
/// environment variables bind no threads.
[[nodiscard]] std::vector<std::vector<unsigned>> openmp_places();

}  // namespace pleat::detail
