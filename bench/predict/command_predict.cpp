// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#include "prediction.hpp"
#include "probe/probe_report.hpp"
#include "sweep/sweep_axes.hpp"
#include "tool/sweep_program.hpp"
#include "tool/terminal.hpp"
#include "tool/tool.hpp"
#include "tool/words.hpp"

namespace pleat::bench {
namespace {

struct predict_arguments {
  std::string machines = "infiniband,ethernet",
              programs = "sort,fft,matmul,stencil1,stencil2,all_reduce", n, nodes = "64,1024",
              cores;
  std::vector<std::string> files;
  bool json = false;
};

// Size of a program that is measured here, and size that is predicted unless --n names others.
struct usual_sizes {
  std::string_view program;
  std::size_t measured, predicted;
};
constexpr std::array usual{
    usual_sizes{"sort", std::size_t{1} << 22, std::size_t{1} << 30},
    usual_sizes{"fft", std::size_t{1} << 20, std::size_t{1} << 30},
    usual_sizes{"matmul", 1024, std::size_t{1} << 16},
    usual_sizes{"stencil1", std::size_t{1} << 20, std::size_t{1} << 32},
    usual_sizes{"stencil2", 1024, std::size_t{1} << 16},
    usual_sizes{"all_reduce", std::size_t{1} << 20, std::size_t{1} << 24},
};

const usual_sizes& sizes_of(const std::string& program) {
  const auto found = std::ranges::find(usual, program, &usual_sizes::program);
  if (found == usual.end())
    throw usage_error("--programs: nothing is predicted of '" + program +
                      "'; known: " + names_of(usual, &usual_sizes::program));
  return *found;
}

// Machine with the number of cores of a node.
struct predicted_machine {
  std::string name, what;
  std::function<communication_times(const rank_costs& costs, unsigned levels)> times;
  std::size_t cores = 1;
};

std::vector<predicted_machine> chosen_machines(const predict_arguments& chosen, bool named) {
  std::vector<predicted_machine> all;
  if (named || chosen.files.empty()) {
    for (const auto& name : split(chosen.machines)) {
      const cluster& one = find_cluster(name);
      all.push_back({std::string(one.name), std::string(one.name) + ": " + std::string(one.what),
                     [&one](const rank_costs& costs, unsigned) { return one.times(costs); },
                     one.cores});
    }
  }
  for (const auto& file : chosen.files) {
    const machine_model whole = read_model(file);
    all.push_back({whole.name, whole.name + ": " + file,
                   [whole, file](const rank_costs& costs, unsigned levels) {
                     if (levels > whole.levels())
                       throw usage_error("--nodes: " + file + " describes " +
                                         std::to_string(std::size_t{1} << whole.levels()) +
                                         " processors at most; give it more levels");
                     const machine_model part = submachine(whole, levels);
                     return communication_times{costs.bytes / 8 * part.g.front(),
                                                (costs.supersteps + costs.runs) * part.l.front(),
                                                0};
                   },
                   1});
  }
  return all;
}

std::vector<std::size_t> chosen_nodes(const predict_arguments& chosen) {
  auto all = parse_counts(chosen.nodes, "--nodes");
  constexpr std::size_t most = 1 << 16;
  for (const std::size_t nodes : all) {
    if (!std::has_single_bit(nodes) || nodes > most)
      throw usage_error("--nodes: " + std::to_string(nodes) +
                        " is no power of two up to 65,536, as the levels of the models want");
  }
  return all;
}

// Seconds of adding two elements of vectors, the operation of a reduction; least of five samples.
double seconds_of_an_addition() {
  std::vector<double> x(sizes_of("all_reduce").measured, 1.0), sums(x);
  double least = std::numeric_limits<double>::infinity();
  for (int sample = 0; sample < 5; ++sample) {
    const auto begun = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < x.size(); ++i) sums[i] += x[i];
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begun;
    least = std::min(least, taken.count());
    x.front() = sums.back();  // so that the sums are needed
  }
  return least / static_cast<double>(x.size());
}

// Number of operations of a program on all cores; all_reduce adds a vector for each core.
double operations(const prediction& of) {
  if (of.program == "all_reduce") return static_cast<double>(of.n * of.nodes * of.cores);
  return find_sweep_program(of.program).steps(of.n);
}

// Type of the elements for which a program is measured and predicted.
std::string type_of(const std::string& program) {
  if (program == "all_reduce") return "f64";
  return names_in(find_sweep_program(program).types_over_ranks).front();
}

// Seconds of an operation on one core of this machine; the least of several samples.
double seconds_of_an_operation(const std::string& program) {
  if (program == "all_reduce") return seconds_of_an_addition();
  const sweep_program& measured = find_sweep_program(program);
  sweep_case at;
  at.program = program;
  at.type = type_of(program);
  at.distribution = "random";
  at.n = sizes_of(program).measured;
  at.processors = 1;
  machine on(at.options());
  const auto prepared = measured.prepare(on, at);
  constexpr int samples = 3;
  double least = prepared.sample();
  for (int i = 1; i < samples; ++i) least = std::min(least, prepared.sample());
  return least / measured.steps(at.n);
}

// Makes the predictions asked for, with costs and communication; `work` is set later.
std::vector<prediction> counted(const predict_arguments& chosen,
                                const std::vector<predicted_machine>& machines) {
  const auto nodes = chosen_nodes(chosen);
  const auto given = parse_named_sizes(chosen.n, "--n");
  std::vector<prediction> all;
  for (const auto& program : split(chosen.programs)) {
    std::vector<std::size_t> sizes{sizes_of(program).predicted};
    for (const auto& one : given)
      if (one.program.empty() || one.program == program) sizes = parse_counts(one.sizes, "--n");
    sweep_case at;
    at.program = program;
    at.type = type_of(program);
    for (const std::size_t n : sizes) {
      at.n = n;
      const ranked_work work = work_of(at);
      for (const auto& machine : machines) {
        const std::size_t cores =
            chosen.cores.empty() ? machine.cores : parse_count(chosen.cores, "--cores", 1);
        for (const std::size_t count : nodes) {
          const auto costs = costs_over_ranks(work, {count, cores});
          if (!costs)
            throw usage_error("--n: an fft of " + std::to_string(n) + " numbers on " +
                              std::to_string(count) +
                              " nodes is not predicted; take a larger power of two");
          prediction one{machine.name, program, n, count, cores, *costs, {}, 0};
          if (count > 1)
            one.communication =
                machine.times(*costs, static_cast<unsigned>(std::countr_zero(count)));
          all.push_back(std::move(one));
        }
      }
    }
  }
  return all;
}

void predict(const predict_arguments& chosen, bool named) {
  const auto machines = chosen_machines(chosen, named);
  auto all = counted(chosen, machines);
  std::map<std::string, double> operation;  // [program]: seconds of one operation
  for (auto& one : all) {
    if (!operation.contains(one.program)) {
      note("measuring " + one.program + " on one core");
      operation[one.program] = seconds_of_an_operation(one.program);
    }
    one.work =
        operation[one.program] * operations(one) / static_cast<double>(one.nodes * one.cores);
  }
  std::vector<std::string> what;
  for (const auto& machine : machines) what.push_back(machine.what);
  print_data(
      chosen.json
          ? nlohmann::ordered_json{{"machines", what}, {"predictions", predictions_json(all)}}.dump(
                2) +
                "\n"
          : predictions_text(all, what));
}

}  // namespace

void add_predict_command(tool_command& tool) {
  auto chosen = std::make_shared<predict_arguments>();
  auto command = tool.add_subcommand(
      "predict", "What to expect of programs on distributed data on clusters that are not here");
  auto machine_option = command.add_option("--machine", chosen->machines,
                                           "Which clusters: infiniband, ethernet", "LIST");
  command.add_option(
      "--model", chosen->files,
      "A machine of your own or probed by pleat-openmpi probe --json, as pleat evaluate "
      "takes it; a processor of it is a node",
      "FILE");
  command.add_option("--programs", chosen->programs, "Which", "LIST");
  command.add_option(
      "--n", chosen->n,
      "Sizes, as pleat sweep takes them; unless chosen, sort and fft 2^30, matmul 2^16, "
      "stencil1 2^32, stencil2 2^16, all_reduce 2^24 of f64 on each core",
      "LIST");
  command.add_option("--nodes", chosen->nodes, "How many, powers of two", "LIST");
  command.add_option("--cores", chosen->cores, "Cores of a node; unless chosen, as the machine has",
                     "K");
  command.add_flag("--json", chosen->json, "Print JSON");
  command.footer(R"(Examples:
  pleat predict
  pleat predict --machine infiniband --programs sort --n 2^30 --nodes 64,1024
  pleat predict --machine ethernet --programs matmul --n 2^14..2^17 --nodes 16 --json

One core of this machine is measured for a moment; supersteps and bytes are counted, not run.
all_reduce is that of operators that commute: of f64, with {.commutative = true}.)");
  command.callback([chosen, machine_option] { predict(*chosen, machine_option.count() > 0); });
}

}  // namespace pleat::bench
