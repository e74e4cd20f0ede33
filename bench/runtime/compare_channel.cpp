// SPDX-License-Identifier: Apache-2.0
#include "channel_kernels.hpp"
#include "compare_runtime.hpp"

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
  bulk.figure = [](double seconds) { return absolute_figure{"items_per_second", 1 / seconds}; };
  run(bulk);
}

}  // namespace pleat::bench
