// SPDX-License-Identifier: Apache-2.0
#include "topology_report.hpp"

#include <algorithm>
#include <bit>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <pleat/channels/version.hpp>

#include "tool/memory_nodes.hpp"
#include "tool/printable.hpp"
#include "tool/readable.hpp"

namespace pleat::bench {
namespace {

std::string range(std::size_t first, std::size_t size) {
  return size == 1 ? std::to_string(first)
                   : std::to_string(first) + "-" + std::to_string(first + size - 1);
}

// Rows of cells, every column as wide as its widest cell.
class left_aligned {
 public:
  void row(std::vector<std::string> cells) {
    for (auto& cell : cells) cell = printable(cell);
    rows_.push_back(std::move(cells));
  }

  [[nodiscard]] std::string text() const {
    std::vector<std::size_t> width;
    for (const auto& cells : rows_) {
      width.resize(std::max(width.size(), cells.size()));
      for (std::size_t i = 0; i < cells.size(); ++i) width[i] = std::max(width[i], cells[i].size());
    }
    std::string out;
    for (const auto& cells : rows_) {
      std::string line;
      for (std::size_t i = 0; i < cells.size(); ++i)
        line += "  " + cells[i] + std::string(width[i] - cells[i].size(), ' ');
      line.erase(line.find_last_not_of(' ') + 1);
      out += line + "\n";
    }
    return out;
  }

 private:
  std::vector<std::vector<std::string>> rows_;
};

std::string machine_text(const topology& machine) {
  std::string out = machine.summary() + "; " + counted(machine.packages(), "package") + ", " +
                    numa_nodes_text(machine) + "; " + printable(machine.origin()) + " (" +
                    topology::library() + ")\n";
  if (!machine.bindable()) out += "A dry run: threads cannot be bound to this topology.\n";
  if (!machine.restrictions().empty()) {
    left_aligned lines;
    lines.row({"restricted by", "cores", "PUs", "because of"});
    for (const restriction& limit : machine.restrictions())
      lines.row({std::string(to_string(limit.cause)), std::to_string(limit.cores),
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
  left_aligned lines;
  lines.row({"rank", "core", "PU", "NUMA", "package"});
  for (const processor& p : placed.processors)
    lines.row({std::to_string(p.rank), "L#" + std::to_string(p.core), "P#" + std::to_string(p.pu),
               "P#" + std::to_string(p.numa), "L#" + std::to_string(p.package)});
  std::string out(1, '\n');
  out += counted(placed.processors.size(), "processor") + ", placed " + place_notation(asked);
  return out + "\n" + lines.text();
}

/// Tells whether the clusters of a level are what sync joins, for every power of two of VPs.
bool is_of_sync(const cluster_tree& clusters) { return std::has_single_bit(clusters.processors()); }

void add_cluster(const cluster_tree& clusters, const cluster& c, left_aligned& lines) {
  const bool leaf = c.level == clusters.labels();
  const std::string number = std::to_string(c.level);
  const std::string name = leaf                   ? "processor"
                           : is_of_sync(clusters) ? "sync(" + number + ")"
                                                  : "level " + number;
  lines.row({std::string(2 * std::size_t{c.level}, ' ') + name, range(c.first, c.size), c.object});
  if (leaf) return;
  for (const cluster& half : clusters.halves(c)) add_cluster(clusters, half, lines);
}

std::string clusters_text(const cluster_tree& clusters) {
  left_aligned lines;
  lines.row({is_of_sync(clusters) ? "joined by" : "cluster", "ranks", "within"});
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

}  // namespace pleat::bench
