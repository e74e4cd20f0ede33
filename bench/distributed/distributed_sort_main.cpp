// SPDX-License-Identifier: Apache-2.0
//
// pleat-distributed-sort-openmpi, pleat-distributed-sort-mpich: pleat::sort of distributed data
// beside a sample sort by hand, interleaved in the same processes.
//
//     mpirun.openmpi -n 2 pleat-distributed-sort-openmpi --n 2^26
//
// Random 64-bit keys; both results are verified before anything is timed. A sample is the time from
// a barrier on until the slowest rank is done. One line of JSON on standard output, as an entry of
// `pleat compare`'s `comparisons`.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <iostream>
#include <mpi.h>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <pleat/mpi/over.hpp>
#include <pleat/oblivious/distributed_sort.hpp>
#include <pleat/runtime/error.hpp>

#include "measure/statistics.hpp"
#include "rivals/mpi_sample_sort.hpp"
#include "tool/numbers.hpp"

namespace pleat::bench {
namespace {

using keys_of_rank = std::span<const std::uint64_t>;

std::uint64_t key(std::size_t i) {
  std::uint64_t x = i + 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

/// Are they sorted, across ranks, and the keys that were there? On all ranks or on none.
bool is_sorted_result(keys_of_rank result, keys_of_rank before) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::uint64_t mixed[2][2] = {};  // of what was there, of what is: order does not matter
  for (int side = 0; side < 2; ++side) {
    for (const std::uint64_t x : side == 0 ? before : result) {
      mixed[side][0] += x;
      mixed[side][1] += key(x);
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, mixed, 4, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  std::uint64_t ends[3] = {result.empty() ? 0u : 1u, result.empty() ? 0 : result.front(),
                           result.empty() ? 0 : result.back()};
  std::vector<std::uint64_t> all(3 * static_cast<std::size_t>(ranks));
  MPI_Allgather(ends, 3, MPI_UINT64_T, all.data(), 3, MPI_UINT64_T, MPI_COMM_WORLD);
  bool good = mixed[0][0] == mixed[1][0] && mixed[0][1] == mixed[1][1];
  std::uint64_t greatest = 0;
  for (std::size_t r = 0; r < static_cast<std::size_t>(ranks); ++r) {
    if (all[3 * r] == 0) continue;
    good = good && greatest <= all[3 * r + 1];
    greatest = all[3 * r + 2];
  }
  int everywhere = good && std::ranges::is_sorted(result) ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &everywhere, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  return everywhere != 0;
}

/// Seconds that the slowest rank takes.
double time_of(const std::function<void()>& act) {
  using clock = std::chrono::steady_clock;
  MPI_Barrier(MPI_COMM_WORLD);
  const clock::time_point start = clock::now();
  act();
  double seconds = std::chrono::duration<double>(clock::now() - start).count();
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds;
}

int compare(std::size_t n, std::size_t repetitions) {
  pleat::machine machine(pleat::mpi::over(MPI_COMM_WORLD));
  pleat::distributed<std::uint64_t> ours(machine, n);
  const auto fill = [&] { ours.fill(machine, key); };
  fill();
  const std::vector<std::uint64_t> keys(ours.local().begin(), ours.local().end());
  const int threads = static_cast<int>(machine.vps_here(machine.threads()).size());
  mpi_sample_sort rival(MPI_COMM_WORLD, threads);

  const bool rival_right = is_sorted_result(rival(keys), keys);
  pleat::sort(machine, ours);
  const bool ours_right = is_sorted_result(ours.local(), keys);
  if (!ours_right || !rival_right) {
    if (machine.rank() == 0)
      std::cerr << "wrong result of " << (ours_right ? "the rival" : "pleat::sort") << '\n';
    return 1;
  }
  std::vector<double> our_seconds, rival_seconds;
  std::mt19937 random(1);  // the same order on all ranks
  for (std::size_t round = 0; round <= repetitions; ++round) {
    const unsigned first = random() % 2;
    for (unsigned turn = 0; turn < 2; ++turn) {
      double seconds = 0;
      const bool is_ours = turn == first;
      if (is_ours) {
        fill();
        seconds = time_of([&] { pleat::sort(machine, ours); });
      } else {
        seconds = time_of([&] { static_cast<void>(rival(keys)); });
      }
      if (round != 0) (is_ours ? our_seconds : rival_seconds).push_back(seconds);
    }
  }
  if (machine.rank() != 0) return 0;
  const summary mine = summarise(our_seconds), theirs = summarise(rival_seconds);
  const nlohmann::ordered_json entry = {
      {"work", "distributed-sort"},
      {"n", n},
      {"type", "u64"},
      {"ranks", machine.ranks()},
      {"processors", machine.threads()},
      {"ours_s", mine.median},
      {"ours_spread", mine.spread()},
      {"rival", "sample sort, " PLEAT_MPI_NAME " and ips4o"},
      {"rival_version", PLEAT_MPI_VERSION ", " PLEAT_IPS4O_VERSION},
      {"rival_s", theirs.median},
      {"rival_spread", theirs.spread()},
      {"ratio", theirs.median / mine.median}};
  std::cout << entry.dump() << std::endl;
  return 0;
}

}  // namespace
}  // namespace pleat::bench

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  int status = 1;
  CLI::App app("pleat::sort of distributed data beside a sample sort by hand");
  std::string n = "2^26";
  std::size_t repetitions = 11;
  app.add_option("--n", n, "number of 64-bit keys, of all ranks")->capture_default_str();
  app.add_option("--repetitions", repetitions, "samples of each")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  try {
    app.parse(argc, argv);
    status = pleat::bench::compare(pleat::bench::parse_count(n, "--n", 1), repetitions);
  } catch (const CLI::ParseError& e) {
    status = app.exit(e) == 0 ? 0 : 2;
  } catch (const pleat::usage_error& e) {  // on all ranks
    std::cerr << "error: " << e.what() << '\n';
    status = 2;
  } catch (const std::exception& e) {
    std::cerr << "error: " << e.what() << '\n';
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return status;
}
