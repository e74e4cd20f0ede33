// SPDX-License-Identifier: Apache-2.0
#include "place_report.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <utility>

#include <nlohmann/json.hpp>

#include "measure/big_block.hpp"
#include "tool/printable.hpp"
#include "tool/terminal.hpp"
#include "topology/topology_report.hpp"

namespace pleat::bench {
namespace {

using json = nlohmann::ordered_json;

std::string percent(double share) { return readable_number(100 * share) + " %"; }

std::string joined(const std::vector<std::string>& names) {
  constexpr std::size_t most = 3;
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < most; ++i)
    text += (i == 0 ? "" : ", ") + names[i];
  return names.size() > most ? text + ", …" : text;
}

std::string text_of(const table& rows, std::optional<std::size_t> columns) {
  const auto& style = stdout_emphasis();
  return rows.text(style.faint, style.plain, columns);
}

std::string nodes_of(const block_place& block, const topology& machine) {
  std::vector<numa_node> nodes;
  std::ranges::copy_if(machine.memory_nodes(), std::back_inserter(nodes), [&](const auto& node) {
    return std::ranges::binary_search(block.nodes, node.index);
  });
  return (nodes.size() == 1 ? "node " : "nodes ") + to_string(nodes);
}

std::string processors_text(const place_findings& found, std::optional<std::size_t> columns) {
  table rows({"rank", "core", "PU", "node", "package", "pages of its block", "local", "distance"});
  double local = 0;
  for (std::size_t i = 0; i < found.blocks.size(); ++i) {
    const processor& p = found.where.processors[i];
    const block_place& block = found.blocks[i];
    local += block.local / static_cast<double>(found.blocks.size());
    rows.add({std::to_string(p.rank), std::to_string(p.core), std::to_string(p.pu),
              std::to_string(p.numa), std::to_string(p.package), nodes_of(block, found.machine),
              percent(block.local), block.distance ? readable_number(*block.distance) : "-"});
  }
  return counted(found.blocks.size(), "processor") + ", placed " + place_notation(found.asked) +
         "; memory " + to_string(found.memory) + ": " + percent(local) +
         " of the accesses to one's own block are local\n" + text_of(rows, columns);
}

std::string barriers_text(const place_findings& found, std::optional<std::size_t> columns) {
  table rows(
      {"barrier", "clusters", "processors", "cores", "nodes", "packages", "crosses", "within"});
  for (const barrier_reach& one : found.barriers)
    rows.add({"sync(" + std::to_string(one.label) + ")", std::to_string(one.clusters),
              std::to_string(one.processors), std::to_string(one.cores), std::to_string(one.nodes),
              std::to_string(one.packages), one.crosses(), joined(one.within)});
  return "Barriers of M(" + std::to_string(found.blocks.size()) +
         "): what one of their clusters joins, at most\n" + text_of(rows, columns);
}

// Nearnesses across which bytes are counted: core, node, package.
constexpr std::size_t first_wide = 1, last_wide = 3;

std::vector<std::string> shares(const message_counts& counts) {
  std::vector<std::string> cells{readable_count(counts.total())};
  const double all = static_cast<double>(counts.total());
  for (const std::uint64_t messages : counts.by)
    cells.push_back(counts.total() == 0 ? "" : percent(static_cast<double>(messages) / all));
  cells.push_back(counts.total() == 0 ? "" : percent(counts.local()));
  cells.push_back(counts.total() == 0 ? "" : percent(1 - counts.local()));
  return cells;
}

table traffic_table(std::vector<std::string> first) {
  for (const char* name :
       {"messages", "processor", "core", "node", "package", "machine", "local", "remote"})
    first.emplace_back(name);
  return table(std::move(first));
}

std::string traffic_text(const place_findings& found, std::optional<std::size_t> columns) {
  if (found.traffic.empty()) return "";
  table rows = traffic_table({"program"});
  for (const program_traffic& one : found.traffic) {
    std::vector<std::string> cells{one.program};
    for (std::string& cell : shares(one.all)) cells.push_back(std::move(cell));
    rows.add(std::move(cells));
  }
  const program_traffic& first = found.traffic.front();
  std::string text = "Messages, n = " + readable_count(first.n) + ", folded onto " +
                     counted(first.processors, "processor") +
                     ": what holds both ends; local is on one node\n" + text_of(rows, columns);
  if (found.traffic.size() != 1) return text;
  text += "Bytes between";
  for (std::size_t i = first_wide; i <= last_wide; ++i)
    text += (i == first_wide ? " " : ", ") + std::string(nearness_names[i]) +
            "s: " + readable_bytes(static_cast<double>(first.all.bytes_between(i)));
  text += "\n";
  table labels = traffic_table({"label", "supersteps"});
  for (unsigned label = 0; label < first.of_label.size(); ++label) {
    if (first.supersteps[label] == 0) continue;
    std::vector<std::string> cells{std::to_string(label), std::to_string(first.supersteps[label])};
    for (std::string& cell : shares(first.of_label[label])) cells.push_back(std::move(cell));
    labels.add(std::move(cells));
  }
  return text + "\nThe same by the label of M(" + readable_count(first.v) +
         ") that ends the superstep\n" + text_of(labels, columns);
}

json json_of(const message_counts& counts) {
  json object{{"messages", counts.total()}};
  for (std::size_t i = 0; i < counts.by.size(); ++i) object[nearness_names[i]] = counts.by[i];
  for (std::size_t i = first_wide; i <= last_wide; ++i)
    object["bytes_between"][nearness_names[i] + std::string("s")] = counts.bytes_between(i);
  object["local"] = counts.local();
  object["remote"] = 1 - counts.local();
  return object;
}

json json_of(const program_traffic& traffic) {
  json object{{"program", traffic.program},
              {"n", traffic.n},
              {"v", traffic.v},
              {"processors", traffic.processors}};
  object.update(json_of(traffic.all));
  object["nodes"] = traffic.nodes;
  object["between_nodes"] = traffic.between_nodes;
  object["labels"] = json::array();
  for (unsigned label = 0; label < traffic.of_label.size(); ++label) {
    json one{{"label", label}, {"supersteps", traffic.supersteps[label]}};
    one.update(json_of(traffic.of_label[label]));
    object["labels"].push_back(std::move(one));
  }
  return object;
}

json json_of(const processor& p, const block_place& block) {
  json pages = json::object();
  for (std::size_t k = 0; k < block.nodes.size(); ++k)
    pages[std::to_string(block.nodes[k])] = block.shares[k];
  return {{"rank", p.rank},       {"core", p.core},
          {"pu", p.pu},           {"numa", p.numa},
          {"package", p.package}, {"pages", std::move(pages)},
          {"local", block.local}, {"distance", block.distance ? json(*block.distance) : json()}};
}

}  // namespace

place_findings find_places(const topology& machine, const machine_options& asked,
                           const memory_policy& memory) {
  placement where = place(machine, *asked.place, asked.processors);
  const cluster_tree clusters(machine, where);
  std::vector<block_place> blocks = block_places(memory, machine, where);
  std::vector<barrier_reach> barriers = barrier_reaches(clusters, where);
  return {machine, asked, std::move(where), memory, std::move(blocks), std::move(barriers)};
}

std::string place_text(const place_findings& found, std::optional<std::size_t> columns) {
  return printable(found.machine.origin()) + ": " + found.machine.summary() + ", " +
         counted(found.machine.packages(), "package") + ", " + numa_nodes_text(found.machine) +
         "\n\n" + processors_text(found, columns) + "\n" + barriers_text(found, columns) +
         (found.traffic.empty() ? "" : "\n") + traffic_text(found, columns);
}

nlohmann::ordered_json place_json(const place_findings& found) {
  json context = machine_context(found.machine, found.asked, found.where);
  context["memory"] = nodes_text(found.memory);
  context["pages"] = to_string(found.memory.size);
  json processors = json::array(), barriers = json::array(), traffic = json::array();
  for (std::size_t i = 0; i < found.blocks.size(); ++i)
    processors.push_back(json_of(found.where.processors[i], found.blocks[i]));
  for (const barrier_reach& one : found.barriers)
    barriers.push_back({{"label", one.label},
                        {"clusters", one.clusters},
                        {"processors", one.processors},
                        {"cores", one.cores},
                        {"nodes", one.nodes},
                        {"packages", one.packages},
                        {"crosses", one.crosses()},
                        {"within", one.within}});
  for (const program_traffic& one : found.traffic) traffic.push_back(json_of(one));
  return {{"context", context},
          {"place", {{"processors", processors}, {"barriers", barriers}, {"traffic", traffic}}}};
}

const char* barrier_reach::crosses() const {
  if (packages > 1) return "packages";
  if (nodes > 1) return "nodes";
  if (cores > 1) return "cores";
  return processors > 1 ? "threads" : "nothing";
}

std::vector<barrier_reach> barrier_reaches(const cluster_tree& clusters, const placement& where) {
  std::vector<barrier_reach> reaches;
  for (unsigned label = 0; label < clusters.labels(); ++label) {
    const std::size_t p = clusters.processors(), parts = std::size_t{1} << label;
    barrier_reach one{.label = label, .clusters = parts};
    for (std::size_t c = 0; c < parts; ++c) {
      // A processor may have VPs of two clusters.
      const rank_range joined{c * p / parts, ((c + 1) * p + parts - 1) / parts};
      const auto distinct = [&](unsigned processor::*what) {
        std::set<unsigned> found;
        for (std::size_t i = joined.first; i < joined.last; ++i)
          found.insert(where.processors[i].*what);
        return found.size();
      };
      one.processors = std::max(one.processors, joined.size());
      one.cores = std::max(one.cores, distinct(&processor::core));
      one.nodes = std::max(one.nodes, distinct(&processor::numa));
      one.packages = std::max(one.packages, distinct(&processor::package));
      const std::string& object = clusters.object_of(joined).name;
      if (std::ranges::find(one.within, object) == one.within.end()) one.within.push_back(object);
    }
    reaches.push_back(std::move(one));
  }
  return reaches;
}

namespace {

double kernels_weight(unsigned node) {
  std::ifstream file("/sys/kernel/mm/mempolicy/weighted_interleave/node" + std::to_string(node));
  double weight = 0;
  return file >> weight ? weight : 1;
}

}  // namespace

std::vector<block_place> block_places(const memory_policy& policy, const topology& on,
                                      const placement& where) {
  std::vector<block_place> places;
  for (std::size_t i = 0; i < where.processors.size(); ++i) {
    block_place one{.nodes = nodes_of_pages(policy, on, where, i), .shares = {}};
    const bool weighted =
        policy.where == memory_policy::nodes::weighted_interleave && on.bindable();
    for (const unsigned node : one.nodes) one.shares.push_back(weighted ? kernels_weight(node) : 1);
    const double all = std::accumulate(one.shares.begin(), one.shares.end(), 0.0);
    const unsigned own = where.processors[i].numa;
    for (std::size_t k = 0; k < one.nodes.size(); ++k) {
      const double share = one.shares[k] /= all;
      if (on.is_local(own, one.nodes[k])) one.local += share;
      const auto distance = on.distance(own, one.nodes[k]);
      one.distance = one.distance && distance ? std::optional(*one.distance + share * *distance)
                                              : std::nullopt;
    }
    places.push_back(std::move(one));
  }
  return places;
}

nearness nearness_of(const processor& a, const processor& b) {
  if (a.rank == b.rank) return nearness::processor;
  if (a.core == b.core) return nearness::core;
  if (a.numa == b.numa) return nearness::node;
  return a.package == b.package ? nearness::package : nearness::machine;
}

double message_counts::local() const {
  const std::uint64_t all = total();
  const std::uint64_t far = by[static_cast<std::size_t>(nearness::package)] +
                            by[static_cast<std::size_t>(nearness::machine)];
  return all == 0 ? 1 : static_cast<double>(all - far) / static_cast<double>(all);
}

program_traffic traffic_of(std::string program, std::size_t n, const cost_trace& costs,
                           const placement& where) {
  program_traffic found{.program = std::move(program),
                        .n = n,
                        .v = costs.v(),
                        .processors = costs.processors(),
                        .of_label = std::vector<message_counts>(costs.labels())};
  std::set<unsigned> nodes;
  for (std::size_t i = 0; i < found.processors; ++i) nodes.insert(where.processors[i].numa);
  found.nodes.assign(nodes.begin(), nodes.end());
  found.between_nodes.assign(nodes.size(), std::vector<std::uint64_t>(nodes.size()));
  const auto place = [&](const processor& p) {
    return static_cast<std::size_t>(std::ranges::lower_bound(found.nodes, p.numa) -
                                    found.nodes.begin());
  };
  for (unsigned label = 0; label < costs.labels(); ++label) {
    found.supersteps.push_back(costs.S(label));
    for (std::size_t from = 0; from < found.processors; ++from) {
      for (std::size_t to = 0; to < found.processors; ++to) {
        const std::uint64_t messages = costs.messages_between(label, from, to);
        const processor& a = where.processors[from];
        const processor& b = where.processors[to];
        const auto near = static_cast<std::size_t>(nearness_of(a, b));
        found.of_label[label].by[near] += messages;
        found.all.by[near] += messages;
        found.between_nodes[place(a)][place(b)] += messages;
      }
    }
  }
  return found;
}

}  // namespace pleat::bench
