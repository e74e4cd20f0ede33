// SPDX-License-Identifier: Apache-2.0
//
// pleat-openmpi, pleat-mpich: what is measured of the processes of an MPI.
//
//     mpirun.openmpi -n 4 pleat-openmpi probe --json
//
// Rank 0 alone speaks; the exit status is the same on all ranks.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <mpi.h>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <pleat/channels/version.hpp>
#include <pleat/mpi/over.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/fold.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/probe.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

#include "base/process_defaults.hpp"
#include "machine/linear_cost.hpp"
#include "probe/probe_report.hpp"
#include "ranked_program.hpp"
#include "sweep/case_request.hpp"
#include "tool/command_line.hpp"
#include "tool/machine_arguments.hpp"
#include "tool/terminal.hpp"
#include "tool/tool.hpp"
#include "tool/words.hpp"

namespace pleat::bench {
namespace {

/// `pleat-… probe`.
struct distributed_probe {
  machine_arguments machine;
  std::string rounds = "40";
  bool json = false;

  void operator()(const rank_group& all) const;
};

constexpr std::array<std::size_t, 7> sizes{0, 8, 128, 2048, 1 << 14, 1 << 17, 1 << 20};
constexpr std::size_t repetitions = 8;  // supersteps of a sample

// Nodes of the virtual processors: [VP], the first rank of the node. All ranks know it.
std::vector<std::uint64_t> nodes_of_vps(const rank_group& all, const machine& on, std::size_t v) {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(all.processes(), MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  std::uint64_t leader = static_cast<std::uint64_t>(all.rank());
  MPI_Bcast(&leader, 1, MPI_UINT64_T, 0, node);
  MPI_Comm_free(&node);
  const rank_range here = on.vps_here(v);
  const std::array<std::uint64_t, 3> mine{here.first, here.last, leader};
  std::vector<std::uint64_t> of_all(3 * static_cast<std::size_t>(all.ranks()));
  MPI_Allgather(mine.data(), 3, MPI_UINT64_T, of_all.data(), 3, MPI_UINT64_T, all.processes());
  std::vector<std::uint64_t> nodes(v);
  for (std::size_t r = 0; r < of_all.size(); r += 3)
    std::fill(nodes.begin() + static_cast<std::ptrdiff_t>(of_all[r]),
              nodes.begin() + static_cast<std::ptrdiff_t>(of_all[r + 1]), of_all[r + 2]);
  return nodes;
}

// The other one of a pair: as far away as the half of the cluster is large.
std::size_t partner_of(std::size_t v, std::size_t self, unsigned label) {
  const rank_range cluster = cluster_of(v, self, label);
  return cluster.first + (self - cluster.first + cluster.size() / 2) % cluster.size();
}

class rank_prober {
 public:
  rank_prober(const rank_group& all, machine& on)
      : clock_(all), on_(on), words_(sizes.back() / 8, 1) {}

  // Seconds of a superstep of that label.
  double sample(unsigned label, std::size_t bytes) {
    const std::size_t v = on_.threads();
    const std::span<const std::uint64_t> sent(words_.data(), bytes / 8);
    double seconds = 0;
    clock_.start();
    const auto start = benchmark_clock::now();
    const auto program = [&](vp& me) -> task<> {
      const std::size_t partner = partner_of(v, me.rank(), label);
      for (std::size_t i = 0; i < repetitions; ++i) {
        if (!sent.empty() && partner != me.rank()) me.lend(partner, sent);
        co_await me.sync(label);
        if (auto m = me.receive(); m) seen_ = m->view<const std::uint64_t>().data[0];
      }
    };
    on_.run(v, program);
    seconds = seconds_since(start);
    static_cast<void>(clock_.stop());
    return seconds / static_cast<double>(repetitions);
  }

 private:
  rank_clock clock_;
  machine& on_;
  std::vector<std::uint64_t> words_;
  std::atomic<std::uint64_t> seen_{0};
};

/// Costs of a superstep on every level of a machine over ranks, one virtual processor for each
/// worker: as pleat::probe for the levels of one process, with those above it on top. The largest
/// cluster of a level lies in a rank, in a node, or in several nodes.
///
/// The two halves of each cluster are paired, and exchange 0 bytes … 1 MiB. Collective, the result
/// is that of the first rank. Ends after about two seconds a level, with the rounds taken until
/// then. Throws: pleat::usage_error if there is one processor.
std::vector<level_costs> probe_ranks(const rank_group& all, machine& on, std::size_t rounds) {
  const std::size_t v = on.threads();
  if (v < 2)
    throw usage_error("there is one processor, and nothing between it and others: start two ranks");
  constexpr double most_seconds = 2;  // of a level
  const auto nodes = nodes_of_vps(all, on, v);
  rank_prober prober(all, on);
  std::vector<level_costs> levels;
  for (unsigned label = 0; label < label_count(v); ++label) {
    const rank_range largest = cluster_of(v, 0, label);
    const auto node = nodes.begin() + static_cast<std::ptrdiff_t>(largest.first);
    const bool one_node =
        std::all_of(node, nodes.begin() + static_cast<std::ptrdiff_t>(largest.last),
                    [&](std::uint64_t other) { return other == *node; });
    const bool one_rank = all.greatest(all.is_first() && on.vps_here(v).covers(largest)) != 0;
    level_costs& level = levels.emplace_back();
    level.label = label;
    level.processors = largest.size();
    level.object = one_rank ? "rank" : one_node ? "node" : "nodes";
    std::vector<std::vector<double>> samples(sizes.size());
    const auto start = benchmark_clock::now();
    for (std::size_t round = 0; round <= rounds; ++round) {
      for (std::size_t k = 0; k < sizes.size(); ++k) {
        const double seconds = prober.sample(label, sizes[k]);
        if (round > 0) samples[k].push_back(seconds);  // the first one warms up
      }
      const bool late = round > 0 && all.is_first() && seconds_since(start) > most_seconds;
      if (all.greatest(late ? 1 : 0) != 0) break;
    }
    std::vector<double> words;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      words.push_back(static_cast<double>(sizes[k]) / 8);
      level.points.push_back({sizes[k], detail::median_of(samples[k]), samples[k],
                              detail::count_outliers(samples[k])});
    }
    constexpr unsigned resamples = 200;
    detail::estimate_line(words, samples, 1, 1, resamples, level.g, level.l);
  }
  return levels;
}

void distributed_probe::operator()(const rank_group& all) const {
  const std::size_t count = parse_count(rounds, "--rounds", 1);
  machine_options options;
  all.each([&] {
    options.processors = machine.number();
    if (machine.place) set_place(options, *machine.place);
  });
  pleat::machine on(pleat::mpi::over(all.processes(), options));
  if (all.is_first() && on.oversubscribed()) warn(on.placement().warning);
  const auto levels = probe_ranks(all, on, count);
  if (!all.is_first()) return;
  std::string text = probe_text(levels);
  if (json) {
    const machine_model model = measured_model(levels);
    nlohmann::ordered_json document{{"version", PLEAT_VERSION},
                                    {"name", "ranks of " PLEAT_MPI_NAME},
                                    {"ranks", all.ranks()},
                                    {"g", model.g},
                                    {"l", model.l},
                                    {"machines", 1U},
                                    {"rounds", levels.front().points.front().samples.size()},
                                    {"seed", 1U},
                                    {"levels", probe_json(levels)}};
    text = document.dump(2) + "\n";
  }
  std::fwrite(text.data(), 1, text.size(), stdout);
}

enum class order : int { verify, sample, end };

// The first rank's orders, carried out by all.
class orders {
 public:
  orders(const rank_group& all, ranked_program& program) : all_(all), program_(program) {}
  orders(const orders&) = delete;
  orders& operator=(const orders&) = delete;
  /// Ends the orders, on the first rank: the others need not wait for more. After a failure none
  /// does.
  ~orders() {
    if (all_.is_first() && !failed_) static_cast<void>(told(order::end));
  }

  /// Gives an order; on the first rank.
  double give(order what) {
    static_cast<void>(told(what));
    return carry_out(what);
  }
  /// Follows orders; on the other ranks.
  void follow() {
    for (order what = told(order::end); what != order::end; what = told(order::end))
      static_cast<void>(carry_out(what));
  }

 private:
  [[nodiscard]] order told(order what) const {
    int word = static_cast<int>(what);
    MPI_Request sent = MPI_REQUEST_NULL;
    MPI_Ibcast(&word, 1, MPI_INT, 0, all_.processes(), &sent);
    wait_yielding(sent);
    return static_cast<order>(word);
  }
  double carry_out(order what) {
    double seconds = 0;
    failed_ = true;
    if (what == order::verify)
      program_.verify();
    else
      seconds = program_.sample();
    failed_ = false;
    return seconds;
  }

  const rank_group& all_;
  ranked_program& program_;
  bool failed_ = false;
};

machine_options options_of(const sweep_case& at) {
  machine_options options = at.options();
  options.processors = at.processors_of_rank();
  options.place.reset();  // they divide the cores
  options.workers.reset();
  if (at.wait == sweep_case{}.wait) options.wait.reset();
  return options;
}

prepared_ranks ranked_program_of(const rank_group& all, machine& on, const sweep_case& at) {
  if (at.program == "sort") return ranked_sort(all, on, at);
  if (at.program == "fft") return ranked_fft(all, on, at);
  if (at.program == "matmul") return ranked_matmul(all, on, at);
  if (at.program.starts_with("stencil")) return ranked_stencil(all, on, at);
  throw usage_error("--programs: " + at.program + " is not measured over ranks");
}

void measure(const rank_group& all, const case_request& request) {
  const unsigned wanted = request.at.ranks.value_or(1);
  if (static_cast<unsigned>(all.ranks()) != wanted)
    throw error("its launcher started " + std::to_string(wanted) +
                " programs of one rank each; it is that of another MPI than " PLEAT_MPI_NAME);
  machine on(mpi::over(all.processes(), options_of(request.at)));
  const auto program = ranked_program_of(all, on, request.at);
  orders all_do(all, *program);
  if (!all.is_first()) return all_do.follow();
  const std::array ours{candidate{"pleat", [&] { all_do.give(order::verify); },
                                  [&] { return all_do.give(order::sample); }}};
  stream_samples(ours, {.seconds = request.seconds, .seed = request.seed},
                 nlohmann::ordered_json::object());
}

/// Answers the request of a sweep to this process and the others of its group (case_request.hpp):
/// one that has ranks. The first rank reads and answers; the others do with it what it does.
/// Collective. A case that cannot be measured is answered as such; the exit status is 0 then too,
/// so that the launcher says nothing. Throws: pleat::usage_error for what is no request.
void measure_ranks(const rank_group& all, const std::string& text) {
  const case_request request = request_from(text);
  const auto reason = reason_of_failure([&] { measure(all, request); });
  if (reason && all.is_first()) print_event({{"failed", *reason}});
}

constexpr const char* name = "pleat-" PLEAT_MPI_NAME;

// The run that the words ask for; none if they ask for help or the version, which is printed.
chosen_run chosen_by(int argc, char** argv) {
  chosen_run chosen;
  command_line line(name, "Costs of the processes of MPI, measured");
  tool_command tool = line.tool();
  tool.set_version_flag("--version",
                        std::string(name) + " " PLEAT_VERSION " (MPI " PLEAT_MPI_VERSION ")");
  const auto probe = std::make_shared<distributed_probe>();
  auto probing = tool.add_subcommand(
      "probe", "Measure what a superstep costs on every level, those between processes on top");
  probe->machine.add_to(probing,
                        "How many processors of each rank (default: its share of the node's)");
  probing.add_option("--rounds", probe->rounds, "Samples of every size", "K");
  probing.add_flag("--json", probe->json,
                   "Print JSON, also a model for pleat evaluate --model and pleat predict --model");
  probing.callback([probe, &chosen] { chosen = *probe; });
  auto mpi = tool.add_subcommand("mpi", "For MPI programs that are not written with Pleat");
  add_tune_collectives(mpi, name, chosen);
  tool.footer(std::string("Examples, with the launcher of this MPI:\n  mpirun -n 16 ") + name +
              " mpi tune > table\n  mpirun -n 4 " + name +
              " probe --json\n"
              "Each rank uses its share of the cores of its node.\n"
              "Exit status: 0 done, 1 a run failed, 2 wrong usage.");
  line.read(argc, argv);
  return chosen;
}

void run_over(const rank_group& all, int argc, char** argv) {
  chosen_run chosen;
  all.first([&] { chosen = chosen_by(argc, argv); });
  if (all.greatest(all.is_first() && chosen ? 1 : 0) == 0) return;
  all.each([&] {
    if (!all.is_first()) chosen = chosen_by(argc, argv);
  });
  chosen(all);
}

}  // namespace
}  // namespace pleat::bench

int main(int argc, char** argv) {
  int provided = 0;
  pleat::detail::defaults.claim_cores = false;  // as in `pleat`
  const bool of_a_sweep = argc == 3 && std::string_view(argv[1]) == pleat::bench::measure_case_word;
  if (of_a_sweep) pleat::bench::yield_to_the_sweep();
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  const pleat::bench::rank_group all(MPI_COMM_WORLD);
  const pleat::bench::outcome end = pleat::bench::outcome_of([&] {
    if (of_a_sweep)
      pleat::bench::measure_ranks(all, argv[2]);
    else
      pleat::bench::run_over(all, argc, argv);
  });
  if (all.is_first()) complain(end);
  MPI_Finalize();
  return end.exit_code;
}
