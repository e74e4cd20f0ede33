// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <coroutine>
#include <cstdint>

#include <pleat/runtime/detail/record.hpp>

namespace pleat::detail {

class vp_host;

/// Labels that sync may take: less than 2^32 virtual processors have no more.
inline constexpr unsigned most_labels = 32;

/// How a virtual processor gave control back: the label of the barrier it waits at, or one of
/// these.
inline constexpr unsigned finished = 64;  // its program has come to its end
inline constexpr unsigned at_channel = 65;
/// (vp_state::waits_at) It has not waited yet.
inline constexpr unsigned nowhere = 66;
/// (vp_state::waits_at) A label this large or larger, which no machine has.
inline constexpr unsigned large_label = 64;

/// What the runtime keeps for a virtual processor. A superstep of many of them is bound by the
/// memory it walks through, so this is half a cache line and holds nothing that few need.
struct vp_state {
  vp_state(vp_host& host, std::uint32_t r) noexcept : on(&host), rank(r) {}

  [[nodiscard]] bool ended() const noexcept { return resume_point == nullptr; }

  vp_host* on;
  std::coroutine_handle<> resume_point;  // the innermost coroutine, suspended; null: it has ended
  record* inbox = nullptr;  // the last message; its `next` is the first: they form a ring
  std::uint32_t rank;
  std::uint32_t taken : 24 = 0;          // messages taken out of the first record
  std::uint32_t waits_at : 8 = nowhere;  // a label, or one of the above
};
static_assert(sizeof(vp_state) == 32);

}  // namespace pleat::detail
