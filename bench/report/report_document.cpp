// SPDX-License-Identifier: Apache-2.0
#include "report_document.hpp"

#include <algorithm>
#include <utility>

#include <pleat/runtime/error.hpp>

#include "document_checks.hpp"
#include "json_file.hpp"
#include "sweep/journal.hpp"
#include "sweep_file.hpp"

namespace pleat::bench {
namespace {

using json = nlohmann::ordered_json;

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
  switch (kind) {
    case document_kind::matrix:
      return "matrix";
    case document_kind::timeline:
      return "timeline";
    case document_kind::topology:
      return "topology";
    case document_kind::sweep:
      break;
  }
  return "sweep";
}

report_document document_from(json content, std::string file) {
  const auto checked = [&](const char* command) { return checked_json(content, file, command); };
  const auto is = [&](document_kind kind) {
    return report_document{std::move(file), kind, std::move(content)};
  };
  if (content.is_object() && has_list(content, "benchmarks")) {
    static_cast<void>(sweep_from(content, file));
    check_sweep(checked("sweep --json"));
    return is(document_kind::sweep);
  }
  if (content.is_object() && content.contains("matrices")) {
    check_matrices(checked("matrix --json"));
    return is(document_kind::matrix);
  }
  if (content.is_object() && content.contains("topology") && content.contains("context")) {
    check_topology(checked("topology --json"));
    return is(document_kind::topology);
  }
  if (content.is_object() && is_timeline(content)) {
    check_timeline(checked("run --trace"));
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
