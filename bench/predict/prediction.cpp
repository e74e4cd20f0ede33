// SPDX-License-Identifier: Apache-2.0
#include "prediction.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <nlohmann/json.hpp>

#include <pleat/runtime/error.hpp>

#include "stencil/heat_data.hpp"
#include "tool/printable.hpp"
#include "tool/terminal.hpp"
#include "tool/words.hpp"

namespace pleat::bench {

std::string_view prediction::longest() const {
  const std::pair<double, std::string_view> terms[] = {{work, "work"},
                                                       {communication.bytes, "bytes"},
                                                       {communication.latency, "latency"},
                                                       {communication.messages, "overheads"}};
  return std::ranges::max(terms).second;
}

std::string predictions_text(std::span<const prediction> all,
                             std::span<const std::string> machines) {
  table rows({"machine", "program", "n", "nodes", "cores", "S", "F", "messages", "work", "bytes",
              "latency", "overheads", "predicted", "longest"});
  for (const prediction& one : all)
    rows.add({one.machine, one.program, readable_count(one.n), readable_count(one.nodes),
              readable_count(one.nodes * one.cores), readable_number(one.costs.supersteps),
              readable_bytes(one.costs.bytes), readable_number(one.costs.messages),
              readable_time(one.work), readable_time(one.communication.bytes),
              readable_time(one.communication.latency), readable_time(one.communication.messages),
              readable_time(one.seconds()), std::string(one.longest())});
  const auto& look = stdout_emphasis();
  std::string text =
      rows.text(look.bold, look.plain, stdout_columns()) +
      "\nS: supersteps. F: over all of them, the most bytes that a node sends or "
      "receives. work: the time of one\ncore of this machine, shared evenly by all "
      "cores; bytes, latency, overheads: of communication. longest: what\nof these "
      "takes most. Left out: memory that cores share, copies into and out of messages, "
      "and what more\nnodes have to do beyond one (sort: merging, and samples).\n";
  for (const std::string& machine : machines) text += machine + "\n";
  return text;
}

nlohmann::ordered_json predictions_json(std::span<const prediction> all) {
  auto result = nlohmann::ordered_json::array();
  for (const prediction& one : all)
    result.push_back({{"machine", one.machine},
                      {"program", one.program},
                      {"n", one.n},
                      {"nodes", one.nodes},
                      {"cores", one.cores},
                      {"S", one.costs.supersteps},
                      {"F_bytes", one.costs.bytes},
                      {"runs", one.costs.runs},
                      {"messages", one.costs.messages},
                      {"times", one.costs.times},
                      {"work_s", one.work},
                      {"bytes_s", one.communication.bytes},
                      {"latency_s", one.communication.latency},
                      {"messages_s", one.communication.messages},
                      {"communication_s", one.communication.sum()},
                      {"predicted_s", one.seconds()},
                      {"longest", one.longest()}});
  return result;
}

namespace {

constexpr std::array known{
    cluster{"infiniband",
            "HDR InfiniBand: 200 Gb/s a port (vendor's datum); assumed: 1.5 µs from program to "
            "program, 0.3 µs a message at either end, full bisection, 64 cores a node",
            1.5e-6, 0.3e-6, 25e9, 64},
    cluster{"ethernet",
            "25 Gb/s Ethernet (the line's rate) and TCP; assumed: 25 µs from program to program, "
            "3 µs a message at either end, full bisection, 32 cores a node",
            25e-6, 3e-6, 3.125e9, 32}};

}  // namespace

const cluster& find_cluster(std::string_view name) {
  for (const cluster& one : known)
    if (one.name == name) return one;
  throw usage_error("--machine: '" + std::string(name) + "' is unknown; known: " +
                    names_of(known, [](const cluster& one) { return one.name; }) +
                    "; your own: --model FILE.json");
}

ranked_work work_of(const sweep_case& at) {
  const auto bits = static_cast<std::size_t>(std::stoul(at.type.substr(1)));  // f64, u8
  ranked_work work{at.program, at.n, bits / 8, 1, 0};
  if (at.program == "fft") {
    work.element_bytes *= 2;
    work.lines = at.batch;
  }
  if (at.program == "stencil1") work.steps = heat_data<double, 1>::steps();
  if (at.program == "stencil2") work.steps = heat_data<double, 2>::steps();
  if (at.program == "stencil3") work.steps = heat_data<double, 3>::steps();
  return work;
}

}  // namespace pleat::bench
