// SPDX-License-Identifier: Apache-2.0
#include "report_document.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <pleat/runtime/error.hpp>

#include "checked_json.hpp"
#include "json_file.hpp"
#include "sweep/journal.hpp"
#include "sweep_file.hpp"

namespace pleat::bench {
namespace {

using json = nlohmann::ordered_json;

void check_names(const checked_json& names) {
  if (names.size() == 0) names.wrong("is empty");
  for (std::size_t i = 0; i < names.size(); ++i) static_cast<void>(names.at(i).text());
}

// A cell that was not measured is null.
void check_grid(const checked_json& grid, std::size_t rows, std::size_t columns) {
  if (grid.size() != rows) grid.wrong("has not as many rows as there are names of rows");
  for (std::size_t i = 0; i < rows; ++i) {
    const auto row = grid.at(i);
    if (row.size() != columns) row.wrong("has not as many cells as there are names of columns");
    for (std::size_t j = 0; j < columns; ++j)
      if (const auto cell = row.at(j); !cell.value().is_null()) static_cast<void>(cell.number());
  }
}

void check_matrix(const checked_json& matrix) {
  for (const char* key : {"title", "unit"}) static_cast<void>(matrix.at(key).text());
  const auto rows = matrix.at("rows");
  const auto columns = matrix.at("columns");
  check_names(rows);
  check_names(columns);
  for (const char* key : {"median", "interval_low", "interval_high"})
    check_grid(matrix.at(key), rows.size(), columns.size());
}

// The processors of a machine by rank, and the clusters of them.
void check_machine(const checked_json& processors, const checked_json& clusters) {
  const std::size_t count = processors.size();
  if (count == 0) processors.wrong("is empty");
  if (clusters.size() == 0) clusters.wrong("is empty");
  for (std::size_t i = 0; i < count; ++i) {
    const auto one = processors.at(i);
    for (const char* key : {"rank", "core", "pu", "numa", "package"})
      static_cast<void>(one.at(key).count());
  }
  for (std::size_t i = 0; i < clusters.size(); ++i) {
    const auto one = clusters.at(i);
    for (const char* key : {"level", "index"}) static_cast<void>(one.at(key).count());
    static_cast<void>(one.at("object").text());
    const std::size_t first = one.at("first").count(), size = one.at("size").count();
    if (size == 0 || size > count || first > count - size)
      one.wrong("is of processors that are not there");
  }
}

// Name of a process or a thread.
const std::string& name_in(const checked_json& event) {
  const auto arguments = event.at("args");
  return arguments.at("name").text();
}

/// Checks that a document has all that the page draws of it, each of the right kind and shape: the
/// page relies on it. What the page does not read may be anything.
///
/// Throws: pleat::usage_error, as checked_json does.
void check_matrices(const checked_json& document) {
  const auto matrices = document.at("matrices");
  if (matrices.size() == 0) matrices.wrong("is empty");
  for (std::size_t i = 0; i < matrices.size(); ++i) check_matrix(matrices.at(i));
}

void check_timeline(const checked_json& document) {
  constexpr std::array<std::string_view, 3> drawn{"computation", "communication", "waiting"};
  const auto events = document.at("traceEvents");
  bool has_processor = false;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const auto event = events.at(i);
    const std::string_view name = event.at("name").text();
    const std::string_view phase = event.at("ph").text();
    if (name == "process_name") static_cast<void>(name_in(event));
    if (name == "thread_name") {
      static_cast<void>(event.at("tid").count());
      static_cast<void>(name_in(event));
      has_processor = true;
    }
    for (const auto activity : drawn) {
      if (phase != "X" || name != activity) continue;
      static_cast<void>(event.at("tid").count());
      static_cast<void>(event.at("dur").number());
    }
  }
  if (!has_processor) events.wrong("names no processor");
}

void check_topology(const checked_json& document) {
  const auto machine = document.at("topology");
  const auto processors = machine.at("processors");
  const auto clusters = machine.at("clusters");
  check_machine(processors, clusters);
}

/// Checks what the page reads of a sweep beyond its cases, which sweep_from checks.
void check_sweep(const checked_json& document) {
  const auto entries = document.at("benchmarks");
  if (entries.size() == 0) entries.wrong("is empty");
  const auto context = document.at("context");
  const auto pleat = context.at("pleat");
  const auto processors = pleat.find("processors");
  const auto clusters = pleat.find("clusters");
  if (processors && clusters) check_machine(*processors, *clusters);
}

bool has_list(const json& content, const char* key) {
  const auto found = content.find(key);
  return found != content.end() && found->is_array();
}

bool has_object(const json& content, const char* key) {
  const auto found = content.find(key);
  return found != content.end() && found->is_object();
}

// Other programs write trace events too: Pleat's have a process named "pleat: PROGRAM".
bool is_timeline(const json& content) {
  if (!has_list(content, "traceEvents")) return false;
  return std::ranges::any_of(content["traceEvents"], [](const json& event) {
    return event.is_object() && event.value("name", json()) == "process_name" &&
           has_object(event, "args") && event["args"].value("name", json()).is_string() &&
           event["args"]["name"].get<std::string>().starts_with("pleat: ");
  });
}

}  // namespace

std::string_view name_of(document_kind kind) {
  constexpr std::array<std::string_view, 4> names{"sweep", "matrix", "timeline", "topology"};
  return names[static_cast<std::size_t>(kind)];
}

report_document document_from(json content, std::string file) {
  const auto checked = [&](const char* advice) { return checked_json(content, file, advice); };
  const auto is = [&](document_kind kind) {
    return report_document{std::move(file), kind, std::move(content)};
  };
  if (content.is_object() && has_list(content, "benchmarks")) {
    static_cast<void>(sweep_from(content, file));
    check_sweep(checked("give a file that pleat sweep --json wrote"));
    return is(document_kind::sweep);
  }
  if (content.is_object() && content.contains("matrices")) {
    check_matrices(checked("give a file that pleat matrix --json wrote"));
    return is(document_kind::matrix);
  }
  if (content.is_object() && content.contains("topology") && content.contains("context")) {
    check_topology(checked("give a file that pleat topology --json wrote"));
    return is(document_kind::topology);
  }
  if (content.is_object() && is_timeline(content)) {
    check_timeline(checked("give a file that pleat run --trace wrote"));
    return is(document_kind::timeline);
  }
  throw usage_error(file +
                    ": this is none of pleat's results; give what pleat sweep --json, "
                    "matrix --json, topology --json or run --trace wrote");
}

report_document read_report_document(const std::string& file) {
  if (journal::look_at(file) == journal::found::whole)
    throw usage_error(file + " is the journal of a sweep that did not end; pleat sweep --resume " +
                      file + " ends it and writes its results");
  return document_from(read_json_file(file), file);
}

}  // namespace pleat::bench
