// SPDX-License-Identifier: Apache-2.0
#include "openmp_runtime.hpp"

#include <dlfcn.h>
#include <exception>
#include <mutex>
#include <thread>

#include <pleat/runtime/error.hpp>

#include "host/binding.hpp"
#include "measure/clock.hpp"
#include "pleat_rivals_linked.hpp"

namespace pleat::bench {
namespace {

// Regions run, and the libraries are loaded, on a thread of its own: a runtime binds the thread
// that enters a region (libgomp already the one that loads it), and threads started from there
// later would inherit that.
template <class F> void on_own_thread(const F& enter) {
  std::exception_ptr failure;
  std::jthread([&] {
    try {
      enter();
    } catch (...) {
      failure = std::current_exception();
    }
  }).join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace

// Exceptions must not leave an OpenMP region.
struct openmp_runtime::region {
  body call;
  void* context;
  const std::vector<unsigned>* pus;
  bool pins = true;  // each thread to its place: once for a team
  std::mutex lock = {};
  std::exception_ptr failure = {};

  void enter(unsigned thread) noexcept {
    try {
      if (pins) detail::affinity::only(pus->at(thread)).apply();
      call(context, thread);
    } catch (...) {
      const std::lock_guard hold(lock);
      if (!failure) failure = std::current_exception();
    }
  }
};

void openmp_runtime::run_erased(body call, void* context) {
  region shared{call, context, &pus_};
  on_own_thread([&] {
    fork(shared);
    end_workers();
  });
  if (shared.failure) std::rethrow_exception(shared.failure);
}

double openmp_runtime::time_erased(std::size_t regions, body call, void* context) {
  region shared{call, context, &pus_};
  double seconds = 0;
  on_own_thread([&] {
    fork(shared);
    shared.pins = false;
    for (std::size_t i = 0; i < regions / 10; ++i) fork(shared);
    const auto start = benchmark_clock::now();
    for (std::size_t i = 0; i < regions; ++i) fork(shared);
    seconds = seconds_since(start);
    end_workers();
  });
  if (shared.failure) std::rethrow_exception(shared.failure);
  return seconds / static_cast<double>(regions);
}

openmp_runtime::openmp_runtime(const std::string& library, std::vector<unsigned> pus)
    : pus_(std::move(pus)), library_(library) {
  on_own_thread([&] {
    handle_ = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ != nullptr) return;
    const char* reason = ::dlerror();
    throw environment_error("cannot load " + library + ": " + (reason ? reason : "unknown") +
                            "; configure the build again to look for the rivals anew");
  });
}

void* openmp_runtime::find(const char* name) const {
  void* address = ::dlsym(handle_, name);
  if (address == nullptr)
    throw environment_error(library_ + " has no " + name +
                            "; install a newer OpenMP runtime or leave this rival out");
  return address;
}

void openmp_runtime::end_workers() const {
  constexpr int hard = 2;  // omp_pause_hard
  static_cast<void>(symbol<int (*)(int)>("omp_pause_resource_all")(hard));
}

libgomp_team::libgomp_team(std::vector<unsigned> pus)
    : openmp_runtime(PLEAT_LIBGOMP, std::move(pus)),
      barrier_(symbol<void (*)()>("GOMP_barrier")),
      parallel_(symbol<void (*)(void (*)(void*), void*, unsigned, unsigned)>("GOMP_parallel")),
      thread_number_(symbol<int (*)()>("omp_get_thread_num")) {}

void libgomp_team::fork(region& shared) {
  struct entered {
    region* shared;
    int (*thread_number)();
  } given{&shared, thread_number_};
  parallel_(
      [](void* data) {
        const auto& mine = *static_cast<entered*>(data);
        mine.shared->enter(static_cast<unsigned>(mine.thread_number()));
      },
      &given, static_cast<unsigned>(pus_.size()), 0);
}

constexpr int called_by_compiler = 2;  // KMP_IDENT_KMPC
libomp_team::source_location libomp_team::location{0, called_by_compiler, 0, 0,
                                                   ";pleat-rivals;barrier;0;0;;"};

libomp_team::libomp_team(std::vector<unsigned> pus)
    : openmp_runtime(PLEAT_LIBOMP, std::move(pus)),
      global_ids_(pus_.size()),
      barrier_(symbol<void (*)(source_location*, int)>("__kmpc_barrier")),
      push_threads_(symbol<void (*)(source_location*, int, int)>("__kmpc_push_num_threads")),
      fork_(symbol<void (*)(source_location*, int, void*, ...)>("__kmpc_fork_call")),
      global_id_(symbol<int (*)(source_location*)>("__kmpc_global_thread_num")) {}

void libomp_team::fork(region& shared) {
  // Every thread of the region: its place in the team, its arguments.
  auto microtask = [](int* global, int* thread, void* data, void* ids) {
    const auto mine = static_cast<unsigned>(*thread);
    static_cast<global_id*>(ids)[mine].value = *global;
    static_cast<region*>(data)->enter(mine);
  };
  void (*entry)(int*, int*, void*, void*) = microtask;
  push_threads_(&location, global_id_(&location), static_cast<int>(pus_.size()));
  fork_(&location, 2, reinterpret_cast<void*>(entry), static_cast<void*>(&shared),
        static_cast<void*>(global_ids_.data()));
}

}  // namespace pleat::bench
