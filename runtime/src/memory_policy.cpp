// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/memory_policy.hpp>

namespace pleat {
namespace {

using nodes = memory_policy::nodes;
using pages = memory_policy::pages;

constexpr std::array<std::pair<std::string_view, nodes>, 5> places{{
    {"first-touch", nodes::first_touch},
    {"local", nodes::local},
    {"interleave", nodes::interleave},
    {"remote", nodes::remote},
    {"master", nodes::master},
}};
constexpr std::array<std::pair<std::string_view, pages>, 3> sizes{{
    {"thp", pages::transparent},
    {"4k", pages::small},
    {"hugetlb", pages::reserved},
}};
constexpr std::string_view bind = "bind:";

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
                    "; known are first-touch, local, interleave, bind:N, remote and master, each "
                    "also with /thp, /4k or /hugetlb");
}

std::vector<unsigned> allowed_nodes(const topology& on) {
  std::vector<unsigned> indexes;
  for (const numa_node& node : on.memory_nodes())
    if (node.allowed) indexes.push_back(node.index);
  return indexes;
}

// Of several that are equally far the next after `own`, so that not all workers share one.
unsigned farthest(const topology& on, unsigned own) {
  std::vector<unsigned> others = allowed_nodes(on);
  std::erase(others, own);
  if (others.empty()) {
    throw environment_error(
        "memory remote: there is no second NUMA node that this process may use; see `pleat "
        "topology`");
  }
  std::ranges::rotate(others, std::ranges::upper_bound(others, own));
  return *std::ranges::max_element(others, {},
                                   [&](unsigned node) { return on.distance(own, node); });
}

unsigned known(const topology& on, unsigned node) {
  const std::vector<unsigned> allowed = allowed_nodes(on);
  if (std::ranges::find(allowed, node) == allowed.end()) {
    throw environment_error("memory bind:" + std::to_string(node) +
                            ": this process may use the NUMA nodes " + to_index_list(allowed));
  }
  return node;
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
    if (!found) reject(text, "there is no such policy");
    policy.where = *found;
  }
  if (slash != std::string_view::npos) {
    const auto found = named(sizes, text.substr(slash + 1));
    if (!found) reject(text, "there is no such size of pages");
    policy.size = *found;
  }
  return policy;
}

std::string to_string(const memory_policy& policy) {
  std::string text = policy.where == nodes::bind ? std::string(bind) + std::to_string(policy.node)
                                                 : std::string(name_of(places, policy.where));
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
      return allowed_nodes(on);
    case nodes::bind:
      return {known(on, policy.node)};
    case nodes::remote:
      return {farthest(on, where.processors[i].numa)};
    case nodes::master:
      return {where.processors[0].numa};
  }
  return {where.processors[i].numa};
}

}  // namespace pleat
