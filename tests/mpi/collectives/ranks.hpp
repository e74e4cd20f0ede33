// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <mpi.h>
#include <vector>

#include <gtest/gtest.h>

namespace pleat::testing_ranks {

[[nodiscard]] inline int rank_in(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}
[[nodiscard]] inline int size_of(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}

/// The communicators of the first p ranks, made once: that takes longer than most operations.
class first_ranks : public testing::Environment {
 public:
  /// MPI_COMM_NULL on the other ranks.
  static MPI_Comm get(int p) {
    static first_ranks* const all = [] {
      auto* const made = new first_ranks;
      testing::AddGlobalTestEnvironment(made);
      return made;
    }();
    const auto [at, is_new] = all->comms_.try_emplace(p, MPI_COMM_NULL);
    if (is_new) {
      MPI_Comm_split(MPI_COMM_WORLD, rank_in(MPI_COMM_WORLD) < p ? 0 : MPI_UNDEFINED, 0,
                     &at->second);
    }
    return at->second;
  }
  void TearDown() override {
    for (auto& [p, comm] : comms_) {
      if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
    }
  }

 private:
  std::map<int, MPI_Comm> comms_;
};

/// Calls use(comm) on the first p ranks, for each p that there are so many of.
template <class Use> void each_size(std::initializer_list<int> sizes, const Use& use) {
  for (const int p : sizes) {
    if (p > size_of(MPI_COMM_WORLD)) continue;
    if (const MPI_Comm comm = first_ranks::get(p); comm != MPI_COMM_NULL) use(comm);
  }
}
inline constexpr auto all_sizes = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17};
inline constexpr auto some_sizes = {2, 3, 5, 8, 17};

/// Any first, a middle and the last rank.
[[nodiscard]] inline std::vector<int> roots_of(MPI_Comm comm) {
  const int p = size_of(comm);
  std::vector<int> roots{0};
  if (p > 1) roots.push_back(p - 1);
  if (p > 2) roots.push_back(p / 2);
  return roots;
}

/// The i-th number of a rank, the same wherever it is asked for.
[[nodiscard]] inline int number(int rank, std::size_t i) {
  const auto mixed =
      (static_cast<std::uint64_t>(rank) * 0x9E3779B97F4A7C15U + i + 1) * 0xBF58476D1CE4E5B9U;
  return static_cast<int>(mixed >> 40 & 0xFFFU);
}

}  // namespace pleat::testing_ranks
