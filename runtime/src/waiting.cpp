// SPDX-License-Identifier: Apache-2.0
// What a worker does when none of its virtual processors can run.
#include <chrono>
#include <optional>
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

void worker::wake_members(const shared_cluster& m) noexcept {
  crew_.sleepers.wake(m.first_worker, m.last_worker, vps_.worker);
}

void worker::announce(membership& p) {
  ++p.epoch;
  mail_.pack(p);
  p.waiting = true;
  p.where->barrier.announce(p.member, p.epoch);
  wake_members(*p.where);
}

std::uint64_t worker::news_of(membership& p) noexcept {
  const barrier_news news = p.where->barrier.look(p.member);
  if (news.passed_on) {
    passed_on_ = true;
    wake_members(*p.where);
  }
  return news.reached;
}

bool worker::look_at(membership& p) noexcept {
  if (p.waiting) return news_of(p) >= p.epoch;
  // Its VPs have ended, but others may depend on what it hears.
  if (p.live == 0 && p.where->barrier.relays()) news_of(p);
  return false;
}

void worker::released(membership& p) {
  p.waiting = false;
  if (p.ranks.first == 0 && !vps_.has_ended(0)) ++supersteps_[p.where->label];
  mail_.deliver(p);
}

bool worker::end_run_at_sync(std::exception_ptr cause) noexcept {
  crew_.poison(std::move(cause));
  announced_ = announced;
  return false;
}

bool worker::pass_solo(std::size_t rank, unsigned label) try {
  membership* p = vps_.shared().find(rank, label);
  if (p == nullptr) {
    if (!crew_.poisoned()) {
      if (rank == 0) ++supersteps_[label];
      mail_.deliver(label, vps_.ranks, {});
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
  for (membership& p : vps_.shared().all) {
    if (look_at(p)) {
      announced_ = 0;
      released(p);
      scan(p.ranks.first, p.ranks.last);
      return true;
    }
  }
  if (std::optional<channel_wait> wait = waits_.take_ready()) {
    spent_ = std::move(wait->spent);
    reset_quick_labels();
    run_one(wait->rank, wait->farthest);
    return true;
  }
  return false;
}

bool worker::may_leave() noexcept {
  if (vps_.live != 0) return false;
  bool all_passed_on = true;
  for (membership& p : vps_.shared().all) {
    if (p.where->barrier.relays()) all_passed_on &= news_of(p) == forever;
  }
  return all_passed_on;
}

bool worker::something_ready() noexcept {
  for (membership& p : vps_.shared().all) {
    if (look_at(p)) return true;
  }
  if (waits_.any_ready()) return true;
  return may_leave();
}

unsigned worker::label_waited_at() const noexcept {
  for (const membership& p : vps_.shared().all) {
    if (p.waiting) return p.where->label;
  }
  return vps_.labels;
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
  if (crew_.stillness.enter()) crew_.sleepers.wake(0, crew_.active, vps_.worker);
  for (;;) {
    if (std::exchange(passed_on_, false)) {
      // Somebody who has looked in vain may have something to find now. Those who sleep on an older
      // generation must confirm this one, if nobody wakes up to enter a newer one.
      if (crew_.stillness.stir()) crew_.sleepers.wake(0, crew_.active, vps_.worker);
    }
    const std::uint64_t generation = crew_.stillness.generation();
    if (crew_.poisoned() || something_ready()) break;
    if (passed_on_) continue;
    if (crew_.stillness.confirm(vps_.worker, generation)) {
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
        crew_.sleepers.sleep_unless(vps_.worker, changed);
    }
  }
  crew_.stillness.leave();
}

void worker::reset_quick_labels() noexcept {
  const unsigned labels = strict_ || routes_packets_ || !spent_.empty() ? 0 : vps_.labels;
  quick_labels_ = solo() ? 0 : labels;
  solo_labels_ = solo() ? labels : 0;
}

}  // namespace pleat::detail
