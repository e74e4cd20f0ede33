// SPDX-License-Identifier: Apache-2.0
#include "compare_schedule.hpp"

#include <cstdint>
#include <memory>
#include <vector>

#include <pleat/collectives/circulant.hpp>
#include <pleat/collectives/circulant_table.hpp>
#include <pleat/runtime/error.hpp>

#include "collectives/rivals/circulant_transcription.hpp"
#include "measure/benchmark.hpp"
#include "measure/clock.hpp"

namespace pleat::bench {
namespace {

// Keeps results from being optimised away.
volatile int result_sink;

circulant_schedule transcribed(const circulant_transcription& paper, std::uint32_t rank) {
  circulant_schedule result;
  result.baseblock = static_cast<std::int8_t>(paper.receive(rank, result.recv));
  paper.send(rank, result.send);
  return result;
}

// The send schedule as it follows from its definition, which is what was known before: what a rank
// sends in a round is what the rank it sends to receives, whose schedule is computed for it.
circulant_schedule of_receivers(const circulant_transcription& paper, std::uint32_t p,
                                std::uint32_t rank) {
  circulant_schedule result;
  result.baseblock = static_cast<std::int8_t>(paper.receive(rank, result.recv));
  for (int k = 0; k < paper.rounds(); ++k) {
    const auto to = static_cast<std::uint32_t>((rank + paper.skip(k)) % p);
    circulant_schedule theirs;
    paper.receive(to, theirs.recv);
    const auto round = static_cast<std::size_t>(k);
    result.send[round] = rank == 0 ? static_cast<std::int8_t>(k) : theirs.recv[round];  // new ones
  }
  return result;
}

// Computes the schedules of all ranks one after the other and returns the seconds per rank.
template <class Schedule> double seconds_per_rank(std::uint32_t p, const Schedule& schedule) {
  int sum = 0;
  const auto start = benchmark_clock::now();
  for (std::uint32_t rank = 0; rank < p; ++rank) {
    const circulant_schedule one = schedule(rank);
    sum += one.recv[0] + one.send[1];
  }
  const double seconds = seconds_since(start);
  result_sink = sum;
  return seconds / p;
}

void verify_schedules(const circulant_graph& graph) {
  const circulant_transcription paper(graph.processors());
  for (std::uint32_t rank = 0; rank < graph.processors(); ++rank) {
    if (graph.schedule(rank) != transcribed(paper, rank)) {
      throw error("verification failed: the schedule of rank " + std::to_string(rank) + " of " +
                  std::to_string(graph.processors()) + " is not the paper's");
    }
  }
}

// Table with the layout of circulant_table (a row per round), filled by one call for each rank.
struct single_calls {
  std::vector<std::int8_t> recv, send;

  explicit single_calls(const circulant_graph& graph)
      : recv(std::size_t{graph.processors()} * graph.rounds()), send(recv.size()) {
    const std::size_t p = graph.processors();
    for (std::uint32_t rank = 0; rank < p; ++rank) {
      const circulant_schedule one = graph.schedule(rank);
      for (unsigned k = 0; k < graph.rounds(); ++k) {
        recv[k * p + rank] = one.recv[k];
        send[k * p + rank] = one.send[k];
      }
    }
  }
};

void verify_table(const circulant_graph& graph) {
  const circulant_table table(graph);
  const single_calls each(graph);
  const std::size_t p = graph.processors();
  for (std::uint32_t rank = 0; rank < p; ++rank) {
    for (unsigned k = 0; k < graph.rounds(); ++k) {
      if (table.received(k)[rank] != each.recv[k * p + rank] ||
          table.sent(rank, k) != each.send[k * p + rank]) {
        throw error("verification failed: the table of " + std::to_string(p) +
                    " processors differs from the schedules of its ranks");
      }
    }
  }
}

template <class Table> double seconds_to_build(const circulant_graph& graph) {
  const auto start = benchmark_clock::now();
  const Table table(graph);
  const double seconds = seconds_since(start);
  return seconds / graph.processors();
}

void measure_single(const circulant_graph& graph, const benchmark_options& options,
                    const runner& run) {
  const std::uint32_t p = graph.processors();
  comparison one{.measure = "one rank's receive and send schedule, mean of all ranks",
                 .n = p,
                 .processors = 1,
                 .repetitions = options.repetitions.value_or(7),
                 .ours = {"ours", [&graph] { verify_schedules(graph); },
                          [&graph, p] {
                            return seconds_per_rank(
                                p, [&](auto rank) { return graph.schedule(rank); });
                          }}};
  one.add_rival(options, "transcription", [p] {
    const auto paper = std::make_shared<circulant_transcription>(p);
    return candidate{"", {}, [paper, p] {
                       return seconds_per_rank(
                           p, [&](auto rank) { return transcribed(*paper, rank); });
                     }};
  });
  one.add_rival(options, "receivers", [p] {
    const auto paper = std::make_shared<circulant_transcription>(p);
    return candidate{"",
                     [paper, p] {
                       for (std::uint32_t rank = 0; rank < p; ++rank)
                         if (of_receivers(*paper, p, rank) != transcribed(*paper, rank))
                           throw error("verification failed: the receivers of rank " +
                                       std::to_string(rank) + " expect other blocks");
                     },
                     [paper, p] {
                       return seconds_per_rank(
                           p, [&](auto rank) { return of_receivers(*paper, p, rank); });
                     }};
  });
  run(one);
}

void measure_table(const circulant_graph& graph, const benchmark_options& options,
                   const runner& run) {
  comparison all{.measure = "the table of all schedules, per rank",
                 .n = graph.processors(),
                 .processors = 1,
                 .repetitions = options.repetitions.value_or(7),
                 .ours = {"ours", [&graph] { verify_table(graph); },
                          [&graph] { return seconds_to_build<circulant_table>(graph); }}};
  all.add_rival(options, "single-calls", [&graph] {
    return candidate{"", {}, [&graph] { return seconds_to_build<single_calls>(graph); }};
  });
  run(all);
}

}  // namespace

void measure_schedule(testbed&, const benchmark_options& options, const runner& run) {
  std::vector<std::size_t> sizes{16000, 33000, 266000, 2100000};
  if (options.n) sizes = {*options.n};
  for (const std::size_t p : sizes) {
    const circulant_graph graph(p);
    measure_single(graph, options, run);
    measure_table(graph, options, run);
  }
}

}  // namespace pleat::bench
