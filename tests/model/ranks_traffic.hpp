// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/machine.hpp>

#include "rank_threads.hpp"

/// Numbers [from][to].
using square = std::vector<std::vector<std::uint64_t>>;

/// Messages of all labels between different processors.
inline square counted_between(const pleat::cost_trace& costs) {
  const std::size_t processors = costs.processors();
  square all(processors, std::vector<std::uint64_t>(processors));
  for (std::size_t from = 0; from < processors; ++from)
    for (std::size_t to = 0; to < processors; ++to)
      for (unsigned label = 0; label < costs.labels() && from != to; ++label)
        all[from][to] += costs.messages_between(label, from, to);
  return all;
}

/// Bytes that crossed between ranks in a call, and its costs.
struct traffic {
  square bytes;  ///< handed to links
  std::optional<pleat::cost_trace> costs;
};

/// Part of a rank in a call, once it has made its data.
using call_on_rank = std::function<pleat::run_report()>;

template <class Prepare> traffic traffic_of(std::size_t ranks, const Prepare& prepare) {
  machine_of_ranks machine(std::vector<unsigned>(ranks, 1),
                           {.trace = pleat::tracing{.processors = ranks}});
  square bytes(ranks, std::vector<std::uint64_t>(ranks));
  std::vector<pleat::run_report> reports(ranks);
  const auto thrown = on_all_ranks(ranks, [&](std::size_t rank) {
    const call_on_rank call = prepare(machine.on(rank), rank);
    const std::vector<std::size_t> earlier = machine.link(rank).bytes_to;
    reports[rank] = call();
    for (std::size_t to = 0; to < ranks; ++to)
      bytes[rank][to] = machine.link(rank).bytes_to[to] - earlier[to];
  });
  for (const auto& one : thrown) EXPECT_EQ(words_of(one), "");
  return {std::move(bytes), std::move(reports[0].costs)};
}

/// Expects that ranks hand each other what is counted, and no more than heads of messages besides.
inline void expect_counted_bytes(const traffic& of, std::size_t element) {
  const square counted = counted_between(of.costs.value());
  const std::size_t heads = 1000 * (of.costs->supersteps().size() + 20);
  for (std::size_t from = 0; from < counted.size(); ++from)
    for (std::size_t to = 0; to < counted.size(); ++to) {
      if (from == to) continue;
      EXPECT_GE(of.bytes[from][to], counted[from][to] * element) << from << " to " << to;
      EXPECT_LE(of.bytes[from][to], counted[from][to] * element + heads) << from << " to " << to;
    }
}
