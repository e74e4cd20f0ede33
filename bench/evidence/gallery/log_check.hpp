// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace pleat::bench {

/// Facts in a log about a page.
struct page_facts {
  std::size_t requests = 0, failures = 0;
  std::uint64_t slow = 0;
  friend bool operator==(const page_facts&, const page_facts&) = default;
};

/// Line by line, by the streams of the standard library. Requires: lines of six words.
inline std::map<std::string, page_facts> facts_of(const std::string& log) {
  std::map<std::string, std::vector<std::uint64_t>> times;
  std::map<std::string, page_facts> facts;
  std::istringstream lines(log);
  std::string time, client, method, page;
  for (unsigned status = 0, bytes = 0, us = 0;
       lines >> time >> client >> method >> page >> status >> bytes >> us;) {
    page_facts& one = facts[page];
    ++one.requests;
    if (status >= 400) ++one.failures;
    times[page].push_back(us);
  }
  for (auto& [name, of] : times) {
    std::sort(of.begin(), of.end());
    facts[name].slow = of[of.size() * 19 / 20];
  }
  return facts;
}

/// Reports: with members name, requests, failures, slow.
template <class Reports>
bool reports_right(const std::map<std::string, page_facts>& wanted, const Reports& reports) {
  std::map<std::string, page_facts> found;
  for (const auto& one : reports)
    found[std::string(one.name)] = {one.requests, one.failures, one.slow};
  return reports.size() == wanted.size() && found == wanted;
}

}  // namespace pleat::bench
