// SPDX-License-Identifier: Apache-2.0
#include "costs/counted_run.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/fold.hpp>

namespace pleat::detail {

namespace {

std::string sync(unsigned label) { return "sync(" + std::to_string(label) + ")"; }
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
  unfinished_superstep = never;
  messages = 0;
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
  messages += theirs.messages;
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
  if (unfinished_superstep < supersteps.size()) {
    throw usage_error("no costs: in superstep " + std::to_string(unfinished_superstep) + " " +
                      vp_text(unfinished_rank) + " ends after it has sent, and " +
                      vp_text(first_ranks[unfinished_superstep]) + " performs " +
                      sync(supersteps[unfinished_superstep].label) +
                      "; a program is counted if every VP performs a sync after its last message");
  }
  return {v, std::move(supersteps), messages, processors, std::move(between)};
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
  to.put(messages);
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
  all.messages = from.take<std::uint64_t>();
  all.processors = from.take<std::size_t>();
  all.between.resize(static_cast<std::size_t>(from.take<std::uint64_t>()));
  for (auto& square : all.between) square = take_all<std::uint64_t>(from);
  return all;
}

}  // namespace pleat::detail
