// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <pleat/collectives/circulant.hpp>
#include <pleat/collectives/circulant_table.hpp>
#include <pleat/runtime/error.hpp>

#include "messages.hpp"
#include "tool/printable.hpp"
#include "tool/terminal.hpp"
#include "tool/tool.hpp"
#include "tool/words.hpp"

namespace pleat::bench {
namespace {

using json = nlohmann::ordered_json;

// Limits on the number of ranks: a longer table is unreadable, longer JSON would fill the memory.
constexpr std::uint32_t most_ranks_of_text = 1000;
constexpr std::uint32_t most_ranks_of_json = 1000000;

/// Throws: pleat::usage_error naming `option` if the word is no rank.
std::size_t parse_rank(const std::string& word, std::size_t processors,
                       const char* option = "--rank") {
  const std::size_t rank = parse_count(word, option);
  if (rank >= processors)
    throw usage_error(std::string(option) + ": " + std::to_string(rank) +
                      " is none of the ranks 0 to " + std::to_string(processors - 1));
  return rank;
}

// Ranks to show, and their schedules: columns of the JSON, rows of the text.
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

/// Returns the table of a broadcast's schedules, of all ranks or of one, as text or as JSON.
/// Throws: pleat::usage_error for numbers that make no sense, and for too many ranks.
std::string circulant_text(const std::string& processors, const std::string& chosen_rank,
                           bool as_json) {
  const circulant_graph graph(parse_count(processors, "P", 1));
  std::optional<std::uint32_t> rank;
  if (!chosen_rank.empty())
    rank = static_cast<std::uint32_t>(parse_rank(chosen_rank, graph.processors()));
  const std::uint32_t most = as_json ? most_ranks_of_json : most_ranks_of_text;
  if (!rank && graph.processors() > most)
    throw usage_error("the schedules of " + std::to_string(graph.processors()) +
                      " ranks are too many to print; choose one with --rank" +
                      (as_json || graph.processors() > most_ranks_of_json
                           ? std::string()
                           : ", or take all as --json"));
  const columns shown = rank ? one_rank(graph, *rank) : all_ranks(graph);
  return as_json ? json_text(graph, shown, rank.has_value()) : plain_text(graph, shown);
}

bool is_tree(std::string_view kind) { return kind == "scatter" || kind == "gather"; }

bool takes_blocks(std::string_view kind) {
  return kind == "broadcast" || kind == "reduce" || kind == "all-gather" ||
         kind == "reduce-scatter" || kind == "all-reduce";
}

constexpr std::size_t most_lines = 10'000;

// Names the blocks of a message: 3 for broadcast and reduce, 1→4 (from→to) for index. For others
// 3, or 3.1 where the data of a rank have several parts.
std::string in_words(const schedule_messages& of, const scheduled_message& one) {
  std::string text;
  for (const auto& [first, second] : one.what) {
    if (!text.empty()) text += ", ";
    if (of.kind == "index")
      text += std::to_string(second) + "→" + std::to_string(first);
    else if (of.kind == "broadcast" || of.kind == "reduce")
      text += std::to_string(first);
    else
      text += std::to_string(second) + (of.in_parts ? "." + std::to_string(first) : "");
  }
  return text;
}

/// Returns the messages as a table. Throws: pleat::usage_error for more than most_lines messages.
std::string messages_text(const schedule_messages& of) {
  if (of.messages.size() > most_lines)
    throw usage_error(readable_count(of.messages.size()) +
                      " messages are too many to print; take fewer, or all of them as --json");
  const bool steps = is_tree(of.kind);
  const char* const what = of.kind == "broadcast" || of.kind == "reduce" ? "block"
                           : of.kind == "index"                          ? "blocks (from→to)"
                           : of.kind == "concatenation"
                               ? (of.in_parts ? "units (block.unit)" : "blocks")
                           : !steps      ? (of.in_parts ? "blocks (rank.block)" : "blocks")
                           : of.in_parts ? "flit (message.flit)"
                                         : "message";
  table rows({steps ? "step" : "round", "from", "to", what});
  for (const scheduled_message& one : of.messages)
    rows.add({std::to_string(one.round + (steps ? 1 : 0)), std::to_string(one.from),
              std::to_string(one.to), in_words(of, one)});
  return of.kind + ", " + counted(of.processors, "processor") + ", " +
         counted(of.rounds, steps ? "step" : "round") + "; " + of.bound + "\n" + rows.text();
}

/// Returns the messages as JSON, see bench/docs/json.md.
std::string messages_json(const schedule_messages& of) {
  std::string text = json{
      {"schedule", of.kind},
      {"processors", of.processors},
      {"rounds", of.rounds},
      {"bound",
       of.bound}}.dump();
  // Appends text: there may be millions of numbers, and a JSON document of them would take ten
  // times as much memory.
  text.back() = ',';
  text += "\"messages\":[";
  for (const scheduled_message& one : of.messages) {
    text += "{\"round\":" + std::to_string(one.round) + ",\"from\":" + std::to_string(one.from) +
            ",\"to\":" + std::to_string(one.to) + ",\"what\":[";
    for (const auto& [first, second] : one.what)
      text += "[" + std::to_string(first) + "," + std::to_string(second) + "],";
    text.back() = ']';  // in place of the last comma
    text += "},";
  }
  if (!of.messages.empty()) text.pop_back();
  return text + "]}\n";
}

struct schedule_arguments {
  std::string what;
  std::optional<std::string> of;
  std::string rank, blocks, schedule, group, root, radix, ports, units, flits;
  bool json = false;
};

void refuse_options(const schedule_arguments& chosen, std::string_view kind) {
  const auto only = [&](const std::string& given, const char* option, bool fits,
                        const char* kinds) {
    if (!given.empty() && !fits)
      throw usage_error(std::string(option) + " is of " + kinds + ", not of " + std::string(kind) +
                        "; leave it out");
  };
  const bool rooted = kind == "broadcast" || kind == "reduce";
  for (const auto& [given, option] :
       {std::pair(chosen.blocks, "--blocks"), std::pair(chosen.schedule, "--schedule"),
        std::pair(chosen.group, "--group")})
    only(given, option, takes_blocks(kind),
         "broadcast, reduce, all-gather, reduce-scatter and all-reduce");
  only(chosen.root, "--root", rooted || is_tree(kind), "broadcast, reduce, scatter and gather");
  only(chosen.radix, "--radix", kind == "index", "index");
  only(chosen.ports, "--ports", kind == "index" || kind == "concatenation",
       "index and concatenation");
  only(chosen.units, "--units", kind == "concatenation", "concatenation");
  only(chosen.flits, "--flits", is_tree(kind), "scatter and gather");
}

std::size_t number(const std::string& word, const char* option, std::size_t otherwise) {
  return word.empty() ? otherwise : parse_count(word, option, 1);
}

std::vector<std::size_t> flits_of(const std::string& list) {
  std::vector<std::size_t> flits;
  if (!list.empty())
    for (const auto& word : split(list)) flits.push_back(parse_count(word, "--flits"));
  return flits;
}

schedule_messages messages_of(const schedule_arguments& chosen, const std::string& kind,
                              const std::string& of) {
  if (is_tree(kind)) {
    const std::size_t root = chosen.root.empty() ? 0 : parse_count(chosen.root, "--root");
    const named_tree tree = tree_of(of, root);
    const auto flits = flits_of(chosen.flits);
    return kind == "scatter" ? scatter_messages(tree, flits) : gather_messages(tree, flits);
  }
  const std::size_t p = parse_count(of, "P", 1);
  const std::size_t blocks = number(chosen.blocks, "--blocks", 1);
  const std::size_t root = chosen.root.empty() ? 0 : parse_rank(chosen.root, p, "--root");
  if (takes_blocks(kind))
    return collective_messages(kind, p, blocks, root,
                               parsed_form(chosen.schedule, chosen.group, blocks));
  if (kind == "index")
    return index_messages(p, number(chosen.radix, "--radix", 2),
                          number(chosen.ports, "--ports", 1));
  return concatenation_messages(p, number(chosen.units, "--units", 1),
                                number(chosen.ports, "--ports", 1));
}

void show(const schedule_arguments& chosen) {
  constexpr std::string_view kinds[]{"broadcast",      "reduce",     "all-gather",
                                     "reduce-scatter", "all-reduce", "index",
                                     "concatenation",  "scatter",    "gather"};
  const bool named = std::ranges::find(kinds, chosen.what) != std::end(kinds);
  if (chosen.of && !named)
    throw usage_error("'" + chosen.what + " " + *chosen.of +
                      "' is no schedule; known: broadcast, reduce, all-gather, reduce-scatter, "
                      "all-reduce, index, concatenation, scatter, gather");
  if (named && !chosen.of)
    throw usage_error(chosen.what + ": of what? Give a number of processors" +
                      (is_tree(chosen.what) ? "' tree" : "") + " behind it");
  const bool of_all_blocks = !named && !(chosen.blocks.empty() && chosen.root.empty() &&
                                         chosen.schedule.empty() && chosen.group.empty());
  const std::string kind = named ? chosen.what : of_all_blocks ? "broadcast" : "";
  refuse_options(chosen, kind.empty() ? "a table of schedules" : kind);
  if (kind.empty()) {
    print_data(circulant_text(chosen.what, chosen.rank, chosen.json));
    return;
  }
  schedule_messages all = messages_of(chosen, kind, named ? *chosen.of : chosen.what);
  if (!chosen.rank.empty()) {
    const std::size_t rank = parse_rank(chosen.rank, all.processors);
    std::erase_if(all.messages, [rank](const scheduled_message& one) {
      return one.from != rank && one.to != rank;
    });
  }
  print_data(chosen.json ? messages_json(all) : messages_text(all));
}

}  // namespace

void add_schedule_command(tool_command& tool) {
  auto chosen = std::make_shared<schedule_arguments>();
  auto command = add_study(tool, "schedule");
  command
      .add_option("WHAT", chosen->what,
                  "A number of processors, up to 2^31: the table of a broadcast's schedules; "
                  "broadcast, reduce, all-gather, reduce-scatter, all-reduce (on the "
                  "circulant graph or trees), index, concatenation, scatter, gather: the messages")
      .required();
  command.add_option("P", chosen->of, "Of the messages: processors, or their TREE");
  command.add_option("--rank", chosen->rank, "Only the schedule of this rank", "R");
  command.add_option(
      "--blocks", chosen->blocks,
      "Of broadcast and reduce, and of a rank's part of all-gather, reduce-scatter and "
      "all-reduce (1 if not given, as of trees)",
      "N");
  command.add_option("--schedule", chosen->schedule,
                     "Of the same: circulant (if not given), or binomial or negabinary trees",
                     "WHICH");
  command.add_option("--group", chosen->group,
                     "Of trees in two levels: ranks of a group, and the place of rank 0: 24+5",
                     "N");
  command.add_option("--root", chosen->root, "Of broadcast, reduce and the tree of a graph (0)",
                     "R");
  command.add_option("--radix", chosen->radix, "Of index, 2 (if not given) to P", "R");
  command.add_option("--ports", chosen->ports,
                     "Messages that a rank sends at once, of index and concatenation (1)", "K");
  command.add_option("--units", chosen->units, "Of a block of concatenation (1)", "N");
  command.add_option(
      "--flits", chosen->flits,
      "Lengths of the messages of scatter and gather, of all processors but the root, "
      "separated by commas (1 each)",
      "LIST");
  command.add_flag("--json", chosen->json, "Print JSON");
  command.footer(
      R"(Table: in round k of a phase rank r receives block recv[k] from rank r - skip[k] and sends
block send[k] to rank r + skip[k]; every phase adds the number of rounds to all
entries, and a negative block is not sent. The root is rank 0.

TREE: path:N, star:N, binary:N, binomial:N; the parents of 1, 2, 3, ...: 0,0,1,1; or edges:FILE, a
graph with two numbers a line, of which the shortest paths from --root are taken.

JSON of messages: what[] has pairs, of broadcast to all-reduce [block, root], of index [destination,
source], of concatenation [unit, rank it is from], of scatter and gather [flit, processor].

Examples:
  pleat schedule 17
  pleat schedule 2^20 --rank 12345
  pleat schedule 33000 --json
  pleat schedule broadcast 9 --blocks 4 --root 3
  pleat schedule broadcast 16 --schedule negabinary
  pleat schedule all-reduce 5
  pleat schedule index 12 --radix 3 --ports 2 --rank 0
  pleat schedule concatenation 10 --ports 3 --units 4
  pleat schedule scatter binary:7
  pleat schedule gather 0,0,1,1 --flits 2,0,1,3)");
  command.callback([chosen] { show(*chosen); });
}

}  // namespace pleat::bench
