// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <pleat/runtime/cluster_tree.hpp>
#include <pleat/runtime/cost_trace.hpp>
#include <pleat/runtime/machine_options.hpp>
#include <pleat/runtime/memory_policy.hpp>
#include <pleat/runtime/placement.hpp>
#include <pleat/runtime/topology.hpp>

namespace pleat::bench {

/// Reach of the barriers of one label in M(v), v ≥ p a power of two. The messages of a superstep
/// that such a barrier ends stay in a cluster, so their reach is at most that of the barrier.
struct barrier_reach {
  unsigned label = 0;
  std::size_t clusters = 0;
  // Maximum of each number over the clusters:
  std::size_t processors = 0;
  std::size_t cores = 0;
  std::size_t nodes = 0;
  std::size_t packages = 0;
  std::vector<std::string> within = {};  ///< deepest hardware objects around a cluster, each once

  /// Largest unit of which a cluster joins several: "packages", "nodes", "cores", "threads";
  /// "nothing" for clusters of one processor.
  [[nodiscard]] const char* crosses() const;
};

/// Reaches by label, max(1, ⌈log2 p⌉) of them. Requires: the tree was made from the placement.
[[nodiscard]] std::vector<barrier_reach> barrier_reaches(const cluster_tree& clusters,
                                                         const placement& where);

/// Place of the block that a processor owns of every array, and its distance.
struct block_place {
  std::vector<unsigned> nodes;  ///< NUMA nodes of the block's pages
  std::vector<double> shares;   ///< share of the block's pages on each of `nodes`
  double local = 0;  ///< share of the owner's accesses to it that go to nodes local to the owner
  /// Mean distance from the owner to the pages of the block; 10 is the owner's own node. nullopt if
  /// the firmware does not report it.
  std::optional<double> distance = 0;
};

/// Places of the blocks, [processor]. Weights of weighted-interleave: this kernel's if `on` is the
/// host, else 1. Throws: as nodes_of_pages.
[[nodiscard]] std::vector<block_place> block_places(const memory_policy& policy, const topology& on,
                                                    const placement& where);

/// Smallest hardware unit that contains both ends of a message.
enum class nearness : unsigned char { processor, core, node, package, machine };
inline constexpr std::array<const char*, 5> nearness_names{"processor", "core", "node", "package",
                                                           "machine"};

[[nodiscard]] nearness nearness_of(const processor& a, const processor& b);

/// Numbers of messages by the nearness of their ends.
struct message_counts {
  std::array<std::uint64_t, nearness_names.size()> by{};  ///< [nearness]

  [[nodiscard]] std::uint64_t total() const {
    return std::accumulate(by.begin(), by.end(), std::uint64_t{0});
  }
  /// Bytes between different units of a nearness, such as cores; a message has 8 bytes.
  [[nodiscard]] std::uint64_t bytes_between(std::size_t nearness) const {
    std::uint64_t messages = 0;
    for (std::size_t wider = nearness + 1; wider < by.size(); ++wider) messages += by[wider];
    return 8 * messages;
  }
  /// Share of the messages whose two ends are on one NUMA node; 1 if there is no message.
  [[nodiscard]] double local() const;
};

/// The messages of one program, folded onto placed processors.
struct program_traffic {
  std::string program;
  std::size_t n = 0;           ///< its size
  std::size_t v = 0;           ///< its virtual processors
  std::size_t processors = 0;  ///< processors onto which it is folded: those placed, at most v
  message_counts all = {};
  /// Messages of the supersteps that end with each label, [label of M(v)].
  std::vector<message_counts> of_label = {};
  std::vector<std::uint64_t> supersteps = {};  ///< [label of M(v)]
  std::vector<unsigned> nodes = {};            ///< NUMA nodes of the processors, ascending
  std::vector<std::vector<std::uint64_t>> between_nodes = {};  ///< [from][to], places in `nodes`
};

/// Sums a run's messages by the places of their ends. Requires: the run counted them, for no more
/// processors than `where` has, see tracing::processors.
[[nodiscard]] program_traffic traffic_of(std::string program, std::size_t n,
                                         const cost_trace& costs, const placement& where);

/// Findings of `pleat place` about a machine.
struct place_findings {
  topology machine;
  machine_options asked;
  placement where;
  memory_policy memory;
  std::vector<block_place> blocks;      ///< [processor]
  std::vector<barrier_reach> barriers;  ///< [label], see barrier_reaches
  std::vector<program_traffic> traffic = {};
};

/// Makes the findings except the traffic of programs. Requires: `asked` has a place. Throws: as
/// pleat::place and nodes_of_pages.
[[nodiscard]] place_findings find_places(const topology& machine, const machine_options& asked,
                                         const memory_policy& memory);

/// Tables of the findings as text; `columns`: width of the terminal.
[[nodiscard]] std::string place_text(const place_findings& found,
                                     std::optional<std::size_t> columns = {});

/// `{"context": {…, memory, pages}, "place": {processors[], barriers[], traffic[]}}`.
[[nodiscard]] nlohmann::ordered_json place_json(const place_findings& found);

}  // namespace pleat::bench
