// SPDX-License-Identifier: Apache-2.0
#include "sweep.hpp"

#include <algorithm>
#include <exception>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <utility>

#include <benchmark/benchmark.h>

#include <pleat/runtime/error.hpp>

#include "predictor.hpp"

namespace pleat::bench {
namespace {

using machine_key = std::pair<unsigned, std::string>;
using run = benchmark::BenchmarkReporter::Run;

// The machines of a sweep, and the one program that is being measured.
class sweep_machines {
 public:
  explicit sweep_machines(const std::function<void(const sweep_case&)>& progress)
      : progress_(progress) {}

  prepared_program& set_up(const sweep_case& at) {
    const auto name = at.name();
    if (name == name_) return *program_;
    program_.reset();
    name_.clear();
    if (on_ != nullptr) on_->release_memory();
    progress_(at);
    on_ = &machine_for(at);
    program_ = find_sweep_program(at.program).prepare(*on_, at);
    static_cast<void>(program_->sample());
    program_->verify();
    if (!counted_.contains(name)) {
      counted_.insert(name);
      predict(at);
    }
    name_ = name;
    return *program_;
  }

  /// Seconds of communication that D-BSP predicts, by the name of the case; none where fewer
  /// processors than the case has took part, and where the predictor has none.
  [[nodiscard]] const std::map<std::string, double>& communication() const {
    return communication_;
  }

 private:
  // What a run costs in the model is counted by a machine that traces. Nothing is counted where a
  // run takes a single virtual processor.
  void predict(const sweep_case& at) {
    machine counting({.trace = tracing{}});
    const auto costs = program_->run_on(counting).costs;
    // D-BSP shares the work among all processors: of a run that left some of them without, it says
    // nothing.
    const bool shared = costs ? costs->v() >= at.processors : at.processors == 1;
    if (!shared) return;
    const auto seconds = costs ? predictor_.communication(at, *costs, program_->element_bytes) : 0;
    if (seconds) communication_[at.name()] = *seconds;
  }

  machine& machine_for(const sweep_case& at) {
    auto& place = machines_[{at.processors, at.place}];
    if (!place) {
      machine_options options;
      options.processors = at.processors;
      options.place = parse_placement(at.place);
      place = std::make_unique<machine>(options);
    }
    return *place;
  }

  const std::function<void(const sweep_case&)>& progress_;
  std::map<machine_key, std::unique_ptr<machine>> machines_;
  predictor predictor_;
  std::set<std::string> counted_;
  std::map<std::string, double> communication_;
  machine* on_ = nullptr;
  std::unique_ptr<prepared_program> program_;
  std::string name_;
};

// Keeps what Google Benchmark reports until all is known, adds the speed-ups, then reports.
class deferred_reporter final : public benchmark::JSONReporter {
 public:
  deferred_reporter(const std::vector<sweep_case>& cases, const sweep_machines& ran)
      : cases_(cases), ran_(ran) {
    SetOutputStream(&text_);
    SetErrorStream(&text_);
  }

  void ReportRuns(const std::vector<run>& runs) override { groups_.emplace(place_of(runs), runs); }

  void Finalize() override {
    for (const auto& at : cases_) {
      const auto times = times_of(at.name());
      if (!times.empty()) medians_[at.name()] = summarise(times);
    }
    for (auto& [place, group] : groups_) {
      for (auto& one : group) add_counters(one);
      JSONReporter::ReportRuns(group);
    }
    JSONReporter::Finalize();
  }

  [[nodiscard]] sweep_outcome outcome() const {
    sweep_outcome result{{}, text_.str()};
    for (const auto& at : cases_) {
      const auto seconds = medians_.find(at.name());
      if (seconds == medians_.end()) continue;
      sweep_result one{at, seconds->second, {}, {}, predicted(at)};
      if (const auto base = medians_.find(at.on_one().name()); base != medians_.end()) {
        one.speedup = base->second.median / one.seconds.median;
        one.efficiency = *one.speedup / at.processors;
      }
      result.results.push_back(std::move(one));
    }
    return result;
  }

 private:
  static double seconds_of(const run& one) {
    return one.GetAdjustedRealTime() / benchmark::GetTimeUnitMultiplier(one.time_unit);
  }

  [[nodiscard]] std::vector<double> times_of(const std::string& name) const {
    std::vector<double> times;
    for (const auto& [place, group] : groups_) {
      for (const auto& one : group) {
        if (one.run_type == run::RT_Iteration && one.run_name.function_name == name) {
          times.push_back(seconds_of(one));
        }
      }
    }
    return times;
  }

  [[nodiscard]] std::ptrdiff_t place_of(const std::vector<run>& group) const {
    if (group.empty()) return 0;
    const auto& name = group.front().run_name.function_name;
    return std::ranges::find(cases_, name, &sweep_case::name) - cases_.begin();
  }

  [[nodiscard]] std::optional<double> predicted(const sweep_case& at) const {
    const auto base = medians_.find(at.on_one().name());
    const auto communication = ran_.communication().find(at.name());
    if (base == medians_.end() || communication == ran_.communication().end()) return {};
    return base->second.median / at.processors + communication->second;
  }

  // Speed-up and efficiency belong to a time; deviations have none.
  void add_counters(run& one) const {
    const bool is_time = one.run_type == run::RT_Iteration || one.aggregate_name == "mean" ||
                         one.aggregate_name == "median";
    const auto at = std::ranges::find(cases_, one.run_name.function_name, &sweep_case::name);
    if (!is_time || at == cases_.end()) return;
    const auto base = medians_.find(at->on_one().name());
    if (base == medians_.end()) return;
    const double speedup = base->second.median / seconds_of(one);
    one.counters["speedup"] = speedup;
    one.counters["efficiency"] = speedup / at->processors;
    if (const auto seconds = predicted(*at)) one.counters["predicted_s"] = *seconds;
  }

  const std::vector<sweep_case>& cases_;
  const sweep_machines& ran_;
  // In the order of the cases, not the random one they ended in.
  std::multimap<std::ptrdiff_t, std::vector<run>> groups_;
  std::map<std::string, summary> medians_;
  std::ostringstream text_;
};

void register_case(const sweep_case& at, const sweep_settings& settings, sweep_machines& on,
                   std::exception_ptr& failure) {
  auto measure = [&at, &on, &failure](benchmark::State& state) {
    if (failure) return state.SkipWithError("an earlier case failed");
    try {
      auto& program = on.set_up(at);
      // Manual time: the copy that makes the data fresh is not part of it, and pausing the clock
      // would cost more than a small run takes.
      for (auto _ : state) state.SetIterationTime(program.sample());
    } catch (...) {
      failure = std::current_exception();
      state.SkipWithError("failed");
    }
  };
  benchmark::RegisterBenchmark(at.name().c_str(), measure)
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond)
      ->MinTime(settings.seconds)
      ->Repetitions(static_cast<int>(settings.repetitions));
}

}  // namespace

sweep_outcome run_sweep(const std::vector<sweep_case>& cases, const sweep_settings& settings,
                        const std::function<void(const sweep_case&)>& progress) {
  std::string tool = "pleat";
  std::string interleaved = "--benchmark_enable_random_interleaving=true";
  std::vector<char*> words{tool.data(), interleaved.data(), nullptr};
  int count = static_cast<int>(words.size()) - 1;
  benchmark::Initialize(&count, words.data());

  sweep_machines on(progress);
  std::exception_ptr failure;
  for (const auto& at : cases) register_case(at, settings, on, failure);
  deferred_reporter reporter(cases, on);
  benchmark::RunSpecifiedBenchmarks(&reporter);
  benchmark::ClearRegisteredBenchmarks();
  if (failure) std::rethrow_exception(failure);
  return reporter.outcome();
}

}  // namespace pleat::bench
