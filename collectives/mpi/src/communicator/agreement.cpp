// SPDX-License-Identifier: Apache-2.0
#include "communicator/agreement.hpp"

#include <algorithm>
#include <bit>

#include <pleat/collectives/index_schedule.hpp>

#include "communicator/process.hpp"
#include "errors/errors.hpp"
#include "settings/settings.hpp"

namespace pleat::preloaded {

namespace {

std::uint32_t size_of(MPI_Comm comm) {
  int ranks = 0;
  check(PMPI_Comm_size(comm, &ranks));
  return static_cast<std::uint32_t>(ranks);
}

}  // namespace

agreement::agreement(MPI_Comm comm) : comm_(comm), graph_(size_of(comm)) {
  int rank = 0;
  int between_groups = 0;
  check(PMPI_Comm_rank(comm, &rank));
  check(PMPI_Comm_test_inter(comm, &between_groups));
  rank_ = static_cast<std::uint32_t>(rank);
  all_here_ = all_are_here(comm, &places_);
  if (!all_here_ || between_groups != 0 || places_.size() == 1) return;
  std::vector<int> nodes;
  for (const int place : places_) nodes.push_back(here().nodes[static_cast<std::size_t>(place)]);
  choice_ = process_settings().for_nodes(nodes);
}

const circulant_table& agreement::table() {
  std::call_once(has_table_, [&] { table_ = std::make_unique<circulant_table>(graph_); });
  return *table_;
}

std::size_t agreement::radix(std::size_t bytes) {
  const std::size_t ranks = graph_.processors();
  if (choice_.radix != 0) return std::clamp<std::size_t>(choice_.radix, 2, ranks);
  // Relaxed: every thread finds the same radix.
  std::atomic<std::size_t>& known = radices_[static_cast<std::size_t>(std::bit_width(bytes))];
  std::size_t radix = known.load(std::memory_order_relaxed);
  if (radix == 0) {
    radix = best_index_radix(ranks, 1, std::bit_floor(bytes),
                             {choice_.cost.start, choice_.cost.per_byte});
    known.store(radix, std::memory_order_relaxed);
  }
  return radix;
}

std::size_t agreement::radix(std::size_t partners, std::size_t bytes) {
  const std::size_t ranks = graph_.processors();
  const std::size_t each = (bytes - 1) / ranks + 1 + sizeof(std::size_t);  // with its size
  const std::size_t best = radix(each);
  if (choice_.radix != 0) return best;
  const index_schedule schedule(ranks, best, 1);
  const auto time_s = [&](std::size_t messages, std::size_t sent) {
    return choice_.cost.start * static_cast<double>(messages) +
           choice_.cost.per_byte * static_cast<double>(sent);
  };
  const bool straight =
      time_s(partners, bytes) <= time_s(schedule.rounds(), schedule.volume() * each);
  return straight ? ranks : best;
}

}  // namespace pleat::preloaded
