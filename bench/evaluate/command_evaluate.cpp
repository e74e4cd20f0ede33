// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <pleat/oblivious/tree_broadcast.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/evaluate.hpp>

#include "evaluated_program.hpp"
#include "probe/probe_report.hpp"
#include "report/json_file.hpp"
#include "schedule/messages.hpp"
#include "tool/printable.hpp"
#include "tool/terminal.hpp"
#include "tool/tool.hpp"
#include "tool/words.hpp"

namespace pleat::bench {
namespace {

constexpr auto this_machine = "machine";
constexpr unsigned inputs = 3;  // to see whether a program is static

struct evaluate_arguments {
  std::string program;
  std::string n;
  std::string vps;
  std::string sigma = "0,1,16";
  std::string kappa;
  std::string words, blocks, radix, ports, schedule, group;
  std::string processors;
  std::string models;
  std::vector<std::string> files, levels;
  std::string routing = "direct";
  bool dummies = false;
  bool gap = false;
  bool json = false;
};

// Parses σ: a number (0, 0.5, 1e3), or a count as in other options (2^10).
double parsed_sigma(const std::string& word) {
  const auto value = number_in<double>(word);
  if (!value) return static_cast<double>(parse_count(word, "--sigma"));
  if (!std::isfinite(*value) || *value < 0)
    throw usage_error("--sigma: '" + word + "' is no latency; give numbers of 0 or more: 0,1,16");
  return *value;
}

std::vector<double> chosen_sigmas(const evaluate_arguments& chosen) {
  std::vector<double> sigmas;
  for (const std::string& word : split(chosen.sigma)) {
    const double sigma = parsed_sigma(word);
    if (std::ranges::find(sigmas, sigma) == sigmas.end()) sigmas.push_back(sigma);
  }
  return sigmas;
}

std::size_t chosen_kappa(const evaluate_arguments& chosen, const evaluated_program& program,
                         const std::vector<double>& sigmas) {
  if (chosen.kappa.empty()) return 2;
  if (!program.takes_kappa)
    throw usage_error("--kappa: " + std::string(program.name) +
                      " is no tree; leave the option out");
  if (chosen.kappa != "sigma") {
    const std::size_t kappa = parse_count(chosen.kappa, "--kappa", 2);
    if (!std::has_single_bit(kappa))
      throw usage_error("--kappa: '" + chosen.kappa + "' is no power of two; the next is " +
                        std::to_string(std::bit_ceil(kappa)));
    return kappa;
  }
  if (sigmas.size() != 1)
    throw usage_error("--kappa sigma: every σ has a program of its own; give one --sigma");
  return sigma_aware_degree(sigmas.front());
}

std::vector<model_family> chosen_models(const evaluate_arguments& chosen) {
  const auto& networks = network_families();
  std::vector<model_family> models;
  if (chosen.models.empty() && chosen.files.empty()) models = networks;
  for (const std::string& word :
       chosen.models.empty() ? std::vector<std::string>{} : split(chosen.models)) {
    if (word == this_machine) {
      const auto levels = probe_from(kept_probe({}, {}).at("levels"));
      models.push_back(family_of(measured_model(levels), true));
      continue;
    }
    const auto found = std::ranges::find(networks, word, &model_family::name);
    if (found == networks.end()) {
      std::string known;
      for (const model_family& one : networks) known += one.name + ", ";
      throw usage_error("--models: '" + word + "' is no model; known: " + known + this_machine +
                        "; your own: --model FILE.json");
    }
    if (std::ranges::find(models, word, &model_family::name) == models.end())
      models.push_back(*found);
  }
  for (const std::string& file : chosen.files) models.push_back(family_of(read_model(file)));
  return models;
}

std::size_t chosen_size(const evaluate_arguments& chosen, const evaluated_program& program) {
  const std::size_t n = parse_count(chosen.n, "--n");
  if (!program.sizes.accepts(n))
    throw usage_error("--n: '" + chosen.n + "' is no size for " + std::string(program.name) +
                      "; it takes " + std::string(program.sizes.text));
  return n;
}

// Returns the number of virtual processors; 0 stands for n.
std::size_t chosen_vps(const evaluate_arguments& chosen, const evaluated_program& program,
                       std::size_t n) {
  if (chosen.vps.empty()) return 0;
  if (!program.takes_vps)
    throw usage_error("--vps: " + std::string(program.name) +
                      " has a virtual processor for each element; leave the option out");
  const std::size_t vps = parse_count(chosen.vps, "--vps", 2);
  if (vps > n)
    throw usage_error("--vps: '" + chosen.vps + "' is more than the " + std::to_string(n) +
                      " rows; take as many at most");
  return vps;
}

// Parses levels, from the outermost on: switch=24+5,node=1.
std::vector<evaluated_level> parsed_levels(const std::string& list) {
  std::vector<evaluated_level> levels;
  for (const std::string& word : split(list)) {
    const std::size_t equals = word.find('=');
    if (equals == 0 || equals == std::string::npos)
      throw usage_error("--levels: '" + word + "' is no level; give them as node=64,package=32");
    const auto [size, place] = parse_place(word.substr(equals + 1), "--levels");
    levels.push_back({word.substr(0, equals), {size, place}, {}});
    if (levels.size() > 1 && levels.back().is.size > levels[levels.size() - 2].is.size)
      throw usage_error("--levels: '" + word +
                        "' is larger than the one before it; begin with the outermost");
  }
  return levels;
}

// Reads the parameters of the collective operations.
void choose_parameters(const evaluate_arguments& chosen, const evaluated_program& program,
                       evaluation_request& request) {
  const auto number = [&](const std::string& word, const char* option, bool taken, auto& value,
                          std::size_t least = 1) {
    if (word.empty()) return;
    if (!taken)
      throw usage_error(std::string(option) + ": " + std::string(program.name) +
                        " has none; leave the option out");
    value = static_cast<std::remove_reference_t<decltype(value)>>(parse_count(word, option, least));
  };
  number(chosen.blocks, "--blocks", program.takes_blocks, request.blocks);
  request.words = request.blocks;
  number(chosen.words, "--words", program.takes_words, request.words);
  number(chosen.radix, "--radix", program.takes_radix, request.radix, 2);
  number(chosen.ports, "--ports", program.takes_ports, request.ports);
  if (!(chosen.schedule + chosen.group).empty() && !program.takes_blocks)
    throw usage_error((chosen.schedule.empty() ? "--group: " : "--schedule: ") +
                      std::string(program.name) + " has one schedule; leave the option out");
  request.form = parsed_form(chosen.schedule, chosen.group, request.blocks);
  if (request.ports > 1 && request.form.has_trees())
    throw usage_error("--ports: trees have one port; leave out this option or --schedule");
}

routing chosen_routing(const evaluate_arguments& chosen) {
  if (chosen.routing == "direct") return routing::direct;
  if (chosen.routing != "ascend-descend")
    throw usage_error("--routing: '" + chosen.routing +
                      "' is no policy; known: direct, ascend-descend");
  if (chosen.dummies)
    throw usage_error(
        "--dummies with --routing ascend-descend: dummies never travel, so they cannot be routed; "
        "leave one of the two out");
  return routing::ascend_descend;
}

// Returns the numbers of processors to fold onto; empty stands for the powers of two.
std::vector<std::size_t> chosen_processors(const evaluate_arguments& chosen, std::size_t vps) {
  std::vector<std::size_t> numbers;
  if (chosen.processors.empty()) return numbers;
  if (chosen.routing != "direct")
    throw usage_error("--p with --routing " + chosen.routing +
                      ": the protocol is for powers of two, which are shown without --p");
  for (const std::string& word : split(chosen.processors)) {
    numbers.push_back(parse_count(word, "--p", 1));
    if (numbers.back() > vps)
      throw usage_error("--p: '" + word + "' is more than the " + std::to_string(vps) +
                        " virtual processors");
  }
  std::ranges::sort(numbers);
  const auto [first, last] = std::ranges::unique(numbers);
  numbers.erase(first, last);
  return numbers;
}

// Returns the costs on 2, 4, 8, … processors, as the trace has them.
std::vector<folded_costs> foldings_of(const cost_trace& costs) {
  std::vector<folded_costs> foldings;
  for (unsigned level = 1; costs.v() >> level != 0; ++level) {
    foldings.push_back({.processors = std::size_t{1} << level});
    for (unsigned label = 0; label < level; ++label) {
      foldings.back().supersteps += costs.S(label);
      foldings.back().degree += costs.F(label, level);
    }
  }
  return foldings;
}

void require_memory_to_keep(const cost_trace& messages_of) {
  require_memory(static_cast<double>(messages_of.messages()) * bytes_of_kept_message,
                 "--p or --levels", readable_count(messages_of.messages()) + " messages are kept");
}

// Runs the program and keeps its messages. `counted`: trace of such a run without them.
cost_trace kept_run(const evaluated_program& program, evaluation_request request,
                    const cost_trace& counted) {
  require_memory_to_keep(counted);
  request.messages = true;
  return program.run(request);
}

void count_levels(std::vector<evaluated_level>& levels, const cost_trace& kept) {
  std::vector<machine_level> all;
  for (const evaluated_level& one : levels) all.push_back(one.is);
  const std::vector<level_traffic> costs = traffic_of_levels(kept, all);
  for (std::size_t i = 0; i < levels.size(); ++i) levels[i].costs = costs[i];
}

void check_gap(const evaluated_program& program, routing policy,
               const std::vector<double>& sigmas) {
  if (!program.takes_kappa)
    throw usage_error("--gap: " + std::string(program.name) + " is no tree; leave the option out");
  if (policy != routing::direct)
    throw usage_error("--gap is of direct routing; leave --routing out");
  if (sigmas.size() < 2) throw usage_error("--gap: give two --sigma at least: 0,64");
}

void evaluate_program(const evaluate_arguments& chosen) {
  const evaluated_program& program = find_evaluated_program(chosen.program);
  evaluation_request request;
  request.n = chosen_size(chosen, program);
  request.vps = chosen_vps(chosen, program, request.n);
  choose_parameters(chosen, program, request);
  std::vector<double> sigmas = chosen_sigmas(chosen);
  request.kappa = chosen_kappa(chosen, program, sigmas);
  const routing policy = chosen_routing(chosen);
  std::vector<model_family> models = chosen_models(chosen);
  const std::vector<std::size_t> numbers = chosen_processors(chosen, request.virtual_processors());
  std::vector<std::vector<evaluated_level>> machines;
  for (const std::string& list : chosen.levels) machines.push_back(parsed_levels(list));
  const bool keeps = !numbers.empty() || !machines.empty();
  if (chosen.gap) check_gap(program, policy, sigmas);

  const bool is_routed = policy != routing::direct;
  const std::size_t runs =
      inputs + 1 + (is_routed ? 1 : 0) + (keeps ? 1 : 0) + (chosen.gap ? gap_runs(request.n) : 0);
  announce_runs(program, request.n, static_cast<unsigned>(runs));
  std::optional<std::string> difference;
  std::optional<cost_trace> plain, dummied, routed;
  std::vector<folded_costs> foldings;
  std::optional<tree_gap> gap;
  {
    progress_bar bar("evaluating " + std::string(program.name));
    const auto redrawn = bar.during_calls();
    plain = program.run(request);
    if (keeps) require_memory_to_keep(*plain);  // before the other runs
    for (unsigned input = 1; input < inputs && !difference; ++input) {
      bar.update(input, runs);
      ++request.seed;
      difference = first_difference(*plain, program.run(request));
    }
    bar.update(inputs, runs);
    request.seed = 1;
    request.dummies = true;
    dummied = program.run(request);
    request.dummies = chosen.dummies;
    if (keeps) {
      const cost_trace kept = kept_run(program, request, chosen.dummies ? *dummied : *plain);
      for (const std::size_t p : numbers) foldings.push_back(folded(kept, p));
      for (auto& levels : machines) count_levels(levels, kept);
    }
    if (chosen.gap) {
      const auto [least, most] = std::ranges::minmax(sigmas);
      gap = gap_of(program, request, least, most, [&](std::size_t counted) {
        bar.update(runs - gap_runs(request.n) + counted, runs);
      });
    }
    request.routing = policy;
    if (is_routed) routed = pleat::routed(program.run(request));
  }
  cost_trace costs = routed ? *routed : chosen.dummies ? *dummied : *plain;
  if (numbers.empty()) foldings = foldings_of(costs);
  const evaluation result{&program,
                          request,
                          std::move(costs),
                          *plain,
                          *dummied,
                          std::move(foldings),
                          !numbers.empty(),
                          gap,
                          std::move(difference),
                          std::move(sigmas),
                          std::move(models),
                          std::move(machines)};
  print_data(chosen.json ? json_text(evaluation_json(result), 2) + "\n" : evaluation_text(result));
}

}  // namespace

void add_evaluate_command(tool_command& tool) {
  auto chosen = std::make_shared<evaluate_arguments>();
  auto command = add_study(tool, "evaluate");
  command.add_option("program", chosen->program, "Which: " + evaluated_program_names(), "PROGRAM")
      .required();
  command
      .add_option("--n", chosen->n,
                  "Size: one virtual processor for each element; of matrices but those of matmul "
                  "the rows, one for each",
                  "N")
      .required();
  command.add_option(
      "--vps", chosen->vps,
      "Of transpose, closure, cholesky and solve-triangular: virtual processors, N at "
      "most (N if not given); with as many as processors, the last row counts what a "
      "machine of so many communicates",
      "V");
  command.add_option("--words", chosen->words,
                     "Of collective operations: words that a VP gives or gets, of each VP where it "
                     "gives or gets those of all (as many as blocks if not given)",
                     "W");
  command.add_option("--blocks", chosen->blocks,
                     "Of operations on the circulant graph: blocks of a part (1 if not given)",
                     "N");
  command.add_option("--schedule", chosen->schedule,
                     "Of the same: circulant (if not given); or binomial or negabinary, trees of "
                     "one block",
                     "WHICH");
  command.add_option("--group", chosen->group,
                     "Of trees: consecutive VPs of a group, of which one sends to others, and the "
                     "place of VP 0 in its group: 24 or 24+5",
                     "N");
  command.add_option("--levels", chosen->levels,
                     "A machine of which to count what crosses each level, from the outermost on: "
                     "VPs of a part, and the place of VP 0: switch=24+5,node=1; may be given "
                     "several times",
                     "LIST");
  command.add_option("--radix", chosen->radix,
                     "Of all-to-all: 2 (if not given) to N, sent directly", "R");
  command.add_option("--ports", chosen->ports,
                     "Of all-gather and all-to-all: messages at once (1 if not given)", "K");
  command.add_option("--sigma", chosen->sigma, "Latencies of M(p, σ), separated by commas", "LIST");
  command.add_option(
      "--p", chosen->processors,
      "Processors to fold onto, any numbers up to N: 6,12,48. Each has N/p virtual "
      "processors; those of 2, 4, 8 …, which are shown otherwise, are the clusters of "
      "M(N), which differ from that if N is no power of two",
      "LIST");
  command.add_option("--kappa", chosen->kappa,
                     "Degree of broadcast's tree, a power of two (2 if not given); sigma: the best "
                     "for the one --sigma",
                     "K");
  command.add_option(
      "--models", chosen->models,
      "What to predict times for: the networks mesh,hypercube,fat-tree,uniform (these "
      "if none is given); machine: this one, as `pleat probe --cached` has it, in seconds",
      "LIST");
  command.add_option("--model", chosen->files,
                     "A machine of your own, {\"name\": \"mine\", \"g\": [2, 1], \"l\": [60, 20]}, "
                     "outermost clusters first; may be given several times",
                     "FILE");
  command.add_option(
      "--routing", chosen->routing,
      "direct; or ascend-descend, which spreads unbalanced messages before they move "
      "far: the costs of the protocol, and times beside those of direct routing",
      "POLICY");
  command.add_flag("--gap", chosen->gap,
                   "Of broadcast: what its degree costs for the least and the largest --sigma "
                   "beside the best degree");
  command.add_flag("--dummies", chosen->dummies, "Count dummy messages too");
  command.add_flag("--json", chosen->json, "Print JSON");
  command.footer(R"(Examples:
  pleat evaluate sort --n 2^12
  pleat evaluate stencil3 --n 2^12 --p 6,12,48,96
  pleat evaluate closure --n 1024 --vps 16
  pleat evaluate broadcast --n 2^16 --sigma 64 --kappa sigma
  pleat evaluate broadcast --n 2^12 --sigma 0,64 --gap
  pleat evaluate broadcast-circulant --n 1000 --words 64 --blocks 8
  pleat evaluate all-gather --n 96 --schedule negabinary --levels switch=24+5,node=1
  pleat evaluate sort --n 2^12 --levels package=2048,numa=512,core=32
  pleat evaluate all-to-all --n 64 --radix 8
  pleat evaluate prefix --n 1000 --sigma 0,10,1e3 --models mesh,hypercube
  pleat evaluate unbalanced --n 2^12 --routing ascend-descend
  pleat evaluate bitonic --n 2^10 --model sockets.json --json

Ratios are to lower bounds that hold up to a constant: look at how they change with p.)");
  command.callback([chosen] { evaluate_program(*chosen); });
}

}  // namespace pleat::bench
