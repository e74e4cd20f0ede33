// SPDX-License-Identifier: Apache-2.0
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

}  // namespace pleat
