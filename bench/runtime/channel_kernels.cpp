// SPDX-License-Identifier: Apache-2.0
#include "channel_kernels.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <pthread.h>
#include <sched.h>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <pleat/channels/cache_line.hpp>
#include <pleat/channels/channel.hpp>

#include "runtime/rivals/cached_ring.hpp"

namespace pleat::bench {
namespace {

using item = std::uint64_t;
using clock = std::chrono::steady_clock;

// One spelling for the two rings' one-value operations; the bulk ones have the same names already.
bool push(channel<item>& ring, const item& value) noexcept {
  return ring.try_push(value) == channel_status::ok;
}
bool pop(channel<item>& ring, item& value) noexcept {
  return ring.try_pop(value) == channel_status::ok;
}
bool push(cached_ring<item>& ring, const item& value) noexcept { return ring.try_push(value); }
bool pop(cached_ring<item>& ring, item& value) noexcept { return ring.try_pop(value); }

void bind_to(unsigned pu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(pu, &set);
  if (const int code = pthread_setaffinity_np(pthread_self(), sizeof set, &set))
    throw std::system_error(code, std::generic_category(),
                            "cannot bind to PU " + std::to_string(pu) +
                                ": give two that this process may use (see `pleat topology`)");
}

// A meeting point of the two threads: nobody leaves before both have come, or one has failed.
class rendezvous {
 public:
  void arrive() {
    arrived_.fetch_add(1, std::memory_order_acq_rel);  // pairs with the acquire load below
    while (arrived_.load(std::memory_order_acquire) < 2) {
      // acquire: pairs with the release in abandon
      if (abandoned_.load(std::memory_order_acquire)) throw abandoned{};
    }
  }
  void abandon() noexcept { abandoned_.store(true, std::memory_order_release); }

  struct abandoned {};

 private:
  alignas(destructive_distance) std::atomic<int> arrived_{0};
  std::atomic<bool> abandoned_{false};
};

// Runs `first` and `second` at the same time, each on its PU, and rethrows what either threw. They
// start together and must not throw between the start and their last ring operation.
template <class First, class Second> void run_pair(pu_pair pus, First first, Second second) {
  rendezvous start;
  std::exception_ptr failures[2];
  const auto bound = [&start](unsigned pu, auto& body, std::exception_ptr& failure) {
    try {
      bind_to(pu);
      start.arrive();
      body();
    } catch (const rendezvous::abandoned&) {
      return;  // the other thread's failure is the one to report
    } catch (...) {
      failure = std::current_exception();
      start.abandon();
    }
  };
  {
    std::jthread one([&] { bound(pus.first, first, failures[0]); });
    try {
      std::jthread two([&] { bound(pus.second, second, failures[1]); });
    } catch (...) {
      start.abandon();  // the second thread could not be started: let the first go
      throw;
    }
  }
  for (const auto& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

void check_pair(pu_pair pus) {
  if (pus.first == pus.second)
    throw std::invalid_argument("a channel sample takes two different PUs");
}

void check_data(bool right) {
  if (!right) throw std::runtime_error("a ring delivered wrong data: its times mean nothing");
}

template <class Ring> double round_trip(pu_pair pus, std::size_t iterations) {
  Ring there(64), back(64);
  const std::size_t warm_up = std::max<std::size_t>(iterations / 10, 1);
  const std::size_t trips = warm_up + iterations;
  double nanoseconds = 0;
  bool right = true;
  run_pair(
      pus,
      [&] {
        item answer = 0, wrong = 0;
        const auto trip = [&](item question) {
          while (!push(there, question)) {
          }
          while (!pop(back, answer)) {
          }
          wrong |= answer ^ ~question;
        };
        item question = 1;
        for (std::size_t i = 0; i != warm_up; ++i) trip(question++);
        const auto begin = clock::now();
        for (std::size_t i = 0; i != iterations; ++i) trip(question++);
        const std::chrono::duration<double, std::nano> elapsed = clock::now() - begin;
        nanoseconds = elapsed.count();
        right = wrong == 0;
      },
      [&] {
        for (std::size_t i = 0; i != trips; ++i) {
          item question = 0;
          while (!pop(there, question)) {
          }
          while (!push(back, ~question)) {
          }
        }
      });
  check_data(right);
  return nanoseconds / static_cast<double>(iterations);
}

// One stream of consecutive numbers from 0. `thorough` looks at every item that arrives, else at
// the ends of every piece. Returns the seconds the receiver took.
template <class Ring> double stream(pu_pair pus, stream_shape shape, bool thorough) {
  Ring ring(shape.capacity);
  double seconds = 0;
  bool right = true;
  run_pair(
      pus,
      [&] {
        std::vector<item> batch(shape.batch);
        item next = 0;
        if (shape.batch == 1) {
          while (next != shape.items) next += push(ring, next) ? 1 : 0;
          return;
        }
        while (next != shape.items) {
          const std::size_t count = std::min<std::size_t>(shape.batch, shape.items - next);
          for (std::size_t i = 0; i != count; ++i) batch[i] = next + i;
          std::span<const item> left(batch.data(), count);
          while (!left.empty()) left = left.subspan(ring.try_push(left));
          next += count;
        }
      },
      [&] {
        std::vector<item> batch(shape.batch);
        item expected = 0, wrong = 0;
        const auto begin = clock::now();
        while (expected != shape.items) {
          if (shape.batch == 1) {
            if (!pop(ring, batch[0])) continue;
            wrong |= batch[0] ^ expected++;
            continue;
          }
          const std::size_t count = ring.try_pop(std::span<item>(batch));
          if (count == 0) continue;
          wrong |= (batch[0] ^ expected) | (batch[count - 1] ^ (expected + count - 1));
          if (thorough) {
            for (std::size_t i = 0; i != count; ++i) wrong |= batch[i] ^ (expected + i);
          }
          expected += count;
        }
        seconds = std::chrono::duration<double>(clock::now() - begin).count();
        right = wrong == 0;
      });
  check_data(right);
  return seconds;
}

template <class Ring> double throughput(pu_pair pus, stream_shape shape) {
  stream_shape checked = shape;
  checked.items = std::max(shape.items / 16, shape.batch);
  static_cast<void>(stream<Ring>(pus, checked, true));
  return static_cast<double>(shape.items) / stream<Ring>(pus, shape, false);
}

}  // namespace

double round_trip_ns(ring_kind kind, pu_pair pus, std::size_t iterations) {
  check_pair(pus);
  if (iterations == 0) throw std::invalid_argument("a round trip sample takes at least one trip");
  return kind == ring_kind::channel ? round_trip<channel<item>>(pus, iterations)
                                    : round_trip<cached_ring<item>>(pus, iterations);
}

double items_per_second(ring_kind kind, pu_pair pus, stream_shape shape) {
  check_pair(pus);
  if (shape.batch == 0 || shape.items < shape.batch || shape.capacity < shape.batch)
    throw std::invalid_argument("a stream takes items >= batch > 0 and a capacity >= batch");
  return kind == ring_kind::channel ? throughput<channel<item>>(pus, shape)
                                    : throughput<cached_ring<item>>(pus, shape);
}

}  // namespace pleat::bench
