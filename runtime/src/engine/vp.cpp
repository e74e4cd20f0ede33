// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include <pleat/runtime/detail/crossings.hpp>
#include <pleat/runtime/detail/memory.hpp>
#include <pleat/runtime/detail/vp_access.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/vp.hpp>

#include "engine/other_processes.hpp"
#include "engine/vp_rings.hpp"
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

bool detail::counts_crossings(const vp& me) noexcept { return vp_access::counts(me); }

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

namespace pleat::detail {

namespace {

worker& worker_at(const vp& me) { return worker_of(vp_access::state(me)); }

line_ring& ring_between(const vp& me, const ring_ends& ends) {
  const ring_shape shape = shape_of_rings(vp_access::folding(me), ends.context);
  return worker_at(me).run().rings->of_libraries.find(ends, shape.most, shape.messages);
}

}  // namespace

line_ring& vp_access::ring_to(vp& me, std::size_t q, unsigned context) {
  return ring_between(me, {me.rank(), q, context});
}

line_ring& vp_access::ring_from(vp& me, std::size_t q, unsigned context) {
  return ring_between(me, {q, me.rank(), context});
}

remote_ring& vp_access::remote_ring_to(vp& me, std::size_t q, unsigned context) {
  return worker_at(me).run().others->ring_to({me.rank(), q, context});
}

line_ring& vp_access::remote_ring_from(vp& me, std::size_t q, unsigned context) {
  return worker_at(me).run().others->ring_from({q, me.rank(), context});
}

bool vp_access::remote_rings_settled(const vp& me) noexcept {
  return worker_at(me).run().others->rings_settled();
}

std::size_t vp_access::most_in_ring(const vp& me) noexcept {
  return shape_of_rings(folding(me), 0).most;
}

void vp_access::suspend(vp& me, std::coroutine_handle<> self, std::size_t peer, const awaited& what,
                        std::string_view operation) {
  me.state_.resume_point = self;
  me.state_.waits_at = at_channel;
  worker_at(me).suspended_at_channel({me.state_.rank, peer, what, operation, {}});
}

void vp_access::end_run(vp& me, std::coroutine_handle<> self, std::exception_ptr cause) noexcept {
  me.state_.resume_point = self;
  worker_at(me).suspended_for_ever(me.state_.rank, std::move(cause));
}

void vp_access::notify(vp& me, std::size_t peer) noexcept {
  worker& w = worker_at(me);
  const std::size_t owner = w.run().plan->folding.owner(peer) - w.run().plan->first_worker;
  if (owner != w.index())
    w.run().sleepers.wake(owner);
  else
    w.waits().happened_to(peer);
}

void vp_access::notify(vp& me, rank_range ranks) noexcept {
  const worker& w = worker_at(me);
  const fold& folding = w.run().plan->folding;
  const std::size_t first = w.run().plan->first_worker;
  const rank_range here = intersect(ranks, w.run().plan->ranks_here());
  if (here.empty()) return;
  w.run().sleepers.wake(folding.owner(here.first) - first, folding.owner(here.last - 1) - first + 1,
                        w.index());
}

bool vp_access::strict(const vp& me) noexcept { return worker_at(me).strict(); }

std::unique_ptr<attachment>& vp_access::attached(vp& me) {
  return worker_at(me).attached_to(me.state_.rank);
}

shared_attachment& vp_access::attached_to_machine(vp& me) { return worker_at(me).run().attached; }

const fold& vp_access::folding(const vp& me) noexcept { return worker_at(me).run().plan->folding; }

std::size_t vp_access::worker_of(const vp& me) noexcept {
  const worker& w = worker_at(me);
  return w.run().plan->first_worker + w.index();
}

std::uint64_t vp_access::run_number(const vp& me) noexcept {
  return worker_at(me).run().now.number;
}

void vp_access::begin_round(vp& me) { worker_at(me).recorder()->begin_round(me.state_.rank); }

void vp_access::message_of_round(vp& me, std::size_t q, std::size_t count) {
  worker_at(me).recorder()->message_of_round(me.state_.rank, q, count);
}

bool vp_access::elsewhere(const vp& me, std::size_t q) noexcept {
  const run_state& run = worker_at(me).run();
  return run.others != nullptr && !run.plan->ranks_here().contains(q);
}

std::size_t vp_access::space_of(const vp& me, std::size_t q) noexcept {
  if (counts(me)) return q;
  const run_state& run = worker_at(me).run();
  return run.others == nullptr ? 0 : run.others->layout().process_of(run.plan->folding.owner(q));
}

process_message_cost vp_access::cost_between_processes(const vp& me) noexcept {
  return worker_at(me).run().others->message_cost();
}

rank_range vp_access::vps_of_space(const vp& me, std::size_t space) noexcept {
  if (counts(me)) return {space, space + 1};
  const run_state& run = worker_at(me).run();
  const fold& folding = run.plan->folding;
  if (run.others == nullptr) return {0, folding.vps()};
  return run.others->layout().vps_of(space, folding);
}

void vp_access::require_same_process(const vp& me, std::size_t q, const char* what) {
  if (!elsewhere(me, q)) return;
  const run_state& run = worker_at(me).run();
  const process_layout& all = run.others->layout();
  throw usage_error("VP " + std::to_string(me.rank()) + " of rank " + std::to_string(all.self()) +
                    " cannot " + what + " with VP " + std::to_string(q) + " of rank " +
                    std::to_string(all.process_of(run.plan->folding.owner(q))) +
                    ": they have no memory in common; send, or lend const memory, and sync");
}

}  // namespace pleat::detail
