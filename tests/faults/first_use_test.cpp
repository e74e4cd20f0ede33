// SPDX-License-Identifier: Apache-2.0
// A process forks while another of its threads uses the library for the first time: what is made
// then (the topology, plans, choices of kernels, the default machine) is at every stage at a fork.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <pthread.h>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/fft.hpp>
#include <pleat/oblivious/kernels.hpp>
#include <pleat/oblivious/sort.hpp>
#include <pleat/runtime/default_machine.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/topology.hpp>

#include "unit/runtime/in_child.hpp"

namespace {

bool sorts() {
  std::vector<std::uint32_t> keys(100'000);
  std::uint32_t x = 1;
  for (std::uint32_t& key : keys) key = x = x * 1664525U + 1013904223U;
  pleat::sort(keys);
  return std::ranges::is_sorted(keys);
}

bool transforms(std::size_t n) {
  std::vector<std::complex<float>> signal(n, 1.0F);
  pleat::fft(signal);
  return std::abs(signal[0] - static_cast<float>(n)) < 1e-2F * static_cast<float>(n);
}

/// 42 if all is well. Everything that the library makes at its first use.
int use_library() {
  if (pleat::topology::host().cores() == 0) return 1;
  if (!sorts()) return 2;
  if (pleat::kernel_choices().empty()) return 3;
  for (const std::size_t n : {1000U, 1021U, 4096U})
    if (!transforms(n)) return 4;
  return 42;
}

/// A process that has not used the library yet. No sanitizer allows threads after fork, and what
/// is tried here does not depend on how many workers there are.
int fork_during_first_use() {
  ::setenv("PLEAT_NUM_PROCESSORS", "1", 1);
  std::atomic<bool> stop = false;
  std::atomic<int> own = 42;
  std::thread user([&] {
    while (!stop && own == 42) own = use_library();
  });
  int code = 42;
  for (int i = 0; i < 8 && code == 42; ++i) code = in_child(use_library);
  stop = true;
  user.join();
  return code == 42 ? own.load() : code;
}

TEST(first_use, by_another_thread_does_not_harm_a_forked_child) {
  for (int round = 0; round < 5 && !HasFailure(); ++round)
    EXPECT_EQ(in_child(fork_during_first_use), 42);
}

TEST(first_use, may_be_a_machine_that_ends_without_a_run) {
  EXPECT_EQ(in_child([] {
              // oneTBB's allocator has no key of its own yet, and must not be asked under
              // another's.
              pthread_key_t key{};
              int value = 0;
              if (pthread_key_create(&key, nullptr) != 0) return 1;
              if (pthread_setspecific(key, &value) != 0) return 2;
              { const pleat::machine machine; }
              return 42;
            }),
            42);
}

}  // namespace
