// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/memory_policy.hpp>

namespace pleat {
namespace {

using nodes = memory_policy::nodes;
using pages = memory_policy::pages;

constexpr std::array<std::pair<std::string_view, nodes>, 6> places{{
    {"first-touch", nodes::first_touch},
    {"local", nodes::local},
    {"interleave", nodes::interleave},
    {"weighted-interleave", nodes::weighted_interleave},
    {"remote", nodes::remote},
    {"master", nodes::master},
}};
constexpr std::array<std::pair<std::string_view, pages>, 3> sizes{{
    {"thp", pages::transparent},
    {"4k", pages::small},
    {"hugetlb", pages::reserved},
}};
constexpr std::string_view bind = "bind:";
constexpr std::array kinds{memory_kind::dram, memory_kind::hbm, memory_kind::cxl, memory_kind::nvm};

template <class Value, std::size_t N>
std::optional<Value> named(const std::array<std::pair<std::string_view, Value>, N>& names,
                           std::string_view name) {
  for (const auto& [known, value] : names)
    if (known == name) return value;
  return std::nullopt;
}

template <class Value, std::size_t N>
std::string_view name_of(const std::array<std::pair<std::string_view, Value>, N>& names,
                         Value value) {
  for (const auto& [name, known] : names)
    if (known == value) return name;
  return {};
}

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
    const std::string_view number = where.substr(bind.size());
    const char* const end = number.data() + number.size();
    const auto [stop, problem] = std::from_chars(number.data(), end, policy.node);
    if (problem != std::errc{} || stop != end) reject(text, "bind: needs the number of a node");
  } else if (!where.empty() || slash == std::string_view::npos) {
    const auto found = named(places, where);
    const auto kind = std::ranges::find(kinds, where, [](memory_kind k) { return to_string(k); });
    if (!found && kind == kinds.end()) reject(text, "there is no such policy");
    policy.where = found.value_or(nodes::of_kind);
    if (!found) policy.kind = *kind;
  }
  if (slash != std::string_view::npos) {
    const auto found = named(sizes, text.substr(slash + 1));
    if (!found) reject(text, "there is no such size of pages");
    policy.size = *found;
  }
  return policy;
}

std::string to_string(const memory_policy& policy) {
  std::string text(policy.where == nodes::bind      ? bind
                   : policy.where == nodes::of_kind ? to_string(policy.kind)
                                                    : name_of(places, policy.where));
  if (policy.where == nodes::bind) text += std::to_string(policy.node);
  if (policy.size != pages::transparent) {
    text += '/';
    text += name_of(sizes, policy.size);
  }
  return text;
}

std::string_view to_string(pages size) noexcept { return name_of(sizes, size); }

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
