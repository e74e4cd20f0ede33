// SPDX-License-Identifier: Apache-2.0
#include "work_of_ranks.hpp"

#include <chrono>
#include <iostream>
#include <mpi.h>
#include <random>
#include <stdexcept>
#include <vector>

#include <nlohmann/json.hpp>

#include "measure/statistics.hpp"

namespace pleat::bench {
namespace {

void call(const std::function<void()>& act) {
  if (act) act();
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

}  // namespace

bool everywhere(bool here) {
  int all = here ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  return all != 0;
}

void compare_sides(pleat::machine& machine, const work_description& what, const both_sides& sides,
                   std::size_t repetitions) {
  call(sides.prepare_rival);
  sides.rival();
  call(sides.prepare_ours);
  sides.ours();
  const std::string wrong = sides.check();
  if (!wrong.empty()) throw std::runtime_error(what.work + ": " + wrong);

  std::vector<double> our_seconds, rival_seconds;
  std::mt19937 random(1);  // the same order on all ranks
  const auto calls = static_cast<double>(sides.calls);
  for (std::size_t round = 0; round < repetitions; ++round) {
    const unsigned first = random() % 2;
    for (unsigned turn = 0; turn < 2; ++turn) {
      const bool is_ours = turn == first;
      call(is_ours ? sides.prepare_ours : sides.prepare_rival);
      const double seconds = time_of(is_ours ? sides.ours : sides.rival);
      (is_ours ? our_seconds : rival_seconds).push_back(seconds / calls);
    }
  }
  if (machine.rank() != 0) return;
  const summary mine = summarise(our_seconds), theirs = summarise(rival_seconds);
  const nlohmann::ordered_json entry = {{"work", what.work},
                                        {"n", what.n},
                                        {"type", what.type},
                                        {"ranks", machine.ranks()},
                                        {"processors", machine.threads()},
                                        {"repetitions", repetitions},
                                        {"ours_s", mine.median},
                                        {"ours_spread", mine.spread()},
                                        {"rival", what.rival},
                                        {"rival_version", what.rival_version},
                                        {"rival_s", theirs.median},
                                        {"rival_spread", theirs.spread()},
                                        {"ratio", theirs.median / mine.median}};
  std::cout << entry.dump() << std::endl;
}

}  // namespace pleat::bench
