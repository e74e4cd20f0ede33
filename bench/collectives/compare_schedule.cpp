// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <pleat/collectives/all_to_all.hpp>
#include <pleat/collectives/circulant.hpp>
#include <pleat/collectives/circulant_table.hpp>
#include <pleat/runtime/error.hpp>

#include "collectives/rivals/circulant_transcription.hpp"
#include "measure/benchmark.hpp"
#include "measure/clock.hpp"
#include "our_collectives.hpp"

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

// Computes the send schedule by its definition, the method before the paper's: a rank sends what
// its destination receives in that round, so the receive schedule of each destination is computed.
circulant_schedule of_receivers(const circulant_transcription& paper, std::uint32_t p,
                                std::uint32_t rank) {
  circulant_schedule result;
  result.baseblock = static_cast<std::int8_t>(paper.receive(rank, result.recv));
  for (int k = 0; k < paper.rounds(); ++k) {
    const auto to = static_cast<std::uint32_t>((rank + paper.skip(k)) % p);
    circulant_schedule theirs;
    paper.receive(to, theirs.recv);
    const auto round = static_cast<std::size_t>(k);
    result.send[round] = rank == 0 ? static_cast<std::int8_t>(k) : theirs.recv[round];  // root: k
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
    if (graph.schedule(rank) != transcribed(paper, rank))
      throw error("verification failed: the schedule of rank " + std::to_string(rank) + " of " +
                  std::to_string(graph.processors()) + " is not the paper's");
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
          table.sent(rank, k) != each.send[k * p + rank])
        throw error("verification failed: the table of " + std::to_string(p) +
                    " processors differs from the schedules of its ranks");
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

namespace {

constexpr std::size_t ranks = 64;  // number of nodes that Bruck et al. measured, see all_to_all.hpp

// Arrays that all ranks send from and receive into, the same for each radix.
struct index_arrays {
  explicit index_arrays(std::size_t bytes) : in(ranks * ranks * bytes), out(in.size()) {}
  std::vector<std::byte> in, out;
};

// Repeated all-to-all of blocks of `bytes` bytes.
class index_operations {
 public:
  index_operations(machine& on, std::size_t bytes, unsigned radix, index_arrays& arrays)
      : on_(&on), bytes_(bytes), radix_(radix), in_(arrays.in), out_(arrays.out) {}

  // Throws: pleat::error if a block is not where it belongs.
  void verify() {
    for (std::size_t i = 0; i < in_.size(); ++i)
      in_[i] = mark(i / bytes_ / ranks, i / bytes_ % ranks, i);
    std::ranges::fill(out_, std::byte{});
    static_cast<void>(seconds(1));
    for (std::size_t i = 0; i < out_.size(); ++i) {
      const std::size_t to = i / bytes_ / ranks, from = i / bytes_ % ranks;
      if (out_[i] != mark(from, to, i))
        throw error("verification failed: all_to_all of radix " + std::to_string(radix_) +
                    " brought rank " + std::to_string(to) + " another block");
    }
  }
  // Returns the mean seconds of an operation, over `often` operations.
  double seconds(std::size_t often) {
    double taken = 0;
    on_->run(ranks, [&](vp& me) { return repeat(me, often, taken); });
    return taken / static_cast<double>(often);
  }

 private:
  [[nodiscard]] std::byte mark(std::size_t from, std::size_t to, std::size_t at) const {
    return static_cast<std::byte>(from * 151 + to * 57 + at % bytes_ * 11 + 1);
  }
  task<> repeat(vp& me, std::size_t often, double& taken) {
    const std::size_t size = ranks * bytes_;
    const std::span<const std::byte> in(in_.data() + me.rank() * size, size);
    const std::span<std::byte> out(out_.data() + me.rank() * size, size);
    co_await me.sync(0);
    const auto start = benchmark_clock::now();
    for (std::size_t i = 0; i < often; ++i) {
      task<> operation = all_to_all(me, in, out, {.radix = radix_});
      co_await operation;
    }
    co_await me.sync(0);
    if (me.rank() == 0) taken = seconds_since(start);
  }

  machine* on_;
  std::size_t bytes_;
  unsigned radix_;
  std::span<std::byte> in_, out_;
};

candidate of_radix(machine& on, std::size_t bytes, unsigned radix, index_arrays& arrays) {
  const auto operations = std::make_shared<index_operations>(on, bytes, radix, arrays);
  const std::size_t often = std::clamp<std::size_t>((std::size_t{1} << 20) / bytes / 1024, 2, 50);
  return {radix == 0 ? "ours" : "", [operations] { operations->verify(); },
          [operations, often] { return operations->seconds(often); }};
}

}  // namespace

void measure_index(testbed& on, const benchmark_options& options, const runner& run) {
  std::vector<std::size_t> sizes{8, 32, 128, 512, 2048, 8192};
  if (options.n) sizes = {*options.n};
  for (const std::size_t bytes : sizes) {
    index_arrays arrays(bytes);
    comparison all{.measure = "all-to-all among 64 virtual processors",
                   .type = "bytes",
                   .n = bytes,
                   .processors = on.ours.processors(),
                   .repetitions = options.repetitions.value_or(11),
                   .ours = of_radix(on.ours, bytes, 0, arrays)};
    for (unsigned radix = 2; radix <= ranks; radix *= 2)
      all.add_rival(options, "radix-" + std::to_string(radix),
                    [&, radix] { return of_radix(on.ours, bytes, radix, arrays); });
    run(all);
  }
}

}  // namespace pleat::bench
