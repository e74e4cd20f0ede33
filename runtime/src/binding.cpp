// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include <pleat/runtime/detail/binding.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/topology.hpp>

namespace pleat::detail {

affinity::affinity(int cpus)
    : set_(CPU_ALLOC(static_cast<std::size_t>(cpus))),
      bytes_(CPU_ALLOC_SIZE(static_cast<std::size_t>(cpus))) {
  if (set_ == nullptr) throw std::bad_alloc();
  CPU_ZERO_S(bytes_, set_.get());
}

affinity affinity::current(pid_t thread) {
  affinity a(1024);
  a.read(thread);
  return a;
}

void affinity::read(pid_t thread) {
  // The kernel refuses sets smaller than its own; how large that is nobody says.
  while (::sched_getaffinity(thread, bytes_, set_.get()) != 0) {
    const auto pus = static_cast<int>(bytes_ * 8);
    if (errno != EINVAL || pus >= 1 << 20) {
      throw environment_error(std::string("the thread's affinity cannot be read: ") +
                              std::strerror(errno));
    }
    *this = affinity(2 * pus);
  }
}

affinity affinity::only(unsigned pu) {
  affinity a(static_cast<int>(pu / 1024 + 1) * 1024);
  CPU_SET_S(pu, a.bytes_, a.set_.get());
  return a;
}

affinity affinity::of(std::span<const unsigned> pus) {
  const unsigned last = pus.empty() ? 0 : *std::max_element(pus.begin(), pus.end());
  affinity a(static_cast<int>(last / 1024 + 1) * 1024);
  for (const unsigned pu : pus) CPU_SET_S(pu, a.bytes_, a.set_.get());
  return a;
}

void affinity::apply(pid_t thread) const {
  if (::sched_setaffinity(thread, bytes_, set_.get()) != 0) {
    throw environment_error("the kernel refused to bind a worker (" +
                            std::string(std::strerror(errno)) +
                            "): choose among the allowed PUs that `pleat topology` prints");
  }
}

std::vector<unsigned> affinity::pus() const {
  std::vector<unsigned> result;
  for (unsigned pu = 0; pu < bytes_ * 8; ++pu) {
    if (CPU_ISSET_S(pu, bytes_, set_.get())) result.push_back(pu);
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

affinity_scope::~affinity_scope() {
  try {
    before_.apply();
  } catch (const environment_error&) {
    // The cpuset has changed meanwhile and the kernel has moved the thread itself: leave it there.
  }
}

}  // namespace pleat::detail
