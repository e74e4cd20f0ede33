// SPDX-License-Identifier: Apache-2.0
#include "costs/counted_run.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <utility>

#include <pleat/runtime/error.hpp>

namespace pleat::detail {

namespace {

std::string sync(unsigned label) {
  return label == counted_run::round ? "a round of a collective operation"
                                     : "sync(" + std::to_string(label) + ")";
}
std::string vp_text(std::size_t rank) { return "VP " + std::to_string(rank); }

template <class T> void put_all(byte_writer& to, const std::vector<T>& values) {
  to.put_bytes(values.data(), values.size() * sizeof(T));
}
template <class T> std::vector<T> take_all(byte_reader& from) {
  std::size_t bytes = 0;
  const std::byte* const first = from.take_bytes(bytes);
  std::vector<T> values(bytes / sizeof(T));
  if (bytes != 0) std::memcpy(values.data(), first, bytes);
  return values;
}

void add_all(std::vector<std::uint64_t>& sums, const std::vector<std::uint64_t>& values) {
  if (sums.size() < values.size()) sums.resize(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) sums[i] += values[i];
}

}  // namespace

void counted_run::start(std::size_t v, std::size_t between_processors) {
  supersteps.clear();
  first_ranks.clear();
  difference.reset();
  unfinished_superstep = last_pusher = never;
  messages = streamed = 0;
  rounds.clear();
  processors = between_processors;
  between.clear();
  if (processors != 0) between.resize(label_count(v));
}

void counted_run::begin_superstep(std::size_t rank, unsigned label, unsigned labels) {
  first_ranks.push_back(static_cast<std::uint32_t>(rank));
  supersteps.push_back({label, std::vector<std::uint64_t>(labels + 1), 0});
}

void counted_run::differ(std::size_t superstep, std::size_t rank, unsigned label) {
  if (!difference || superstep < difference->superstep)
    difference = disagreement{superstep, rank, label};
}

void counted_run::ended_after_sending(std::size_t superstep, std::size_t rank) {
  if (superstep >= unfinished_superstep) return;
  unfinished_superstep = superstep;
  unfinished_rank = rank;
}

void counted_run::add_to_round(std::size_t superstep, const counted_messages& one) {
  if (rounds.size() <= superstep) rounds.resize(superstep + 1);
  rounds[superstep].push_back(one);
}

void counted_run::add(const counted_run& theirs) {
  for (std::size_t s = 0; s < theirs.supersteps.size(); ++s) {
    const superstep_degrees& their = theirs.supersteps[s];
    if (s == supersteps.size()) {
      supersteps.push_back(their);
      first_ranks.push_back(theirs.first_ranks[s]);
      continue;
    }
    superstep_degrees& ours = supersteps[s];
    if (ours.label != their.label) differ(s, theirs.first_ranks[s], their.label);
    std::ranges::transform(ours.h, their.h, ours.h.begin(), std::ranges::max);
    ours.pairs += their.pairs;
  }
  // If their first VP agrees with ours, the VP of their difference does not.
  if (const auto& d = theirs.difference; d && supersteps[d->superstep].label != d->label)
    differ(d->superstep, d->rank, d->label);
  if (theirs.unfinished_superstep != never)
    ended_after_sending(theirs.unfinished_superstep, theirs.unfinished_rank);
  last_pusher = std::min(last_pusher, theirs.last_pusher);
  messages += theirs.messages;
  streamed += theirs.streamed;
  if (rounds.size() < theirs.rounds.size()) rounds.resize(theirs.rounds.size());
  for (std::size_t s = 0; s < theirs.rounds.size(); ++s)
    rounds[s].insert(rounds[s].end(), theirs.rounds[s].begin(), theirs.rounds[s].end());
  for (std::size_t label = 0; label < between.size(); ++label)
    add_all(between[label], theirs.between[label]);
}

cost_trace counted_run::trace(std::size_t v) && {
  if (difference) {
    const auto [superstep, rank, label] = *difference;
    throw usage_error("no costs: in superstep " + std::to_string(superstep) + " " +
                      vp_text(first_ranks[superstep]) + " performs " +
                      sync(supersteps[superstep].label) + " and " + vp_text(rank) + " " +
                      sync(label) +
                      "; a program is counted if all VPs perform the same sequence of labels");
  }
  if (unfinished_superstep < supersteps.size())
    throw usage_error("no costs: in superstep " + std::to_string(unfinished_superstep) + " " +
                      vp_text(unfinished_rank) + " ends after it has sent, and " +
                      vp_text(first_ranks[unfinished_superstep]) + " performs " +
                      sync(supersteps[unfinished_superstep].label) +
                      "; a program is counted if every VP performs a sync after its last message");
  if (last_pusher != never)
    throw usage_error("no costs: " + vp_text(last_pusher) +
                      " ends after it has pushed a value, which belongs to no superstep; a program "
                      "is counted if every VP performs a sync after its last push");
  count_rounds(v);
  return {v, std::move(supersteps), messages, processors, std::move(between), streamed};
}

void counted_run::count_rounds(std::size_t v) {
  if (std::ranges::find(supersteps, round, &superstep_degrees::label) == supersteps.end()) return;
  rounds.resize(supersteps.size());
  degree_counter degrees;
  degrees.start(v, processors);
  for (std::size_t s = 0; s < supersteps.size(); ++s) {
    if (supersteps[s].label != round) continue;
    std::vector<counted_messages>& all = rounds[s];
    unsigned label = label_count(v) - 1;
    for (const counted_messages& m : all)
      label = std::min(label, shared_bits(v, m.source, m.destination));
    supersteps[s].label = label;
    std::ranges::sort(all, {}, &counted_messages::source);
    for (auto first = all.begin(); first != all.end();) {
      const rank_range cluster = cluster_of(v, first->source, label);
      const auto last =
          std::ranges::lower_bound(first, all.end(), cluster.last, {}, &counted_messages::source);
      degrees.count({first, last}, cluster, label, supersteps[s], *this);
      first = last;
    }
    all = {};
  }
}

void counted_run::write(byte_writer& to) const {
  to.put(std::uint64_t{supersteps.size()});
  for (const superstep_degrees& one : supersteps) {
    to.put(one.label);
    to.put(one.pairs);
    put_all(to, one.h);
  }
  put_all(to, first_ranks);
  to.put(std::uint64_t{difference.has_value()});
  if (difference) to.put(*difference);
  to.put(unfinished_superstep);
  to.put(unfinished_rank);
  to.put(last_pusher);
  to.put(messages);
  to.put(streamed);
  to.put(std::uint64_t{rounds.size()});
  for (const auto& one : rounds) put_all(to, one);
  to.put(processors);
  to.put(std::uint64_t{between.size()});
  for (const auto& square : between) put_all(to, square);
}

counted_run counted_run::read(byte_reader& from) {
  counted_run all;
  all.supersteps.resize(static_cast<std::size_t>(from.take<std::uint64_t>()));
  for (superstep_degrees& one : all.supersteps) {
    one.label = from.take<unsigned>();
    one.pairs = from.take<std::uint64_t>();
    one.h = take_all<std::uint64_t>(from);
  }
  all.first_ranks = take_all<std::uint32_t>(from);
  if (from.take<std::uint64_t>() != 0) all.difference = from.take<disagreement>();
  all.unfinished_superstep = from.take<std::size_t>();
  all.unfinished_rank = from.take<std::size_t>();
  all.last_pusher = from.take<std::size_t>();
  all.messages = from.take<std::uint64_t>();
  all.streamed = from.take<std::uint64_t>();
  all.rounds.resize(static_cast<std::size_t>(from.take<std::uint64_t>()));
  for (auto& one : all.rounds) one = take_all<counted_messages>(from);
  all.processors = from.take<std::size_t>();
  all.between.resize(static_cast<std::size_t>(from.take<std::uint64_t>()));
  for (auto& square : all.between) square = take_all<std::uint64_t>(from);
  return all;
}

namespace {

/// Spreads the bits of a pair of ranks, so that sums of such words tell sets of pairs apart.
/// The finaliser of Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", fig. 14.
std::uint64_t scatter(std::uint64_t pair) {
  pair = (pair ^ pair >> 30) * 0xbf58476d1ce4e5b9;
  pair = (pair ^ pair >> 27) * 0x94d049bb133111eb;
  return pair ^ pair >> 31;
}

}  // namespace

void degree_counter::start(std::size_t v, std::size_t processors) {
  labels_ = label_count(v);
  folding_.reset();
  if (processors != 0) folding_.emplace(v, std::min(processors, v));
  traffic_.reserve_zeroed(v + 1);  // one more, for the missing sibling of a last node
  inside_.reserve_zeroed(std::bit_ceil(v));
}

void degree_counter::count(std::span<const counted_messages> messages, rank_range cluster,
                           unsigned label, superstep_degrees& superstep, counted_run& run) {
  if (messages.empty()) return;
  if (folding_) {
    std::vector<std::uint64_t>& square = run.between[label];
    square.resize(processors() * processors());
    add_between(messages, square);
  }
  for (const counted_messages& m : messages) run.messages += m.count;
  add(messages, cluster, label, superstep);
  raise_degrees(cluster, label, superstep);
}

void degree_counter::add_between(std::span<const counted_messages> messages,
                                 std::vector<std::uint64_t>& square) {
  for (const counted_messages& m : messages)
    square[folding_->owner(m.source) * folding_->processors() + folding_->owner(m.destination)] +=
        m.count;
}

void degree_counter::add(std::span<const counted_messages> messages, rank_range cluster,
                         unsigned label, superstep_degrees& superstep) {
  const std::size_t leaves = std::size_t{1} << (labels_ - label);  // of the tree over the cluster
  traffic* const nodes = traffic_.data();
  std::uint64_t* const inside = inside_.data();
  constexpr std::size_t ahead = 32;  // in M(2^20) the table of receivers exceeds the caches
  std::uint64_t pairs = 0;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const counted_messages& m = messages[i];
    if (i + ahead < messages.size())
      __builtin_prefetch(&nodes[messages[i + ahead].destination - cluster.first], 1);
    const std::size_t source = m.source - cluster.first;
    const std::size_t destination = m.destination - cluster.first;
    nodes[source].out += m.count;
    nodes[destination].in += m.count;
    const auto above = std::bit_width(source ^ destination);  // levels up to the common ancestor
    inside[(leaves + source) >> above] += m.count;
    pairs += m.count * scatter(std::uint64_t{m.source} << 32 | m.destination);
  }
  superstep.pairs += pairs;
}

void degree_counter::raise_degrees(rank_range cluster, unsigned label,
                                   superstep_degrees& superstep) {
  traffic* const nodes = traffic_.data();
  std::size_t width = cluster.size();
  for (unsigned j = labels_; j > label; --j) {
    if (j != labels_) {
      // Combines the processors of M(2^(j+1)) to those of M(2^j), in place.
      nodes[width] = {};  // the missing sibling of a last node
      width = (width + 1) / 2;
      std::uint64_t* const inside = inside_.data() + (std::size_t{1} << (j - label));
      for (std::size_t k = 0; k < width; ++k) {
        const traffic left = nodes[2 * k], right = nodes[2 * k + 1];
        const std::uint64_t between = std::exchange(inside[k], 0);
        nodes[k] = {left.out + right.out - between, left.in + right.in - between};
      }
    }
    std::uint64_t largest = superstep.h[j];
    for (std::size_t k = 0; k < width; ++k)
      largest = std::max({largest, nodes[k].out, nodes[k].in});
    superstep.h[j] = largest;
  }
  std::fill_n(nodes, cluster.size() + 1, traffic{});
}

void degree_counter::release_memory() noexcept {
  traffic_.release();
  inside_.release();
}

}  // namespace pleat::detail
