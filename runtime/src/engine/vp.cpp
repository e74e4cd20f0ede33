// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include <pleat/runtime/detail/crossings.hpp>
#include <pleat/runtime/detail/memory.hpp>
#include <pleat/runtime/detail/vp_access.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/vp.hpp>

#include "engine/worker.hpp"

namespace pleat {

void vp::no_such_vp(std::size_t q) const {
  throw usage_error("VP " + std::to_string(rank()) + " addressed VP " + std::to_string(q) +
                    " of M(" + std::to_string(size()) + "): ranks go from 0 to " +
                    std::to_string(size() - 1));
}

void message::refuse(const char* asked, std::size_t value_bytes) const {
  std::string is = std::to_string(bytes()) + " bytes that VP " + std::to_string(source()) +
                   (lent() ? " has lent" : " has sent");
  if (lent()) {
    const auto block = detail::load_payload<lent_block>(data_);
    is += ", values of " + std::to_string(block.element_size) + " bytes" +
          (block.writable ? "" : " to be read");
  }
  throw usage_error(
      "a message of " + is + ", was taken as " + asked + " of " + std::to_string(value_bytes) +
      " bytes: take what was sent by get or span, what was lent by view, as its type");
}

void vp::send_bytes(std::size_t q, const void* data, std::size_t bytes, std::size_t alignment,
                    std::size_t messages) {
  const auto destination = static_cast<std::uint32_t>(q);
  if (bytes == 0 || (bytes <= detail::largest_inline && alignment <= 8)) {
    detail::outbox& to = outbox_for(q, messages, bytes);
    to.send(state_.rank, destination, data, bytes);
    to.close();  // a span is one message: the next send must not extend it
    return;
  }
  if (q >= size()) no_such_vp(q);  // before its elements are copied
  struct give_back {
    void operator()(std::byte* memory) const noexcept { detail::give_back_memory(memory); }
  };
  std::unique_ptr<std::byte, give_back> copy(
      static_cast<std::byte*>(detail::take_memory(bytes, std::max(alignment, cache_line))));
  std::memcpy(copy.get(), data, bytes);
  const detail::payload_block block{copy.get(), bytes};
  outbox_for(q, messages, sizeof block)
      .send_one(state_.rank, destination, detail::record_kind::block, block);
  static_cast<void>(copy.release());  // now the record owns it
}

void vp::lend_block(std::size_t q, const lent_block& block) {
  if (block.writable && q < size())
    detail::vp_access::require_same_process(*this, q, "share memory to be written");
  detail::outbox& to = outbox_for(q, block.rows * block.columns, sizeof block);
  detail::worker& w = detail::worker_of(state_);
  if (w.strict()) {
    try {
      w.lent().lend(q, block);
    } catch (...) {  // logged, but not sent
      w.run().poison(std::current_exception());
      throw;
    }
  }
  to.send_one(state_.rank, static_cast<std::uint32_t>(q), detail::record_kind::lent, block);
}

void vp::count_crossing(std::size_t q, std::size_t count) {
  if (q >= size()) no_such_vp(q);
  detail::vp_access::require_same_process(*this, q, "share memory");
  if (count != 0 && state_.on->strict())
    detail::worker_of(state_).note_messages(state_.rank, q, count);
}

void detail::count_reading(vp& me, std::size_t q, std::size_t count) {
  vp_state& state = vp_access::state(me);
  me.count_crossing(q, 0);  // is there such a VP here?
  if (count != 0 && state.on->strict()) worker_of(state).note_reading(q, state.rank, count);
}

void vp::count_dummies(std::size_t q, std::size_t count) {
  detail::worker& w = detail::worker_of(state_);
  if (!w.recorder()->counts_dummies() || count == 0) return;
  if (q >= size()) no_such_vp(q);
  w.note_messages(state_.rank, q, count);
}

}  // namespace pleat
