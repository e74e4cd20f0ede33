// SPDX-License-Identifier: Apache-2.0

#include <pleat/channels/cache_line.hpp>
#include <pleat/runtime/detail/memory.hpp>
#include <pleat/runtime/detail/outbox.hpp>

namespace pleat::detail {

void byte_buffer::release() noexcept {
  give_back_memory(first_);
  first_ = end_ = limit_ = nullptr;
}

void byte_buffer::grow(std::size_t bytes) {
  const std::size_t capacity = static_cast<std::size_t>(limit_ - first_);
  std::size_t wanted = capacity < 2048 ? 4096 : 2 * capacity;
  while (wanted - size() < bytes) wanted *= 2;
  auto* moved = static_cast<std::byte*>(take_memory(wanted, cache_line));
  const std::size_t held = size();
  if (held != 0) std::memcpy(moved, first_, held);
  give_back_memory(first_);
  first_ = moved;
  end_ = moved + held;
  limit_ = moved + wanted;
}

void discard_payload(record_kind kind, const std::byte* payload) noexcept {
  if (kind == record_kind::block) {
    give_back_memory(load_payload<payload_block>(payload).data);
  } else if (kind == record_kind::carried) {
    give_back_memory(load_payload<lent_block>(payload).data);
  }
}

void discard_payloads(const std::byte* first, const std::byte* last) noexcept {
  for (const std::byte* at = first; at != last;) {
    const auto* r = reinterpret_cast<const record*>(at);
    discard_payload(r->kind, r->payload());
    at += r->extent();
  }
}

}  // namespace pleat::detail
