// SPDX-License-Identifier: Apache-2.0
#include "measured_machine.hpp"

#include <algorithm>
#include <cerrno>
#include <memory>
#include <random>
#include <set>
#include <system_error>
#include <utility>

#include <hwloc.h>

#include <pleat/runtime/error.hpp>

#include "distances.hpp"
#include "measure/clock.hpp"

namespace pleat::bench {
namespace {

struct destroyed {
  void operator()(hwloc_topology* machine) const { hwloc_topology_destroy(machine); }
};

[[noreturn]] void refused(const char* what) {
  throw environment_error(what + std::generic_category().message(errno));
}

/// Bytes of all caches of the last level of this machine together, as hwloc sees them; 0 where it
/// sees none. Cost: 1 to 50 ms. Throws: environment_error if the machine cannot be read.
std::size_t last_level_cache_bytes() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) refused("hwloc cannot start: ");
  const std::unique_ptr<hwloc_topology, destroyed> machine(raw);
  // All of the machine, as `pleat topology` shows it; and the calling thread stays where it is.
  hwloc_topology_set_flags(
      raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED | HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING);
  if (hwloc_topology_load(raw) != 0) refused("hwloc cannot read the machine: ");
  for (const auto type : {HWLOC_OBJ_L5CACHE, HWLOC_OBJ_L4CACHE, HWLOC_OBJ_L3CACHE,
                          HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L1CACHE}) {
    std::size_t bytes = 0;
    for (hwloc_obj_t cache = nullptr;
         (cache = hwloc_get_next_obj_by_type(raw, type, cache)) != nullptr;)
      bytes += cache->attr->cache.size;
    if (bytes != 0) return bytes;
  }
  return 0;
}

// A matrix to be measured.
struct matrix_plan {
  measured_matrix shape;  // without cells
  // Row and column of what is measured; of a symmetric matrix one of each two.
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  // One sample. Of a symmetric matrix, row and column change places from round to round.
  std::function<double(std::size_t row, std::size_t column)> sample;
};

using memories = std::vector<std::unique_ptr<const node_memory>>;

std::vector<std::string> names_of_nodes(const std::vector<measured_node>& nodes) {
  std::vector<std::string> names;
  for (const auto& node : nodes) names.push_back(std::to_string(node.numa));
  return names;
}

matrix_plan lines_plan(const std::vector<unsigned>& pus, std::mt19937_64& random) {
  matrix_plan plan;
  plan.shape = {"line_latency",
                "Latency of a cache line between two processors (half of a round trip)",
                "s",
                true,
                {},
                {},
                {}};
  for (const unsigned pu : pus) plan.shape.rows.push_back(std::to_string(pu));
  plan.shape.columns = plan.shape.rows;
  for (std::size_t row = 0; row < pus.size(); ++row)
    for (std::size_t column = row + 1; column < pus.size(); ++column)
      plan.pairs.emplace_back(row, column);
  plan.sample = [pus, &random](std::size_t row, std::size_t column) {
    return line_latency(pus[row], pus[column], random);
  };
  return plan;
}

// The three matrices of the nodes; loaded latency needs a second core, and is left out where no
// node has one.
std::vector<matrix_plan> nodes_plans(const std::vector<measured_node>& from,
                                     const std::vector<measured_node>& to, const memories& memory,
                                     std::mt19937_64& random) {
  const auto plan = [&](const char* name, const char* title, const char* unit,
                        std::size_t least_cores) {
    matrix_plan made;
    made.shape = {name, title, unit, false, names_of_nodes(from), names_of_nodes(to), {}};
    for (std::size_t row = 0; row < from.size(); ++row) {
      if (from[row].cores.size() < least_cores) continue;
      for (std::size_t column = 0; column < to.size(); ++column)
        made.pairs.emplace_back(row, column);
    }
    return made;
  };
  std::vector<matrix_plan> plans{
      plan("read_bandwidth", "Bandwidth of reading: all cores of a node (row), memory of a node",
           "B/s", 1),
      plan("read_latency", "Latency of a read: one core of a node (row), idle memory of a node",
           "s", 1),
      plan(
          "loaded_latency",
          "Latency of a read while the node's other cores read the same memory as fast as they can",
          "s", 2)};
  plans[0].sample = [&](std::size_t row, std::size_t column) {
    return node_bandwidth(from[row].cores, *memory[column]);
  };
  plans[1].sample = [&](std::size_t row, std::size_t column) {
    return node_latency(std::span(from[row].cores).first(1), *memory[column], random);
  };
  plans[2].sample = [&](std::size_t row, std::size_t column) {
    return node_latency(from[row].cores, *memory[column], random);
  };
  if (plans[2].pairs.empty()) plans.pop_back();
  return plans;
}

// The nodes of these processors, and those whose memory this process may use. `cache_bytes` is the
// size of all last-level caches together.
std::vector<measured_node> nodes_of(const topology& on, std::span<const processor> processors,
                                    std::size_t cache_bytes) {
  std::vector<measured_node> nodes;
  const std::size_t share = cache_bytes / std::max<std::size_t>(on.numa_nodes().size(), 1);
  for (const numa_node& node : on.memory_nodes()) {
    measured_node one{node.index, {}, {}, 0};
    std::set<unsigned> cores;
    for (const auto& processor : processors) {
      if (processor.numa != node.index) continue;
      one.pus.push_back(processor.pu);
      if (cores.insert(processor.core).second) one.cores.push_back(processor.pu);
    }
    if (node.allowed) one.read_bytes = stream_bytes(share, node.bytes);
    if (node.allowed || !one.pus.empty()) nodes.push_back(std::move(one));
  }
  return nodes;
}

struct sampled_pair {
  std::size_t plan, row, column;
  std::vector<double> samples;
};

// Takes samples until all rounds are taken, or the time is over: returns false then.
bool take_samples(std::span<const matrix_plan> plans, const std::function<bool()>& over,
                  const std::function<void(std::size_t, std::size_t)>& progress,
                  std::vector<measured_matrix>& matrices) {
  constexpr unsigned rounds = 15;
  std::vector<sampled_pair> pairs;
  for (std::size_t plan = 0; plan < plans.size(); ++plan)
    for (const auto& [row, column] : plans[plan].pairs) pairs.push_back({plan, row, column, {}});
  std::mt19937_64 random(1);
  const std::size_t planned = rounds * pairs.size();
  std::size_t done = 0;
  for (unsigned round = 0; round < rounds && done == round * pairs.size(); ++round) {
    std::ranges::shuffle(pairs, random);
    for (auto& pair : pairs) {
      if (over()) break;
      const auto& plan = plans[pair.plan];
      const bool other_way = plan.shape.symmetric && round % 2 == 1;
      pair.samples.push_back(other_way ? plan.sample(pair.column, pair.row)
                                       : plan.sample(pair.row, pair.column));
      progress(++done, planned);
    }
  }
  const std::size_t first = matrices.size();
  for (const auto& plan : plans) {
    matrices.push_back(plan.shape);
    matrices.back().cells.resize(plan.shape.rows.size() * plan.shape.columns.size());
  }
  for (const auto& [plan, row, column, taken] : pairs) {
    if (taken.empty()) continue;
    auto& matrix = matrices[first + plan];
    const matrix_cell cell{quantile(taken, 0.5), median_interval(taken), taken.size()};
    matrix.cells[row * matrix.columns.size() + column] = cell;
    if (matrix.symmetric) matrix.cells[column * matrix.columns.size() + row] = cell;
  }
  return done == planned;
}

}  // namespace

std::vector<unsigned> measured_machine::pus() const {
  std::vector<unsigned> result;
  for (const auto& one : processors) result.push_back(one.pu);
  return result;
}

measured_machine measure_matrices(
    const topology& on, std::span<const processor> processors, double seconds,
    const std::function<void(const char* what, std::size_t done, std::size_t planned)>& progress) {
  const auto start = benchmark_clock::now();
  std::mt19937_64 random(1);
  measured_machine result{{processors.begin(), processors.end()}, {}, {}, true};
  const auto take = [&](const char* what, std::span<const matrix_plan> plans, double until) {
    const bool complete = take_samples(
        plans, [=] { return seconds_since(start) >= until; },
        [&](std::size_t done, std::size_t planned) { progress(what, done, planned); },
        result.matrices);
    result.complete = result.complete && complete;
  };
  const auto lines = lines_plan(result.pus(), random);
  take("pairs of processors", std::span(&lines, 1), seconds / 2);

  result.nodes = nodes_of(on, processors, last_level_cache_bytes());
  auto from = result.nodes, to = result.nodes;
  std::erase_if(from, [](const measured_node& node) { return node.pus.empty(); });
  std::erase_if(to, [](const measured_node& node) { return node.read_bytes == 0; });
  memories memory;
  for (const auto& node : to) {
    if (seconds_since(start) >= seconds) break;  // nothing will be read: memory takes time to fill
    memory.push_back(std::make_unique<node_memory>(on, node.numa, node.read_bytes, node.numa));
  }
  take("nodes", nodes_plans(from, to, memory, random), seconds);
  return result;
}

}  // namespace pleat::bench
