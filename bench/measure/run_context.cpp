// SPDX-License-Identifier: Apache-2.0
#include "run_context.hpp"

#include <array>
#include <chrono>
#include <ctime>
#include <string>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include <pleat/oblivious/kernels.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

#include "big_block.hpp"
#include "build_identity.hpp"
#include "machine_state.hpp"
#include "topology/topology_report.hpp"

namespace pleat::bench {
namespace {

std::string now_as_text() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm local{};
  ::localtime_r(&now, &local);
  std::array<char, 40> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S%z", &local);
  return text.data();
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

std::string compiler() {
#ifdef __clang__
  return "clang " __clang_version__;
#else
  return "g++ " __VERSION__;
#endif
}

constexpr const char* build_type() {
#ifdef NDEBUG
  return "release";
#else
  return "debug";
#endif
}

nlohmann::ordered_json commit() {
  const std::string text = build_commit;
  return text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(text);
}

task<> meet(vp& me) { co_await me.sync(0); }

}  // namespace

nlohmann::ordered_json run_context(machine& on, const machine_options& asked) {
  using nlohmann::ordered_json;
  const auto report = on.run(on.processors(), [](vp& me) { return meet(me); });
  ordered_json bindings = ordered_json::array();
  for (const auto& b : report.bindings)
    bindings.push_back({{"processor", b.processor}, {"pu", b.pu}, {"allowed", b.allowed}});
  ordered_json context{{"date", now_as_text()},
                       {"host_name", host_name()},
                       {"build_type", build_type()},
                       {"compiler", compiler()},
                       {"compiler_flags", build_flags},
                       {"kernel_targets", build_targets},
                       {"commit", commit()},
                       {"state", state_json(read_machine_state())}};
  const ordered_json seen = machine_context(on.topology(), asked, on.placement());
  context.update(seen);
  context["binding"] = std::move(bindings);
  // Processors and their clusters, from which the machine can be drawn.
  const ordered_json placed = topology_json(on.topology(), asked, on.placement(), on.clusters());
  context.update(placed.at("topology"));
  context["memory"] = nodes_text(on.memory());
  context["pages"] = to_string(on.memory().size);
  context["kernels"] = kernels_json(kernel_choices());
  return context;
}

}  // namespace pleat::bench
