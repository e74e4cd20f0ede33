// SPDX-License-Identifier: Apache-2.0
#include "memory/memory_binding.hpp"

#include <cerrno>
#include <cstring>
#include <linux/mempolicy.h>
#include <string>
#include <sys/syscall.h>
#include <unistd.h>

#include <pleat/runtime/error.hpp>

namespace pleat::detail {

namespace {

constexpr std::size_t most_nodes = 1024;  // the kernel's limit, CONFIG_NODES_SHIFT = 10
constexpr int weighted_interleave = 6;    // MPOL_WEIGHTED_INTERLEAVE, which older headers lack

[[noreturn]] void refused(const char* what, const char* call) {
  const int number = errno;
  const char* advice = number == EPERM ? ": in a container, allow set_mempolicy and get_mempolicy "
                                         "(Docker: --cap-add SYS_NICE)"
                       : number == ENOSYS
                           ? ": this kernel knows no NUMA nodes; leave the policy out"
                           : "";
  throw environment_error(std::string("the kernel refuses to ") + what + " (" + call + ": " +
                          std::strerror(number) + ")" + advice);
}

}  // namespace

page_placement::page_placement(int mode, const std::vector<unsigned>& nodes)
    : mode_(mode),
      mask_(most_nodes / bits),
      required_(mode == MPOL_BIND ? nodes : decltype(nodes){}) {
  for (const unsigned node : nodes) mask_[node / bits] |= 1ul << node % bits;
}

page_placement page_placement::current() {
  page_placement found(MPOL_DEFAULT, {});
  if (::syscall(SYS_get_mempolicy, &found.mode_, found.mask_.data(), most_nodes, nullptr, 0) != 0)
    refused("say where this thread's memory goes", "get_mempolicy");
  return found;
}

std::vector<page_placement> page_placement::of_workers(const memory_policy& policy,
                                                       const topology& on, const placement& where) {
  std::vector<page_placement> all;
  if (policy.where == memory_policy::nodes::first_touch || !on.bindable()) return all;
  for (std::size_t i = 0; i < where.processors.size(); ++i)
    all.push_back(of_worker(policy, on, where, i));
  return all;
}

page_placement page_placement::of_worker(const memory_policy& policy, const topology& on,
                                         const placement& where, std::size_t i) {
  using nodes = memory_policy::nodes;
  switch (policy.where) {
    case nodes::first_touch:
      break;
    case nodes::local:
      return {MPOL_PREFERRED, {}};
    case nodes::interleave:
      return {MPOL_INTERLEAVE, nodes_of_pages(policy, on, where, i)};
    case nodes::weighted_interleave:
      return {weighted_interleave, nodes_of_pages(policy, on, where, i)};
    case nodes::bind:
    case nodes::of_kind:
    case nodes::remote:
      return {MPOL_BIND, nodes_of_pages(policy, on, where, i)};
    case nodes::master:
      return {MPOL_PREFERRED, nodes_of_pages(policy, on, where, i)};
  }
  return current();
}

bool page_placement::is_the_kernels() const noexcept { return mode_ == MPOL_DEFAULT; }

void page_placement::apply() const {
  if (::syscall(SYS_set_mempolicy, mode_, mask_.data(), most_nodes) == 0) return;
  if (errno == EINVAL && mode_ == weighted_interleave)
    throw environment_error(
        "memory weighted-interleave needs Linux 6.9 or newer; interleave goes without weights");
  refused("place memory as asked for", "set_mempolicy");
}

page_placement_scope::page_placement_scope(const page_placement& wanted)
    : before_(page_placement::current()) {
  wanted.apply();
}

page_placement_scope::~page_placement_scope() {
  try {
    before_.apply();
  } catch (const environment_error&) {
    // The cpuset has changed meanwhile, and the kernel has changed the policy.
  }
}

}  // namespace pleat::detail
