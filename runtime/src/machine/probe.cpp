// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <utility>

#include <pleat/runtime/detail/memory.hpp>
#include <pleat/runtime/probe.hpp>

#include "machine/linear_cost.hpp"

namespace pleat {

namespace {

constexpr std::size_t sizes[] = {0, 8, 64, 512, 4096, 32768, 262144, 1048576};
constexpr std::size_t largest = sizes[std::size(sizes) - 1];
constexpr std::size_t word = 8;  // a message of the model
constexpr unsigned resamples = 2000;
using probe_clock = std::chrono::steady_clock;

// Planned seconds for a level. The plan is based on a first measurement; in any case no sample
// begins after probe_options::most_seconds. If processors share a PU, the plan is unreliable, and
// more time does not improve the figures.
constexpr double planned_seconds = 4;
constexpr double planned_seconds_sharing = 1;
constexpr std::size_t least_machines = 5;  // a bootstrap of fewer is meaningless

/// Two blocks of one processor: one that it forwards and one to which it copies. The processor
/// writes both.
class two_blocks {
 public:
  two_blocks() : memory_(detail::take_memory(2 * largest, 4096), &detail::give_back_memory) {
    std::memset(memory_.get(), 1, 2 * largest);
  }
  [[nodiscard]] std::span<std::byte> block(unsigned k, std::size_t bytes) const {
    return {static_cast<std::byte*>(memory_.get()) + k * largest, bytes};
  }

 private:
  std::unique_ptr<void, void (*)(void*) noexcept> memory_;
};

/// One sample: supersteps of one label in which partners exchange blocks of one size.
struct exchange {
  unsigned label = 0;
  std::size_t bytes = 0;
  std::size_t supersteps = 0;
  std::vector<std::size_t> partner;  // [rank]; itself if it has none

  task<> play(vp& me, const two_blocks& mine, double& seconds) const {
    using clock = std::chrono::steady_clock;
    const std::size_t other = partner[me.rank()];
    clock::time_point start;
    // The block to which one superstep copies is lent in the next, so that it was always written
    // just before.
    for (std::size_t k = 0; k <= supersteps; ++k) {
      if (k == 1) start = clock::now();
      const std::span<std::byte> fresh = mine.block(k % 2, bytes);
      if (bytes != 0 && other != me.rank()) hand_over(me, other, fresh);
      co_await me.sync(label);
      const auto arrived = me.receive();
      if (arrived) copy_out(*arrived, mine.block((k + 1) % 2, bytes));
    }
    seconds = std::chrono::duration<double>(clock::now() - start).count();
  }

 private:
  static void hand_over(vp& me, std::size_t to, std::span<const std::byte> data) {
    if (data.size() <= detail::largest_inline)
      me.send(to, data);
    else
      me.lend(to, data);
  }
  static void copy_out(const message& from, std::span<std::byte> to) {
    const std::byte* data =
        from.lent() ? from.view<const std::byte>().data : from.span<std::byte>().data();
    std::memcpy(to.data(), data, to.size());
  }
};

/// Pairs the halves of every i-cluster at random; if the halves have different sizes, some members
/// have no partner.
std::vector<std::size_t> random_pairs(std::size_t p, unsigned label, std::mt19937_64& random) {
  std::vector<std::size_t> partner(p);
  std::iota(partner.begin(), partner.end(), 0u);
  for (std::size_t first = 0; first < p; first = cluster_of(p, first, label).last) {
    const rank_range whole = cluster_of(p, first, label);
    const rank_range left = cluster_of(p, first, label + 1);
    std::vector<std::size_t> right(whole.last - left.last);
    std::iota(right.begin(), right.end(), left.last);
    std::shuffle(right.begin(), right.end(), random);
    std::vector<std::size_t> from(left.size());
    std::iota(from.begin(), from.end(), left.first);
    std::shuffle(from.begin(), from.end(), random);
    for (std::size_t k = 0; k < std::min(from.size(), right.size()); ++k) {
      partner[from[k]] = right[k];
      partner[right[k]] = from[k];
    }
  }
  return partner;
}

class prober {
  using round = std::vector<double>;

 public:
  prober(const machine_options& on, const probe_options& options)
      : random_(options.seed), start_(probe_clock::now()), most_seconds_(options.most_seconds) {
    // Makes all machines at the same time, so that no two use the same memory.
    for (unsigned k = 0; k < options.machines; ++k) {
      machines_.push_back(std::make_unique<machine>(on));
      blocks_.emplace_back(machines_.back()->processors());
    }
    const machine& first = *machines_.front();
    p_ = first.processors();
    if (p_ < 2) throw usage_error("a probe needs two processors to measure what is between them");
    for (unsigned label = 0; label < label_count(p_); ++label) {
      const rank_range largest = cluster_of(p_, 0, label);
      const std::string& object = first.clusters().object_of(largest).name;
      levels_.push_back({label, object, largest.size(), {}, {}, {}});
      for (const std::size_t bytes : sizes) levels_.back().points.push_back({bytes, 0, {}, 0});
    }
    planned_ = first.oversubscribed() ? planned_seconds_sharing : planned_seconds;
    const unsigned rounds = take_rounds(options);
    for (level_costs& level : levels_) summarise(level, rounds, options.seed);
  }

  std::vector<level_costs> levels() && { return std::move(levels_); }

 private:
  // Takes rounds on all machines, and returns their number, which is the same for each: as many as
  // planned, fewer if the time is over.
  unsigned take_rounds(const probe_options& options) {
    unsigned rounds = affordable_rounds(options);
    const std::size_t machines = machines_.size();
    std::vector<std::vector<round>> taken;
    std::size_t done = 0;
    const double looked = seconds_a_level();
    for (std::size_t k = 0; k < machines && seconds_a_level() < most_seconds_; ++k) {
      if (k >= least_machines && seconds_a_level() > 2 * planned_) break;
      // At most twice the plan: the first measurement may have been too fast.
      const double share =
          looked + 2 * planned_ * static_cast<double>(k + 1) / static_cast<double>(machines);
      std::vector<round>& own = taken.emplace_back();
      while (own.size() < rounds && (own.empty() || seconds_a_level() < share)) {
        auto next = take_round(*machines_[k], blocks_[k]);
        if (next.empty()) break;
        own.push_back(std::move(next));
        ++done;
        const std::size_t to_come = rounds - own.size() + (machines - k - 1) * rounds;
        if (options.progress) options.progress(done, done + to_come);
      }
      if (own.empty()) {
        taken.pop_back();
        break;
      }
      rounds = static_cast<unsigned>(own.size());
    }
    if (taken.size() < least_machines) too_slow();
    for (const auto& of_machine : taken) {
      for (unsigned k = 0; k < rounds; ++k) {
        for (std::size_t at = 0; at < of_machine[k].size(); ++at)
          levels_[at / std::size(sizes)].points[at % std::size(sizes)].samples.push_back(
              of_machine[k][at]);
      }
    }
    return rounds;
  }

  [[noreturn]] static void too_slow() {
    throw environment_error(
        "supersteps take so long here that a probe would say nothing: free the processors, or ask "
        "for fewer");
  }

  [[nodiscard]] double seconds_a_level() const {
    const std::chrono::duration<double> passed = probe_clock::now() - start_;
    return passed.count() / static_cast<double>(levels_.size());
  }

  // Measures every size of every level once, and chooses the number of supersteps in its samples.
  // If processors share a core, a superstep takes milliseconds: samples then have fewer supersteps,
  // and if one superstep each takes too long, there are fewer rounds.
  unsigned affordable_rounds(const probe_options& options) {
    const std::size_t few = machines_.front()->oversubscribed() ? 1 : 8;
    constexpr std::size_t many = 2000;
    const double samples = 1.0 * options.machines * options.rounds;
    const double allowed = planned_ / (samples * std::size(sizes));
    double share = 1;
    for (level_costs& level : levels_) {
      double seconds = 0;
      auto& chosen = supersteps_.emplace_back();
      for (const std::size_t bytes : sizes) {
        if (seconds_a_level() > most_seconds_) too_slow();
        const auto start = probe_clock::now();
        static_cast<void>(sample(*machines_.front(), blocks_.front(), level.label, bytes, few));
        const std::chrono::duration<double> took = probe_clock::now() - start;
        const double one = took.count() / static_cast<double>(few + 1);
        const auto wanted = std::clamp<std::size_t>((1u << 20) / (bytes + 1), 8, many);
        const double affordable = std::clamp(allowed / one, 1.0, static_cast<double>(wanted));
        chosen.push_back(static_cast<std::size_t>(affordable));
        seconds += samples * one * (1 + affordable);
      }
      share = std::min(share, 2 * planned_ / seconds);
    }
    return std::max(1u, static_cast<unsigned>(share * options.rounds));
  }

  // Returns the seconds of a superstep for every size of every level: [level · sizes + size]. Empty
  // if the time was over before all samples were taken.
  round take_round(machine& on, const std::vector<two_blocks>& blocks) {
    std::vector<std::size_t> order(levels_.size() * std::size(sizes));
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), random_);
    round taken(order.size());
    for (const std::size_t at : order) {
      if (seconds_a_level() > most_seconds_) return {};
      const auto level = static_cast<unsigned>(at / std::size(sizes));
      const std::size_t size = at % std::size(sizes);
      taken[at] = sample(on, blocks, level, sizes[size], supersteps_[level][size]);
    }
    return taken;
  }

  double sample(machine& on, const std::vector<two_blocks>& blocks, unsigned label,
                std::size_t bytes, std::size_t supersteps) {
    const exchange what{label, bytes, supersteps, random_pairs(p_, label, random_)};
    std::vector<double> seconds(p_);
    on.run(p_, [&](vp& me) { return what.play(me, blocks[me.rank()], seconds[me.rank()]); });
    return *std::max_element(seconds.begin(), seconds.end()) / static_cast<double>(what.supersteps);
  }

  static void summarise(level_costs& level, unsigned rounds, std::uint64_t seed) {
    std::vector<double> h;
    std::vector<std::vector<double>> samples;
    for (probe_point& point : level.points) {
      point.median = detail::median_of(point.samples);
      point.outliers = detail::count_outliers(point.samples);
      h.push_back(static_cast<double>(point.bytes / word));
      samples.push_back(point.samples);
    }
    detail::estimate_line(h, samples, rounds, seed, resamples, level.g, level.l);
  }

  std::mt19937_64 random_;
  probe_clock::time_point start_;
  double most_seconds_;
  double planned_ = planned_seconds;
  std::size_t p_ = 0;
  std::vector<std::unique_ptr<machine>> machines_;
  std::vector<std::vector<two_blocks>> blocks_;  // [machine][rank]
  std::vector<level_costs> levels_;
  std::vector<std::vector<std::size_t>> supersteps_;  // number in a sample: [label][size]
};

}  // namespace

machine_model measured_model(std::span<const level_costs> levels) {
  if (levels.empty()) throw usage_error("a model of a machine needs a probe of at least one level");
  machine_model model{"machine", {}, {}};
  for (const level_costs& level : levels) {
    model.g.push_back(level.g.value);
    model.l.push_back(level.l.value);
  }
  return model;
}

std::vector<level_costs> probe(const machine_options& on, const probe_options& options) {
  if (options.machines < 5 || options.rounds < 1)
    throw usage_error("a probe of " + std::to_string(options.machines) + " machines and " +
                      std::to_string(options.rounds) +
                      " rounds says nothing: take at least 5 and 1");
  if (!(options.most_seconds > 0))
    throw usage_error("a probe of " + std::to_string(options.most_seconds) +
                      " s a level says nothing: give more, or leave it out");
  return prober(on, options).levels();
}

}  // namespace pleat
