// SPDX-License-Identifier: Apache-2.0
#include "distances.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <new>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/memory_of.hpp>
#include <pleat/runtime/placement.hpp>

#include "measure/clock.hpp"
#include "measure/pinned_threads.hpp"
#include "memory/memory_binding.hpp"
#include "memory/pages.hpp"

namespace pleat::bench {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;

std::size_t whole_pages(std::size_t bytes) {
  return std::max(bytes, huge_page) / huge_page * huge_page;
}

// Sattolo, "An algorithm to generate a random cyclic permutation", 1986.
void link_at_random(std::span<node_memory::place> places, std::uint64_t seed) {
  std::vector<std::uint32_t> order(places.size());
  std::iota(order.begin(), order.end(), 0U);
  std::mt19937_64 random(seed);
  for (std::size_t k = order.size(); k-- > 1;) std::swap(order[k], order[random() % k]);
  for (std::size_t k = 0; k < places.size(); ++k) places[k].next = &places[order[k]];
}

void require_on_node(std::span<const std::byte> memory, unsigned node) {
  const page_counts pages = memory_of(memory);
  const auto there = pages.on_node.find(node);
  if (there != pages.on_node.end() && there->second == pages.present() && pages.absent == 0) return;
  throw environment_error("memory for NUMA node " + std::to_string(node) +
                          " is elsewhere: " + to_string(pages) +
                          "; free memory there, or turn automatic balancing off (echo 0 > "
                          "/proc/sys/kernel/numa_balancing)");
}

// Reads the numbers in order and returns their sum. Independent sums: a single one would wait for
// each addition instead of for the memory.
std::uint64_t read_in_order(std::span<const std::uint64_t> numbers) {
  constexpr std::size_t lanes = 16;
  std::array<std::uint64_t, lanes> sums{};
  std::size_t at = 0;
  for (; at + lanes <= numbers.size(); at += lanes)
    for (std::size_t k = 0; k < lanes; ++k) sums[k] += numbers[at + k];
  std::uint64_t sum = 0;
  for (; at < numbers.size(); ++at) sum += numbers[at];
  for (const std::uint64_t one : sums) sum += one;
  return sum;
}

// The place that many steps behind `from`.
const node_memory::place* follow(const node_memory::place* from, std::size_t steps) {
  for (std::size_t k = 0; k < steps; ++k) from = from->next;
  return from;
}

// Keeps the compiler from leaving out what makes this value.
template <class T> void use(const T& value) { asm volatile("" : : "r"(value) : "memory"); }

}  // namespace

std::size_t stream_bytes(std::size_t cache_bytes, std::uint64_t node_bytes) {
  constexpr std::size_t least = std::size_t{64} << 20, most = std::size_t{1} << 30;
  const std::size_t wanted = std::clamp(4 * cache_bytes, least, most);
  return whole_pages(node_bytes == 0 ? wanted : std::min<std::uint64_t>(wanted, node_bytes / 8));
}

node_memory::node_memory(const topology& on, unsigned node, std::size_t numbers_bytes,
                         std::uint64_t seed)
    : numbers_bytes_(whole_pages(numbers_bytes)), places_bytes_(whole_pages(numbers_bytes / 2)) {
  const bool choice = on.memory_nodes().size() > 1;
  std::optional<detail::page_placement_scope> there;
  if (choice) {
    const memory_policy policy{.where = memory_policy::nodes::bind, .node = node};
    const auto placed = detail::page_placement::of_worker(policy, on, {}, 0);
    detail::require_free_memory(std::span(&placed, 1), numbers_bytes_ + places_bytes_, policy.size);
    there.emplace(placed);
  }
  memory_ = detail::map_pages(numbers_bytes_ + places_bytes_);
  try {
    const std::span all(memory_, numbers_bytes_ + places_bytes_);
    const std::span values(reinterpret_cast<std::uint64_t*>(memory_),
                           numbers_bytes_ / sizeof(std::uint64_t));
    std::iota(values.begin(), values.end(), std::uint64_t{1});
    link_at_random(
        {reinterpret_cast<place*>(memory_ + numbers_bytes_), places_bytes_ / sizeof(place)}, seed);
    if (choice) require_on_node(all, node);
  } catch (...) {
    detail::unmap_pages(memory_, numbers_bytes_ + places_bytes_);
    throw;
  }
}

node_memory::~node_memory() { detail::unmap_pages(memory_, numbers_bytes_ + places_bytes_); }

std::span<const std::uint64_t> node_memory::numbers() const {
  return {reinterpret_cast<const std::uint64_t*>(memory_), numbers_bytes_ / sizeof(std::uint64_t)};
}

std::span<const node_memory::place> node_memory::places() const {
  return {reinterpret_cast<const place*>(memory_ + numbers_bytes_), places_bytes_ / sizeof(place)};
}

double node_bandwidth(std::span<const unsigned> pus, const node_memory& memory) {
  constexpr double window = 0.02;
  constexpr std::size_t at_once = 32768;  // numbers between two looks at the clock
  const std::size_t share = memory.numbers().size() / pus.size();
  std::vector<double> rates(pus.size());
  run_pinned(pus, [&](std::size_t who) {
    const auto own = memory.numbers().subspan(who * share, share);
    const auto start = benchmark_clock::now();
    std::size_t read = 0;
    double seconds = 0;
    do {
      const std::size_t at = read % own.size();
      const auto part = own.subspan(at, std::min(at_once, own.size() - at));
      use(read_in_order(part));
      read += part.size();
      seconds = seconds_since(start);
    } while (seconds < window);
    rates[who] = static_cast<double>(read * sizeof(std::uint64_t)) / seconds;
  });
  return std::accumulate(rates.begin(), rates.end(), 0.0);
}

namespace {

double seconds_of_a_read(const node_memory::place* at) {
  constexpr double window = 0.01;
  constexpr std::size_t at_once = 1024;
  at = follow(at, at_once);
  const auto start = benchmark_clock::now();
  std::size_t steps = 0;
  double seconds = 0;
  do {
    at = follow(at, at_once);
    steps += at_once;
    seconds = seconds_since(start);
  } while (seconds < window);
  use(at);
  return seconds / static_cast<double>(steps);
}

}  // namespace

double node_latency(std::span<const unsigned> pus, const node_memory& memory,
                    std::mt19937_64& random) {
  constexpr std::size_t at_once = 32768;  // numbers between two looks at `over`
  const std::size_t share = memory.numbers().size() / pus.size();
  // A random place: what the sample before has read may still be in a cache.
  const node_memory::place* const from = &memory.places()[random() % memory.places().size()];
  std::atomic<bool> over{false};
  double seconds = 0;
  run_pinned(pus, [&](std::size_t who) {
    if (who == 0) {
      seconds = seconds_of_a_read(from);
      over.store(true, std::memory_order_relaxed);  // pairs with the loads below: nothing else
      return;
    }
    const auto own = memory.numbers().subspan(who * share, share);
    for (std::size_t at = 0; !over.load(std::memory_order_relaxed); at += at_once) {
      if (at >= own.size()) at = 0;
      use(read_in_order(own.subspan(at, std::min(at_once, own.size() - at))));
    }
  });
  return seconds;
}

namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t line = 128;  // two neighbours: prefetchers fetch them together
constexpr std::size_t room = 64 * page;
constexpr unsigned trips_at_once = 16;
constexpr std::uint64_t ended = ~std::uint64_t{0};

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
  constexpr double window = 1e-4;
  trips();  // brings the line and the code into the caches
  const auto start = benchmark_clock::now();
  const std::uint64_t first = value;
  double seconds = 0;
  do {
    trips();
    seconds = seconds_since(start);
  } while (seconds < window);
  const auto ways = static_cast<double>(value - first);  // each number is one way
  shared.store(ended, std::memory_order_release);
  return seconds / ways;
}

void answer(flag& shared) {
  std::uint64_t expected = 1;
  for (;;) {
    const std::uint64_t seen = shared.load(std::memory_order_acquire);
    if (seen == ended) return;
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
