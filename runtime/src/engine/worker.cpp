// SPDX-License-Identifier: Apache-2.0
//
// Life cycle of a worker's virtual processors.
#include "engine/worker.hpp"

#include <new>
#include <optional>
#include <utility>

#include <pleat/runtime/detail/memory.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/vp.hpp>

#include "engine/other_processes.hpp"
#include "memory/pages.hpp"

namespace pleat::detail {

worker::worker(run_state& run, std::size_t index)
    : vp_host(run.owner, run.poison_mark()), run_(run) {
  vps_.worker = index;
}

worker::~worker() { release_memory(); }

page_counts worker::pages() const {
  page_counts all;
  const auto add = [&](std::span<const std::byte> memory) { all += memory_of(memory); };
  add({vp_memory_, vp_memory_bytes_});
  execution_.frames.for_each_memory(add);
  mail_.for_each_memory(add);
  return all;
}

void worker::release_memory() noexcept {
  execution_.frames.release();
  unmap_pages(vp_memory_, vp_memory_bytes_);
  vp_memory_ = nullptr;
  vp_memory_bytes_ = 0;
  mail_.release_memory();
}

void worker::work() noexcept {
  const run_state::order run = run_.now;
  // Worker 0 is the caller's thread.
  std::optional<environment_scope> as_the_caller;
  if (vps_.worker != 0) as_the_caller.emplace(run.caller);
  execution* const outer = std::exchange(current_execution, &execution_);
  watch* const outer_watch = std::exchange(current_watch, run_.watching);
  watched_ = vps_.worker == 0 && run_.watching != nullptr;
  if (watched_) run_.watching->supersteps = supersteps_;
  // The caller's thread has just read the clock for the run's start.
  times_.start(run.start, vps_.worker == 0 ? run.start : time_account::clock::now(), run_.times,
               run_.timeline);
  try {
    prepare(run);
    create_vps(run.program);
    go_on_until_done();
  } catch (...) {
    // The runtime itself has failed, for example because there was no memory for a message.
    run_.poison(std::current_exception());
  }
  // Memory that was lent to other processes is taken back before any VP is unwound.
  if (others_ != nullptr && run_.poisoned()) others_->take_back_loans();
  if (run_.termination.retire(vps_.worker, run.number))
    run_.sleepers.wake(0, run.active, vps_.worker);
  if (run_.poisoned()) await_others();
  unwind();
  execution_.frames.rewind();
  times_.stop();
  result_ = {mail_.delivered(),
             times_.times(),
             static_cast<std::uint32_t>(times_.lost()),
             mail_.idle(),
             !attachments_.empty(),
             static_cast<std::uint8_t>(as_the_caller ? raised_exceptions() : 0)};
  if (!as_the_caller) run.caller.restore();
  current_execution = outer;
  current_watch = outer_watch;
  if (watched_) run_.watching->supersteps = {};
}

void worker::await_others() {
  run_.sleepers.wake(0, run_.now.active, vps_.worker);
  const auto over = [&] { return run_.termination.over(); };
  while (!over()) run_.sleepers.sleep_unless(vps_.worker, over);
}

void worker::prepare(const run_state::order& run) {
  vps_.plan = run.plan;
  vps_.folding = &run.plan->folding;
  vps_.clusters = &run.plan->workers[vps_.worker];
  vps_.ranks = vps_.plan->ranks_of(vps_.worker);
  vps_.v = vps_.plan->folding.vps();
  vps_.labels = label_count(vps_.v);
  vps_.first = nullptr;  // until their memory is allocated
  vps_.live = 0;
  strict_ = run_.strict;
  recorder_ = run_.recorder.get();
  supersteps_ = {};
  waits_.start(vps_.ranks);
  pushes_.clear();
  pops_.clear();
  others_ = vps_.worker == 0 ? run_.others.get() : nullptr;
  solo_ = vps_.ranks.size() == 1;
  // If the run has other processes, no VP spins, because worker 0 serves them while it waits.
  spins_at_channels_ = solo_ && run_.others == nullptr && run_.waiting != wait_policy::park;
  for (membership& p : vps_.shared().all) p.begin(run.first_epoch);
  for (unsigned label = 0; solo() && label < vps_.labels; ++label)
    solo_at_[label] = vps_.shared().find(vps_.ranks.first, label);
  at_sync_ = vp_stop::kind::at_barrier;
  idle_loop_.start();
  // Calls that may throw come last, because discard_messages reads the members set above.
  mail_.start(strict_);
  reset_quick_labels();
}

void worker::create_vps(const program_ref& program) {
  const std::size_t bytes = vps_.ranks.size() * sizeof(vp);
  if (bytes > vp_memory_bytes_) {
    unmap_pages(vp_memory_, vp_memory_bytes_);
    vp_memory_bytes_ = 0;
    vp_memory_ = map_pages(
        bytes, run_.small_pages ? memory_policy::pages::small : memory_policy::pages::transparent);
    vp_memory_bytes_ = bytes;
  }
  vp* const vps = reinterpret_cast<vp*>(vp_memory_);
  vps_.first = vps == nullptr ? nullptr : &vps->state_;  // a process may have no VPs
  execution_.frames.use_small_pages(run_.small_pages);
  for (std::size_t rank = vps_.ranks.first; rank < vps_.ranks.last; ++rank) {
    vp* x = new (&vps[rank - vps_.ranks.first]) vp(*this, static_cast<std::uint32_t>(rank));
    ++vps_.live;
    try {
      x->state_.resume_point = program.make(program.object, *x).release();
      if (!x->state_.resume_point)
        throw usage_error("VP " + std::to_string(rank) +
                          ": the program returned a task that it had moved from or given away");
      if (recorder_ != nullptr && recorder_->holds_messages())
        throw usage_error(
            "a message before the program's task has begun belongs to no superstep; send from "
            "inside the coroutine");
    } catch (...) {
      fail(rank, std::current_exception());
      for (std::size_t rest = rank + 1; rest < vps_.ranks.last; ++rest)
        new (&vps[rest - vps_.ranks.first]) vp(*this, static_cast<std::uint32_t>(rest));
      return;
    }
  }
}

void worker::go_on_until_done() {
  mail_.set_aside();  // messages that were sent before the program's task began
  reach_ = 0;
  if (!run_.poisoned()) scheduler_.run(vps_.ranks, mail_.now());
  while (!run_.poisoned() && !idle_loop_.may_leave()) {
    if (!act()) idle_loop_.for_event();
  }
}

void worker::look_into(vp_state& x) {
  // Resumes what transfer_to has left to this loop because it cannot jump to the next coroutine.
  while (execution_.next) std::exchange(execution_.next, nullptr).resume();
  if (stop_.how == vp_stop::kind::ended) retire(x);
}

void worker::retire(vp_state& x) {
  const std::size_t rank = x.rank;
  const auto root = std::coroutine_handle<promise_base>::from_address(
      std::exchange(execution_.finished_root, nullptr));
  x.resume_point = nullptr;
  if (execution_.thrown) fail(rank, std::exchange(execution_.thrown, nullptr));
  root.destroy();
  if (!spent_.empty()) free_spent();
  reach_ = 0;
  if (recorder_ != nullptr) recorder_->ended(rank);
  --vps_.live;
  for (membership& p : vps_.shared().all) {
    if (p.ranks.contains(rank)) --p.live;
  }
  if (run_.poisoned()) return;
  for (membership& p : vps_.shared().all) {
    if (p.live != 0 || !p.ranks.contains(rank)) continue;
    if (recorder_ != nullptr) report_costs(p, true);
    mail_.leave_behind(p);
    barriers_.leave(p);
  }
}

void worker::fail(std::size_t rank, std::exception_ptr cause) noexcept {
  try {
    try {
      std::rethrow_exception(cause);
    } catch (const run_error&) {
      throw;  // an error of the runtime, which already names ranks and labels
    } catch (...) {
      const unsigned last = waits_at(rank);
      throw vp_failed(rank, vps_.v,
                      last < vps_.labels   ? "after sync(" + std::to_string(last) + ")"
                      : last == at_channel ? "after it waited at a channel"
                      : last == nowhere    ? "before its first sync"
                                           : "at a sync that does not exist",
                      std::current_exception());
    }
  } catch (...) {
    run_.poison(std::current_exception());
  }
}

void worker::destroy_chain(std::coroutine_handle<> innermost) noexcept {
  // Destroys from the innermost coroutine outwards, because arguments of a coroutine may be in its
  // awaiter's frame; and in a loop, because recursion over a long chain would overflow the stack.
  // A destroyed coroutine is marked, so that the destructor of its task only frees the memory.
  auto at = promise_handle::from_address(innermost.address());
  while (const std::coroutine_handle<> awaiter = at.promise().continuation) {
    const std::size_t bytes = execution_.frames.destroy_and_keep(at.address());
    at.promise().mark_destroyed(bytes);
    at = promise_handle::from_address(awaiter.address());
  }
  at.destroy();
}

void worker::unwind() noexcept {
  for (std::size_t rank = vps_.ranks.first; vps_.live != 0 && rank < vps_.ranks.last; ++rank) {
    vp_state& x = vps_.at(rank);
    if (x.ended()) continue;
    destroy_chain(std::exchange(x.resume_point, nullptr));
  }
  waits_.clear();
  loans_.clear();
  free_spent();
}

void worker::discard_messages(bool failed) noexcept {
  if (result_.sent_nothing && !failed) return;
  mail_.discard();
}

std::exception_ptr worker::left_over() const noexcept try {
  for (std::size_t i = 0; result_.has_attachments && i < attachments_.size(); ++i) {
    if (attachments_[i] == nullptr) continue;
    if (std::exception_ptr cause = attachments_[i]->left_over()) return cause;
  }
  return nullptr;
} catch (...) {
  return std::current_exception();  // no memory for the error
}

}  // namespace pleat::detail
