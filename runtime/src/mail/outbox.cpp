// SPDX-License-Identifier: Apache-2.0
#include <pleat/runtime/detail/memory.hpp>
#include <pleat/runtime/detail/outbox.hpp>

namespace pleat::detail {

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
