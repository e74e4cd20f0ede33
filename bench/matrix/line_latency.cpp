// SPDX-License-Identifier: Apache-2.0
#include "line_latency.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <thread>

#include "measure/clock.hpp"
#include "measure/pinned_threads.hpp"
#include "memory/pages.hpp"

namespace pleat::bench {
namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t line = 128;  // two neighbours: prefetchers fetch them together
constexpr std::size_t room = 64 * page;
constexpr unsigned trips_at_once = 16;
constexpr double window = 1e-4;
constexpr std::uint64_t over = ~std::uint64_t{0};

using flag = std::atomic<std::uint64_t>;
static_assert(flag::is_always_lock_free && sizeof(flag) <= line);

// Writes odd numbers, each after the even one before it has come back. The acquire loads pair with
// the release stores of `answer`, and the other way round.
double call(flag& shared) {
  std::uint64_t value = 0;
  const auto trips = [&] {
    for (unsigned k = 0; k < trips_at_once; ++k) {
      shared.store(++value, std::memory_order_release);
      ++value;
      while (shared.load(std::memory_order_acquire) != value) {
      }
    }
  };
  trips();  // brings the line and the code into the caches
  const auto start = benchmark_clock::now();
  const std::uint64_t first = value;
  double seconds = 0;
  do {
    trips();
    seconds = seconds_since(start);
  } while (seconds < window);
  const auto ways = static_cast<double>(value - first);  // each number is one way
  shared.store(over, std::memory_order_release);
  return seconds / ways;
}

void answer(flag& shared) {
  std::uint64_t expected = 1;
  for (;;) {
    const std::uint64_t seen = shared.load(std::memory_order_acquire);
    if (seen == over) return;
    if (seen != expected) continue;
    shared.store(expected + 1, std::memory_order_release);
    expected += 2;
  }
}

// Untouched memory: whoever writes to it first decides on which node it is.
class fresh_pages {
 public:
  fresh_pages() : memory_(detail::map_pages(room, memory_policy::pages::small)) {}
  fresh_pages(const fresh_pages&) = delete;
  fresh_pages& operator=(const fresh_pages&) = delete;
  ~fresh_pages() { detail::unmap_pages(memory_, room); }

  flag& touch(std::size_t chosen) {
    for (std::size_t at = 0; at < room; at += page) memory_[at] = std::byte{1};
    return *new (memory_ + chosen * line) flag(0);
  }

 private:
  std::byte* memory_;
};

}  // namespace

double line_latency(unsigned first_pu, unsigned second_pu, std::mt19937_64& random) {
  fresh_pages pages;
  const std::size_t chosen = random() % (room / line);
  std::atomic<flag*> shared{nullptr};
  double seconds = 0;
  const std::array<unsigned, 2> both{first_pu, second_pu};
  run_pinned(both, [&](std::size_t who) {
    if (who == 0) {
      // Pairs with the acquire load below: the second thread sees the flag that was made.
      flag& made = pages.touch(chosen);
      shared.store(&made, std::memory_order_release);
      seconds = call(made);
    } else {
      flag* made = nullptr;
      while ((made = shared.load(std::memory_order_acquire)) == nullptr) std::this_thread::yield();
      answer(*made);
    }
  });
  return seconds;
}

}  // namespace pleat::bench
