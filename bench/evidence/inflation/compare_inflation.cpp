// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/probe.hpp>

#include "forecast.hpp"
#include "inflated_work.hpp"
#include "measure/benchmark.hpp"
#include "tool/names.hpp"
#include "tool/probe_document.hpp"
#include "tool/terminal.hpp"

namespace pleat::bench {
namespace {

constexpr std::size_t default_n = std::size_t{1} << 22;

std::vector<named_work> all_works() {
  std::vector<named_work> all = inflated_programs();
  for (named_work& one : inflated_collectives()) all.push_back(std::move(one));
  return all;
}

bool wanted(const benchmark_options& options, const named_work& one) {
  return options.operations.empty() ||
         std::ranges::find(options.operations, one.name) != options.operations.end();
}

// Machines with more workers on the processors of ours.
struct crowd {
  const char* name;
  unsigned times;  // as many workers as ours
};
constexpr std::array crowds{crowd{"workers-x2", 2}, crowd{"workers-x4", 4}, crowd{"workers-x8", 8},
                            crowd{"workers-x32", 32}};
// Ours, as a machine with more processors would cut the work: what that adds to it.
constexpr std::array cuts{crowd{"vps-x2", 2}, crowd{"vps-x8", 8}, crowd{"vps-x32", 32}};

class inflation {
 public:
  inflation(testbed& on, const benchmark_options& options) : on_(on), options_(options) {
    for (const crowd& one : crowds) {
      machine_options many = on.like_ours;
      many.processors = on.ours.processors() * one.times;
      if (options.wants(one.name))
        machines_.emplace_back(many);
      else
        machines_.emplace_back(std::nullopt);
    }
    if (on.ours.processors() > 1 && !on.ours.oversubscribed()) {
      probed_ = measured_model(announced_probe(on.like_ours, {.machines = 5, .rounds = 20}));
    } else {
      note("nothing is predicted: the probe needs two cores that nobody shares");
    }
  }

  void measure(const named_work& one, const runner& run) {
    const std::size_t n = options_.n.value_or(default_n);
    const auto work = one.make(on_.ours, n);
    run(of(one, n, *work, "elapsed time", &spent::elapsed));
    comparison cpu = of(one, n, *work, "CPU time", &spent::cpu);
    if (probed_) cpu.forecast = forecasts_of(one, *work);
    run(cpu);
  }

 private:
  comparison of(const named_work& one, std::size_t n, inflated_work& work, const char* what,
                double spent::*time) {
    auto with = [&work, time](machine& on, std::optional<std::size_t> vps) {
      return candidate{"ours", [&work, &on, vps] { work.verify(on, vps); },
                       [&work, &on, vps, time] { return work.run(on, vps).took.*time; }};
    };
    comparison compared{.measure = one.name + ", " + what,
                        .type = std::string(one.type),
                        .n = n,
                        .processors = on_.ours.processors(),
                        .repetitions = options_.repetitions.value_or(7),
                        .ours = with(on_.ours, {}),
                        .pace = single_calls};
    auto machine = machines_.begin();
    for (const crowd& many : crowds) {
      compared.add_rival(options_, many.name, [&] { return with(**machine, {}); });
      ++machine;
    }
    for (const crowd& many : cuts) {
      const std::size_t vps = std::size_t{on_.ours.processors()} * many.times;
      compared.add_rival(options_, many.name, [&] { return with(on_.ours, vps); });
    }
    return compared;
  }

  [[nodiscard]] std::function<forecasts(double)> forecasts_of(const named_work& one,
                                                              inflated_work& work) const {
    constexpr std::array<unsigned, 2> levels{4, 7};  // 16 and 128 cores
    std::vector<case_costs> costs;
    machine tracing({.trace = pleat::tracing{}});
    try {
      for (const unsigned level : levels)
        costs.push_back(costs_of(work.run(tracing, std::size_t{1} << level).report.costs.value(),
                                 one.element_bytes));
    } catch (const error& failure) {  // what goes through channels has no cost in the model
      return [reason = std::string(failure.what())](double) {
        return forecasts{std::string(grown_name), std::string(grown_assumption), {}, reason};
      };
    }
    return [this, costs, levels](double cpu) {
      forecasts all{std::string(grown_name), std::string(grown_assumption), {}, {}};
      for (std::size_t i = 0; i < levels.size(); ++i)
        all.of.push_back(forecast_on(grown(*probed_, levels[i]), costs[i], cpu));
      return all;
    };
  }

  testbed& on_;
  const benchmark_options& options_;
  std::list<std::optional<machine>> machines_;  // as crowds; none where it is not wanted
  std::optional<machine_model> probed_;
};

void measure_inflation(testbed& on, const benchmark_options& options, const runner& run) {
  inflation each(on, options);
  for (const named_work& one : all_works()) {
    if (wanted(options, one)) each.measure(one, run);
  }
}

void check_works(const benchmark_options& options) {
  const auto all = all_works();
  for (const auto& name : options.operations) {
    if (std::ranges::find(all, name, &named_work::name) == all.end())
      throw usage_error("--operations: '" + name + "' is unknown; known: " +
                        names_of(all, [](const named_work& one) { return one.name; }));
  }
}

constexpr std::array benchmarks{
    benchmark{.name = "inflation",
              .group = "inflation",
              .summary = "the same work by 2, 4, 8 and 32 times as many workers as cores: time and "
                         "CPU time",
              .n_means = "elements of each problem, about",
              .measure = measure_inflation,
              .rivals = "workers-x2, workers-x4, workers-x8, workers-x32, vps-x2, vps-x8, vps-x32",
              .least_n = std::size_t{1} << 14,
              .has_operations = true,
              .check = check_works},
};

}  // namespace

std::span<const benchmark> inflation_benchmarks() { return benchmarks; }

}  // namespace pleat::bench
