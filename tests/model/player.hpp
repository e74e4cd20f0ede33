// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#include "failures.hpp"
#include "payload.hpp"
#include "prediction.hpp"
#include "program.hpp"
#include "proof_of_life.hpp"

namespace model {

using wide = std::array<std::uint64_t, 6>;  // as much as a channel carries

/// State that the VPs of a run share: what they are given, and what they lend.
struct stage {
  explicit stage(const program& acts) : all(acts), given(acts.size()), lent(acts.size()) {}

  const program& all;
  trace given;
  std::vector<std::deque<std::vector<std::byte>>> lent;
  std::atomic<long> alive{0};
  std::atomic<int> spoilt{0};
};

/// A VP between its acts. Each of them can be tried again if there was no memory for it.
class player {
 public:
  player(pleat::vp& me, stage& on) : me_(me), on_(on) {}

  /// Sends the messages with which the VP's task begins, which the function that makes the task may
  /// do. Returns how many acts that were.
  static std::size_t send_first(pleat::vp& me, stage& on) {
    player self(me, on);
    const std::vector<act>& acts = on.all[me.rank()];
    std::size_t done = 0;
    for (; done < acts.size() && acts[done].what == act::kind::send; ++done) self.speak(acts[done]);
    return done;
  }

  /// All acts of the VP from `first` on, each as often as it takes; std::bad_alloc if that is more
  /// than thrice.
  static pleat::task<> play(pleat::vp& me, stage& on, std::size_t first = 0) {
    const local here(on.alive);
    player self(me, on);
    const std::vector<act>& acts = on.all[me.rank()];
    for (self.at_ = first; self.at_ < acts.size();) {
      const act& a = acts[self.at_];
      if (a.what == act::kind::sync) self.look_again();
      for (int tries = 1;; ++tries) {
        try {
          if (a.what == act::kind::sync && !a.in_a_task && !a.caught)
            co_await me.sync(a.label);
          else
            co_await self.carry_out(a);
          break;
        } catch (const std::bad_alloc&) {
          if (tries == 3) throw;
        }
      }
      if (a.what == act::kind::sync && a.label < me.labels()) self.readable_.clear();
      ++self.at_;
      self.done_ = 0;
    }
    self.look_again();
  }

 private:
  pleat::task<> carry_out(const act& a) {
    const local here(on_.alive);
    try {
      switch (a.what) {
        case act::kind::send:
        case act::kind::lend:
          speak(a);
          break;
        case act::kind::receive:
          listen(a);
          break;
        case act::kind::push:
          co_await push(a);
          break;
        case act::kind::pop:
          co_await pop(a);
          break;
        case act::kind::sync:
          co_await me_.sync(a.label);
          break;
        case act::kind::fail:
          throw broken("as written");
      }
    } catch (const broken&) {
      if (!a.caught) throw;
    } catch (const pleat::usage_error&) {
      if (!a.caught) throw;
    }
  }

  void speak(const act& a) {
    auto bytes = payload_of(a.seed, a.count);
    if (a.what == act::kind::lend) {
      auto& kept = on_.lent[me_.rank()].emplace_back(std::move(bytes));
      me_.lend(a.peer, std::span<const std::byte>(kept));
    } else if (a.count == sizeof a.seed) {
      me_.send(a.peer, a.seed);
    } else {
      me_.send(a.peer, bytes);
    }
  }

  void listen(const act& a) {
    for (; done_ < a.count; ++done_) {
      make_room();
      const auto m = me_.receive();
      if (!m) break;
      const auto bytes = m->lent() ? std::span<const std::byte>(m->view<const std::byte>().row(0))
                                   : m->span<std::byte>();
      readable_.push_back(bytes);
      note({at_, m->source(), bytes.size(), seen_of(bytes)});
    }
  }

  pleat::task<> push(const act& a) {
    for (; done_ < a.count; ++done_) {
      const std::uint64_t value = a.seed + done_;
      if (narrow(a))
        co_await me_.push(a.peer, value);
      else
        co_await me_.push(a.peer, wide{value, 1, 2, 3, 4, value});
    }
  }

  pleat::task<> pop(const act& a) {
    for (; done_ < a.count; ++done_) {
      make_room();
      std::uint64_t value = 0;
      if (narrow(a)) {
        value = co_await me_.pop<std::uint64_t>(a.peer);
      } else {
        const wide w = co_await me_.pop<wide>(a.peer);
        value = w[0];
        on_.spoilt += w[5] != value;
      }
      note({at_, a.peer, sizeof value, value});
    }
  }

  /// Narrow and wide values travel in channels of their own.
  bool narrow(const act& a) const { return (me_.rank() + a.peer) % 3 != 0; }

  /// Before something is taken that could not be had again.
  void make_room() {
    const auto for_one_more = [](auto& all) {
      if (all.size() == all.capacity()) all.reserve(2 * all.size() + 1);
    };
    for_one_more(readable_);
    for_one_more(on_.given[me_.rank()]);
  }
  void note(const received& what) { on_.given[me_.rank()].push_back(what); }
  /// Checks that what was received stays as it is until the next sync.
  void look_again() {
    for (const auto& bytes : readable_) on_.spoilt += !intact(bytes);
  }

  pleat::vp& me_;
  stage& on_;
  std::size_t at_ = 0;
  std::size_t done_ = 0;                              // of this act's messages or values
  std::vector<std::span<const std::byte>> readable_;  // received since the last sync
};

}  // namespace model
