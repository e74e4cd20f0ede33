// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <numeric>
#include <sstream>

#include <benchmark/benchmark.h>
#include <nlohmann/json.hpp>

#include "sweep_result.hpp"
#include "tool/sweep_program.hpp"

namespace pleat::bench {
namespace {

using json = nlohmann::ordered_json;

constexpr double unit = 1e-3;  // of real_time and cpu_time: milliseconds

// Context that Google Benchmark itself gives of the machine.
json google_context() {
  std::ostringstream text;
  benchmark::JSONReporter reporter;
  reporter.SetOutputStream(&text);
  reporter.SetErrorStream(&text);
  const benchmark::BenchmarkReporter::Context context;
  reporter.ReportContext(context);
  reporter.Finalize();
  return json::parse(text.str()).at("context");
}

std::string name_in_report(const sweep_case& at, const std::string& library) {
  return at.name() + (is_ours(library) ? "" : "/library:" + library);
}

// Fields that all entries of one library in one case have.
json common(const sweep_result& result, const std::string& library, std::size_t family) {
  const auto name = name_in_report(result.at, library);
  json entry{{"name", name},
             {"family_index", family},
             {"per_family_instance_index", 0},
             {"run_name", name},
             {"library", library}};
  entry.update(case_json(result.at));
  return entry;
}

void add_figures(json& entry, const library_result& one, double seconds) {
  if (one.speedup) {
    entry["speedup"] = *one.speedup * one.seconds.median / seconds;
    if (one.efficiency) entry["efficiency"] = *one.efficiency * one.seconds.median / seconds;
  }
  if (one.predicted) entry["predicted_s"] = *one.predicted;
  if (one.contention) entry["contention"] = *one.contention;
}

json iteration(json entry, const library_result& one, std::size_t index) {
  const sample& taken = one.samples[index];
  entry.update({{"run_type", "iteration"},
                {"repetitions", one.samples.size()},
                {"repetition_index", index},
                {"threads", 1},
                {"iterations", taken.iterations},
                {"real_time", taken.seconds / unit},
                {"cpu_time", taken.cpu_seconds / unit},
                {"time_unit", "ms"}});
  add_figures(entry, one, taken.seconds);
  return entry;
}

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double deviation(std::span<const double> values) {
  const double middle = mean(values);
  double squares = 0;
  for (const double one : values) squares += (one - middle) * (one - middle);
  return values.size() < 2 ? 0 : std::sqrt(squares / static_cast<double>(values.size() - 1));
}

struct aggregate {
  const char* name;
  const char* unit;
  double (*of)(std::span<const double>);
};

constexpr std::array aggregates{
    aggregate{"mean", "time", mean},
    aggregate{"median", "time", [](std::span<const double> all) { return quantile(all, 0.5); }},
    aggregate{"stddev", "time", deviation},
    aggregate{"cv", "percentage",
              [](std::span<const double> all) { return deviation(all) / mean(all); }}};

json aggregated(json entry, const library_result& one, const aggregate& kind) {
  std::vector<double> real, cpu;
  for (const auto& taken : one.samples) {
    real.push_back(taken.seconds);
    cpu.push_back(taken.cpu_seconds);
  }
  const bool is_time = std::string_view(kind.unit) == "time";
  const double scale = is_time ? unit : 1;
  entry["name"] = entry["name"].get<std::string>() + "_" + kind.name;
  entry.update({{"run_type", "aggregate"},
                {"repetitions", one.samples.size()},
                {"threads", 1},
                {"aggregate_name", kind.name},
                {"aggregate_unit", kind.unit},
                {"iterations", one.samples.size()},
                {"real_time", kind.of(real) / scale},
                {"cpu_time", kind.of(cpu) / scale},
                {"time_unit", "ms"}});
  return entry;
}

void add_median_figures(json& entry, const sweep_result& result, const library_result& one) {
  add_figures(entry, one, one.seconds.median);
  entry["items_per_second"] = operation_of(result.at).steps / one.seconds.median;
  entry["confidence"] = 0.95;
  entry["interval_low_s"] = one.median_within ? json(one.median_within->low) : json();
  entry["interval_high_s"] = one.median_within ? json(one.median_within->high) : json();
  entry["stopped"] = name_of(result.stopped);
  if (one.ratio) entry["ratio"] = *one.ratio;
  entry["memory_pages"] = result.memory_pages;
  if (!result.ran.is_null()) entry["ran"] = result.ran;
}

}  // namespace

json google_benchmark_report(std::span<const sweep_result> results, const json& context) {
  json report{{"context", google_context()}, {"benchmarks", json::array()}};
  report["context"]["pleat"] = context;
  auto& entries = report["benchmarks"];
  std::size_t family = 0;
  for (const auto& result : results) {
    const swept_operation operation = operation_of(result.at);
    report["context"]["pleat"]["operations"][result.at.program] = {{"time_of", operation.name},
                                                                   {"rate_of", operation.step}};
    for (const auto& one : result.libraries) {
      const json entry = common(result, one.library, family++);
      for (std::size_t i = 0; i < one.samples.size(); ++i)
        entries.push_back(iteration(entry, one, i));
      for (const auto& kind : aggregates) {
        entries.push_back(aggregated(entry, one, kind));
        if (std::string_view(kind.name) == "median")
          add_median_figures(entries.back(), result, one);
        if (std::string_view(kind.name) == "mean")
          add_figures(entries.back(), one, entries.back()["real_time"].get<double>() * unit);
      }
    }
    auto add_error = [&](const std::string& library, const std::string& message) {
      json entry = common(result, library, family++);
      entry.update({{"run_type", "iteration"},
                    {"repetitions", 0},
                    {"repetition_index", 0},
                    {"threads", 1},
                    {"error_occurred", true},
                    {"error_message", message},
                    {"iterations", 0},
                    {"real_time", 0.0},
                    {"cpu_time", 0.0},
                    {"time_unit", "ms"}});
      entries.push_back(std::move(entry));
    };
    if (result.failure) add_error(result.at.library(), *result.failure);
    for (const auto& [rival, reason] : result.missing) add_error(rival, reason);
  }
  return report;
}

}  // namespace pleat::bench
