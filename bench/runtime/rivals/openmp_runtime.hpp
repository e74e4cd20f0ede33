// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace pleat::bench {

/// The barrier and the parallel regions of an OpenMP runtime, called by the entry points a compiler
/// would emit calls to.
///
/// Both runtimes are loaded by name and neither sees the other's symbols, so that libgomp and
/// libomp can be measured in one process whatever compiler built it. Their waiting policy comes
/// from the environment, which the parent of this process sets.
class openmp_runtime {
 public:
  /// Loads the library. Throws: pleat::environment_error if it cannot be loaded or lacks a symbol.
  openmp_runtime(const std::string& library, std::vector<unsigned> pus);
  openmp_runtime(const openmp_runtime&) = delete;
  openmp_runtime& operator=(const openmp_runtime&) = delete;
  virtual ~openmp_runtime() = default;

  template <class Body> void run(const Body& work) {
    run_erased([](void* context, unsigned thread) { (*static_cast<const Body*>(context))(thread); },
               const_cast<Body*>(&work));
  }

 protected:
  using body = void (*)(void* context, unsigned thread);

  struct region;  // what its threads share
  virtual void fork(region& shared) = 0;
  void run_erased(body call, void* context);
  /// Seconds per region of which each thread makes the call, after a tenth as many.
  [[nodiscard]] double time_erased(std::size_t regions, body call, void* context);

  /// Seconds per parallel region in which all of the team wait for each other once.
  template <class Team> [[nodiscard]] double time_regions_of(std::size_t regions) {
    return time_erased(
        regions, [](void* team, unsigned thread) { static_cast<Team*>(team)->wait(thread); },
        static_cast<Team*>(this));
  }

  template <class F> [[nodiscard]] F symbol(const char* name) const {
    return reinterpret_cast<F>(find(name));
  }
  // Ends the runtime's worker threads: with active waiting an idle team would go on spinning on
  // the processors the next candidate is measured on.
  void end_workers() const;

  std::vector<unsigned> pus_;

 private:
  [[nodiscard]] void* find(const char* name) const;

  std::string library_;
  void* handle_ = nullptr;
};

/// GCC's runtime.
class libgomp_team : public openmp_runtime {
 public:
  explicit libgomp_team(std::vector<unsigned> pus);

  void wait(unsigned) const { barrier_(); }
  [[nodiscard]] double time_regions(std::size_t n) { return time_regions_of<libgomp_team>(n); }

 private:
  void fork(region& shared) override;

  void (*barrier_)();
  void (*parallel_)(void (*)(void*), void*, unsigned, unsigned);
  int (*thread_number_)();
};

/// LLVM's runtime.
class libomp_team : public openmp_runtime {
 public:
  explicit libomp_team(std::vector<unsigned> pus);

  void wait(unsigned thread) const { barrier_(&location, global_ids_[thread].value); }
  [[nodiscard]] double time_regions(std::size_t n) { return time_regions_of<libomp_team>(n); }

  // The source position every entry point of libomp takes (kmp.h, ident_t).
  struct source_location {
    int reserved_1, flags, reserved_2, reserved_3;
    const char* text;
  };

 private:
  struct alignas(128) global_id {
    int value = 0;
  };
  void fork(region& shared) override;

  static source_location location;
  std::vector<global_id> global_ids_;
  void (*barrier_)(source_location*, int);
  void (*push_threads_)(source_location*, int, int);
  void (*fork_)(source_location*, int, void*, ...);
  int (*global_id_)(source_location*);
};

}  // namespace pleat::bench
