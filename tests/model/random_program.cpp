// SPDX-License-Identifier: Apache-2.0
#include "random_program.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

#include "payload.hpp"

namespace model {

namespace {

struct range {
  std::size_t first, last;
  bool contains(std::size_t rank) const { return first <= rank && rank < last; }
};

unsigned labels_of(std::size_t v) {
  unsigned bits = 0;
  while ((std::size_t{1} << bits) < v) ++bits;
  return std::max(1u, bits);
}

range cluster(std::size_t v, std::size_t rank, unsigned label) {
  const unsigned free_bits = labels_of(v) - label;
  const std::size_t first = rank >> free_bits << free_bits;
  return {first, std::min(v, first + (std::size_t{1} << free_bits))};
}

/// Writes the acts of all VPs in an order in which they could be carried out one after the other.
class writer {
 public:
  writer(std::size_t v, dice& random, bool inside_clusters)
      : v_(v), random_(random), inside_clusters_(inside_clusters), all_(v), since_(v), ended_(v) {}

  program write() {
    const bool talkative = random_(3) == 0;  // channels more than anything else
    const bool mortal = random_(2) == 0;     // VPs end in the middle
    for (std::size_t events = random_(4 * v_ + 30); events > 0; --events) {
      const std::size_t rank = random_(v_);
      if (ended_[rank]) continue;
      if (mortal && random_(12) == 0)
        ended_[rank] = true;  // with whatever it has sent and not synced
      else if (random_(talkative ? 2 : 4) == 0)
        use_channels(rank);
      else if (random_(30) == 0)
        put(rank, {.what = act::kind::fail, .caught = true});
      else
        superstep(rank);
    }
    return std::move(all_);
  }

 private:
  void put(std::size_t rank, act a) {
    a.in_a_task = random_(8) == 0;
    all_[rank].push_back(a);
  }
  /// Somewhere since the VP's last sync: what does not wait may be done at any time.
  void put_earlier(std::size_t rank, const act& a) {
    auto& acts = all_[rank];
    const std::size_t at = since_[rank] + random_(acts.size() - since_[rank] + 1);
    acts.insert(acts.begin() + static_cast<std::ptrdiff_t>(at), a);
  }

  void superstep(std::size_t rank) {
    const unsigned label = static_cast<unsigned>(random_(labels_of(v_)));
    const range here = cluster(v_, rank, label);
    const bool busy = random_(4) != 0;
    for (std::size_t r = here.first; r < here.last; ++r) {
      if (ended_[r]) continue;
      for (std::size_t sends = busy ? random_(3) : 0; sends > 0; --sends) send(r, here);
      if (random_(3) != 0) {
        const std::size_t most = random_(4) == 0 ? random_(3) : 1000;
        put_earlier(r, {.what = act::kind::receive, .count = most});
      }
      if (random_(60) == 0) put(r, {.what = act::kind::sync, .label = 64, .caught = true});
      put(r, {.what = act::kind::sync, .label = label});
      since_[r] = all_[r].size();
    }
  }

  void send(std::size_t rank, range here) {
    const range to = inside_clusters_ ? here : range{0, v_};
    act a{.what = random_(6) == 0 ? act::kind::lend : act::kind::send,
          .peer = to.first + random_(to.last - to.first),
          .count =
              random_.one_of<std::size_t>({0, 1, 4, 8, 8, 8, 8, 8, 16, 40, 48, 49, 64, 200, 5000})};
    for (std::size_t copies = random_(6) == 0 ? 1 + random_(20) : 1; copies > 0; --copies) {
      a.seed = random_.word();
      put_earlier(rank, a);
    }
    if (random_(60) == 0) {
      a.peer = v_ + random_(3);
      a.caught = true;
      put_earlier(rank, a);
    }
  }

  void use_channels(std::size_t rank) {
    const std::size_t values = random_(6) == 0 ? 1 + random_(channel_holds) : 1 + random_(3);
    if (random_(2) == 0) {
      const std::size_t to = random_(3) == 0 ? random_(v_) : (rank + 1) % v_;
      std::size_t& held = held_[{rank, to}];
      const std::size_t some = std::min(values, channel_holds - held);
      if (some == 0) return;
      held += some;
      put(rank, {.what = act::kind::push, .peer = to, .count = some, .seed = random_.word()});
      if (random_(4) != 0) return;
    }
    // Any channel that has something for somebody who is there to pop it.
    auto from = held_.begin();
    std::advance(from, held_.empty() ? 0 : random_(held_.size()));
    for (std::size_t looks = held_.size(); looks > 0; --looks, ++from) {
      if (from == held_.end()) from = held_.begin();
      auto& [ends, held] = *from;
      if (held == 0 || ended_[ends.second]) continue;
      const std::size_t some = random_(2) == 0 ? held : std::min(values, held);
      held -= some;
      return put(ends.second, {.what = act::kind::pop, .peer = ends.first, .count = some});
    }
  }

  std::size_t v_;
  dice& random_;
  bool inside_clusters_;
  program all_;
  std::vector<std::size_t> since_;  // [rank]: the first act behind its last sync
  std::vector<bool> ended_;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> held_;  // [source, destination]
};

struct in_flight {
  std::size_t source, destination;
  received what;
  std::size_t copied;  // bytes: none of what is lent
};

class interpreter {
 public:
  interpreter(const program& all, bool strict)
      : all_(all), v_(all.size()), strict_(strict), vps_(v_) {
    found_.given.resize(v_);
    found_.endings.resize(v_);
    found_.counted.supersteps.resize(labels_of(v_));
  }

  prediction run() {
    for (bool progress = true; progress;) {
      progress = false;
      for (std::size_t rank = 0; rank < v_; ++rank) progress |= go_on(rank);
      for (unsigned label = labels_of(v_); label-- > 0;) {
        for (std::size_t first = 0; first < v_;) {
          const range here = cluster(v_, first, label);
          progress |= barrier(here, label);
          first = here.last;
        }
      }
    }
    for (std::size_t rank = 0; rank < v_; ++rank) {
      ending& how = found_.endings[rank];
      const vp_state& x = vps_[rank];
      if (how.why != obstacle::none || ended(rank)) continue;
      how = x.at_barrier ? ending{obstacle::barrier, all_[rank][x.at].label}
                         : ending{obstacle::channel, 0};
    }
    return std::move(found_);
  }

 private:
  struct vp_state {
    std::size_t at = 0;    // act
    std::size_t done = 0;  // of this act's pushes or pops
    bool at_barrier = false;
    bool failed = false;
    std::size_t farthest = 0;  // since the last sync: bits in which a destination differed
    std::deque<received> inbox;
  };

  bool ended(std::size_t rank) const {
    return vps_[rank].at == all_[rank].size() && !vps_[rank].failed;
  }
  void fail(std::size_t rank, obstacle why) {
    vps_[rank].failed = true;
    found_.endings[rank].why = why;
  }

  /// Carries out acts until the VP waits, fails or ends. Returns whether it did anything.
  bool go_on(std::size_t rank) {
    vp_state& x = vps_[rank];
    bool any = false;
    while (!x.failed && !x.at_barrier && x.at < all_[rank].size()) {
      const std::size_t before = x.done;
      if (!carry_out(rank, x, all_[rank][x.at])) return any || x.done != before;
      any = true;
      if (x.failed || x.at_barrier) return true;
      ++x.at;
      x.done = 0;
    }
    return any;
  }

  /// Returns false if it waits at a channel with some of the act undone.
  bool carry_out(std::size_t rank, vp_state& x, const act& a) {
    const bool addressed =
        a.what != act::kind::receive && a.what != act::kind::sync && a.what != act::kind::fail;
    if (addressed && a.peer >= v_) {
      if (!a.caught) fail(rank, obstacle::misuse);
      return true;
    }
    switch (a.what) {
      case act::kind::send:
      case act::kind::lend:
        network_.push_back({rank,
                            a.peer,
                            {0, rank, a.count, seen_of(a.seed, a.count)},
                            a.what == act::kind::lend ? 0 : a.count});
        x.farthest = std::max(x.farthest, rank ^ a.peer);
        return true;
      case act::kind::receive:
        for (std::size_t n = 0; n < a.count && !x.inbox.empty(); ++n) {
          given(rank, x.inbox.front());
          x.inbox.pop_front();
        }
        return true;
      case act::kind::push: {
        auto& channel = channels_[{rank, a.peer}];
        for (; x.done < a.count && channel.size() < channel_holds; ++x.done)
          channel.push_back(a.seed + x.done);
        return x.done == a.count;
      }
      case act::kind::pop: {
        auto& channel = channels_[{a.peer, rank}];
        for (; x.done < a.count && !channel.empty(); ++x.done) {
          given(rank, {0, a.peer, sizeof(std::uint64_t), channel.front()});
          channel.pop_front();
        }
        return x.done == a.count;
      }
      case act::kind::sync:
        if (a.label >= labels_of(v_)) {
          if (!a.caught) fail(rank, obstacle::misuse);
        } else if (strict_ && (x.farthest >> (labels_of(v_) - a.label)) != 0) {
          fail(rank, obstacle::out_of_cluster);
        } else {
          x.at_barrier = true;
        }
        return true;
      case act::kind::fail:
        if (!a.caught) fail(rank, obstacle::exception);
        return true;
    }
    return true;
  }

  void given(std::size_t rank, received what) {
    what.step = vps_[rank].at;
    found_.given[rank].push_back(what);
  }

  bool barrier(range here, unsigned label) {
    bool any = false;
    for (std::size_t r = here.first; r < here.last; ++r) {
      if (ended(r)) continue;
      if (!vps_[r].at_barrier || all_[r][vps_[r].at].label != label) return false;
      any = true;
    }
    if (!any) return false;
    std::multimap<std::size_t, in_flight> arriving;  // by sender, then as they were sent
    std::erase_if(network_, [&](const in_flight& m) {
      const bool joined = here.contains(m.source) && here.contains(m.destination);
      if (joined) arriving.emplace(m.source, m);
      return joined;
    });
    for (const auto& [source, m] : arriving) {
      if (ended(m.destination)) continue;
      vps_[m.destination].inbox.push_back(m.what);
      ++found_.counted.messages;
      found_.counted.bytes += m.copied;
    }
    if (here.first == 0 && !ended(0)) ++found_.counted.supersteps[label];
    for (std::size_t r = here.first; r < here.last; ++r) {
      if (ended(r)) continue;
      vps_[r].at_barrier = false;
      vps_[r].farthest = 0;
      ++vps_[r].at;
    }
    return true;
  }

  const program& all_;
  std::size_t v_;
  bool strict_;
  std::vector<vp_state> vps_;
  std::vector<in_flight> network_;  // in the order they were sent
  std::map<std::pair<std::size_t, std::size_t>, std::deque<std::uint64_t>> channels_;
  prediction found_;
};

}  // namespace

program random_program(std::size_t v, dice& random, bool inside_clusters) {
  return writer(v, random, inside_clusters).write();
}

void break_somewhere(program& all, dice& random) {
  const std::size_t v = all.size();
  const std::size_t rank = random(v);
  auto& acts = all[rank];
  if (acts.empty()) return acts.push_back({.what = act::kind::fail});
  const std::size_t at = random(acts.size());
  const auto here = acts.begin() + static_cast<std::ptrdiff_t>(at);
  switch (random(9)) {
    case 0:
      acts.erase(here);
      break;
    case 1:
      acts.insert(here, act(*here));
      break;
    case 2:
      std::swap(acts[at], acts[random(acts.size())]);
      break;
    case 3:
      acts.resize(at);
      break;
    case 4:
      *here = {.what = act::kind::fail, .in_a_task = random(2) == 0};
      break;
    case 5:
      acts.insert(here, {.what = act::kind::pop, .peer = random(v), .count = 1});
      break;
    case 6:
      acts.insert(here, {.what = act::kind::push,
                         .peer = random(v),
                         .count = 1 + random(2 * channel_holds),
                         .seed = random.word()});
      break;
    case 7:
      here->peer = random(3) == 0 ? v + random(100) : random(v);
      break;
    default:
      here->label = static_cast<unsigned>(random(labels_of(v) + (random(6) == 0)));
      break;
  }
}

bool prediction::all_end() const {
  return std::ranges::all_of(endings, [](const ending& e) { return e.why == obstacle::none; });
}

bool prediction::somebody_fails() const {
  return std::ranges::any_of(endings, [](const ending& e) {
    return e.why == obstacle::exception || e.why == obstacle::misuse ||
           e.why == obstacle::out_of_cluster;
  });
}

bool prediction::labels_differ() const {
  const std::size_t v = endings.size();
  for (std::size_t r = 0; r < v; ++r) {
    if (endings[r].why != obstacle::barrier) continue;
    for (std::size_t other = 0; other < v; ++other) {
      const ending& e = endings[other];
      if (e.why == obstacle::barrier && e.label < endings[r].label &&
          cluster(v, r, endings[r].label).contains(other))
        return true;
    }
  }
  return false;
}

prediction predict(const program& all, bool strict) { return interpreter(all, strict).run(); }

std::string to_text(const program& all) {
  static constexpr const char* names[] = {"send", "lend", "receive", "push", "pop", "sync", "fail"};
  std::string text;
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    text += "VP " + std::to_string(rank) + ":";
    for (const act& a : all[rank]) {
      text += std::string(" ") + names[static_cast<int>(a.what)] + "(";
      if (a.what == act::kind::sync)
        text += std::to_string(a.label);
      else if (a.what == act::kind::receive)
        text += std::to_string(a.count);
      else if (a.what != act::kind::fail)
        text += std::to_string(a.peer) + ", " + std::to_string(a.count);
      text += a.caught ? ") caught" : ")";
    }
    text += "\n";
  }
  return text;
}

}  // namespace model
