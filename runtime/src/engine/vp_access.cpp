// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>

#include <pleat/runtime/detail/vp_access.hpp>
#include <pleat/runtime/error.hpp>

#include "engine/other_processes.hpp"
#include "engine/vp_rings.hpp"
#include "engine/worker.hpp"

namespace pleat::detail {

namespace {

worker& worker_at(const vp& me) { return worker_of(vp_access::state(me)); }

}  // namespace

line_ring& vp_access::ring_to(vp& me, std::size_t q, unsigned context) {
  return worker_at(me).run().rings->between(me.rank(), q, context, folding(me));
}

line_ring& vp_access::ring_from(vp& me, std::size_t q, unsigned context) {
  return worker_at(me).run().rings->between(q, me.rank(), context, folding(me));
}

remote_ring& vp_access::remote_ring_to(vp& me, std::size_t q, unsigned context) {
  return worker_at(me).run().others->ring_to(me.rank(), q, context);
}

line_ring& vp_access::remote_ring_from(vp& me, std::size_t q, unsigned context) {
  return worker_at(me).run().others->ring_from(q, me.rank(), context);
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
  const process_layout& all = run.others->layout();
  const std::size_t first = all.first_worker(space), last = first + all.workers_of(space);
  // If there are fewer VPs than workers, each is on a worker of its own, and the last workers have
  // none.
  return {folding.ranks(std::min(first, folding.processors())).first,
          folding.ranks(std::min(last, folding.processors())).first};
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
