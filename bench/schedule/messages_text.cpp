// SPDX-License-Identifier: Apache-2.0
#include "messages_text.hpp"

#include <nlohmann/json.hpp>

#include <pleat/runtime/error.hpp>

#include "tool/readable.hpp"
#include "tool/table.hpp"

namespace pleat::bench {
namespace {

constexpr std::size_t most_lines = 10'000;

// Names of the blocks of a message: of a broadcast or a reduction 3; of an index operation 1→4; of
// the others 3, or 3.1 where a block or a message has parts.
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

}  // namespace

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

std::string messages_json(const schedule_messages& of) {
  using json = nlohmann::ordered_json;
  std::string text = json{
      {"schedule", of.kind},
      {"processors", of.processors},
      {"rounds", of.rounds},
      {"bound",
       of.bound}}.dump();
  // Numbers alone, and there may be millions: a document of them would take ten times as much
  // memory.
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

}  // namespace pleat::bench
