// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <sched.h>
#include <vector>

namespace pleat::detail {

/// The set of PUs a thread may run on, as the kernel keeps it; for any number of PUs.
class affinity {
 public:
  /// Of the calling thread, read back from the kernel. Throws environment_error.
  [[nodiscard]] static affinity current();
  [[nodiscard]] static affinity only(unsigned pu);

  /// Makes it the calling thread's. Throws environment_error with the kernel's reason.
  void apply() const;
  [[nodiscard]] std::vector<unsigned> pus() const;
  friend bool operator==(const affinity& a, const affinity& b) { return a.pus() == b.pus(); }

 private:
  explicit affinity(int cpus);

  struct deleter {
    void operator()(cpu_set_t* set) const noexcept { CPU_FREE(set); }
  };
  std::unique_ptr<cpu_set_t, deleter> set_;
  std::size_t bytes_;
};

/// Restores, at its end, the affinity that the calling thread had at its beginning.
class affinity_scope {
 public:
  affinity_scope() : before_(affinity::current()) {}
  ~affinity_scope();
  affinity_scope(const affinity_scope&) = delete;
  affinity_scope& operator=(const affinity_scope&) = delete;

 private:
  affinity before_;
};

}  // namespace pleat::detail
