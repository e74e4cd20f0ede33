// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <pleat/runtime/cost_trace.hpp>
#include <pleat/runtime/placement.hpp>

namespace pleat::bench {

/// The smallest thing that holds both ends of a message.
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
  /// The share that stays on a NUMA node; 1 if there is no message.
  [[nodiscard]] double local() const;
};

/// The messages of one program, folded onto placed processors.
struct program_traffic {
  std::string program;
  std::size_t n = 0;           ///< its size
  std::size_t v = 0;           ///< its virtual processors
  std::size_t processors = 0;  ///< onto which it is folded: those placed, at most v
  message_counts all = {};
  /// [label of M(v)]: of the supersteps that end with it.
  std::vector<message_counts> of_label = {};
  std::vector<std::uint64_t> supersteps = {};  ///< [label of M(v)]
  std::vector<unsigned> nodes = {};            ///< on which the processors are, ascending
  std::vector<std::vector<std::uint64_t>> between_nodes = {};  ///< [from][to], places in `nodes`
};

/// Requires: `costs` are of a run that counted the messages between as many processors, see
/// tracing::processors.
[[nodiscard]] program_traffic traffic_of(std::string program, std::size_t n,
                                         const cost_trace& costs, const placement& where);

}  // namespace pleat::bench
