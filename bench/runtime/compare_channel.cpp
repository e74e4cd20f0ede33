// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <pleat/channels/channel.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

#include "compare_runtime.hpp"
#include "measure/clock.hpp"
#include "measure/pinned_threads.hpp"
#include "runtime/rivals/cached_ring.hpp"

namespace pleat::bench {
namespace {

using item = std::uint64_t;

// One spelling for the two rings' one-value operations; the bulk ones have the same names already.
bool push(channel<item>& ring, const item& value) noexcept {
  return ring.try_push(value) == channel_status::ok;
}
bool pop(channel<item>& ring, item& value) noexcept {
  return ring.try_pop(value) == channel_status::ok;
}
bool push(cached_ring<item>& ring, const item& value) noexcept { return ring.try_push(value); }
bool pop(cached_ring<item>& ring, item& value) noexcept { return ring.try_pop(value); }

// Seconds per round trip of a value, one in flight, from the first PU to the second on one ring and
// back on another. Every value that comes back is compared; a tenth as many trips go first.
template <class Ring> double round_trip(const std::vector<unsigned>& pus, std::size_t iterations) {
  Ring there(64), back(64);
  const std::size_t warm_up = iterations / 10 + 1;
  double seconds = 0;
  std::atomic<bool> wrong{false};
  run_pinned(pus, [&](std::size_t who) {
    if (who != 0) {
      for (std::size_t i = 0; i != warm_up + iterations; ++i) {
        item question = 0;
        while (!pop(there, question)) {
        }
        while (!push(back, ~question)) {
        }
      }
      return;
    }
    item answer = 0, differ = 0;
    const auto trip = [&](item question) {
      while (!push(there, question)) {
      }
      while (!pop(back, answer)) {
      }
      differ |= answer ^ ~question;
    };
    item question = 1;
    for (std::size_t i = 0; i != warm_up; ++i) trip(question++);
    const auto begin = benchmark_clock::now();
    for (std::size_t i = 0; i != iterations; ++i) trip(question++);
    seconds = seconds_since(begin);
    wrong = differ != 0;
  });
  require_right(wrong);
  return seconds / static_cast<double>(iterations);
}

/// Shape of a stream: `batch` items go in one bulk push and come out in one bulk pop; batch 1 uses
/// the one-value operations instead. Requires: items >= batch, capacity >= batch.
struct stream_shape {
  std::size_t items = std::size_t{1} << 23;  ///< 8-byte items: some ms in bulk
  std::size_t batch = 1024;                  ///< items a call
  std::size_t capacity = 8192;               ///< items the ring holds
};

// One stream of consecutive numbers from 0. `thorough` looks at every item that arrives, else at
// the ends of every piece. Returns the seconds the receiver took.
template <class Ring>
double stream(const std::vector<unsigned>& pus, const stream_shape& shape, bool thorough) {
  Ring ring(shape.capacity);
  double seconds = 0;
  std::atomic<bool> wrong{false};
  const auto send = [&] {
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
  };
  const auto receive = [&] {
    std::vector<item> batch(shape.batch);
    item expected = 0, differ = 0;
    const auto begin = benchmark_clock::now();
    while (expected != shape.items) {
      if (shape.batch == 1) {
        if (!pop(ring, batch[0])) continue;
        differ |= batch[0] ^ expected++;
        continue;
      }
      const std::size_t count = ring.try_pop(std::span<item>(batch));
      if (count == 0) continue;
      differ |= (batch[0] ^ expected) | (batch[count - 1] ^ (expected + count - 1));
      if (thorough) {
        for (std::size_t i = 0; i != count; ++i) differ |= batch[i] ^ (expected + i);
      }
      expected += count;
    }
    seconds = seconds_since(begin);
    wrong = differ != 0;
  };
  run_pinned(pus, [&](std::size_t who) { who == 0 ? send() : receive(); });
  require_right(wrong);
  return seconds;
}

// Seconds per item. A stream of a sixteenth of the items is checked item by item before.
template <class Ring>
double seconds_per_item(const std::vector<unsigned>& pus, const stream_shape& shape) {
  stream_shape checked = shape;
  checked.items = std::max(shape.items / 16, shape.batch);
  static_cast<void>(stream<Ring>(pus, checked, true));
  return stream<Ring>(pus, shape, false) / static_cast<double>(shape.items);
}

// Candidate whose samples verify what they transfer before they time it.
candidate verified(const std::function<double()>& sample) {
  return {"ours", [=] { static_cast<void>(sample()); }, sample};
}

// `ours` and `rival` are one template, so that nothing but the ring differs.
comparison between_rings(const benchmark_options& options, std::string measure, std::size_t n,
                         const std::function<double()>& ours,
                         const std::function<double()>& rival) {
  comparison compared{.measure = std::move(measure),
                      .type = "u64",
                      .n = n,
                      .processors = 2,
                      .repetitions = options.repetitions.value_or(31),
                      .ours = verified(ours)};
  compared.add_rival(options, "cached-ring", [&] { return verified(rival); });
  return compared;
}

comparison between_rings(const benchmark_options& options, std::string measure,
                         const std::vector<unsigned>& pus, const stream_shape& shape) {
  auto compared = between_rings(
      options, std::move(measure), shape.items,
      [=] { return seconds_per_item<channel<item>>(pus, shape); },
      [=] { return seconds_per_item<cached_ring<item>>(pus, shape); });
  compared.figure = [](double seconds) { return absolute_figure{"items_per_second", 1 / seconds}; };
  return compared;
}

/// Streams numbers from each VP of the lower half to one of the upper half.
task<> stream_between(vp& me, std::uint64_t items, std::atomic<bool>& wrong) {
  const std::size_t pairs = me.size() / 2, rank = me.rank();
  std::uint64_t differ = 0;
  for (std::uint64_t i = 0; i < items; ++i) {
    if (rank < pairs) {
      co_await me.push(rank + pairs, i);
    } else {
      const auto value = co_await me.pop<std::uint64_t>(rank - pairs);
      differ |= value ^ i;
    }
  }
  if (differ != 0) wrong.store(true, std::memory_order_relaxed);
}

/// Returns the seconds per item when `pairs` pairs of VPs stream `items` items each.
double stream_seconds(machine& on, std::size_t pairs, std::uint64_t items) {
  std::atomic<bool> wrong{false};
  const benchmark_clock::time_point start = benchmark_clock::now();
  on.run(2 * pairs, [&](vp& me) { return stream_between(me, items, wrong); });
  const double seconds = seconds_since(start);
  require_right(wrong);
  return seconds / static_cast<double>(pairs * items);
}

/// Compares streams between VPs with one through a bare channel of the same capacity.
comparison between_vps(machine& on, const benchmark_options& options, std::string measure,
                       std::size_t pairs, const std::optional<std::vector<unsigned>>& pus) {
  const std::size_t items =
      std::clamp<std::size_t>(options.n.value_or(1 << 20) / pairs, 64, 1 << 20);
  comparison compared{
      .measure = std::move(measure),
      .type = "u64",
      .n = items,
      .processors = on.processors(),
      .repetitions = options.repetitions.value_or(11),
      .ours = verified([&on, pairs, items] { return stream_seconds(on, pairs, items); })};
  if (pus) {
    const stream_shape shape{.items = items, .batch = 1, .capacity = 64};
    compared.add_rival(options, "bare-channel", [&] {
      return verified(
          [pair = *pus, shape] { return seconds_per_item<channel<item>>(pair, shape); });
    });
  }
  return compared;
}

}  // namespace

void measure_channel(testbed& on, const benchmark_options& options, const runner& run) {
  const auto pair = on.pair("channel");
  constexpr std::size_t trips = 20'000;  // about 4 ms
  run(between_rings(
      options, "round trip of 8 bytes", trips,
      [=] { return round_trip<channel<item>>(pair, trips); },
      [=] { return round_trip<cached_ring<item>>(pair, trips); }));

  stream_shape shape;
  shape.items = options.n.value_or(shape.items);
  run(between_rings(options, "an 8-byte item in bulk", pair, shape));
  shape.batch = 1;
  run(between_rings(options, "an 8-byte item, one at a time", pair, shape));

  machine one({.processors = 1}), two({.processors = 2});
  run(between_vps(two, options, "an item pushed and popped by two VPs", 1, pair));
  run(between_vps(two, options, "an item pushed and popped by 8 pairs of VPs", 8, pair));
  run(between_vps(one, options, "an item pushed and popped by two VPs of a processor", 1, {}));
}

}  // namespace pleat::bench
