// SPDX-License-Identifier: Apache-2.0
// soak [SECONDS] [SEED]: mixed programs from four threads, each result verified, until time is up.
// Ends with figures; with 1 if a result was wrong or memory grew, with a signal if all stand still.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <random>
#include <semaphore>
#include <thread>
#include <vector>

#include <pleat/runtime/default_machine.hpp>
#include <pleat/runtime/machine.hpp>

#include "../faults/verified_programs.hpp"
#include "../memory_in_use.hpp"

namespace {

using clock = std::chrono::steady_clock;

constexpr std::size_t threads = 4;

struct tally {
  std::atomic<std::uint64_t> runs{0};
  std::atomic<std::uint64_t> failures{0};
};

// Every thread takes programs at random, on a machine that all share, on the default one, or on one
// made for the occasion.
void work(std::uint64_t seed, pleat::machine& shared, const std::atomic<bool>& stop,
          std::vector<tally>& done, std::counting_semaphore<>& ended) {
  std::mt19937_64 random(seed);
  const auto programs = faults::verified_programs();
  while (!stop) {
    const std::size_t which = random() % programs.size();
    const std::uint64_t data = random();
    const std::size_t scale = 1 + random() % 4;
    const std::uint64_t where = random() % 16;
    try {
      if (where == 0) {
        pleat::machine own({.processors = 1 + static_cast<unsigned>(random() % 3)});
        programs[which].carry_out(own, data, scale);
      } else if (where % 2 == 0) {
        const pleat::default_machine on;
        programs[which].carry_out(*on, data, scale);
      } else {
        programs[which].carry_out(shared, data, scale);
      }
    } catch (const std::exception& e) {
      ++done[which].failures;
      std::fprintf(stderr, "%s, data %llu, scale %zu: %s\n", programs[which].name,
                   static_cast<unsigned long long>(data), scale, e.what());
    }
    ++done[which].runs;
    ended.release();
  }
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::strtod(argv[1], nullptr) : 3600;
  const std::uint64_t seed =
      argc > 2 ? std::strtoull(argv[2], nullptr, 10) : std::random_device()();
  if (!(seconds > 0)) {
    std::fprintf(stderr, "soak [SECONDS] [SEED]: how long, more than 0; an hour if left out\n");
    return 2;
  }
  std::printf("soak: %.0f s, %zu threads, seed %llu\n", seconds, threads,
              static_cast<unsigned long long>(seed));
  std::fflush(stdout);

  pleat::machine shared;
  std::atomic<bool> stop = false;
  std::vector<tally> done(faults::verified_programs().size());
  std::counting_semaphore<> ended(0);  // a program
  std::vector<std::jthread> workers;
  for (std::size_t t = 0; t < threads; ++t)
    workers.emplace_back([&, t] { work(seed + t, shared, stop, done, ended); });

  // Memory moves up and down with what happens to run: the highest of a quarter of the time is
  // compared with the highest of another.
  std::array<std::size_t, 4> highest{};
  const auto total = [&] {
    std::uint64_t sum = 0;
    for (const tally& t : done) sum += t.runs;
    return sum;
  };
  const auto start = clock::now();
  auto last_line = start;
  for (double at = 0; at < seconds;
       at = std::chrono::duration<double>(clock::now() - start).count()) {
    if (!ended.try_acquire_for(std::chrono::minutes(1))) {
      std::fprintf(stderr, "a hang: no program has ended for a minute, seed %llu\n",
                   static_cast<unsigned long long>(seed));
      std::abort();
    }
    auto& quarter = highest[std::min<std::size_t>(3, static_cast<std::size_t>(4 * at / seconds))];
    quarter = std::max(quarter, memory_in_use());
    if (const auto now = clock::now(); now - last_line > std::chrono::seconds(10)) {
      last_line = now;
      std::fprintf(stderr, "%6.0f s: %llu programs, %.1f MB\n", at,
                   static_cast<unsigned long long>(total()),
                   static_cast<double>(memory_in_use()) / 1e6);
    }
  }
  stop = true;
  workers.clear();

  std::uint64_t failures = 0;
  for (std::size_t i = 0; i < done.size(); ++i) {
    std::printf("  %-18s %9llu runs, %llu wrong\n", faults::verified_programs()[i].name,
                static_cast<unsigned long long>(done[i].runs),
                static_cast<unsigned long long>(done[i].failures));
    failures += done[i].failures;
  }
  const double growth =
      static_cast<double>(highest[3]) / static_cast<double>(std::max(highest[1], highest[2])) - 1;
  std::printf("soak: %llu programs in %.0f s, %llu wrong; memory of the four quarters",
              static_cast<unsigned long long>(total()), seconds,
              static_cast<unsigned long long>(failures));
  for (const std::size_t bytes : highest) std::printf(" %.1f", static_cast<double>(bytes) / 1e6);
  std::printf(" MB, %+.2f %%\n", 100 * growth);
  // A short one has not seen all sizes before its last quarter: there only wrong results count.
  const bool grew = seconds >= 120 && growth > 0.01;
  if (grew) std::fprintf(stderr, "memory grew by more than 1 %%\n");
  return failures == 0 && !grew ? 0 : 1;
}
