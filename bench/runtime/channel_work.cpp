// SPDX-License-Identifier: Apache-2.0
#include "channel_kernels.hpp"
#include "measure/work.hpp"

namespace pleat::bench {
namespace {

// The kernels verify what they transfer in every sample, before they time it.
contestant ring(const std::function<double(ring_kind)>& sample, ring_kind kind) {
  return {"", [=] { static_cast<void>(sample(kind)); }, [=] { return sample(kind); }};
}

duel between_rings(const arena& on, const work_options& options, std::string measure, std::size_t n,
                   const std::function<double(ring_kind)>& sample) {
  duel duel{.work = "channel",
            .measure = std::move(measure),
            .type = "u64",
            .n = n,
            .processors = 2,
            .repetitions = options.repetitions.value_or(31),
            .ours = ring(sample, ring_kind::channel),
            .rivals = {},
            .missing = {},
            .figure = {}};
  static_cast<void>(on);
  duel.challenge(options, "cached-ring", [&] { return ring(sample, ring_kind::cached_ring); });
  return duel;
}

}  // namespace

void measure_channel(arena& on, const work_options& options, const referee& fight) {
  const auto pus = on.pair("channel");
  const pu_pair pair{pus[0], pus[1]};
  constexpr std::size_t trips = 20'000;
  fight(between_rings(on, options, "round trip of 8 bytes", trips,
                      [=](ring_kind kind) { return round_trip_ns(kind, pair, trips) * 1e-9; }));

  stream_shape shape;
  shape.items = options.size_or(shape.items, shape.batch, "channel");
  auto bulk =
      between_rings(on, options, "an 8-byte item in bulk", shape.items,
                    [=](ring_kind kind) { return 1 / items_per_second(kind, pair, shape); });
  bulk.figure = [](double seconds) { return absolute_figure{"items_per_second", 1 / seconds}; };
  fight(bulk);
}

}  // namespace pleat::bench
