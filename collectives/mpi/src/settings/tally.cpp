// SPDX-License-Identifier: Apache-2.0
#include "settings/tally.hpp"

#include <array>
#include <atomic>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace pleat::preloaded {

namespace {

struct counts {
  std::atomic<std::uint64_t> ours, mpi_s, messages, bytes;
};
std::array<counts, operations> counted;

void add(std::atomic<std::uint64_t>& to, std::uint64_t what) noexcept {
  to.fetch_add(what, std::memory_order_relaxed);  // read when the threads have ended
}

void report() {
  std::fprintf(stderr, "pleat: %-22s %12s %12s %12s %16s\n", "calls of rank 0", "by schedules",
               "by the MPI", "messages", "bytes sent");
  for (std::size_t i = 0; i < operations; ++i) {
    const counts& one = counted[i];
    if (one.ours + one.mpi_s == 0) continue;
    std::fprintf(stderr, "pleat: %-22s %12" PRIu64 " %12" PRIu64 " %12" PRIu64 " %16" PRIu64 "\n",
                 std::string(operation_names[i]).c_str(), one.ours.load(), one.mpi_s.load(),
                 one.messages.load(), one.bytes.load());
  }
}

}  // namespace

void count_call(operation what, bool ours) noexcept {
  add(ours ? counted[index(what)].ours : counted[index(what)].mpi_s, 1);
}

void count_message(operation what, std::size_t bytes) noexcept {
  add(counted[index(what)].messages, 1);
  add(counted[index(what)].bytes, bytes);
}

void report_at_exit() { std::atexit(report); }

}  // namespace pleat::preloaded
