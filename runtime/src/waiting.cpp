// SPDX-License-Identifier: Apache-2.0
// What a worker does when none of its virtual processors can run.
#include <chrono>
#include <sched.h>
#include <utility>

#include <pleat/runtime/detail/relax.hpp>
#include <pleat/runtime/detail/worker.hpp>
#include <pleat/runtime/detail/yielding.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail {

namespace {

using namespace std::chrono_literals;

// A barrier between two processors takes 50 ns, a look about 1 ns and a relaxed look 20: the first
// spins watch tightly for the common case, the rest leave the core's resources to others.
constexpr int tight_spins = 100;

struct patience {
  int spins;
  std::chrono::microseconds yields;
};

patience patience_of(wait_policy policy) {
  switch (policy) {
    case wait_policy::spin:
      return {1 << 16, 0us};
    case wait_policy::yield:
      return {tight_spins, 500us};
    case wait_policy::park:
      return {0, 0us};
    case wait_policy::automatic:
      break;
  }
  return {4000, while_waking_takes};
}

}  // namespace

void worker::wake_members(const meeting& m) noexcept {
  crew_.sleepers.wake(m.first_worker, m.last_worker, index_);
}

void worker::announce(part& p) {
  ++p.epoch;
  const meeting& m = *p.where;
  timed packing(times_);
  for (std::size_t to = m.first_worker; to < m.last_worker; ++to) {
    if (to == index_) continue;
    if (routes_[to].filling.position() >= worth_a_stamp)
      packing.start(activity::communication, m.label);
    pack(p, to);
  }
  packing.stop();
  p.waiting = true;
  p.where->gate.announce(p.member, p.epoch);
  wake_members(m);
}

std::uint64_t worker::news_of(part& p) noexcept {
  const barrier_news news = p.where->gate.look(p.member);
  if (news.passed_on) {
    passed_on_ = true;
    wake_members(*p.where);
  }
  return news.reached;
}

bool worker::look_at(part& p) noexcept {
  if (p.waiting) return news_of(p) >= p.epoch;
  // Its VPs have ended, but others may depend on what it hears.
  if (p.live == 0 && p.where->gate.relays()) news_of(p);
  return false;
}

void worker::released(part& p) {
  p.waiting = false;
  if (p.ranks.first == 0 && !has_ended(0)) ++counts_.supersteps[p.where->label];
  deliver(p.where->label, p.ranks, 0, &p);
}

bool worker::end_run_at_sync(std::exception_ptr cause) noexcept {
  crew_.poison(std::move(cause));
  announced_ = announced;
  return false;
}

bool worker::pass_solo(std::size_t rank, unsigned label) try {
  part* p = part_in_meeting(rank, label);
  if (p == nullptr) {
    if (!crew_.poisoned()) {
      if (rank == 0) ++counts_.supersteps[label];
      deliver(label, ranks_, 0, nullptr);
      return true;
    }
  } else {
    announce(*p);
    const int spins = patience_of(crew_.waiting).spins;
    timed wait(times_);
    if (times_.keeps_timeline()) wait.start(activity::waiting, label);
    for (int spin = 0; spin < spins; ++spin) {
      if (look_at(*p)) {
        wait.stop();
        released(*p);
        return true;
      }
      if (spin < tight_spins) continue;
      if (spin == tight_spins && !times_.keeps_timeline()) wait.start(activity::waiting, label);
      if (crew_.poisoned()) break;
      relax();
    }
  }
  announced_ = announced;  // the VP suspends; act() goes on
  return false;
} catch (...) {
  return end_run_at_sync(std::current_exception());
}

bool worker::act() {
  for (part& p : share_->parts) {
    if (look_at(p)) {
      announced_ = 0;
      released(p);
      scan(p.ranks.first, p.ranks.last);
      return true;
    }
  }
  for (std::size_t looks = channel_waits_.size(); looks != 0; --looks, ++next_wait_) {
    if (next_wait_ >= channel_waits_.size()) next_wait_ = 0;
    const std::size_t i = next_wait_;
    if (!channel_waits_[i].ready()) continue;
    std::swap(channel_waits_[i], channel_waits_.back());
    channel_wait wait = std::move(channel_waits_.back());
    channel_waits_.pop_back();
    spent_ = std::move(wait.spent);
    reset_quick_labels();
    run_one(wait.rank, wait.farthest);
    return true;
  }
  return false;
}

bool worker::may_leave() noexcept {
  if (live_ != 0) return false;
  bool all_passed_on = true;
  for (part& p : share_->parts) {
    if (p.where->gate.relays()) all_passed_on &= news_of(p) == forever;
  }
  return all_passed_on;
}

bool worker::something_ready() noexcept {
  for (part& p : share_->parts) {
    if (look_at(p)) return true;
  }
  for (const channel_wait& wait : channel_waits_) {
    if (wait.ready()) return true;
  }
  return may_leave();
}

unsigned worker::label_waited_at() const noexcept {
  for (const part& p : share_->parts) {
    if (p.waiting) return p.where->label;
  }
  return labels_;
}

void worker::wait_for_event() {
  const patience given = patience_of(crew_.waiting);
  timed wait(times_);
  if (times_.keeps_timeline()) wait.start(activity::waiting, label_waited_at());
  for (int spin = 0; spin < given.spins; ++spin) {
    if (crew_.poisoned() || something_ready()) return;
    if (spin < tight_spins) continue;
    if (spin == tight_spins && !times_.keeps_timeline())
      wait.start(activity::waiting, label_waited_at());
    relax();
  }
  if (given.spins <= tight_spins && !times_.keeps_timeline())
    wait.start(activity::waiting, label_waited_at());
  if (yield_until([&] { return crew_.poisoned() || something_ready(); }, given.yields)) return;
  wait_idle();
}

void worker::wait_idle() {
  if (crew_.stillness.enter()) crew_.sleepers.wake(0, crew_.active, index_);
  for (;;) {
    if (std::exchange(passed_on_, false)) {
      // Somebody who has looked in vain may have something to find now. Those who sleep on an older
      // generation must confirm this one, if nobody wakes up to enter a newer one.
      if (crew_.stillness.stir()) crew_.sleepers.wake(0, crew_.active, index_);
    }
    const std::uint64_t generation = crew_.stillness.generation();
    if (crew_.poisoned() || something_ready()) break;
    if (passed_on_) continue;
    if (crew_.stillness.confirm(index_, generation)) {
      crew_.poison(diagnose(crew_));
      break;
    }
    const auto changed = [&] {
      return crew_.poisoned() || something_ready() || passed_on_ ||
             crew_.stillness.generation() != generation;
    };
    const auto watch = [&](int looks, auto pause) {
      for (int i = 0; i < looks && !crew_.poisoned() && !something_ready() && !passed_on_; ++i)
        pause();
    };
    switch (crew_.waiting) {
      case wait_policy::spin:
        watch(10000, relax);
        break;
      case wait_policy::yield:
        watch(100, ::sched_yield);
        break;
      default:
        crew_.sleepers.sleep_unless(index_, changed);
    }
  }
  crew_.stillness.leave();
}

void worker::reset_quick_labels() noexcept {
  const unsigned labels = strict_ || routes_packets_ || !spent_.empty() ? 0 : labels_;
  quick_labels_ = solo() ? 0 : labels;
  solo_labels_ = solo() ? labels : 0;
}

}  // namespace pleat::detail
