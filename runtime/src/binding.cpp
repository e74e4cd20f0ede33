// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <cstring>
#include <string>

#include <pleat/runtime/detail/binding.hpp>
#include <pleat/runtime/error.hpp>

namespace pleat::detail {

affinity::affinity(int cpus)
    : set_(CPU_ALLOC(static_cast<std::size_t>(cpus))),
      bytes_(CPU_ALLOC_SIZE(static_cast<std::size_t>(cpus))) {
  if (set_ == nullptr) throw std::bad_alloc();
  CPU_ZERO_S(bytes_, set_.get());
}

affinity affinity::current() {
  // The kernel refuses sets smaller than its own; how large that is nobody says.
  for (int cpus = 1024; cpus <= 1 << 20; cpus *= 2) {
    affinity a(cpus);
    if (::sched_getaffinity(0, a.bytes_, a.set_.get()) == 0) return a;
    if (errno != EINVAL) break;
  }
  throw environment_error(std::string("the thread's affinity cannot be read: ") +
                          std::strerror(errno));
}

affinity affinity::only(unsigned pu) {
  affinity a(static_cast<int>(pu / 1024 + 1) * 1024);
  CPU_SET_S(pu, a.bytes_, a.set_.get());
  return a;
}

void affinity::apply() const {
  if (::sched_setaffinity(0, bytes_, set_.get()) != 0) {
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

affinity_scope::~affinity_scope() {
  try {
    before_.apply();
  } catch (const environment_error&) {
    // The cpuset has changed meanwhile and the kernel has moved the thread itself: leave it there.
  }
}

}  // namespace pleat::detail
