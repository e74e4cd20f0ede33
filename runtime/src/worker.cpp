// SPDX-License-Identifier: Apache-2.0
// The life of a worker's virtual processors, from their creation to their end.
#include <memory>
#include <new>
#include <utility>

#include <pleat/runtime/detail/memory.hpp>
#include <pleat/runtime/detail/pages.hpp>
#include <pleat/runtime/detail/worker.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail {

worker::worker(crew& all, std::size_t index) : crew_(all), index_(index) {}

worker::~worker() { release_memory(); }

void worker::release_memory() noexcept {
  execution_.frames.release();
  unmap_pages(vp_memory_, vp_memory_bytes_);
  vp_memory_ = nullptr;
  vp_memory_bytes_ = 0;
  own_.bytes().release();
  routes_.clear();
  for (inbox_pool& pool : pools_) pool.records.release();
}

void worker::work() noexcept {
  current_execution = &execution_;
  times_.start(crew_.run_start, crew_.times, crew_.timeline);
  try {
    prepare();
    create_vps();
    go_on_until_done();
  } catch (...) {
    // The runtime itself could not go on: there was no memory for a message, say.
    crew_.poison(std::current_exception());
  }
  if (crew_.stillness.retire()) crew_.sleepers.wake(0, crew_.active, index_);
  if (crew_.poisoned()) await_others();
  unwind();
  times_.stop();
  current_execution = nullptr;
}

void worker::await_others() {
  crew_.sleepers.wake(0, crew_.active, index_);
  const auto over = [&] { return crew_.stillness.over(); };
  while (!over()) crew_.sleepers.sleep_unless(index_, over);
}

void worker::prepare() {
  const run_plan& plan = *crew_.plan;
  ranks_ = plan.folding.ranks(index_);
  v_ = plan.folding.vps();
  labels_ = label_count(v_);
  strict_ = crew_.strict;
  routes_packets_ = crew_.route == routing::ascend_descend;
  watches_ = strict_ || routes_packets_;
  recorder_ = crew_.recorder.get();
  share_ = &crew_.plan->shares[index_];
  counts_ = {};
  live_ = 0;
  vps_ = nullptr;  // until there is memory for them
  announced_ = 0;
  reset_quick_labels();
  // Only now what may throw: discard_messages will look at all of the above.
  journeys_.resize(routes_packets_ ? ranks_.size() : 0);
  if (routes_.size() != crew_.active) routes_ = std::vector<route>(crew_.active);
}

void worker::create_vps() {
  const std::size_t bytes = ranks_.size() * sizeof(vp);
  if (bytes > vp_memory_bytes_) {
    unmap_pages(vp_memory_, vp_memory_bytes_);
    vp_memory_bytes_ = 0;
    vp_memory_ = map_pages(bytes);
    vp_memory_bytes_ = bytes;
  }
  vps_ = reinterpret_cast<vp*>(vp_memory_);
  execution_.frames.rewind();
  for (std::size_t rank = ranks_.first; rank < ranks_.last; ++rank) {
    vp* x = new (&vps_[rank - ranks_.first]) vp(*this, static_cast<std::uint32_t>(rank));
    ++live_;
    try {
      x->resume_point_ = crew_.program.make(crew_.program.object, *x).release();
      if (!x->resume_point_) {
        throw usage_error("VP " + std::to_string(rank) +
                          ": the program returned a task that it had moved from or given away");
      }
      if (recorder_ != nullptr && recorder_->holds_messages()) {
        throw usage_error(
            "a message before the program's task has begun belongs to no superstep; send from "
            "inside the coroutine");
      }
    } catch (...) {
      fail(rank, std::current_exception());
      for (std::size_t rest = rank + 1; rest < ranks_.last; ++rest)
        new (&vps_[rest - ranks_.first]) vp(*this, static_cast<std::uint32_t>(rest));
      return;
    }
  }
}

void worker::go_on_until_done() {
  own_leftover_ = !own_.empty();  // what was sent before the program's task began
  if (!crew_.poisoned()) scan(ranks_.first, ranks_.last);
  while (!crew_.poisoned() && !may_leave()) {
    if (!act()) wait_for_event();
  }
}

void worker::retire(vp& x, std::size_t rank) {
  const auto root = std::coroutine_handle<promise_base>::from_address(
      std::exchange(execution_.finished_root, nullptr));
  x.resume_point_ = nullptr;
  if (execution_.thrown) fail(rank, std::exchange(execution_.thrown, nullptr));
  root.destroy();
  if (!spent_.empty()) free_spent();
  if (routes_packets_) {
    send_directly(x);  // nobody will come to route it
    end_journey(journey_of(x));
  }
  if (recorder_ != nullptr) recorder_->ended(rank);
  --live_;
  for (part& p : share_->parts) {
    if (p.ranks.contains(rank)) --p.live;
  }
  if (crew_.poisoned()) return;
  for (part& p : share_->parts) {
    if (p.live == 0 && p.ranks.contains(rank)) leave(p);
  }
}

void worker::leave(part& p) {
  const meeting& m = *p.where;
  for (std::size_t to = m.first_worker; to < m.last_worker; ++to) {
    if (to != index_) bequeath(to, m.label);
  }
  p.where->gate.announce(p.member, forever);
  wake_members(m);
}

unsigned worker::waits_at(std::size_t rank) const noexcept {
  const std::size_t at_rank = rank - ranks_.first;
  const bool routed = routes_packets_ && journeys_[at_rank].under_way;
  return routed ? journeys_[at_rank].label : vps_[at_rank].waits_at_;
}

void worker::fail(std::size_t rank, std::exception_ptr cause) noexcept {
  try {
    try {
      std::rethrow_exception(cause);
    } catch (const run_error&) {
      throw;  // the runtime's own, which names ranks and labels
    } catch (...) {
      const unsigned last = waits_at(rank);
      throw vp_failed(rank, v_,
                      last < labels_       ? "after sync(" + std::to_string(last) + ")"
                      : last == at_channel ? "after it waited at a channel"
                      : last == nowhere    ? "before its first sync"
                                           : "at a sync that does not exist",
                      std::current_exception());
    }
  } catch (...) {
    crew_.poison(std::current_exception());
  }
}

void worker::destroy_chain(std::coroutine_handle<> innermost) noexcept {
  // From the innermost outwards, for what a coroutine was given may be its awaiter's, and one by
  // one: a chain of coroutines may be longer than the stack is deep. The task that an awaiter holds
  // finds the mark, in memory that nobody has been given in the meantime.
  frame_arena& frames = execution_.frames;
  frame_arena::held_frame last;
  for (auto at = promise_handle::from_address(innermost.address());;) {
    const std::coroutine_handle<> awaiter = at.promise().continuation;
    const frame_arena::held_frame held = frames.destroy_and_hold(at.address());
    frames.release(std::exchange(last, held));
    if (!awaiter) break;
    at.promise().mark_destroyed();
    at = promise_handle::from_address(awaiter.address());
  }
  frames.release(last);
}

void worker::unwind() noexcept {
  for (std::size_t rank = ranks_.first; live_ != 0 && rank < ranks_.last; ++rank) {
    vp& x = at(rank);
    if (x.resume_point_ == nullptr) continue;
    if (routes_packets_ && journey_of(x).under_way)
      journey_of(x).protocol = nullptr;  // in the chain
    destroy_chain(std::exchange(x.resume_point_, nullptr));
  }
  for (journey& j : journeys_) end_journey(j);
  for (channel_wait& wait : channel_waits_) {
    wait.spent.release();
  }
  channel_waits_.clear();
  loans_.clear();
  free_spent();
}

void worker::spend(void* memory) {
  spent_.blocks.push_back(memory);
  quick_labels_ = solo_labels_ = 0;
}

void worker::make_room_to_spend() {
  std::vector<void*>& blocks = spent_.blocks;
  if (blocks.capacity() < blocks.size() + 2) blocks.reserve(2 * blocks.size() + 2);
}

void worker::look_for_left_overs() noexcept {
  try {
    for (const std::unique_ptr<attachment>& kept : attachments_) {
      std::exception_ptr cause = kept != nullptr ? kept->left_over() : nullptr;
      if (cause != nullptr) return crew_.poison(std::move(cause));
    }
  } catch (...) {
    crew_.poison(std::current_exception());  // no memory to say so
  }
}

void worker::suspended_at_channel(channel_wait wait) {
  const std::size_t waits = channel_waits_.size();
  if (waits == channel_waits_.capacity())
    channel_waits_.reserve(2 * waits + 1);  // before the wait takes what was received
  wait.spent = std::exchange(spent_, {});
  wait.farthest = farthest_;
  reset_quick_labels();
  channel_waits_.push_back(std::move(wait));
  outcome_ = at_channel;
}

void worker::suspended_for_ever(std::size_t rank, std::exception_ptr cause) noexcept {
  fail(rank, std::move(cause));
  outcome_ = announced;
}

}  // namespace pleat::detail
