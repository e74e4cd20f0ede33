// SPDX-License-Identifier: Apache-2.0
#include "script.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace model {

namespace {

class writer {
 public:
  writer(std::size_t v, std::mt19937_64& random, const script_options& options)
      : v_(v), random_(random), options_(options), program_(v) {}

  script write() {
    if (options_.same_labels)
      common_rounds();
    else
      rounds({0, v_}, 0);
    if (options_.early_ends) {
      const std::size_t one_in = 1 + below(5);  // from now and then to every VP
      for (std::size_t rank = 0; rank < v_; ++rank) {
        if (chance(one_in)) end_early(rank);
      }
    }
    return std::move(program_);
  }

 private:
  std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }
  bool chance(std::size_t one_in) { return below(one_in) == 0; }

  void rounds(range cluster, unsigned label) {
    if (label >= labels_of(v_) || cluster.size() == 0) return;
    for (std::size_t round = below(3) + (label == 0); round > 0; --round) {
      if (!chance(3)) {
        const range lower = cluster_of(v_, cluster.first, label + 1);
        rounds(lower, label + 1);
        rounds({lower.last, cluster.last}, label + 1);
      }
      for (std::size_t rank = cluster.first; rank < cluster.last; ++rank)
        program_[rank].push_back(step(cluster, label));
    }
  }

  /// Ends a VP behind a sync, or in front of one, where what the last step sends is pending when
  /// the VP ends.
  void end_early(std::size_t rank) {
    auto& steps = program_[rank];
    steps.resize(below(steps.size() + 1));
    if (chance(3)) return;
    if (steps.empty() || chance(3)) steps.push_back(step({0, v_}, 0));
    if (options_.inside_clusters) {
      const range cluster = cluster_of(v_, rank, *steps.back().label);
      std::erase_if(steps.back().sends,
                    [&](const scripted_send& m) { return !cluster.contains(m.destination); });
    }
    if (chance(2) && steps.back().sends.empty()) {
      const std::size_t neighbour = rank ^ 1;  // the finest barrier is enough
      if (neighbour < v_) steps.back().sends.push_back({neighbour, 8, random_()});
    }
    steps.back().label.reset();
  }

  void common_rounds() {
    for (std::size_t round = 1 + below(6); round > 0; --round) {
      const auto label = static_cast<unsigned>(below(labels_of(v_)));
      for (std::size_t rank = 0; rank < v_;) {
        const range cluster = cluster_of(v_, rank, label);
        const bool busy = !chance(3);
        for (; rank < cluster.last; ++rank) {
          program_[rank].push_back(step(cluster, label));
          if (!busy) program_[rank].back().sends.clear();
        }
      }
    }
  }

  scripted_step step(range cluster, unsigned label) {
    static constexpr std::size_t sizes[] = {0, 1, 4, 8, 8, 8, 8, 16, 40, 48, 49, 64, 200, 5000};
    scripted_step s{options_.leave_messages && chance(2) ? below(3) : ~std::size_t{0}, {}, label};
    for (std::size_t sends = chance(2) ? below(4) : 0; sends > 0; --sends) {
      const range to = options_.inside_clusters ? cluster : range{0, v_};
      const scripted_send one{to.first + below(to.size()), sizes[below(std::size(sizes))],
                              random_()};
      for (std::size_t copies = chance(4) ? 1 + below(20) : 1; copies > 0; --copies) {
        s.sends.push_back(one);
        s.sends.back().seed += copies;
      }
    }
    return s;
  }

  std::size_t v_;
  std::mt19937_64& random_;
  script_options options_;
  script program_;
};

}  // namespace

script random_script(std::size_t v, std::mt19937_64& random, const script_options& options) {
  return writer(v, random, options).write();
}

program acts_of(const script& all) {
  program acts(all.size());
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    for (const scripted_step& s : all[rank]) {
      if (s.takes != 0 && &s != &all[rank].front())  // before the first barrier there is nothing
        acts[rank].push_back({.what = act::kind::receive, .count = s.takes});
      for (const scripted_send& m : s.sends)
        acts[rank].push_back(
            {.what = act::kind::send, .peer = m.destination, .count = m.size, .seed = m.seed});
      if (s.label) acts[rank].push_back({.what = act::kind::sync, .label = *s.label});
    }
  }
  return acts;
}

}  // namespace model
