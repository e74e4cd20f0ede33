// SPDX-License-Identifier: Apache-2.0
//
// Linked with the objects of a program of tests/model, whose machines are over all ranks then, and
// whose random programs are the same on all of them.
#include <cstdint>
#include <cstdlib>
#include <mpi.h>
#include <random>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include <pleat/mpi/over.hpp>

#include "model/over_ranks.hpp"

namespace {

pleat::rank_options over_all(pleat::machine_options options) {
  return pleat::mpi::over(MPI_COMM_WORLD, std::move(options));
}

class one_seed : public testing::Environment {
 public:
  void SetUp() override {
    const char* const given = std::getenv("PLEAT_TEST_SEED");
    std::uint64_t seed = given != nullptr ? std::stoull(given) : std::random_device{}();
    MPI_Bcast(&seed, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    ::setenv("PLEAT_TEST_SEED", std::to_string(seed).c_str(), 1);
  }
};

// NOLINTNEXTLINE(cppcoreguidelines-owning-memory): it is GoogleTest's
[[maybe_unused]] const auto* const registered =
    (model::machines_over_ranks = over_all, testing::AddGlobalTestEnvironment(new one_seed));

}  // namespace
