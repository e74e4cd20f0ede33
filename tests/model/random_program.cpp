// SPDX-License-Identifier: Apache-2.0
#include "random_program.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace model {

namespace {

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
    const range here = cluster_of(v_, rank, label);
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

}  // namespace model
