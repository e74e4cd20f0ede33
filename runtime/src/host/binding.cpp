// SPDX-License-Identifier: Apache-2.0
#include "host/binding.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <numeric>
#include <string>
#include <unistd.h>

#include <pleat/runtime/detail/each_process.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/topology.hpp>

namespace pleat::detail {

namespace {

/// Tells whether the kernel lacks a call, or a container forbids it.
bool refuses_always(int error) noexcept { return error == EPERM || error == ENOSYS; }

}  // namespace

affinity::affinity(std::size_t pus) : bytes_(sizeof few_) {
  if (pus > CPU_SETSIZE) {
    more_.reset(CPU_ALLOC(pus));
    if (more_ == nullptr) throw std::bad_alloc();
    bytes_ = CPU_ALLOC_SIZE(pus);
  }
  CPU_ZERO_S(bytes_, set());
}

affinity affinity::current(pid_t thread) {
  affinity a(0);
  a.read(thread);
  return a;
}

bool affinity::try_read(pid_t thread) {
  // The kernel rejects sets smaller than its own, whose size it does not report.
  while (::sched_getaffinity(thread, bytes_, set()) != 0) {
    const std::size_t pus = bytes_ * 8;
    if (refuses_always(errno)) return false;
    if (errno != EINVAL || pus >= 1 << 20)
      throw environment_error(std::string("the thread's affinity cannot be read: ") +
                              std::strerror(errno));
    *this = affinity(2 * pus);
  }
  return true;
}

void affinity::read(pid_t thread) {
  if (try_read(thread)) return;
  std::vector<unsigned> all(
      static_cast<std::size_t>(std::max(::sysconf(_SC_NPROCESSORS_CONF), 1L)));
  std::iota(all.begin(), all.end(), 0u);
  *this = of(all);
}

affinity affinity::only(unsigned pu) {
  affinity a(pu + std::size_t{1});
  CPU_SET_S(pu, a.bytes_, a.set());
  return a;
}

affinity affinity::of(std::span<const unsigned> pus) {
  const unsigned last = pus.empty() ? 0 : *std::max_element(pus.begin(), pus.end());
  affinity a(last + std::size_t{1});
  for (const unsigned pu : pus) CPU_SET_S(pu, a.bytes_, a.set());
  return a;
}

void affinity::apply(pid_t thread) const {
  if (::sched_setaffinity(thread, bytes_, set()) == 0) return;
  const int error = errno;
  throw environment_error("the kernel refused to bind a thread to PU " + to_index_list(pus()) +
                          " (" + std::strerror(error) + "): " +
                          (refuses_always(error)
                               ? "leave workers to it, PLEAT_PLACE=unpinned"
                               : "choose among the allowed PUs that `pleat topology` prints"));
}

bool affinity::can_change() noexcept {
  static const bool can = [] {
    try {
      affinity now(0);
      if (!now.try_read(0)) return false;
      // An empty set is invalid if affinities can be changed, and is refused otherwise.
      const affinity none(0);
      return ::sched_setaffinity(0, none.bytes_, none.set()) == 0 || !refuses_always(errno);
    } catch (...) {
      return false;
    }
  }();
  return can;
}

std::vector<unsigned> affinity::pus() const {
  std::vector<unsigned> result;
  for (unsigned pu = 0; pu < bytes_ * 8; ++pu) {
    if (CPU_ISSET_S(pu, bytes_, set())) result.push_back(pu);
  }
  return result;
}

void bind_this_thread(std::size_t worker, unsigned pu) {
  affinity::only(pu).apply();
  const affinity now = affinity::current();
  if (!now.is_only(pu)) not_bound(worker, pu, now);
}

void move_this_thread(std::size_t worker, unsigned pu, const affinity& rest) {
  bind_this_thread(worker, pu);
  rest.apply();
}

void not_bound(std::size_t worker, unsigned pu, const affinity& instead) {
  throw environment_error("worker " + std::to_string(worker) + " was to run on PU " +
                          std::to_string(pu) + ", but the kernel lets it run on " +
                          to_index_list(instead.pus()) +
                          ": choose another placement (PLEAT_PLACE)");
}

namespace {

/// Affinity of the main thread at the first call.
const affinity& at_load() {
  static constinit made_once<affinity> mask;
  return mask.get([] { return affinity::current(::getpid()); });
}

[[maybe_unused]] const bool loaded = [] {
  try {
    static_cast<void>(at_load());
  } catch (...) {
    // The next call tries again, and reports the error.
  }
  return true;
}();

}  // namespace

affinity process_affinity() {
  const affinity& mask = at_load();
  const std::vector<unsigned> own = mask.pus();
  std::vector<unsigned> all;
  bool bound_by_openmp = false;
  for (const std::vector<unsigned>& place : openmp_places()) {
    all.insert(all.end(), place.begin(), place.end());
    bound_by_openmp = bound_by_openmp || std::ranges::all_of(own, [&](unsigned pu) {
                        return std::ranges::find(place, pu) != place.end();
                      });
  }
  return affinity::of(bound_by_openmp ? all : own);
}

}  // namespace pleat::detail
