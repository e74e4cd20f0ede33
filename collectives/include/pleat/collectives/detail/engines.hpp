// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <pleat/collectives/collective_options.hpp>
#include <pleat/collectives/detail/combiner.hpp>
#include <pleat/collectives/detail/endpoint.hpp>
// for tasks that take an endpoint
#include <pleat/collectives/detail/engine_promise.hpp>
#include <pleat/collectives/detail/layout.hpp>
#include <pleat/runtime/task.hpp>

/// Operations on bytes. All ranks of the endpoint's segment call the same one with the same sizes
/// and numbers; each returns when its rank has its result and no other rank reads its memory.
/// Counts are added to `traffic`. An exception ends the run, see engine_promise.
namespace pleat::detail {

/// Greatest number of bytes that are copied into a message for a combination: 0, so that all data
/// is lent, for types with a larger alignment than messages have.
[[nodiscard]] inline std::size_t copied_of(const endpoint& on, const combiner& op) noexcept {
  return op.alignment <= cache_line ? on.copied() : 0;
}

// ------------------------------------------------ circulant_broadcast.cpp: on the circulant graph

/// Broadcasts from the root. n − 1 + q rounds.
PLEAT_API task<> broadcast_blocks(endpoint& on, std::uint32_t root, std::byte* data,
                                  block_split blocks, collective_traffic& traffic);
/// Reduces by the reversed broadcast: rounds from the last to the first, arcs reversed, blocks
/// combined on arrival. `sum`: as much memory as `in`; at the root the result.
PLEAT_API task<> reduce_blocks(endpoint& on, std::uint32_t root, const std::byte* in,
                               std::byte* sum, block_split blocks, combiner op,
                               collective_traffic& traffic);

// ------------------------------------------------ circulant_all_broadcast.cpp: all ranks at once

/// Broadcasts from all ranks at once. The rank's own part is `mine`, which is copied to its place
/// in `all`, if it is not there, while the first message is in transit.
PLEAT_API task<> all_broadcast(endpoint& on, const std::byte* mine, std::byte* all, layout parts,
                               std::size_t blocks, collective_traffic& traffic);
/// Reverses all_broadcast: `out` gets the sum of this rank's part over all ranks. On return other
/// ranks may still read `in` and memory of the endpoint, unless `settle` is true.
PLEAT_API task<> all_reduce_parts(endpoint& on, const std::byte* in, std::byte* out, layout parts,
                                  std::size_t blocks, combiner op, bool settle,
                                  collective_traffic& traffic);

// ------------------------------------------------ direct_engines.cpp: from source to destination

/// Copies one block between two ranks, which both copy a half of it. One round.
PLEAT_API task<> copy_together(endpoint& on, bool source, std::byte* data, std::size_t bytes,
                               collective_traffic& traffic);
/// Broadcasts one block from each of two ranks, as all_broadcast does. One round.
PLEAT_API task<> swap_parts(endpoint& on, const std::byte* mine, std::byte* all, layout parts,
                            collective_traffic& traffic);
/// Copies part `rank` of every rank's `in` to `out`, as part s of it from rank s. p − 1 rounds.
PLEAT_API task<> exchange_parts(endpoint& on, const std::byte* in, layout sent, std::byte* out,
                                layout received, collective_traffic& traffic);
/// Reads the `in` of all ranks and combines it alone, in the order of the ranks: p − 1
/// messages at once. `out` must not be `in`, which others read meanwhile.
PLEAT_API task<> combine_directly(endpoint& on, const std::byte* in, std::byte* out,
                                  std::size_t bytes, combiner op, collective_traffic& traffic);
/// Copies the root's parts to their ranks, the farthest first. Only the root reads `all`.
PLEAT_API task<> scatter_parts(endpoint& on, std::uint32_t root, const std::byte* all, layout parts,
                               std::byte* mine, collective_traffic& traffic);
/// Copies the parts of all ranks to the root, each by the rank that has it.
PLEAT_API task<> gather_parts(endpoint& on, std::uint32_t root, const std::byte* mine,
                              std::byte* all, layout parts, collective_traffic& traffic);

// ------------------------------------------------ index_engine.cpp, concatenation_engine.cpp

/// Gathers parts on all ranks by Bruck's concatenation algorithm, `ports` messages at once; the
/// rank's own part is in `all` already. Unequal parts are not divided. Requires: some part is not
/// empty. ⌈log_{k + 1} p⌉ rounds for k ports.
PLEAT_API task<> concatenate(endpoint& on, std::byte* all, layout parts, unsigned ports,
                             collective_traffic& traffic);
/// Exchanges equal blocks of all ranks by Bruck's index algorithm of the radix, `ports` messages at
/// once.
PLEAT_API task<> index_blocks(endpoint& on, const std::byte* in, std::byte* out, std::size_t bytes,
                              unsigned radix, unsigned ports, collective_traffic& traffic);

// ------------------------------------------------ ordered_engine.cpp: in the order of the ranks

enum class ordered {
  reduce,          ///< the sum to the root
  reduce_scatter,  ///< part r of the sum to rank r
  all_reduce,      ///< the sum to all
  scan,            ///< to rank r the sum of ranks 0 … r
  exclusive_scan,  ///< to rank r the sum of ranks 0 … r − 1, nothing to rank 0
};
/// Combines in shared memory: rank s computes slice s of all results from all inputs, from rank 0
/// to the last. 2q rounds.
PLEAT_API task<> ordered_combine(endpoint& on, ordered what, std::uint32_t root,
                                 const std::byte* in, std::byte* out, std::size_t bytes,
                                 layout parts, combiner op, collective_traffic& traffic);

// ------------------------------------------------ prefix_engine.cpp: scans without common memory

/// Computes in `sum` the sum of the ranks before this one, in their order; nothing at rank 0. No
/// two ranks are in the same process. `room`: as much memory as `in`.
/// ⌈log2(p − 1) + log2(4/3)⌉ rounds.
PLEAT_API task<> exclusive_prefix(endpoint& on, const std::byte* in, std::byte* sum,
                                  std::byte* room, std::size_t bytes, combiner op,
                                  collective_traffic& traffic);

// ------------------------------------------------ collected_engines.cpp: between two barriers

/// Least number of ranks for which rings between all pairs would take too much memory. It is a
/// limit on p alone, because the order of sums depends on it.
inline constexpr std::size_t many_ranks = 257;

/// Tells whether the ranks use a rendezvous, because they share workers or are many. Only time may
/// depend on it.
[[nodiscard]] inline bool collects(const endpoint& on) noexcept {
  return !on.spread() && (on.folded() || on.size() >= many_ranks);
}

/// Broadcasts as broadcast_blocks does. 2q rounds.
PLEAT_API task<> collected_broadcast(endpoint& on, std::uint32_t root, std::byte* data,
                                     std::size_t bytes, collective_traffic& traffic);
/// Combines as ordered_combine does. 2q rounds.
PLEAT_API task<> collected_combine(endpoint& on, ordered what, std::uint32_t root,
                                   const std::byte* in, std::byte* out, std::size_t bytes,
                                   layout parts, combiner op, collective_traffic& traffic);
/// Broadcasts from all ranks, as all_broadcast does. 2q rounds.
PLEAT_API task<> collected_all_gather(endpoint& on, const std::byte* mine, std::byte* all,
                                      layout parts, collective_traffic& traffic);
/// Exchanges parts as exchange_parts does, every rank reading from all others. 2q rounds.
PLEAT_API task<> collected_exchange(endpoint& on, const std::byte* in, layout sent, std::byte* out,
                                    layout received, collective_traffic& traffic);

// ------------------------------------------------ level_engines.cpp: processes, then inside

/// Number of processes that carry out the ranks.
[[nodiscard]] PLEAT_API std::uint32_t processes_of(const endpoint& on) noexcept;
/// Tells whether some of several processes have more than one rank, so that common data is sent to
/// each process once. Only time may depend on it.
[[nodiscard]] inline bool has_levels(const endpoint& on) noexcept {
  return on.spread() && processes_of(on) != on.size();
}

/// Broadcasts as broadcast_blocks does; rounds and `blocks` are those between the processes.
PLEAT_API task<> broadcast_in_levels(endpoint& on, std::uint32_t root, std::byte* data,
                                     block_split blocks, collective_traffic& traffic);
/// Broadcasts from all ranks, as all_broadcast does; the parts of a process are sent together, in
/// `blocks`.
PLEAT_API task<> all_gather_in_levels(endpoint& on, const std::byte* mine, std::byte* all,
                                      layout parts, std::size_t blocks,
                                      collective_traffic& traffic);

// ------------------------------------------------ level_combining.cpp: reductions in levels

/// Operator of a reduction in levels, and how the processes' sums are combined. Their order does
/// not depend on `gathered`.
struct combining {
  combiner op;
  bool commutes;
  bool gathered;  ///< every process gets the sums of all, if all need the result
};

/// Operations as those in common memory, of ranks in several processes; q below is that of the
/// processes. Inside a process its ranks are combined in their order, in 2⌈log2 m⌉ rounds for m
/// ranks. Between the processes:
/// reduce: n − 1 + q rounds; if the operator does not commute, those of all_reduce.
/// reduce_scatter: n − 1 + q rounds; if the operator does not commute, those of all_reduce.
/// all_reduce: 2(n − 1 + q) rounds, q if gathered; n = 1 if the operator does not commute.
/// scan: those of exclusive_prefix.
PLEAT_API task<> reduce_in_levels(endpoint& on, std::uint32_t root, const std::byte* in,
                                  std::byte* out, block_split data, combining by,
                                  collective_traffic& traffic);
PLEAT_API task<> reduce_scatter_in_levels(endpoint& on, const std::byte* in, std::byte* out,
                                          layout parts, std::size_t blocks, combining by,
                                          collective_traffic& traffic);
PLEAT_API task<> all_reduce_in_levels(endpoint& on, const std::byte* in, std::byte* out,
                                      block_split data, combining by, collective_traffic& traffic);
PLEAT_API task<> scan_in_levels(endpoint& on, const std::byte* in, std::byte* out,
                                std::size_t bytes, bool exclusive, combiner op,
                                collective_traffic& traffic);

// ------------------------------------------------ level_exchange.cpp

/// How blocks go from process to process.
struct exchange_options {
  unsigned radix;  ///< of the index algorithm, P or more to send directly; 0: by the cost
  unsigned ports;  ///< k, messages at once
  message_cost cost;
};
/// Exchanges parts as exchange_parts does, of ranks in P processes; what the ranks of one send to
/// those of another is one block. ⌈(P − 1)/k⌉ rounds directly, ⌈(r − 1)/k⌉ · ⌈log_r P⌉ with radix
/// r; ⌈log2 P⌉ more to find the radix, if ⌈(P − 1)/k⌉ is more than three times that.
PLEAT_API task<> exchange_in_levels(endpoint& on, const std::byte* in, layout sent, std::byte* out,
                                    layout received, exchange_options how,
                                    collective_traffic& traffic);

}  // namespace pleat::detail
