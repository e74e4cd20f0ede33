// SPDX-License-Identifier: Apache-2.0
#include "prediction.hpp"

#include <nlohmann/json.hpp>

#include "tool/readable.hpp"
#include "tool/table.hpp"
#include "tool/terminal.hpp"

namespace pleat::bench {

std::string predictions_text(std::span<const prediction> all,
                             std::span<const std::string> machines) {
  table rows({"machine", "program", "n", "nodes", "cores", "S", "F", "work", "communication",
              "predicted"});
  for (const prediction& one : all) {
    rows.add({one.machine, one.program, readable_count(one.n), readable_count(one.nodes),
              readable_count(one.nodes * one.cores), readable_number(one.costs.supersteps),
              readable_bytes(one.costs.bytes), readable_time(one.work),
              readable_time(one.communication), readable_time(one.seconds())});
  }
  const auto& look = stdout_emphasis();
  std::string text = rows.text(look.bold, look.plain, stdout_columns()) +
                     "\nS: supersteps. F: over all of them, the most bytes that a node sends or "
                     "receives. work: the time of one\ncore of this machine, shared evenly by all "
                     "cores. Left out: memory that cores share, copies into and\nout of messages, "
                     "and what more nodes have to do beyond one (sort: merging, and samples).\n";
  for (const std::string& machine : machines) text += machine + "\n";
  return text;
}

nlohmann::ordered_json predictions_json(std::span<const prediction> all) {
  auto result = nlohmann::ordered_json::array();
  for (const prediction& one : all) {
    result.push_back({{"machine", one.machine},
                      {"program", one.program},
                      {"n", one.n},
                      {"nodes", one.nodes},
                      {"cores", one.cores},
                      {"S", one.costs.supersteps},
                      {"F_bytes", one.costs.bytes},
                      {"runs", one.costs.runs},
                      {"messages", one.costs.messages},
                      {"work_s", one.work},
                      {"communication_s", one.communication},
                      {"predicted_s", one.seconds()}});
  }
  return result;
}

}  // namespace pleat::bench
