// SPDX-License-Identifier: Apache-2.0
//
// The ten pages of a web server's log that were asked for most often.
//
//     log_groups [access.log]
#include "log_groups.hpp"

#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <random>
#include <stdexcept>
#include <string>

#include <pleat/runtime/machine.hpp>

#include "made_log.hpp"

namespace {

std::string read_text(const std::string& name) {
  std::ifstream file(name, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + name + ": give it a log");
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

int main(int argc, char** argv) {
  try {
    using namespace gallery;
    const std::string text = argc > 1 ? read_text(argv[1]) : made_log(100'000, 1);
    pleat::machine machine;
    const std::vector<page_report> reports = report_pages(machine, text);
    for (const std::size_t i : pleat::top_k(machine, reports, 10, {}, &page_report::requests))
      std::printf("%8zu requests %6zu failed %8.1f ms  %.*s\n", reports[i].requests,
                  reports[i].failures, static_cast<double>(reports[i].slow) / 1000,
                  static_cast<int>(reports[i].name.size()), reports[i].name.data());

    std::size_t requests = 0;
    for (const page_report& one : reports) requests += one.requests;
    const auto lines = std::count(text.begin(), text.end(), '\n');
    return requests >= static_cast<std::size_t>(lines) ? 0 : 1;
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "log_groups: %s\n", failure.what());
    return 1;
  }
}
