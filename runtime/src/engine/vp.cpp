// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include <pleat/runtime/detail/far_rings.hpp>
#include <pleat/runtime/detail/memory.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/vp.hpp>

#include "processes/all_ranks.hpp"

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
    to.close();  // a span is one message: the next send does not continue it
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
  static_cast<void>(copy.release());  // the record's
}

void vp::lend_block(std::size_t q, const lent_block& block) {
  if (block.writable && q < size())
    detail::vp_access::require_same_rank(*this, q, "share memory to be written");
  detail::outbox& to = outbox_for(q, block.rows * block.columns, sizeof block);
  if (state_.on->strict()) {
    try {
      state_.on->lent().lend(q, block);
    } catch (...) {  // it is noted and not sent
      state_.on->run().poison(std::current_exception());
      throw;
    }
  }
  to.send_one(state_.rank, static_cast<std::uint32_t>(q), detail::record_kind::lent, block);
}

void vp::count_crossing(std::size_t q, std::size_t count) {
  if (q >= size()) no_such_vp(q);
  detail::vp_access::require_same_rank(*this, q, "share memory");
  if (count != 0 && state_.on->watches()) state_.on->note_messages(state_.rank, q, count);
}

void vp::count_dummies(std::size_t q, std::size_t count) {
  if (!state_.on->recorder()->counts_dummies() || count == 0) return;
  if (q >= size()) no_such_vp(q);
  state_.on->note_messages(state_.rank, q, count);
}

namespace detail {

namespace {

void check_countable(const worker& w) {
  if (w.recorder() == nullptr) return;
  throw usage_error(
      "a channel on a machine that traces: what it carries belongs to no superstep, so it has no "
      "cost in the model; count a program that sends and syncs");
}

}  // namespace

namespace {

template <class Map> auto& made_between(Map& made, std::size_t source, std::size_t destination) {
  return made[std::uint64_t{source} << 32 | destination];
}

}  // namespace

vp_channel& vp_channels::between(std::size_t source, std::size_t destination) {
  const std::scoped_lock lock(mutex_);
  some_made_ = true;
  auto& made = made_between(channels_, source, destination);
  if (made == nullptr) made = std::make_unique<vp_channel>(capacity);
  return *made;
}

line_ring& vp_channels::ring_between(std::size_t source, std::size_t destination, unsigned context,
                                     std::size_t most) {
  const std::scoped_lock lock(mutex_);
  some_made_ = true;
  auto& made = made_between(rings_[context], source, destination);
  if (made == nullptr) made = std::make_unique<line_ring>(most);
  return *made;
}

void vp_channels::clear() {
  if (!std::exchange(some_made_, false)) return;
  channels_.clear();
  for (auto& of_context : rings_) of_context.clear();
}

bool vp_access::elsewhere(const vp& me, std::size_t q) noexcept {
  const run_state& run = me.state_.on->run();
  return run.others != nullptr && !run.plan->ranks_here().contains(q);
}

void vp_access::require_same_rank(const vp& me, std::size_t q, const char* what) {
  if (!elsewhere(me, q)) return;
  const run_state& run = me.state_.on->run();
  const rank_layout& all = run.others->layout();
  throw usage_error("VP " + std::to_string(me.rank()) + " of rank " + std::to_string(all.self()) +
                    " cannot " + what + " with VP " + std::to_string(q) + " of rank " +
                    std::to_string(all.rank_of(run.plan->folding.owner(q))) +
                    ": they have no memory in common; send, or lend const memory, and sync");
}

vp_channel& vp_access::channel_to(vp& me, std::size_t q) {
  if (q >= me.size()) me.no_such_vp(q);
  check_countable(*me.state_.on);
  const run_state& run = me.state_.on->run();
  return elsewhere(me, q) ? run.others->channels().to(me.state_.rank, q)
                          : run.channels->between(me.state_.rank, q);
}

vp_channel& vp_access::channel_from(vp& me, std::size_t q) {
  if (q >= me.size()) me.no_such_vp(q);
  check_countable(*me.state_.on);
  const run_state& run = me.state_.on->run();
  return elsewhere(me, q) ? run.others->channels().from(q, me.state_.rank)
                          : run.channels->between(q, me.state_.rank);
}

line_ring& vp_access::ring_to(vp& me, std::size_t q, unsigned context) {
  check_countable(*me.state_.on);
  return me.state_.on->run().channels->ring_between(me.state_.rank, q, context, most_in_ring(me));
}

line_ring& vp_access::ring_from(vp& me, std::size_t q, unsigned context) {
  check_countable(*me.state_.on);
  return me.state_.on->run().channels->ring_between(q, me.state_.rank, context, most_in_ring(me));
}

std::size_t vp_access::most_in_ring(const vp& me) noexcept {
  return detail::most_in_ring(folding(me));
}

void vp_access::suspend(vp& me, std::coroutine_handle<> self, std::size_t peer, const awaited& what,
                        std::string_view operation) {
  me.state_.resume_point = self;
  me.state_.waits_at = at_channel;
  me.state_.on->suspended_at_channel({me.state_.rank, peer, what, operation, {}});
}

void vp_access::end_run(vp& me, std::coroutine_handle<> self, std::exception_ptr cause) noexcept {
  me.state_.resume_point = self;
  me.state_.on->suspended_for_ever(me.state_.rank, std::move(cause));
}

std::unique_ptr<attachment>& vp_access::attached(vp& me) {
  return me.state_.on->attached_to(me.state_.rank);
}

shared_attachment& vp_access::attached_to_machine(vp& me) { return me.state_.on->run().attached; }

void vp_access::notify(vp& me, std::size_t peer) noexcept {
  run_state& run = me.state_.on->run();
  const std::size_t owner = run.plan->folding.owner(peer) - run.plan->first_worker;
  if (owner != me.state_.on->index()) run.sleepers.wake(owner);
}

void vp_access::notify(vp& me, rank_range ranks) noexcept {
  run_state& run = me.state_.on->run();
  const fold& folding = run.plan->folding;
  const std::size_t first = run.plan->first_worker;
  const rank_range here = intersect(ranks, run.plan->ranks_here());
  if (here.empty()) return;
  run.sleepers.wake(folding.owner(here.first) - first, folding.owner(here.last - 1) - first + 1,
                    me.state_.on->index());
}

void vp_access::require_countable(const vp& me) { check_countable(*me.state_.on); }

}  // namespace detail

}  // namespace pleat
