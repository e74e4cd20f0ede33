// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include <pleat/runtime/cost_trace.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/evaluate.hpp>
#include <pleat/runtime/fold.hpp>

#include "costs/counted_run.hpp"

namespace pleat {

namespace {

std::string machine_text(std::size_t v) { return "M(" + std::to_string(v) + ")"; }

}  // namespace

cost_trace::cost_trace(std::size_t v, std::vector<superstep_degrees> supersteps,
                       std::uint64_t messages, std::size_t processors,
                       std::vector<std::vector<std::uint64_t>> between, std::uint64_t streamed)
    : v_(v),
      labels_(label_count(std::max<std::size_t>(v, 1))),
      messages_(messages),
      streamed_(streamed),
      supersteps_(std::move(supersteps)),
      counts_(labels_),
      cumulative_(std::size_t{labels_} * (labels_ + 1)),
      processors_(processors),
      between_(std::move(between)) {
  if (v == 0) throw usage_error("a trace of M(0): there is no such machine");
  const bool fits = between_.size() == (processors_ == 0 ? 0 : labels_) &&
                    std::ranges::all_of(between_, [&](const auto& one) {
                      return one.empty() || one.size() == processors_ * processors_;
                    });
  if (!fits)
    throw usage_error("messages between " + std::to_string(processors_) + " processors of " +
                      machine_text(v) + ": for each of its " + std::to_string(labels_) +
                      " labels a square or nothing is wanted");
  for (std::size_t s = 0; s < supersteps_.size(); ++s) {
    const auto& [label, h, pairs] = supersteps_[s];
    if (label >= labels_)
      throw usage_error("superstep " + std::to_string(s) + " of " + machine_text(v) +
                        " has label " + std::to_string(label) + ": labels go from 0 to " +
                        std::to_string(labels_ - 1));
    if (h.size() != labels_ + std::size_t{1})
      throw usage_error("superstep " + std::to_string(s) + " of " + machine_text(v) + " has " +
                        std::to_string(h.size()) + " degrees: one for each of 2^0 … 2^" +
                        std::to_string(labels_) + " is wanted");
    ++counts_[label];
    for (unsigned j = 0; j <= labels_; ++j) {
      if (j <= label && h[j] != 0)
        throw usage_error("superstep " + std::to_string(s) + " of " + machine_text(v) +
                          " has label " + std::to_string(label) + " and degree " +
                          std::to_string(h[j]) + " on 2^" + std::to_string(j) +
                          " processors: there it is local computation");
      cumulative(label, j) += h[j];
    }
  }
}

void cost_trace::check(unsigned j) const {
  if (j > labels_)
    throw usage_error(machine_text(v_) + " cannot be folded onto 2^" + std::to_string(j) +
                      " processors: j goes from 0 to " + std::to_string(labels_));
}

std::uint64_t cost_trace::S(unsigned label) const {
  if (label >= labels_)
    throw usage_error(machine_text(v_) + " has no label " + std::to_string(label) +
                      ": labels go from 0 to " + std::to_string(labels_ - 1));
  return counts_[label];
}

std::uint64_t cost_trace::F(unsigned label, unsigned j) const {
  (void)S(label);  // is there such a label?
  check(j);
  return cumulative(label, j);
}

std::uint64_t cost_trace::messages_between(unsigned label, std::size_t from, std::size_t to) const {
  (void)S(label);  // is there such a label?
  if (std::max(from, to) >= processors_)
    throw usage_error("messages between processors " + std::to_string(from) + " and " +
                      std::to_string(to) + " were not counted: tracing::processors was " +
                      std::to_string(processors_));
  const auto& square = between_[label];
  return square.empty() ? 0 : square[from * processors_ + to];
}

double cost_trace::H(unsigned j, double sigma) const {
  check(j);
  return degrees_below(j, j) + supersteps_below(j) * sigma;
}

double cost_trace::D(unsigned j, std::span<const double> g, std::span<const double> l) const {
  check(j);
  if (g.size() < j || l.size() < j)
    throw usage_error("2^" + std::to_string(j) + " processors have " + std::to_string(j) +
                      " levels of clusters, but " + std::to_string(g.size()) + " values of g and " +
                      std::to_string(l.size()) + " of l are given: give one of each per level");
  double time = 0;
  for (unsigned i = 0; i < j; ++i)
    time += static_cast<double>(cumulative(i, j)) * g[i] + static_cast<double>(counts_[i]) * l[i];
  return time;
}

double cost_trace::degrees_below(unsigned label, unsigned j) const noexcept {
  std::uint64_t sum = 0;
  for (unsigned i = 0; i < label; ++i) sum += cumulative(i, j);
  return static_cast<double>(sum);
}

double cost_trace::supersteps_below(unsigned label) const noexcept {
  std::uint64_t sum = 0;
  for (unsigned i = 0; i < label; ++i) sum += counts_[i];
  return static_cast<double>(sum);
}

double cost_trace::wiseness(unsigned j) const {
  check(j);
  double alpha = 1;
  for (unsigned k = 1; k <= j; ++k) {
    const double wanted = std::ldexp(degrees_below(k, j), static_cast<int>(j - k));
    if (wanted > 0) alpha = std::min(alpha, degrees_below(k, k) / wanted);
  }
  return alpha;
}

double cost_trace::fullness(unsigned j) const {
  check(j);
  double gamma = std::numeric_limits<double>::infinity();
  for (unsigned k = 1; k <= j; ++k) {
    const double wanted = std::ldexp(supersteps_below(k), static_cast<int>(j - k));
    if (wanted > 0) gamma = std::min(gamma, degrees_below(k, k) / wanted);
  }
  return gamma;
}

std::optional<std::string> first_difference(const cost_trace& one, const cost_trace& other) {
  const auto differ = [](const std::string& where, const std::string& a, const std::string& b) {
    return where + a + " in one run, " + b + " in the other";
  };
  if (one.v() != other.v()) return differ("", machine_text(one.v()), machine_text(other.v()));
  const auto a = one.supersteps(), b = other.supersteps();
  for (std::size_t s = 0; s < std::min(a.size(), b.size()); ++s) {
    const std::string where = "superstep " + std::to_string(s) + ": ";
    if (a[s].label != b[s].label)
      return differ(where + "label ", std::to_string(a[s].label), std::to_string(b[s].label));
    for (unsigned j = one.labels(); j > 0; --j) {
      if (a[s].h[j] != b[s].h[j])
        return differ(where + "degree on 2^" + std::to_string(j) + " processors ",
                      std::to_string(a[s].h[j]), std::to_string(b[s].h[j]));
    }
    if (a[s].pairs != b[s].pairs)
      return where + "the same degrees, but other sources or destinations of messages";
  }
  if (a.size() != b.size())
    return differ("number of supersteps ", std::to_string(a.size()), std::to_string(b.size()));
  if (one.messages() != other.messages())
    return differ("number of messages ", std::to_string(one.messages()),
                  std::to_string(other.messages()));
  return std::nullopt;
}

namespace {

/// Messages from one processor to another.
struct crossing {
  std::uint32_t superstep, from, to;
  std::uint64_t weight;
};

const detail::message_log& log_of(const cost_trace& direct) {
  if (direct.log() != nullptr) return *direct.log();
  throw usage_error(
      "the messages of this run were not kept: count it with "
      "tracing::messages");
}

/// Calls use(superstep, degree) for each superstep in which messages cross the processors that
/// processor_of(rank) names, from 0 to `processors` − 1.
template <class Processor, class Use>
void each_degree(const detail::message_log& log, std::size_t processors,
                 const Processor& processor_of, const Use& use) {
  std::vector<crossing> all;
  for (const auto& one : log.messages) {
    const auto from = static_cast<std::uint32_t>(processor_of(one.source));
    const auto to = static_cast<std::uint32_t>(processor_of(one.destination));
    if (from != to) all.push_back({one.superstep, from, to, one.weight});
  }
  std::ranges::sort(all, {}, &crossing::superstep);
  std::vector<std::uint64_t> sent(processors), received(processors);
  for (auto first = all.begin(); first != all.end();) {
    const std::uint32_t superstep = first->superstep;
    std::uint64_t degree = 0;
    auto next = first;
    for (; next != all.end() && next->superstep == superstep; ++next)
      degree =
          std::max({degree, sent[next->from] += next->weight, received[next->to] += next->weight});
    for (; first != next; ++first) sent[first->from] = received[first->to] = 0;
    use(superstep, degree);
  }
}

/// Tells whether a label-cluster has virtual processors of several processors: whether it ends
/// elsewhere than the processors do.
bool joins_processors(const fold& folding, unsigned label) {
  for (std::size_t q = 1; q < folding.processors(); ++q) {
    const std::size_t first = folding.ranks(q).first;
    if (cluster_of(folding.vps(), first, label).first != first) return true;
  }
  return false;
}

}  // namespace

folded_costs folded(const cost_trace& direct, std::size_t p) {
  const detail::message_log& log = log_of(direct);
  if (p == 0 || p > direct.v())
    throw usage_error("M(" + std::to_string(direct.v()) + ") folded onto " + std::to_string(p) +
                      " processors: give 1 to " + std::to_string(direct.v()));
  const fold folding(direct.v(), p);
  folded_costs costs{.processors = p};
  for (unsigned label = 0; label < direct.labels(); ++label)
    if (joins_processors(folding, label)) costs.supersteps += direct.S(label);

  each_degree(
      log, p, [&](std::size_t rank) { return folding.owner(rank); },
      [&](std::uint32_t /*superstep*/, std::uint64_t degree) { costs.degree += degree; });
  return costs;
}

std::vector<level_traffic> traffic_of_levels(const cost_trace& direct,
                                             std::span<const machine_level> levels) {
  const detail::message_log& log = log_of(direct);
  if (levels.empty() ||
      std::ranges::any_of(levels, [](const machine_level& one) { return one.place >= one.size; }))
    throw usage_error(
        "costs of levels: give one level at least, with parts of 1 or more and a place in them");
  std::vector<level_traffic> costs(levels.size());
  std::vector<std::size_t> crossed(direct.supersteps().size() + 1, levels.size());  // outermost
  for (const auto& one : log.messages) {
    for (std::size_t i = levels.size(); i-- > 0;) {
      if (levels[i].part_of(one.source) == levels[i].part_of(one.destination)) continue;
      ++costs[i].sends;
      costs[i].messages += one.weight;
      crossed[one.superstep] = std::min(crossed[one.superstep], i);
    }
  }
  const machine_level& last = levels.back();
  each_degree(
      log, last.part_of(direct.v() - 1) + 1, [&](std::size_t rank) { return last.part_of(rank); },
      [&](std::uint32_t superstep, std::uint64_t degree) {
        ++costs[crossed[superstep]].supersteps;
        costs[crossed[superstep]].degree += degree;
      });
  return costs;
}

}  // namespace pleat
