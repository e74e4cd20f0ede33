// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <pleat/runtime/error.hpp>

#include "collective.hpp"
#include "evidence/rivals/rivals.hpp"
#include "measure/benchmark.hpp"
#include "measure/big_block.hpp"
#include "measure/child_process.hpp"
#include "measure/clock.hpp"
#include "measure/statistics.hpp"
#include "our_collectives.hpp"
#include "pleat_rivals_linked.hpp"
#include "rivals/mpi_rival.hpp"
#include "runtime/rivals/flags_barrier.hpp"
#include "tool/words.hpp"

namespace pleat::bench {
namespace {

/// Returns the least number of bytes that a collective operation copies on all ranks together; a
/// copied byte is read once and written once. Each byte of a result is a copy; sums read all inputs
/// and write all results, so they count half of both. A rank's own block is copied too, because its
/// input and its result are separate arrays.
std::size_t copies_needed(const collective& one, std::size_t ranks) {
  std::size_t inputs = 0, results = 0;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const collective_share share{one, ranks, rank};
    inputs += share.input_bytes();
    results += share.result_bytes();
  }
  return combines(one.what) ? (inputs + results) / 2 : results;
}

/// Rival that only copies: pinned threads, one on each PU, copy copies_needed bytes by memcpy. Each
/// thread copies an equal share from memory that its neighbour has just written.
class copy_bound {
 public:
  explicit copy_bound(std::span<const unsigned> pus)
      : team_(pus), sources_(pus.size()), copies_(pus.size()), seconds_(pus.size()) {}

  /// Copies once and compares. Throws: pleat::error if they differ.
  void verify(const collective& one) {
    copy(one, 1);
    for (std::size_t thread = 0; thread < copies_.size(); ++thread) {
      const auto& source = sources_[(thread + 1) % sources_.size()];
      if (!std::ranges::equal(copies_[thread].bytes(), source.bytes()))
        throw error("verification failed: a copy differs from its source");
    }
  }
  /// Returns the slowest thread's seconds in each repetition, after one that is not kept.
  [[nodiscard]] std::vector<double> time(const collective& one, std::size_t repetitions) {
    return copy(one, repetitions);
  }

 private:
  std::vector<double> copy(const collective& one, std::size_t repetitions) {
    const std::size_t threads = seconds_.size();
    const std::size_t share = copies_needed(one, threads) / threads;
    const bool same = share == bytes_;
    bytes_ = share;
    ++seed_;
    std::vector<double> slowest;
    team_.run([&](unsigned me) {
      if (!same) {  // allocated and touched where it is used
        sources_[me] = big_block(share);
        copies_[me] = big_block(share);
      }
      for (std::size_t repetition = 0; repetition <= repetitions; ++repetition) {
        std::memset(sources_[me].bytes().data(), static_cast<int>(seed_ + repetition) & 0xFF,
                    share);
        team_.wait(me);
        const auto start = benchmark_clock::now();
        std::memcpy(copies_[me].bytes().data(), sources_[(me + 1) % threads].bytes().data(), share);
        seconds_[me].value = seconds_since(start);
        team_.wait(me);
        if (me == 0 && repetition > 0)
          slowest.push_back(std::ranges::max(seconds_, {}, &own_seconds::value).value);
        team_.wait(me);
      }
    });
    return slowest;
  }

  struct alignas(128) own_seconds {
    double value = 0;
  };

  flags_team team_;
  std::vector<big_block> sources_, copies_;
  std::vector<own_seconds> seconds_;
  std::size_t bytes_ = 0;
  std::uint8_t seed_ = 0;
};

/// Processes of one MPI during a benchmark. If they fail to start or fail later, the session is
/// lost for good.
struct mpi_session {
  std::string name;  ///< openmpi or mpich
  std::unique_ptr<mpi_rival> rival = {};
  std::string lost = {};  ///< reason of the loss; empty if there is none

  /// Calls `act`, which uses the ranks. After a pleat::environment_error the session is lost.
  template <class Act> auto with_ranks(const Act& act) -> decltype(act()) {
    try {
      return act();
    } catch (const environment_error& failure) {
      lost = failure.what();
      rival.reset();
      throw;
    }
  }
};

// 8 bytes to 64 MiB.
std::vector<std::size_t> usual_sizes() {
  std::vector<std::size_t> sizes;
  for (unsigned exponent = 3; exponent <= 24; exponent += 3)
    sizes.push_back(std::size_t{1} << exponent);
  sizes.push_back(std::size_t{1} << 26);
  return sizes;
}

// Returns the operation with the least size from `bytes` on that `ranks` ranks can perform.
collective at_least(operation what, spread how, std::size_t bytes, std::size_t ranks) {
  collective one{what, bytes, how};
  while (fault_of(one, ranks) && one.bytes < bytes + 8 * ranks) ++one.bytes;
  if (const auto fault = fault_of(one, ranks)) throw usage_error("--n: " + *fault);
  return one;
}

std::vector<collective> chosen(const benchmark_options& options, std::size_t ranks) {
  std::vector<operation> operations;
  for (const auto& name : options.operations) operations.push_back(*operation_named(name));
  if (operations.empty()) operations.assign(all_operations().begin(), all_operations().end());

  const auto sizes = options.n ? std::vector{*options.n} : usual_sizes();
  std::vector<collective> all;
  for (const operation what : operations) {
    for (const spread how : all_spreads()) {
      if (how != spread::regular && !takes_counts(what)) continue;
      for (const std::size_t bytes : sizes) all.push_back(at_least(what, how, bytes, ranks));
    }
  }
  return all;
}

// Starts the MPIs that the options want and this build has. A list, because candidates keep
// references to its elements.
std::list<mpi_session> sessions(const testbed& on, const benchmark_options& options) {
  std::list<mpi_session> all;
  for (const std::string name : {"openmpi", "mpich"}) {
    if (!options.wants(name) || !rival_named(name).linked) continue;
    all.push_back({name});
    try {
      all.back().with_ranks([&] {
        const bool open = name == "openmpi";
        const mpi_launch how{open ? mpi_launch::kind::openmpi : mpi_launch::kind::mpich,
                             open ? PLEAT_OPENMPI_LAUNCHER : PLEAT_MPICH_LAUNCHER,
                             companion_program("pleat-rival-" + name)};
        all.back().rival = std::make_unique<mpi_rival>(how, on.pus);
      });
    } catch (const environment_error&) {  // all.back().lost is the reason
    }
  }
  return all;
}

class collective_comparisons {
 public:
  collective_comparisons(testbed& on, const benchmark_options& options)
      : on_(on),
        options_(options),
        mpis_(sessions(on, options)),
        ours_(on.ours),
        copy_(on.pus),
        seed_(options.seed) {}

  void measure(const collective& one, const runner& run) {
    for (;;) {
      const std::size_t lost = lost_mpis();
      try {
        run(comparison_of(one));
        return;
      } catch (const environment_error&) {
        // An MPI that failed during the measurement is left out from now on.
        if (lost_mpis() == lost) throw;
      }
    }
  }

 private:
  [[nodiscard]] std::size_t lost_mpis() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(mpis_, [](const mpi_session& mpi) { return !mpi.lost.empty(); }));
  }

  comparison comparison_of(const collective& one) {
    // Repetitions in a sample: about 8 MiB of operations, but at least 3 and at most 500.
    const std::size_t often = std::clamp<std::size_t>((std::size_t{8} << 20) / one.bytes, 3, 500);
    const auto median = [](const std::vector<double>& seconds) {
      return summarise(seconds).median;
    };
    std::string measure(name_of(one.what));
    if (takes_counts(one.what)) measure += ", " + std::string(name_of(one.how));
    comparison compared{.measure = measure,
                        .type = combines(one.what) ? "f64" : "bytes",
                        .n = one.bytes,
                        .processors = on_.ours.processors(),
                        .repetitions = options_.repetitions.value_or(11),
                        .ours = {"ours", [this, one] { ours_.verify(one, ++seed_); },
                                 [this, one, often, median] {
                                   seed_ += often + 1;
                                   return median(ours_.time(one, often, seed_));
                                 }}};
    for (mpi_session& mpi : mpis_) {
      if (!mpi.lost.empty()) {
        compared.failed.emplace_back(mpi.name, mpi.lost);
        continue;
      }
      compared.add_rival(options_, mpi.name, [&mpi, one, often, median] {
        return candidate{
            "", [&mpi, one] { mpi.with_ranks([&] { mpi.rival->verify(one); }); },
            [&mpi, one, often, median] {
              return median(mpi.with_ranks([&] { return mpi.rival->time(one, often); }));
            }};
      });
    }
    for (const char* name : {"openmpi", "mpich"}) {
      if (options_.wants(name) && !rival_named(name).linked) compared.missing.emplace_back(name);
    }
    compared.add_rival(options_, "memcpy", [this, one, often, median] {
      return candidate{"", [this, one] { copy_.verify(one); },
                       [this, one, often, median] { return median(copy_.time(one, often)); }};
    });
    return compared;
  }

  testbed& on_;
  const benchmark_options& options_;
  std::list<mpi_session> mpis_;
  our_collectives ours_;
  copy_bound copy_;
  std::uint64_t seed_;
};

void measure_collectives(testbed& on, const benchmark_options& options, const runner& run) {
  on.require_dedicated("collectives");
  const auto all = chosen(options, on.pus.size());
  collective_comparisons each(on, options);
  for (const collective& one : all) each.measure(one, run);
}

void check_operations(const benchmark_options& options) {
  for (const auto& name : options.operations) {
    if (!operation_named(name))
      throw usage_error("--operations: '" + name + "' is unknown; known: " +
                        names_of(all_operations(), [](operation what) { return name_of(what); }));
  }
}

constexpr std::array benchmarks{
    benchmark{"collectives",
              "broadcast, all_gather, all_reduce, … on every processor: a VP, an MPI's "
              "rank",
              "bytes of the operation, at least; without it 8 B to 64 MiB", measure_collectives,
              "openmpi, mpich, memcpy"}
        .with(&benchmark::has_operations, true)
        .with(&benchmark::check, check_operations),
    benchmark{"index",
              "Bruck's all-to-all among 64 virtual processors, our choice of radix beside each",
              "bytes of a block; without it 8 to 8192", measure_index,
              "radix-2, radix-4, radix-8, radix-16, radix-32, radix-64"}
        .with(&benchmark::most_n, 65'536),
    benchmark{"schedule", "who sends which block in which round of a round-optimal broadcast",
              "processors of the circulant graph", measure_schedule,
              "transcription, receivers, single-calls"}
        .with(&benchmark::least_n, 3)
        .with(&benchmark::most_n, 4'000'000),  // a table of 100 MB
};

}  // namespace

std::span<const benchmark> collectives_benchmarks() { return benchmarks; }

}  // namespace pleat::bench
