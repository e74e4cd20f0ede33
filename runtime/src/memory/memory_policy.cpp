// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <linux/mempolicy.h>
#include <map>
#include <optional>
#include <sys/syscall.h>
#include <tuple>
#include <unistd.h>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/memory_policy.hpp>

#include "base/names.hpp"
#include "memory/memory_binding.hpp"

namespace pleat {
namespace {

using nodes = memory_policy::nodes;
using pages = memory_policy::pages;

constexpr detail::names<nodes, 6> places{{
    {"first-touch", nodes::first_touch},
    {"local", nodes::local},
    {"interleave", nodes::interleave},
    {"weighted-interleave", nodes::weighted_interleave},
    {"remote", nodes::remote},
    {"master", nodes::master},
}};
constexpr detail::names<pages, 3> sizes{{
    {"thp", pages::transparent},
    {"4k", pages::small},
    {"hugetlb", pages::reserved},
}};
constexpr std::string_view bind = "bind:";
constexpr std::array kinds{memory_kind::dram, memory_kind::hbm, memory_kind::cxl, memory_kind::nvm};

[[noreturn]] void reject(std::string_view text, const char* why) {
  throw usage_error("memory \"" + std::string(text) + "\": " + why +
                    "; known are first-touch, local, interleave, weighted-interleave, bind:N, "
                    "dram, hbm, cxl, nvm, remote and master, each also with /thp, /4k or /hugetlb");
}

template <class Wanted> std::vector<unsigned> allowed_nodes(const topology& on, Wanted wanted) {
  std::vector<unsigned> found;
  for (const numa_node& node : on.memory_nodes())
    if (node.allowed && wanted(node)) found.push_back(node.index);
  return found;
}

[[noreturn]] void refuse(const memory_policy& policy, const topology& on, unsigned own) {
  std::vector<numa_node> allowed;
  std::ranges::copy_if(on.memory_nodes(), std::back_inserter(allowed), &numa_node::allowed);
  std::string message =
      "memory " + to_string(policy) + ": this process may use the NUMA nodes " + to_string(allowed);
  if (policy.where == nodes::remote)
    message += ", none of which is remote from node " + std::to_string(own);
  if (policy.where == nodes::of_kind) message += "; bind:N names one whose kind is not known";
  throw environment_error(message);
}

// Returns the best node for a worker that belongs to node `own`. Of several equally good nodes it
// is the next after `own`, so that not all workers share one.
unsigned best_node(const memory_policy& policy, const topology& on, unsigned own) {
  std::vector<unsigned> found = allowed_nodes(on, [&](const numa_node& node) {
    if (policy.where == nodes::bind) return node.index == policy.node;
    return policy.where == nodes::of_kind ? node.kind == policy.kind
                                          : !on.is_local(own, node.index);
  });
  if (found.empty()) refuse(policy, on, own);
  std::ranges::rotate(found, std::ranges::upper_bound(found, own));
  const auto distance = [&](unsigned node) { return on.distance(own, node); };
  if (policy.where == nodes::remote) return *std::ranges::max_element(found, {}, distance);
  return *std::ranges::min_element(found, {}, [&](unsigned node) {
    constexpr unsigned unknown = std::numeric_limits<unsigned>::max();
    return std::tuple(node != own, !on.is_local(own, node), distance(node).value_or(unknown));
  });
}

}  // namespace

memory_policy parse_memory_policy(std::string_view text) {
  memory_policy policy;
  const std::size_t slash = text.find('/');
  const std::string_view where = text.substr(0, slash);
  if (where.starts_with(bind)) {
    policy.where = nodes::bind;
    const auto node = detail::parse_number<unsigned>(where.substr(bind.size()));
    if (!node) reject(text, "bind: needs the number of a node");
    policy.node = *node;
  } else if (!where.empty() || slash == std::string_view::npos) {
    const auto found = detail::named(places, where);
    const auto kind = std::ranges::find(kinds, where, [](memory_kind k) { return to_string(k); });
    if (!found && kind == kinds.end()) reject(text, "there is no such policy");
    policy.where = found.value_or(nodes::of_kind);
    if (!found) policy.kind = *kind;
  }
  if (slash != std::string_view::npos) {
    const auto found = detail::named(sizes, text.substr(slash + 1));
    if (!found) reject(text, "there is no such size of pages");
    policy.size = *found;
  }
  return policy;
}

std::string to_string(const memory_policy& policy) {
  std::string text(policy.where == nodes::bind      ? bind
                   : policy.where == nodes::of_kind ? to_string(policy.kind)
                                                    : detail::name_of(places, policy.where));
  if (policy.where == nodes::bind) text += std::to_string(policy.node);
  if (policy.size != pages::transparent) {
    text += '/';
    text += detail::name_of(sizes, policy.size);
  }
  return text;
}

std::string_view to_string(pages size) noexcept { return detail::name_of(sizes, size); }

std::vector<unsigned> nodes_of_pages(const memory_policy& policy, const topology& on,
                                     const placement& where, std::size_t i) {
  switch (policy.where) {
    case nodes::first_touch:
    case nodes::local:
      break;
    case nodes::interleave:
    case nodes::weighted_interleave:
      return allowed_nodes(on, [](const numa_node&) { return true; });
    case nodes::bind:  // the same for every worker
      return {best_node(policy, on, policy.node)};
    case nodes::of_kind:
    case nodes::remote:
      return {best_node(policy, on, where.processors[i].numa)};
    case nodes::master:
      return {where.processors[0].numa};
  }
  return {where.processors[i].numa};
}

}  // namespace pleat

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
  constexpr int modes[] = {MPOL_DEFAULT, MPOL_PREFERRED, MPOL_INTERLEAVE, weighted_interleave,
                           MPOL_BIND,    MPOL_BIND,      MPOL_BIND,       MPOL_PREFERRED};
  const int mode = modes[static_cast<std::size_t>(policy.where)];
  if (mode == MPOL_DEFAULT) return current();
  if (policy.where == memory_policy::nodes::local) return {mode, {}};
  return {mode, nodes_of_pages(policy, on, where, i)};
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

namespace {

std::string folder_of(unsigned node) {
  return "/sys/devices/system/node/node" + std::to_string(node) + "/";
}

// Returns the free memory, including file caches, which the kernel can drop. Lines are "Node 0
// MemFree: 9 kB".
std::optional<std::uint64_t> free_bytes(unsigned node) {
  std::ifstream file(folder_of(node) + "meminfo");
  std::uint64_t kilobytes = 0, value = 0;
  std::string word, index, name, unit;
  bool told = false;
  while (file >> word >> index >> name >> value) {
    std::getline(file, unit);
    if (name != "MemFree:" && name != "Active(file):" && name != "Inactive(file):") continue;
    kilobytes += value;
    told = true;
  }
  return told ? std::optional(kilobytes * 1024) : std::nullopt;
}

std::optional<std::uint64_t> free_reserved_bytes(unsigned node) {
  std::ifstream file(folder_of(node) + "hugepages/hugepages-2048kB/free_hugepages");
  std::uint64_t pages = 0;
  return file >> pages ? std::optional(pages << 21) : std::nullopt;
}

}  // namespace

void require_free_memory(std::span<const page_placement> of_workers, std::size_t bytes,
                         memory_policy::pages size) {
  std::map<unsigned, std::uint64_t> wanted;
  for (const page_placement& one : of_workers)
    for (const unsigned node : one.required())
      wanted[node] += bytes / (of_workers.size() * one.required().size()) + 1;
  const bool reserved = size == memory_policy::pages::reserved && bytes >= std::size_t{2} << 20;
  for (const auto& [node, share] : wanted) {
    const auto free = reserved ? free_reserved_bytes(node) : free_bytes(node);
    if (!free || *free >= share) continue;
    const auto mebibytes = [](std::uint64_t n) { return std::to_string((n >> 20) + 1) + " MiB"; };
    throw environment_error("NUMA node " + std::to_string(node) + " has no " + mebibytes(share) +
                            " left" +
                            (reserved ? " in reserved pages: write more into " + folder_of(node) +
                                            "hugepages/hugepages-2048kB/nr_hugepages"
                                      : ": take a smaller problem, or another policy of memory"));
  }
}

}  // namespace pleat::detail
