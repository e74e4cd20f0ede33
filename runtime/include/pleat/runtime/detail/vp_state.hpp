// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <coroutine>
#include <cstdint>

#include <pleat/runtime/detail/record.hpp>

namespace pleat::detail {

class vp_host;

/// Labels that sync may take: fewer than 2^32 virtual processors need no more.
inline constexpr unsigned most_labels = 32;

/// Reason why a virtual processor has returned control to its worker.
struct vp_stop {
  enum class kind : std::uint8_t {
    ended,       ///< its program has come to its end
    at_barrier,  ///< it waits at sync(label)
    arrived,     ///< the same, and the worker has announced its arrival at that barrier
    at_channel,
  };
  kind how;
  std::uint8_t label;
};

/// Values of vp_state::waits_at that are no label: a channel; no wait yet.
inline constexpr unsigned at_channel = most_labels, nowhere = most_labels + 1;

/// State of a virtual processor. The time of a superstep of many VPs depends on the memory it
/// accesses, so the state takes half a cache line and has no rarely used members.
struct vp_state {
  vp_state(vp_host& host, std::uint32_t r) noexcept : on(&host), rank(r) {}

  [[nodiscard]] bool ended() const noexcept { return resume_point == nullptr; }

  vp_host* on;
  std::coroutine_handle<> resume_point;  // the innermost coroutine, suspended; null: it has ended
  record* inbox = nullptr;               // the last record of a ring, whose `next` is the first
  std::uint32_t rank;
  std::uint32_t taken : 24 = 0;          // messages taken from the first record
  std::uint32_t waits_at : 8 = nowhere;  // the label of the last sync, or one of the above
};
static_assert(sizeof(vp_state) == 32);

}  // namespace pleat::detail
