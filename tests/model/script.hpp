// SPDX-License-Identifier: Apache-2.0
// Programs as supersteps, which count the same in every folding and can be routed: every VP takes
// messages, sends, and syncs, and labels nest as the clusters of the model do. random_program.hpp
// has programs of everything else that a VP can do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "program.hpp"

namespace model {

/// Message of a VP: `size` bytes to `destination`, made from `seed`.
struct scripted_send {
  std::size_t destination;
  std::size_t size;
  std::uint64_t seed;
};

/// One superstep of one VP: take up to `takes` messages out of the inbox, send, sync(label).
/// Without a label the VP ends instead: others may still receive what it has sent.
struct scripted_step {
  std::size_t takes;
  std::vector<scripted_send> sends;
  std::optional<unsigned> label;
};

/// A program of M(v) as data: what each VP does, superstep by superstep. A VP ends when its script
/// does.
using script = std::vector<std::vector<scripted_step>>;

struct script_options {
  bool inside_clusters = false;  ///< send only inside the superstep's cluster
  bool early_ends = false;       ///< some VPs stop in the middle, before or after they send
  bool leave_messages = false;   ///< some messages are received late or never
  bool same_labels = false;      ///< all VPs perform one sequence of labels, up to their end
};

/// A random script in which labels nest properly: every cluster does some rounds, in each of which
/// its two halves do some finer ones, independently, before all meet at the cluster's barrier.
/// With `same_labels`, one sequence for all instead, in which a cluster may have nothing to send
/// while its sibling does.
script random_script(std::size_t v, std::mt19937_64& random, const script_options& options);

/// Converts a script to acts, to be played and predicted.
program acts_of(const script& all);

}  // namespace model
