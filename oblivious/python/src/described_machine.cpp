// SPDX-License-Identifier: Apache-2.0
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <pleat/oblivious/fft_plan.hpp>
#include <pleat/runtime/cluster_tree.hpp>
#include <pleat/runtime/default_machine.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/probe.hpp>
#include <pleat/runtime/topology.hpp>

#include "bindings.hpp"
#include "held_machine.hpp"

// Names of values as in `pleat topology --json` and `pleat probe --json`.
namespace pleat::python {
namespace {

namespace py = pybind11;
using namespace py::literals;

py::dict hardware(const topology& seen) {
  py::list restrictions;
  for (const restriction& limit : seen.restrictions())
    restrictions.append(py::dict("by"_a = to_string(limit.cause), "cores"_a = limit.cores,
                                 "pus"_a = limit.pus, "reason"_a = limit.reason));
  const auto nodes = seen.numa_nodes();
  const auto told = [](double value) {
    return value > 0 ? py::object(py::float_(value)) : py::none();
  };
  py::list memory;
  for (const numa_node& node : seen.memory_nodes())
    memory.append(py::dict("node"_a = node.index, "kind"_a = to_string(node.kind),
                           "allowed"_a = node.allowed, "bytes"_a = node.bytes,
                           "bytes_per_second"_a = told(node.bandwidth),
                           "latency_s"_a = told(node.latency)));
  return py::dict("origin"_a = seen.origin(), "cores"_a = seen.cores(), "pus"_a = seen.pus(),
                  "packages"_a = seen.packages(),
                  "numa_nodes"_a = std::vector<unsigned>(nodes.begin(), nodes.end()),
                  "memory_nodes"_a = memory, "core_kinds"_a = seen.kinds(),
                  "allowed_cores"_a = seen.allowed_cores(), "allowed_pus"_a = seen.allowed_pus(),
                  "available"_a = seen.available(), "restrictions"_a = restrictions);
}

py::dict described(const machine& on) {
  py::list processors;
  for (const processor& p : on.placement().processors)
    processors.append(py::dict("rank"_a = p.rank, "core"_a = p.core, "pu"_a = p.pu,
                               "numa"_a = p.numa, "package"_a = p.package));
  py::list clusters;
  for (const cluster& c : on.clusters().clusters())
    clusters.append(py::dict("level"_a = c.level, "index"_a = c.index, "first"_a = c.first,
                             "size"_a = c.size, "object"_a = c.object));
  return py::dict("machine"_a = hardware(on.topology()), "oversubscribed"_a = on.oversubscribed(),
                  "warning"_a = on.placement().warning, "processors"_a = processors,
                  "clusters"_a = clusters);
}

py::dict topology_of(held_machine* on) {
  if (on != nullptr) return described(*on->use());
  // Its turn may take a while, and must not be waited for with the interpreter's lock.
  std::optional<default_machine> turn;
  {
    const without_lock others;
    turn.emplace();
  }
  return described(**turn);
}

py::dict estimated(const estimate& e) {
  return py::dict("value"_a = e.value, "low"_a = e.low, "high"_a = e.high);
}

py::list probed(held_machine* on, unsigned machines, unsigned rounds, std::uint64_t seed) {
  probe_options options{.machines = machines, .rounds = rounds, .seed = seed};
  options.progress = [](std::size_t, std::size_t) {
    const with_lock lock;
    check_signals();
  };
  const machine_options asked = on != nullptr ? on->options() : machine_options{};
  const auto measure = [&] {
    try {
      const without_lock others;
      return probe(asked, options);
    } catch (const environment_error&) {  // it took too long: perhaps somebody wanted it to end
      check_signals();
      throw;
    }
  };
  py::list levels;
  for (const level_costs& level : measure())
    levels.append(py::dict("label"_a = level.label, "object"_a = level.object,
                           "processors"_a = level.processors, "g"_a = estimated(level.g),
                           "l"_a = estimated(level.l)));
  return levels;
}

void release_memory(held_machine* on) {
  release_fft_plans();
  carry_out(on, [](machine& m) {
    m.release_memory();
    return run_report{};
  });
}

}  // namespace

void add_descriptions(py::module_& to) {
  to.def("topology", &topology_of);
  to.def("probe", &probed);
  to.def("release_memory", &release_memory);
}

}  // namespace pleat::python
