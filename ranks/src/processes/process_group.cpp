// SPDX-License-Identifier: Apache-2.0
//
// Begin, progress and end of a run in each process, except its barriers.
#include "processes/process_group.hpp"

#include <sched.h>
#include <string>
#include <utility>

#include <pleat/runtime/error.hpp>

#include "engine/run_state.hpp"

namespace pleat::detail {

void process_group::begin(std::size_t v) {
  number_ = link_->next_run();
  v_ = v;
  reported_idle_in_ = idle_in_.load(std::memory_order_relaxed);  // no worker is running
  stopped_ = ended_ = over_ = false;
  failure_ = nullptr;
  totals_ = {};
  begin_costs();
  exchange_->begin(number_);
  rings_->begin(number_);
  quiet_.start(layout_->processes());
  waits_.clear();
  waits_received_ = 0;
}

std::unique_ptr<remote_part> process_group::part_in(std::size_t first, std::size_t last,
                                                    std::size_t members) {
  return std::make_unique<crossing>(first, last, *layout_, members, exchange_->left_for_others());
}

byte_buffer process_group::front(packet_kind kind, std::uint64_t epoch) const {
  return packet_of(
      {.run = number_, .v = static_cast<std::uint32_t>(v_), .kind = kind, .epoch = epoch});
}

void process_group::post(std::size_t to, byte_buffer packet) { link_->post(to, packet); }

void process_group::post_to_all(const byte_buffer& packet) {
  for (std::size_t process = 0; process < layout_->processes(); ++process)
    if (process != layout_->self()) post_copy(*link_, process, packet);
}

bool process_group::drive(bool idle) {
  // Read before the channels are polled: a worker's pushes from before it became idle are sent
  // before its idleness is reported to process 0.
  const bool all_are_idle = is_idle();
  bool changed = advance(idle);
  while (!early_.empty() && !over_) {  // packets of the next run follow this one's
    if (load_payload<packet_head>(early_.front().bytes.begin()).run > number_) break;
    link::arrival first = std::move(early_.front());
    early_.pop_front();
    take(std::move(first));
    changed |= advance(idle);
  }
  while (!over_ && !changed) {                  // else a worker continues first
    if (spare_.empty()) spare_.emplace_back();  // no packet may be lost for lack of memory
    std::optional<link::arrival> arrived = link_->poll();
    if (!arrived) break;
    take(*std::move(arrived));
    changed = advance(idle);
  }
  if (departed_ && !over_) end_without_departed();
  if (!ended_ && !stopped_ && !over_ && all_are_idle && is_idle()) report_idle();
  return changed;
}

bool process_group::advance(bool idle) {
  if (stopped_ || over_) return false;
  const bool passed = exchange_->advance(), moved = rings_->advance(idle);
  if (!passed && !moved) return false;
  // Workers that have found nothing to do must look again. They cannot all be idle if this one is
  // not.
  if (idle && run_.termination.stir()) run_.sleepers.wake(0, run_.now.active, 0);
  return true;
}

void process_group::take(link::arrival&& arrived) {
  const auto head = load_payload<packet_head>(arrived.bytes.begin());
  if (head.kind == packet_kind::gone) {
    if (!departed_) departed_ = departure{arrived.from, head.run, head.epoch != 0};
    return;
  }
  if (head.kind == packet_kind::parted) return link_->add_parting({arrived.from, head.epoch != 0});
  if (head.run > number_) {
    spare_.front() = std::move(arrived);
    return early_.splice(early_.end(), spare_);
  }
  if (head.run < number_) return;  // packet of a run that is over
  if (head.v != v_ && head.kind != packet_kind::over && head.kind != packet_kind::failed)
    throw usage_error("the ranks of a machine must all run the same program: rank " +
                      std::to_string(layout_->self()) + " runs it on M(" + std::to_string(v_) +
                      "), rank " + std::to_string(arrived.from) + " on M(" +
                      std::to_string(head.v) + ")");
  switch (head.kind) {
    case packet_kind::step:
    case packet_kind::left:
    case packet_kind::leftover:
    case packet_kind::mail:
    case packet_kind::taken:
    case packet_kind::round:
      if (!stopped_) exchange_->take(arrived.from, head, std::move(arrived));
      return;
    case packet_kind::ring:
      if (!stopped_) rings_->take(std::make_shared<const byte_buffer>(std::move(arrived.bytes)));
      return;
    default:
      take(arrived.from, head, content_of(arrived.bytes));
      if (head.kind == packet_kind::over) costs_ = std::move(arrived.bytes);
      link_->recycle(std::move(arrived));
  }
}

void process_group::take(std::size_t from, const packet_head& head, byte_reader content) {
  switch (head.kind) {
    case packet_kind::quiet:
      quiet_.is_idle(from);
      return look_around();
    case packet_kind::probe:
      return answer(head.epoch);
    case packet_kind::answer: {
      const bool idle = content.take<std::uint64_t>() != 0;
      const auto sent = content.take<std::uint64_t>();
      return receive_answer(from, head.epoch, idle, sent, content.take<std::uint64_t>());
    }
    case packet_kind::settle:
      return rings_->settle();
    case packet_kind::ask_waits:
      return report_waits();
    case packet_kind::waits: {
      wait_states waits;
      std::size_t count = 0;
      const auto* const states = reinterpret_cast<const std::uint8_t*>(content.take_bytes(count));
      waits.states.assign(states, states + count);
      waits.waiting_at_channels = static_cast<std::size_t>(content.take<std::uint64_t>());
      if (content.take<std::uint64_t>() != 0) waits.left_over = read_failure(content);
      while (!content.at_end()) {
        const auto* const words = reinterpret_cast<const char*>(content.take_bytes(count));
        waits.at_channels.emplace_back(words, count);
      }
      return receive_waits(from, std::move(waits));
    }
    case packet_kind::counts:
      return receive_costs(content);
    case packet_kind::done: {
      const auto of_process = content.take<totals>();
      if (gathered_) gathered_->add_end(from, counted_run::read(content));
      return receive_end(from, of_process);
    }
    case packet_kind::failed:
      return finish(from, read_failure(content));
    case packet_kind::over:
      if (content.take<std::uint64_t>() != 0) return end(head.epoch, read_failure(content));
      totals_ = content.take<totals>();
      return end(head.epoch, nullptr);
    default:
      return;
  }
}

bool process_group::is_idle() const noexcept {
  // acquire: pairs with the release in all_idle
  const std::uint64_t generation = idle_in_.load(std::memory_order_acquire);
  return generation != reported_idle_in_ && generation == run_.termination.generation();
}

std::exception_ptr process_group::conclude(std::exception_ptr cause) noexcept {
  bool reported = false;
  while (!over_) {
    try {
      stopped_ = cause != nullptr;
      ended_ = cause == nullptr;
      if (!reported) {
        if (cause)
          report_failure(cause);
        else
          report_end();
        reported = true;
      }
      if (!drive(true)) ::sched_yield();
    } catch (...) {  // others run something else, or there is no memory for a message
      if (!cause) reported = false;
      if (!cause) cause = std::current_exception();
    }
  }
  take_back_loans();  // loans for which no VP has waited
  const bool ours = culprit_ == layout_->self() && cause;
  return ours ? std::move(cause) : std::exchange(failure_, nullptr);
}

// Sum of the counts of a machine that traces, on process 0, which sends it to all.

void process_group::begin_costs() {
  gathered_.reset();
  if (run_.recorder == nullptr || layout_->self() != 0) return;
  if (v_ == 0 || v_ >> 32 != 0) return;  // the run will be rejected
  gathered_.emplace(v_, run_.recorder->processors(), *layout_);
}

void process_group::report_costs(const part_of_barrier& part,
                                 std::span<const counted_messages> messages) {
  if (layout_->self() == 0) return gathered_->add(part, messages);
  byte_buffer packet = front(packet_kind::counts);
  byte_writer to(packet);
  to.put(part);
  to.put_bytes(messages.data(), messages.size_bytes());
  post(0, std::move(packet));
}

void process_group::receive_costs(byte_reader content) {
  const auto part = content.take<part_of_barrier>();
  std::size_t bytes = 0;
  const std::byte* const first = content.take_bytes(bytes);
  // The messages are aligned: an arrival is, and byte_writer keeps alignment behind a front.
  const auto* const messages = reinterpret_cast<const counted_messages*>(first);
  if (gathered_) gathered_->add(part, {messages, bytes / sizeof(counted_messages)});
}

counted_run process_group::take_costs() {
  const byte_buffer bytes = std::move(costs_);
  byte_reader content = content_of(bytes);
  static_cast<void>(content.take<std::uint64_t>());  // the run has not failed
  static_cast<void>(content.take<totals>());
  return counted_run::read(content);
}

// Notices of a process that destroys its machine or its link. If all processes do so, the notices
// have no effect. If others begin a run, they would wait for that process for ever; so process 0
// notifies them, as of every end of a run.

namespace {

void notify_of(packet_head departure, link& from) noexcept {
  try {
    departure.epoch = std::uncaught_exceptions() != 0 ? 1 : 0;
    const byte_buffer packet = packet_of(departure);
    for (std::size_t to = 0; to < (from.self() == 0 ? from.size() : 1); ++to)
      if (to != from.self()) post_copy(from, to, packet);
  } catch (...) {
    // There is no memory for the notice.
  }
}

}  // namespace

void process_group::part(link& from) noexcept { notify_of({.kind = packet_kind::parted}, from); }

process_group::~process_group() {
  if (link_->is_open()) notify_of({.run = link_->runs() + 1, .kind = packet_kind::gone}, *link_);
}

void process_group::end_without_departed() {
  if (departed_->run > number_) return;
  const std::exception_ptr cause = std::make_exception_ptr(
      usage_error("rank " + std::to_string(departed_->process) + " has destroyed its machine" +
                  (departed_->unwinding ? ", because of an exception," : "") +
                  " and takes no part in this run on M(" + std::to_string(v_) +
                  "): all ranks of a machine call the same runs"));
  if (layout_->self() == 0)
    finish(departed_->process, cause);
  else
    end(departed_->process, cause);
}

}  // namespace pleat::detail
