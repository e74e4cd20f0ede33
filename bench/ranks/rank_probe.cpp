// SPDX-License-Identifier: Apache-2.0
#include "rank_probe.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <mpi.h>
#include <span>

#include <nlohmann/json.hpp>

#include <pleat/channels/version.hpp>
#include <pleat/mpi/over.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/fold.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

#include "machine/linear_cost.hpp"
#include "probe/probe_report.hpp"
#include "rank_clock.hpp"
#include "tool/numbers.hpp"
#include "tool/terminal.hpp"

namespace pleat::bench {
namespace {

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

}  // namespace

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

}  // namespace pleat::bench
