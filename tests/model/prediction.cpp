// SPDX-License-Identifier: Apache-2.0
#include "prediction.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

#include "payload.hpp"

namespace model {

namespace {

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
          const range here = cluster_of(v_, first, label);
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
          cluster_of(v, r, endings[r].label).contains(other))
        return true;
    }
  }
  return false;
}

prediction predict(const program& all, bool strict) { return interpreter(all, strict).run(); }

}  // namespace model
