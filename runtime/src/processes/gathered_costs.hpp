// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <pleat/runtime/fold.hpp>

#include "costs/cost_recorder.hpp"
#include "costs/counted_run.hpp"
#include "costs/degree_counter.hpp"
#include "mail/process_layout.hpp"

namespace pleat::detail {

/// Costs of a run of several processes, which process 0 collects. Each process counts the messages
/// inside it. For a cluster across processes, each process reports the messages of its part at
/// every barrier; when all have reported, the superstep is counted as on one process. At the end
/// each process sends its counts.
///
/// Memory: 16 bytes per message of barriers at which not all processes have arrived.
/// Thread safety: none.
class gathered_costs {
 public:
  /// Begins a run on M(v). `processors`: see tracing.
  gathered_costs(std::size_t v, std::size_t processors, const process_layout& layout);

  /// Takes the messages of one process's part. A process reports its parts in order.
  void add(const part_of_barrier& part, std::span<const counted_messages> messages);
  /// Takes the counts of a process whose virtual processors have all ended.
  void add_end(std::size_t process, counted_run counted) { ends_[process] = std::move(counted); }
  /// Returns the sum. Requires: add_end was called for all processes.
  [[nodiscard]] counted_run sum();

 private:
  struct pending {
    std::size_t superstep = 0;
    std::size_t reports = 0;  // number of processes that have reported
    std::vector<counted_messages> messages;
  };
  struct cluster {
    rank_range vps;
    unsigned label = 0;
    std::size_t processes = 0;             // number of processes with a part in it
    std::vector<std::uint64_t> left_from;  // for each process that has left, the epoch
    std::map<std::uint64_t, pending> barriers;
  };

  [[nodiscard]] cluster& find(const part_of_barrier& part);
  [[nodiscard]] static bool complete(const cluster& c, std::uint64_t epoch, const pending& p);
  void count(const cluster& c, const pending& barrier);

  std::size_t v_;
  fold folding_;  // onto the workers of all processes
  const process_layout& layout_;
  degree_counter degrees_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, cluster> clusters_;  // [label, first]
  std::vector<superstep_degrees> crossed_;  // [superstep]: degrees of clusters across processes
  counted_run sums_;                        // sums over their messages
  std::vector<counted_run> ends_;           // [process]
};

}  // namespace pleat::detail
