// SPDX-License-Identifier: Apache-2.0
#include "control_block.hpp"

#include <algorithm>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>

#include <pleat/runtime/detail/threads.hpp>

namespace pleat::bench {
namespace {

// std::atomic's own waiting is for the threads of one process.
long shared_futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value) {
  return ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), operation, value, nullptr,
                   nullptr, 0);
}

}  // namespace

control_block::control_block(std::span<std::byte> memory, std::size_t ranks, std::size_t rank,
                             bool yields)
    : header_(reinterpret_cast<header*>(memory.data())),
      lines_(reinterpret_cast<rank_line*>(memory.data() + sizeof(header))),
      ranks_(ranks),
      rank_(rank),
      yields_(yields) {}

std::size_t control_block::bytes_for(std::size_t ranks) {
  return sizeof(header) + ranks * sizeof(rank_line);
}

void control_block::post(const mpi_order& order) {
  header_->order = order;
  header_->orders.store(++orders_, std::memory_order_release);  // pairs with the acquire in next
  shared_futex(header_->orders, FUTEX_WAKE, INT_MAX);
}

mpi_order control_block::next() {
  // acquire: pairs with the release in post
  while (header_->orders.load(std::memory_order_acquire) == orders_)
    shared_futex(header_->orders, FUTEX_WAIT, orders_);
  ++orders_;
  return header_->order;
}

void control_block::barrier() {
  ++epoch_;
  // Pairs with the acquire below: what came before the barrier is seen after it.
  line(rank_).arrived.store(epoch_, std::memory_order_release);
  for (std::size_t r = 0; r < ranks_; ++r) {
    while (line(r).arrived.load(std::memory_order_acquire) < epoch_) {
      if (yields_)
        ::sched_yield();
      else
        detail::relax();
    }
  }
}

void control_block::tell_fault(std::string_view fault) {
  auto& place = line(rank_).fault;
  const std::size_t length = std::min(fault.size(), place.size() - 1);
  std::ranges::copy(fault.substr(0, length), place.begin());
  place[length] = '\0';
}

double control_block::slowest() const {
  double seconds = 0;
  for (std::size_t r = 0; r < ranks_; ++r) seconds = std::max(seconds, line(r).seconds);
  return seconds;
}

std::string_view control_block::fault() const {
  for (std::size_t r = 0; r < ranks_; ++r) {
    const std::string_view text(line(r).fault.data());
    if (!text.empty()) return text;
  }
  return {};
}

}  // namespace pleat::bench
