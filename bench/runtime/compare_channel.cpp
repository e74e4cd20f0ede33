// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

#include "channel_kernels.hpp"
#include "compare_runtime.hpp"
#include "measure/clock.hpp"

namespace pleat::bench {
namespace {

// The kernels verify what they transfer in every sample, before they time it.
candidate ring(const std::function<double(ring_kind)>& sample, ring_kind kind) {
  return {"", [=] { static_cast<void>(sample(kind)); }, [=] { return sample(kind); }};
}

comparison between_rings(const benchmark_options& options, std::string measure, std::size_t n,
                         const std::function<double(ring_kind)>& sample) {
  comparison compared{.measure = std::move(measure),
                      .type = "u64",
                      .n = n,
                      .processors = 2,
                      .repetitions = options.repetitions.value_or(31),
                      .ours = ring(sample, ring_kind::channel)};
  compared.add_rival(options, "cached-ring", [&] { return ring(sample, ring_kind::cached_ring); });
  return compared;
}

/// Streams numbers from each VP of the lower half to one of the upper half.
task<> stream(vp& me, std::uint64_t items, std::atomic<bool>& wrong) {
  const std::size_t pairs = me.size() / 2, rank = me.rank();
  std::uint64_t differ = 0;
  for (std::uint64_t i = 0; i < items; ++i) {
    if (rank < pairs) {
      co_await me.push(rank + pairs, i);
    } else {
      const auto item = co_await me.pop<std::uint64_t>(rank - pairs);
      differ |= item ^ i;
    }
  }
  if (differ != 0) wrong.store(true, std::memory_order_relaxed);
}

/// Returns the seconds per item when `pairs` pairs of VPs stream `items` items each.
double stream_seconds(machine& on, std::size_t pairs, std::uint64_t items) {
  std::atomic<bool> wrong{false};
  const benchmark_clock::time_point start = benchmark_clock::now();
  on.run(2 * pairs, [&](vp& me) { return stream(me, items, wrong); });
  const double seconds = seconds_since(start);
  require_right(wrong);
  return seconds / static_cast<double>(pairs * items);
}

/// Compares streams between VPs with one through a bare channel of the same capacity.
comparison between_vps(machine& on, const benchmark_options& options, std::string measure,
                       std::size_t pairs, std::optional<pu_pair> pus) {
  const std::size_t items =
      std::clamp<std::size_t>(options.n.value_or(1 << 20) / pairs, 64, 1 << 20);
  const auto sample = [&on, pairs, items] { return stream_seconds(on, pairs, items); };
  comparison compared{.measure = std::move(measure),
                      .type = "u64",
                      .n = items,
                      .processors = on.processors(),
                      .repetitions = options.repetitions.value_or(11),
                      .ours = {"ours", [=] { static_cast<void>(sample()); }, sample}};
  if (pus) {
    compared.add_rival(options, "bare-channel", [&] {
      const stream_shape shape{.items = items, .batch = 1, .capacity = 64};
      return ring(
          [pair = *pus, shape](ring_kind kind) { return 1 / items_per_second(kind, pair, shape); },
          ring_kind::channel);
    });
  }
  return compared;
}

}  // namespace

void measure_channel(testbed& on, const benchmark_options& options, const runner& run) {
  const auto pus = on.pair("channel");
  const pu_pair pair{pus[0], pus[1]};
  constexpr std::size_t trips = 20'000;
  run(between_rings(options, "round trip of 8 bytes", trips,
                    [=](ring_kind kind) { return round_trip_ns(kind, pair, trips) * 1e-9; }));

  stream_shape shape;
  shape.items = options.n.value_or(shape.items);
  auto bulk = between_rings(options, "an 8-byte item in bulk", shape.items, [=](ring_kind kind) {
    return 1 / items_per_second(kind, pair, shape);
  });
  const auto rate = [](double seconds) { return absolute_figure{"items_per_second", 1 / seconds}; };
  bulk.figure = rate;
  run(bulk);
  shape.batch = 1;
  auto single =
      between_rings(options, "an 8-byte item, one at a time", shape.items,
                    [=](ring_kind kind) { return 1 / items_per_second(kind, pair, shape); });
  single.figure = rate;
  run(single);

  machine one({.processors = 1}), two({.processors = 2});
  run(between_vps(two, options, "an item pushed and popped by two VPs", 1, pair));
  run(between_vps(two, options, "an item pushed and popped by 8 pairs of VPs", 8, pair));
  run(between_vps(one, options, "an item pushed and popped by two VPs of a processor", 1, {}));
}

}  // namespace pleat::bench
