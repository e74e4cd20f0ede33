// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <pleat/runtime/detail/outbox.hpp>
#include <pleat/runtime/detail/run_plan.hpp>
#include <pleat/runtime/fold.hpp>

namespace pleat::detail {

/// Where the records of delivered messages lie, by the label of the barrier that delivered them.
///
/// A worker runs depth-first: when a cluster of some label is released, every VP that got messages
/// at the previous release of that label has come to its next sync, so the pool of the label can be
/// filled anew. (Unless it waits at a channel: then the old memory stays with it till that sync.)
struct inbox_pool {
  byte_buffer records;
  std::uint64_t unreceived = 0;  // records in it that nobody has taken yet
  rank_range receivers;          // whose inboxes may point into it

  void clear() noexcept {
    records.clear();
    unreceived = 0;
    receivers = {};
  }
};

/// `record::home` of a record that outlived its pool because its VP did not receive it in time: it
/// has memory of its own.
inline constexpr std::uint8_t rescued = 255;

using inbox_pools = std::array<inbox_pool, most_labels>;

}  // namespace pleat::detail
