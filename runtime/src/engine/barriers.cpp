// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include <pleat/runtime/barrier.hpp>

namespace pleat {

namespace {

constexpr std::size_t most_flat = 4;
constexpr std::size_t most_disseminated = 16;

/// Raises a flag that only this thread writes; tells whether it has changed.
bool raise(detail::epoch_flag& flag, std::uint64_t epoch) noexcept {
  if (flag.epoch.load(std::memory_order_relaxed) >= epoch) return false;
  flag.epoch.store(epoch, std::memory_order_release);  // pairs with the acquire loads in poll
  return true;
}

std::variant<flat_barrier, dissemination_barrier, tree_barrier> kind_for(std::size_t n) {
  if (n <= most_flat) return flat_barrier(n);
  if (n <= most_disseminated) return dissemination_barrier(n);
  return tree_barrier(n);
}

}  // namespace

dissemination_barrier::dissemination_barrier(std::size_t n)
    : arrival_flags(n),
      rounds_(static_cast<unsigned>(std::bit_width(n - 1))),
      received_(rounds_ * n) {}

barrier_progress dissemination_barrier::poll(std::size_t m) noexcept {
  const std::size_t n = own_.size();
  barrier_progress progress{own_[m].epoch.load(std::memory_order_relaxed),
                            false};  // written by m's own thread
  for (unsigned round = 0; round < rounds_; ++round) {
    const std::size_t partner = (m + (std::size_t{1} << round)) % n;
    progress.passed_on |= raise(received_[round * n + partner], progress.reached);
    progress.reached =
        std::min(progress.reached, received_[round * n + m].epoch.load(std::memory_order_acquire));
  }
  return progress;
}

barrier_progress tree_barrier::poll(std::size_t m) noexcept {
  std::uint64_t least = own_[m].epoch.load(std::memory_order_relaxed);  // written by m's own thread
  const std::size_t first_child = m * fan_in + 1;
  for (std::size_t c = first_child; c < std::min(first_child + fan_in, own_.size()); ++c)
    least = std::min(least, subtree_[c].epoch.load(std::memory_order_acquire));
  const bool passed_on = raise(m == 0 ? all_[0] : subtree_[m], least);
  return {all_[0].epoch.load(std::memory_order_acquire), passed_on};
}

barrier::barrier(std::size_t n) : kind_(kind_for(n)) {}

}  // namespace pleat
