// SPDX-License-Identifier: Apache-2.0
#include "circulant_text.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <pleat/collectives/circulant.hpp>
#include <pleat/collectives/circulant_table.hpp>
#include <pleat/runtime/error.hpp>

#include "tool/numbers.hpp"
#include "tool/readable.hpp"
#include "tool/table.hpp"

namespace pleat::bench {
namespace {

using json = nlohmann::ordered_json;

// Beyond that many ranks nobody reads a table, and its JSON would fill the memory.
constexpr std::uint32_t most_ranks_of_text = 1000;
constexpr std::uint32_t most_ranks_of_json = 1000000;

// Columns of a table: the ranks to show, and what they receive and send.
struct columns {
  std::vector<std::uint32_t> ranks;
  std::vector<circulant_schedule> schedules;
};

columns one_rank(const circulant_graph& graph, std::uint32_t rank) {
  return {{rank}, {graph.schedule(rank)}};
}

columns all_ranks(const circulant_graph& graph) {
  const circulant_table table(graph);
  columns all;
  for (std::uint32_t rank = 0; rank < graph.processors(); ++rank) {
    all.ranks.push_back(rank);
    all.schedules.push_back(table.schedule(rank));
  }
  return all;
}

json entries(const columns& shown, unsigned q,
             std::array<std::int8_t, 32> circulant_schedule::*which) {
  json rows = json::array();
  for (unsigned k = 0; k < q; ++k) {
    json row = json::array();
    for (const auto& one : shown.schedules) row.push_back((one.*which)[k]);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string json_text(const circulant_graph& graph, const columns& shown, bool single) {
  const unsigned q = graph.rounds();
  json baseblocks = json::array();
  for (const auto& one : shown.schedules) baseblocks.push_back(one.baseblock);
  json document{{"processors", graph.processors()}, {"rounds", q}};
  if (single) document["rank"] = shown.ranks.front();
  document["skip"] = graph.skips();
  document["baseblock"] = std::move(baseblocks);
  document["recv"] = entries(shown, q, &circulant_schedule::recv);
  document["send"] = entries(shown, q, &circulant_schedule::send);
  return document.dump() + "\n";
}

std::string plain_text(const circulant_graph& graph, const columns& shown) {
  std::vector<std::string> header{"rank", "baseblock"};
  for (unsigned k = 0; k < graph.rounds(); ++k) header.push_back("recv " + std::to_string(k));
  for (unsigned k = 0; k < graph.rounds(); ++k) header.push_back("send " + std::to_string(k));
  table rows(std::move(header));
  for (std::size_t i = 0; i < shown.ranks.size(); ++i) {
    const circulant_schedule& one = shown.schedules[i];
    std::vector<std::string> cells{std::to_string(shown.ranks[i]), std::to_string(one.baseblock)};
    for (unsigned k = 0; k < graph.rounds(); ++k) cells.push_back(std::to_string(one.recv[k]));
    for (unsigned k = 0; k < graph.rounds(); ++k) cells.push_back(std::to_string(one.send[k]));
    rows.add(std::move(cells));
  }
  std::string text = counted(graph.processors(), "processor") + ", " +
                     counted(graph.rounds(), "round") + " a phase, skips";
  for (const std::uint32_t skip : graph.skips()) text += " " + std::to_string(skip);
  return text + "\n" + rows.text();
}

}  // namespace

std::string circulant_text(const std::string& processors, const std::string& chosen_rank,
                           bool as_json) {
  const circulant_graph graph(parse_count(processors, "P", 1));
  std::optional<std::uint32_t> rank;
  if (!chosen_rank.empty())
    rank = static_cast<std::uint32_t>(parse_rank(chosen_rank, graph.processors()));
  const std::uint32_t most = as_json ? most_ranks_of_json : most_ranks_of_text;
  if (!rank && graph.processors() > most) {
    throw usage_error("the schedules of " + std::to_string(graph.processors()) +
                      " ranks are too many to print; choose one with --rank" +
                      (as_json || graph.processors() > most_ranks_of_json
                           ? std::string()
                           : ", or take all as --json"));
  }
  const columns shown = rank ? one_rank(graph, *rank) : all_ranks(graph);
  return as_json ? json_text(graph, shown, rank.has_value()) : plain_text(graph, shown);
}

std::size_t parse_rank(const std::string& word, std::size_t processors, const char* option) {
  const std::size_t rank = parse_count(word, option);
  if (rank >= processors)
    throw usage_error(std::string(option) + ": " + std::to_string(rank) +
                      " is none of the ranks 0 to " + std::to_string(processors - 1));
  return rank;
}

}  // namespace pleat::bench
