// SPDX-License-Identifier: Apache-2.0
#include "rivals_program.hpp"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <utility>

#include <pleat/runtime/error.hpp>

#include "measure/statistics.hpp"
#include "sort/distribution.hpp"
#include "tool/printable.hpp"
#include "tool/terminal.hpp"
#include "tool/tool.hpp"
#include "tool/words.hpp"

namespace pleat::bench {

using json = nlohmann::ordered_json;

rivals_answer answer_of_rivals(const std::vector<std::string>& arguments,
                               const environment_changes& environment) {
  const auto result = run_child(companion_program("pleat-rivals"), arguments, environment);
  rivals_answer given{result.exit_code, json::parse(result.output, nullptr, false)};
  if (given.document.is_discarded()) given.document = nullptr;
  const int signal = result.exit_code - 128;
  if (signal > 0 && signal != SIGINT && signal != SIGTERM && signal != SIGHUP) {
    note("pleat-rivals was ended by signal " + std::to_string(signal) +
         "; leave rivals out with --rivals to find the one at fault");
    given.exit_code = 1;
  }
  return given;
}

json ask_rivals(const std::vector<std::string>& arguments) {
  auto given = answer_of_rivals(arguments);
  if (given.exit_code != 0) throw finished{given.exit_code};  // it has said why
  if (given.document.is_null()) throw error("pleat-rivals printed no answer; install pleat again");
  return std::move(given.document);
}

std::string names_in(const json& list) {
  return names_of(list, [](const json& one) { return one.at("name").get<std::string>(); });
}

std::vector<std::string> listed(std::string_view list) {
  auto names = split(list);
  if (names.back().empty()) names.pop_back();
  return names;
}

void check_rivals(const json& known, const std::vector<std::string>& names,
                  std::span<const json> benchmarks) {
  for (const auto& name : names) {
    if (std::ranges::any_of(known, [&](const json& one) { return one.at("name") == name; }))
      continue;
    std::vector<std::string> part;
    for (const auto& benchmark : benchmarks)
      for (const auto& rival : benchmark.at("rivals"))
        if (std::ranges::find(part, rival.get<std::string>()) == part.end()) part.push_back(rival);
    throw usage_error("--rivals: '" + name + "' is unknown; here take part: " +
                      (part.empty() ? "none" : names_of(part)) + did_you_mean(name, part));
  }
}

namespace {

struct compare_option {
  const char* name;
  const char* value_name;
  std::string compare_options::*value;
  std::string help;
};

const std::vector<compare_option>& options_of_compare() {
  static const std::vector<compare_option> all{
      {"--n", "N", &compare_options::n, "Problem size, e.g. 2^20, 1e6, 8Mi"},
      {"--type", "T", &compare_options::type,
       "Of keys, of numbers, or of the parts of complex ones: see below"},
      {"--shape", "SHAPE", &compare_options::shape,
       "Of matrices of matmul, min-plus and max-min: square, or with 32 instead of n columns and "
       "rows: panel-panel (of A and B), matrix-panel (columns of B), panel-matrix (rows of A). Of "
       "boxes of stencil3: cube, or planes of n/8 x n/8 cells. Of right-hand sides of "
       "solve-triangular: square, or matrix-panel. Of connected-components only random, power-law, "
       "grid, path or shuffled-path; of list-rank only shuffled, sequential or short lists"},
      {"--distribution", "D", &compare_options::distribution,
       "Keys of sort and argsort: " + distribution::known()},
      {"--repetitions", "K", &compare_options::repetitions, "Samples of each candidate"},
      {"--rivals", "LIST", &compare_options::rivals, "Only these, e.g. ips4o,tbb,serial"},
      {"--operations", "LIST", &compare_options::operations,
       "Of collectives only these, e.g. broadcast,all_gather_v"},
      {"--seed", "SEED", &compare_options::seed, "Of the data and of the order of the samples"}};
  return all;
}

}  // namespace

void compare_options::add_to(tool_command& command) {
  for (const auto& one : options_of_compare())
    command.add_option(one.name, this->*one.value, one.help, one.value_name);
  machine.add_to(command);
  memory.add_to(command);
}

std::vector<std::string> compare_options::words() const {
  std::vector<std::string> words;
  const auto pass = [&](const char* option, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {option, value});
  };
  for (const auto& one : options_of_compare()) pass(one.name, this->*one.value);
  pass("--processors", machine.processors.value_or(""));
  pass("--place", machine.place.value_or(""));
  pass("--memory", memory.memory.value_or(""));
  pass("--pages", memory.pages.value_or(""));
  return words;
}

environment_changes openmp_environment(const placement& placed, bool spins) {
  std::string places;
  for (const auto& p : placed.processors)
    places += (places.empty() ? "{" : ",{") + std::to_string(p.pu) + "}";
  environment_changes environment{{"OMP_NUM_THREADS", std::to_string(placed.processors.size())},
                                  {"OMP_PLACES", places},
                                  {"OMP_PROC_BIND", "true"},
                                  {"OMP_DYNAMIC", "false"},
                                  {"PARLAY_NUM_THREADS", std::to_string(placed.processors.size())}};
  if (spins) {
    environment.emplace_back("OMP_WAIT_POLICY", "active");
    environment.emplace_back("KMP_BLOCKTIME", "infinite");
  }
  return environment;
}

namespace {

// Spread of samples; one sample has none.
std::string spread_text(const json& entry, double median, const json& quartiles) {
  if (entry.at("repetitions").get<std::size_t>() < 2) return "";
  const double half = (quartiles.at("high").get<double>() - quartiles.at("low").get<double>()) / 2;
  return "± " + readable_number(100 * half / median) + " %";
}

std::string heading(const json& entry) {
  const auto& style = stdout_emphasis();
  const auto type = entry.at("type").get<std::string>();
  const auto processors = entry.at("processors").get<unsigned>();
  return style.bold + entry.at("work").get<std::string>() + ": " +
         entry.at("measure").get<std::string>() + style.plain +
         ", n = " + readable_count(entry.at("n").get<std::size_t>()) +
         (type.empty() ? "" : " " + type) + ", " + std::to_string(processors) +
         (processors == 1 ? " processor" : " processors") + "\n";
}

// The absolute figures beside the time, in words.
std::string figures_text(const json& entry) {
  std::string text;
  auto add = [&](const char* key, const auto& words) {
    if (entry.contains(key)) text += "  " + words(entry.at(key).get<double>()) + "\n";
  };
  auto millions = [](const char* what) {
    return [what](double rate) { return readable_number(rate / 1e6) + " million " + what; };
  };
  add("bytes_per_vp", [](double bytes) { return readable_number(bytes) + " bytes per VP"; });
  add("items_per_second", millions("items/s"));
  add("messages_per_second_per_core", millions("messages/s per core"));
  add("operations_per_second", [](double rate) {
    return readable_number(rate / 1e9) + " billion multiplications and additions/s";
  });
  add("bytes_per_second_each_way",
      [](double rate) { return readable_number(rate / 1e9) + " GB/s each way"; });
  return text;
}

// Surcharge of ours over this rival, which is ours without something.
std::string surcharge_text(const json& entry) {
  if (!entry.contains("surcharge_s") || entry.at("ratio").is_null()) return "";
  const double more = entry.at("surcharge_s").get<double>();
  const double share = 100 * more / entry.at("rival_s").get<double>();
  return "  " + readable_time(std::abs(more)) + (more < 0 ? " less" : " more") + " than " +
         entry.at("rival").get<std::string>() + ", " + readable_number(std::abs(share)) + " %\n";
}

// Advice on candidates whose samples differ too much for a ratio.
std::string unsteady_text(const std::vector<std::string>& names) {
  if (names.empty()) return "";
  std::string listed;
  for (const auto& name : names) listed += (listed.empty() ? "" : ", ") + name;
  return "  no ratio: a quarter of the samples of " + listed + " took over " +
         std::to_string(static_cast<int>(most_apart)) +
         " times as long as the fastest; run nothing else, measure one rival alone by --rivals, " +
         "with OMP_WAIT_POLICY=passive, or with more --repetitions\n";
}

bool same_measure(const json& a, const json& b) {
  for (const char* key : {"work", "measure", "n", "type", "processors"}) {
    if (a.at(key) != b.at(key)) return false;
  }
  return true;
}

std::string one_measure(const std::vector<const json*>& entries) {
  const json& first = *entries.front();
  const double ours = first.at("ours_s").get<double>();
  table rows({"", "median", "spread", "ratio", "version"});
  rows.add({"pleat", readable_time(ours), spread_text(first, ours, first.at("ours_quartiles_s")),
            "", ""});
  std::string missing, surcharges;
  std::vector<std::string> unsteady;
  for (const json* entry : entries) {
    if (entry->at("rival").is_null()) continue;
    const auto rival = entry->at("rival").get<std::string>();
    if (entry->contains("missing_reason")) {
      missing += "  " + entry->at("missing_reason").get<std::string>() + "\n";
      continue;
    }
    if (entry->at("rival_s").is_null()) {
      const auto package = entry->at("missing_package").get<std::string>();
      missing +=
          "  " + rival + " was not there when this was built; it comes with " + package + "\n";
      continue;
    }
    const double theirs = entry->at("rival_s").get<double>();
    rows.add({rival, readable_time(theirs),
              spread_text(*entry, theirs, entry->at("rival_quartiles_s")),
              entry->at("ratio").is_null() ? "" : readable_number(entry->at("ratio").get<double>()),
              entry->at("rival_version").get<std::string>()});
    surcharges += surcharge_text(*entry);
    for (const auto& name : entry->value("unsteady", std::vector<std::string>()))
      if (std::ranges::find(unsteady, name) == unsteady.end()) unsteady.push_back(name);
  }
  const auto& style = stdout_emphasis();
  return heading(first) + rows.text(style.faint, style.plain, stdout_columns()) +
         figures_text(first) + surcharges + unsteady_text(unsteady) + missing;
}

}  // namespace

std::string comparison_text(const json& comparisons) {
  std::string text;
  std::vector<const json*> measure;
  for (const auto& entry : comparisons) {
    if (!measure.empty() && !same_measure(*measure.front(), entry)) {
      text += one_measure(measure) + "\n";
      measure.clear();
    }
    measure.push_back(&entry);
  }
  if (!measure.empty()) text += one_measure(measure) + "\n";
  return text;
}

}  // namespace pleat::bench
