// SPDX-License-Identifier: Apache-2.0
#include "topology_report.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <pleat/channels/version.hpp>
#include <pleat/oblivious/kernels.hpp>

#include "tool/printable.hpp"
#include "tool/terminal.hpp"

namespace pleat::bench {
namespace {

std::string range(std::size_t first, std::size_t size) {
  return size == 1 ? std::to_string(first)
                   : std::to_string(first) + "-" + std::to_string(first + size - 1);
}

std::string machine_text(const topology& machine) {
  std::string out = machine.summary() + "; " + counted(machine.packages(), "package") + ", " +
                    numa_nodes_text(machine) + "; " + printable(machine.origin()) + " (" +
                    topology::library() + ")\n";
  if (!machine.bindable()) out += "A dry run: threads cannot be bound to this topology.\n";
  if (!machine.restrictions().empty()) {
    table lines({"restricted by", "cores", "PUs", "because of"}, table::alignment::left);
    for (const restriction& limit : machine.restrictions())
      lines.add({std::string(to_string(limit.cause)), std::to_string(limit.cores),
                 std::to_string(limit.pus), limit.reason});
    out += "\n" + lines.text();
  }
  if (machine.kinds() > 1)
    out += "\n" + counted(machine.kinds(), "kind") +
           " of cores: every barrier waits for the slowest; --place p-cores uses the fast ones "
           "only\n";
  return out;
}

std::string tree_text(const topology& machine) {
  std::string out = "\nHardware\n";
  for (const topology_object& object : machine.objects()) {
    out += "  " + std::string(2 * std::size_t{object.depth}, ' ') + printable(object.label);
    if (object.size == 1) {
      const processing_unit& unit = machine.units()[object.first];
      if (machine.kinds() > 1) out += unit.kind + 1 == machine.kinds() ? "  fast" : "  economical";
      if (!unit.allowed) out += "  not allowed";
    }
    out += "\n";
  }
  return out;
}

std::string processors_text(const machine_options& asked, const placement& placed) {
  table lines({"rank", "core", "PU", "NUMA", "package"}, table::alignment::left);
  for (const processor& p : placed.processors)
    lines.add({std::to_string(p.rank), "L#" + std::to_string(p.core), "P#" + std::to_string(p.pu),
               "P#" + std::to_string(p.numa), "L#" + std::to_string(p.package)});
  std::string out(1, '\n');
  out += counted(placed.processors.size(), "processor") + ", placed " + place_notation(asked);
  return out + "\n" + lines.text();
}

/// Tells whether the clusters of a level are what sync joins, for every power of two of VPs.
bool is_of_sync(const cluster_tree& clusters) { return std::has_single_bit(clusters.processors()); }

void add_cluster(const cluster_tree& clusters, const cluster& c, table& lines) {
  const bool leaf = c.level == clusters.labels();
  const std::string number = std::to_string(c.level);
  const std::string name = leaf                   ? "processor"
                           : is_of_sync(clusters) ? "sync(" + number + ")"
                                                  : "level " + number;
  lines.add({std::string(2 * std::size_t{c.level}, ' ') + name, range(c.first, c.size), c.object});
  if (leaf) return;
  for (const cluster& half : clusters.halves(c)) add_cluster(clusters, half, lines);
}

std::string clusters_text(const cluster_tree& clusters) {
  table lines({is_of_sync(clusters) ? "joined by" : "cluster", "ranks", "within"},
              table::alignment::left);
  add_cluster(clusters, clusters.level(0).front(), lines);
  return "\nClusters of M(" + std::to_string(clusters.processors()) + ")\n" + lines.text();
}

}  // namespace

std::string topology_text(const topology& machine, const machine_options& asked,
                          const placement& placed, const cluster_tree& clusters) {
  std::string out = machine_text(machine) + tree_text(machine) + "\nMemory\n" +
                    memory_nodes_text(machine) + processors_text(asked, placed) +
                    clusters_text(clusters);
  if (placed.oversubscribed) out += "\nOversubscribed: " + placed.warning + "\n";
  return out;
}

nlohmann::json machine_context(const topology& machine, const machine_options& asked,
                               const placement& placed) {
  nlohmann::json restrictions = nlohmann::json::array();
  for (const restriction& limit : machine.restrictions())
    restrictions.push_back({{"by", to_string(limit.cause)},
                            {"cores", limit.cores},
                            {"pus", limit.pus},
                            {"reason", limit.reason}});
  nlohmann::json quota;
  if (machine.quota())
    quota = {{"runtime_us", machine.quota()->runtime_us},
             {"period_us", machine.quota()->period_us},
             {"processors", machine.quota()->processors()},
             {"source", machine.quota()->source}};
  return {{"pleat", PLEAT_VERSION},
          {"topology_library", topology::library()},
          {"machine",
           {{"origin", machine.origin()},
            {"bindable", machine.bindable()},
            {"cores", machine.cores()},
            {"pus", machine.pus()},
            {"packages", machine.packages()},
            {"numa_nodes", machine.numa_nodes()},
            {"memory_nodes", memory_nodes_json(machine)},
            {"core_kinds", machine.kinds()},
            {"allowed_cores", machine.allowed_cores()},
            {"allowed_pus", machine.allowed_pus()},
            {"quota", quota},
            {"restrictions", restrictions}}},
          {"placement",
           {{"policy", place_notation(asked)},
            {"processors", placed.processors.size()},
            {"oversubscribed", placed.oversubscribed},
            {"warning", placed.warning}}}};
}

nlohmann::json topology_json(const topology& machine, const machine_options& asked,
                             const placement& placed, const cluster_tree& clusters) {
  nlohmann::json processors = nlohmann::json::array();
  for (const processor& p : placed.processors)
    processors.push_back({{"rank", p.rank},
                          {"core", p.core},
                          {"pu", p.pu},
                          {"numa", p.numa},
                          {"package", p.package}});
  nlohmann::json nested = nlohmann::json::array();
  for (const cluster& c : clusters.clusters())
    nested.push_back({{"level", c.level},
                      {"index", c.index},
                      {"first", c.first},
                      {"size", c.size},
                      {"object", c.object}});
  return {{"context", machine_context(machine, asked, placed)},
          {"topology", {{"processors", processors}, {"clusters", nested}}}};
}

namespace {

bool is_memory_only(const topology& machine, const numa_node& node) {
  return !std::ranges::binary_search(machine.numa_nodes(), node.index);
}

std::vector<unsigned> local_pus(const topology& machine, const numa_node& node) {
  std::vector<unsigned> pus;
  const topology_object& object = machine.objects()[node.object];
  for (const processing_unit& unit : machine.units().subspan(object.first, object.size))
    if (machine.is_local(unit.numa, node.index)) pus.push_back(unit.pu);
  std::ranges::sort(pus);
  return pus;
}

nlohmann::json told(double value) { return value > 0 ? nlohmann::json(value) : nlohmann::json(); }

std::vector<std::string> row_of(const topology& machine, const numa_node& node) {
  std::string distances;
  for (const unsigned from : machine.numa_nodes()) {
    const auto distance = machine.distance(from, node.index);
    distances += (distances.empty() ? "" : ", ") + (distance ? std::to_string(*distance) : "-");
  }
  const std::string pus = to_index_list(local_pus(machine, node));
  return {std::to_string(node.index),
          std::string(to_string(node.kind)),
          is_memory_only(machine, node) ? "yes" : "no",
          node.allowed ? "yes" : "no",
          node.bytes > 0 ? readable_bytes(static_cast<double>(node.bytes)) : "-",
          pus.empty() ? "-" : pus,
          node.bandwidth > 0 ? readable_number(node.bandwidth / 1e9) + " GB/s" : "-",
          node.latency > 0 ? readable_time(node.latency) : "-",
          distances};
}

}  // namespace

std::string numa_nodes_text(const topology& machine) {
  const std::size_t all = machine.memory_nodes().size();
  const std::size_t alone = all - machine.numa_nodes().size();
  return std::to_string(all) + (all == 1 ? " NUMA node" : " NUMA nodes") +
         (alone == 0 ? "" : ", " + std::to_string(alone) + " of them memory only");
}

std::string memory_nodes_text(const topology& machine) {
  table rows({"node", "kind", "memory only", "allowed", "size", "local to PUs", "bandwidth",
              "latency", "distance from " + to_index_list(machine.numa_nodes())});
  for (const numa_node& node : machine.memory_nodes()) rows.add(row_of(machine, node));
  return rows.text();
}

nlohmann::json memory_nodes_json(const topology& machine) {
  nlohmann::json all = nlohmann::json::array();
  for (const numa_node& node : machine.memory_nodes()) {
    nlohmann::json distances = nlohmann::json::object();
    for (const unsigned from : machine.numa_nodes()) {
      const auto distance = machine.distance(from, node.index);
      distances[std::to_string(from)] = distance ? nlohmann::json(*distance) : nlohmann::json();
    }
    all.push_back({{"node", node.index},
                   {"kind", to_string(node.kind)},
                   {"memory_only", is_memory_only(machine, node)},
                   {"allowed", node.allowed},
                   {"bytes", node.bytes},
                   {"local_pus", local_pus(machine, node)},
                   {"bytes_per_second", told(node.bandwidth)},
                   {"latency_s", told(node.latency)},
                   {"distance_from", std::move(distances)}});
  }
  return all;
}

namespace {

std::string with_its_time(const kernel_candidate& candidate) {
  if (!candidate.ns) return candidate.name;
  std::array<char, 32> ns{};
  std::snprintf(ns.data(), ns.size(), " %.2f", *candidate.ns);
  return candidate.name + ns.data();
}

}  // namespace

std::string kernels_text(std::span<const kernel_choice> choices) {
  table lines({"work", "kernel", "why", "of these, with the ns of an element"});
  for (const kernel_choice& choice : choices) {
    std::string all;
    for (const kernel_candidate& candidate : choice.candidates)
      all += (all.empty() ? "" : ", ") + with_its_time(candidate);
    lines.add({choice.work, choice.candidates[choice.chosen].name,
               std::string(to_string(choice.why)), all});
  }
  std::string text = lines.text() + "\n";
  for (const kernel_choice& choice : choices) {
    std::string names;
    for (const std::string& name : choice.missing) names += (names.empty() ? "" : ", ") + name;
    if (!names.empty()) text += "  compiled, but not for this processor: " + names + "\n";
  }
  return text;
}

nlohmann::ordered_json kernels_json(std::span<const kernel_choice> choices) {
  using nlohmann::ordered_json;
  ordered_json all = ordered_json::array();
  for (const kernel_choice& choice : choices) {
    ordered_json candidates = ordered_json::array();
    for (const kernel_candidate& candidate : choice.candidates)
      candidates.push_back({{"name", candidate.name},
                            {"ns", candidate.ns ? ordered_json(*candidate.ns) : ordered_json()}});
    all.push_back({{"work", choice.work},
                   {"chosen", choice.candidates[choice.chosen].name},
                   {"why", to_string(choice.why)},
                   {"candidates", candidates},
                   {"missing", choice.missing}});
  }
  return all;
}

}  // namespace pleat::bench
