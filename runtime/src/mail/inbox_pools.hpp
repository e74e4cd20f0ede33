// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <pleat/runtime/detail/byte_buffer.hpp>
#include <pleat/runtime/detail/vp_state.hpp>
#include <pleat/runtime/fold.hpp>

namespace pleat::detail {

/// Memory for the records of delivered messages, by the label of the barrier that delivered them.
///
/// A worker runs depth-first: when a cluster of some label is released, every VP that got messages
/// at the previous release of that label has come to its next sync, so the pool of the label can be
/// refilled. A VP that waits at a channel is an exception: it keeps the old memory until its sync.
struct inbox_pool {
  byte_buffer records;
  rank_range receivers;  // VPs whose inboxes may point into it

  void clear() noexcept {
    records.clear();
    receivers = {};
  }
};

using inbox_pools = std::array<inbox_pool, most_labels>;

}  // namespace pleat::detail
