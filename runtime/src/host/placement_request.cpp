// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <system_error>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/placement.hpp>

namespace pleat {
namespace {

using policy = placement_request::policy;

constexpr unsigned largest_pu = 1u << 20;  // ranges are written out; no kernel has more

std::optional<unsigned> number(std::string_view text) {
  unsigned value = 0;
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const auto [stop, problem] = std::from_chars(begin, end, value);
  if (problem != std::errc{} || stop != end) return std::nullopt;
  return value;
}

std::string quoted(std::string_view text) {
  std::string result(1, '"');
  result += text;
  result += '"';
  return result;
}

[[noreturn]] void reject(std::string_view text, const std::string& why) {
  throw usage_error(
      "placement " + quoted(text) + ": " + why +
      "; known are compact, spread, scatter, numa:N, p-cores, e-cores, unpinned (each also with "
      "/pu) and list:0,2-5");
}

std::vector<unsigned> parse_list(std::string_view whole, std::string_view text) {
  std::vector<unsigned> pus;
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string_view item = text.substr(0, comma);
    const std::size_t dash = item.find('-');
    const auto first = number(item.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : number(item.substr(dash + 1));
    if (!first || !last || *last < *first || *last > largest_pu)
      reject(whole, quoted(item) + " is no PU index and no range of them");
    for (unsigned pu = *first; pu <= *last; ++pu) pus.push_back(pu);
    if (pus.size() > largest_pu) reject(whole, "too many PUs");
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  std::vector<unsigned> sorted = pus;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) reject(whole, "PU " + std::to_string(*twice) + " is listed twice");
  return pus;
}

}  // namespace

placement_request parse_placement(std::string_view text) {
  placement_request request;
  std::string_view rest = text;
  if (rest.starts_with("list:")) {
    request.how = policy::list;
    request.list = parse_list(text, rest.substr(5));
    return request;
  }
  if (const std::size_t slash = rest.find('/'); slash != std::string_view::npos) {
    if (rest.substr(slash) != "/pu") reject(text, quoted(rest.substr(slash)) + " is not /pu");
    request.every_pu = true;
    rest = rest.substr(0, slash);
  }
  if (rest == "compact") {
    request.how = policy::compact;
  } else if (rest == "spread") {
    request.how = policy::spread;
  } else if (rest == "scatter") {
    request.how = policy::scatter;
  } else if (rest == "p-cores") {
    request.how = policy::p_cores;
  } else if (rest == "e-cores") {
    request.how = policy::e_cores;
  } else if (rest == "unpinned") {
    throw usage_error(
        "placement " + quoted(text) +
        ": workers that the kernel places are machine_options::workers = pleat::workers::free");
  } else if (rest.starts_with("numa:")) {
    const auto node = number(rest.substr(5));
    if (!node) reject(text, quoted(rest.substr(5)) + " is no NUMA node's index");
    request.how = policy::numa;
    request.numa = *node;
  } else {
    reject(text, "no such policy");
  }
  return request;
}

std::string to_string(const placement_request& request) {
  std::string text;
  switch (request.how) {
    case policy::compact:
      text = "compact";
      break;
    case policy::spread:
      text = "spread";
      break;
    case policy::scatter:
      text = "scatter";
      break;
    case policy::numa:
      text = "numa:" + std::to_string(request.numa);
      break;
    case policy::p_cores:
      text = "p-cores";
      break;
    case policy::e_cores:
      text = "e-cores";
      break;
    case policy::list:
      for (const unsigned pu : request.list)
        text += (text.empty() ? "list:" : ",") + std::to_string(pu);
      return text;
  }
  return request.every_pu ? text + "/pu" : text;
}

unsigned parse_processors(std::string_view text) {
  const auto count = number(text);
  if (!count || *count == 0 || *count > max_processors)
    throw usage_error("number of processors " + quoted(text) + ": give one from 1 to " +
                      std::to_string(max_processors) +
                      ", or none to use every core this process may use");
  return *count;
}

}  // namespace pleat
