// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <pleat/runtime/detail/outbox.hpp>
#include <pleat/runtime/detail/run_plan.hpp>
#include <pleat/runtime/fold.hpp>

namespace pleat::detail {

/// Where the records of delivered messages lie, by the label of the barrier that delivered them.
///
/// A worker runs depth-first: when a cluster of some label is released, every VP that got messages
/// at the previous release of that label has come to its next sync, so the pool of the label can be
/// filled anew. (Not while VPs of the worker wait at channels: then the pool only grows.)
struct inbox_pool {
  byte_buffer records;                // the one being filled
  std::vector<byte_buffer> older;     // full ones, still pointed into
  std::uint64_t unreceived = 0;       // records in it that nobody has taken yet
  std::vector<rank_range> receivers;  // whose inboxes may point into it

  [[nodiscard]] bool empty() const noexcept { return records.empty() && older.empty(); }
  /// Contiguous room for `bytes`, without moving what is there.
  std::byte* append(std::size_t bytes) {
    if (bytes > records.room() && !records.empty()) {
      older.push_back(std::move(records));
      records = byte_buffer();
    }
    return records.append(bytes);
  }
  void clear() noexcept {
    records.clear();
    older.clear();
    receivers.clear();
    unreceived = 0;
  }
};

/// `record::home` of a record that outlived its pool because its VP did not receive it in time: it
/// has memory of its own.
inline constexpr std::uint8_t rescued = 255;

using inbox_pools = std::array<inbox_pool, most_labels>;

}  // namespace pleat::detail
