// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <pleat/collectives/collective_options.hpp>
#include <pleat/collectives/detail/combiner.hpp>
#include <pleat/collectives/detail/endpoint.hpp>
#include <pleat/collectives/detail/layout.hpp>
#include <pleat/collectives/detail/operations.hpp>
#include <pleat/collectives/detail/tree_rounds.hpp>
#include <pleat/runtime/task.hpp>

namespace pleat::detail {

/// Promise of an engine, a task whose first argument is its endpoint.
///
/// While an engine works, other ranks read and write memory of this rank. So its exceptions (of an
/// operator, or because a partner is in another operation) must not unwind the program that owns
/// that memory: they end the run, and the virtual processor stays suspended until all workers have
/// stopped.
///
/// Invariant: it has the alignment of its base promise, so that both are at the same place in a
/// frame. Cost: a comparison at the end of the engine.
struct engine_promise : promise<void> {
  template <class... Rest>
  explicit engine_promise(endpoint& engines_place, const Rest&...) noexcept : on(&engines_place) {}

  struct end_awaiter {
    static bool await_ready() noexcept { return false; }
    template <bool jump = transfers_jump>
    static std::coroutine_handle<> await_suspend(
        std::coroutine_handle<engine_promise> self) noexcept {
      if (current_execution->thrown) [[unlikely]] {
        vp_access::end_run(self.promise().on->me(), self,
                           std::exchange(current_execution->thrown, nullptr));
        return std::noop_coroutine();
      }
      return detail::transfer_to<jump>(self.promise().continuation);
    }
    static void await_resume() noexcept {}
  };
  static end_awaiter final_suspend() noexcept { return {}; }

  endpoint* on;
};
static_assert(alignof(engine_promise) == alignof(promise<void>));

}  // namespace pleat::detail

template <class... Rest>
struct std::coroutine_traits<pleat::task<>, pleat::detail::endpoint&, Rest...> {
  using promise_type = pleat::detail::engine_promise;
};

/// Operations on bytes. All ranks of the endpoint's segment call the same one with the same sizes
/// and numbers; in one process all of them begin at the rendezvous, which compares these choices;
/// each returns when its rank has its result and no other rank reads its memory. Counts are added
/// to `traffic`. An exception ends the run, see engine_promise.
namespace pleat::detail {

/// Greatest number of bytes that are copied into a message for a combination: 0, so that all data
/// is lent, for types with a larger alignment than messages have.
[[nodiscard]] inline std::size_t copied_of(const endpoint& on, const combiner& op) noexcept {
  return op.alignment <= cache_line ? on.copied() : 0;
}

// ---------------------------------------------------- circulant_engines.cpp

/// Broadcasts from the root. n − 1 + q rounds; `form`, here and below: or along trees, of one
/// block.
PLEAT_API task<> broadcast_blocks(endpoint& on, std::uint32_t root, std::byte* data,
                                  block_split blocks, collective_traffic& traffic,
                                  schedule_form form = {});
/// Reduces by the reversed broadcast: rounds from the last to the first, arcs reversed, blocks
/// combined on arrival. `sum`: as much memory as `in`; at the root the result.
PLEAT_API task<> reduce_blocks(endpoint& on, std::uint32_t root, const std::byte* in,
                               std::byte* sum, block_split blocks, combiner op,
                               collective_traffic& traffic, schedule_form form = {});

/// Broadcasts from all ranks at once. The rank's own part is `mine`, which is copied to its place
/// in `all`, if it is not there, while the first message is in transit.
PLEAT_API task<> all_broadcast(endpoint& on, const std::byte* mine, std::byte* all, layout parts,
                               std::size_t blocks, collective_traffic& traffic,
                               schedule_form form = {});
/// Reverses all_broadcast: `out` gets the sum of this rank's part over all ranks. On return other
/// ranks may still read `in` and memory of the endpoint, unless `settle` is true.
PLEAT_API task<> all_reduce_parts(endpoint& on, const std::byte* in, std::byte* out, layout parts,
                                  std::size_t blocks, combiner op, bool settle,
                                  collective_traffic& traffic, schedule_form form = {});

/// Gives all ranks the sum, by all_reduce_parts of equal parts and all_broadcast of them.
PLEAT_API task<> all_reduce_blocks(endpoint& on, const std::byte* in, std::byte* out,
                                   block_split data, combiner op, collective_traffic& traffic,
                                   schedule_form form = {});

// ------------------------------------------------ direct_engines.cpp: from source to destination

/// Copies the root's parts to their ranks, the farthest first. Only the root reads `all`.
PLEAT_API task<> scatter_parts(endpoint& on, std::uint32_t root, const std::byte* all, layout parts,
                               std::byte* mine, collective_traffic& traffic);
/// Copies the parts of all ranks to the root, each by the rank that has it.
PLEAT_API task<> gather_parts(endpoint& on, std::uint32_t root, const std::byte* mine,
                              std::byte* all, layout parts, collective_traffic& traffic);

// ------------------------------------------------ concatenation_engine.cpp: through ports

/// Gathers parts on all ranks by Bruck's concatenation algorithm, `ports` messages at once; the
/// rank's own part is in `all` already. Unequal parts are not divided. Requires: some part is not
/// empty. ⌈log_{k + 1} p⌉ rounds for k ports.
PLEAT_API task<> concatenate(endpoint& on, std::byte* all, layout parts, unsigned ports,
                             collective_traffic& traffic);

// ------------------------------------------------ collected_engines.cpp: at a rendezvous

/// Engines of ranks that are not spread: q rounds for small data, else 2q, as many as two barriers
/// take.
PLEAT_API task<> collected_broadcast(endpoint& on, std::uint32_t root, std::byte* data,
                                     std::size_t bytes, collective_traffic& traffic);
/// Place of ranks that combine apart from others of their segment, where rank 0 is `first`. A
/// reduction then leaves the sums of their blocks (running_sum.hpp), `bytes` each. Scans begin with
/// such sums of the ranks before them, which rank 0 knows.
struct place_among_ranks {
  bool apart = false;
  std::uint32_t first = 0;
  const std::byte* before = nullptr;
};
/// Combines along the tree of the ranks (running_sum.hpp), or in their order if the operator
/// commutes: each computes a slice of all results from all inputs, or of small data its own result.
PLEAT_API task<> collected_combine(endpoint& on, ordered what, std::uint32_t root,
                                   const std::byte* in, std::byte* out, std::size_t bytes,
                                   layout parts, combiner op, collective_traffic& traffic,
                                   place_among_ranks at = {});
/// Broadcasts from all ranks, as all_broadcast does.
PLEAT_API task<> collected_all_gather(endpoint& on, const std::byte* mine, std::byte* all,
                                      layout parts, collective_traffic& traffic);
/// Copies part `rank` of every rank's `in` to `out`, as part s of it from rank s.
PLEAT_API task<> collected_exchange(endpoint& on, const std::byte* in, layout sent, std::byte* out,
                                    layout received, collective_traffic& traffic);

// ------------------------------------------------ level_engines.cpp: ranks in several processes

/// Number of processes that carry out the ranks.
[[nodiscard]] PLEAT_API std::uint32_t processes_of(const endpoint& on) noexcept;
/// Tells whether some of several processes have more than one rank.
[[nodiscard]] inline bool has_levels(const endpoint& on) noexcept {
  return on.spread() && processes_of(on) != on.size();
}

/// Broadcasts as broadcast_blocks does; rounds and `blocks` are those between the processes.
PLEAT_API task<> broadcast_in_levels(endpoint& on, std::uint32_t root, std::byte* data,
                                     block_split blocks, collective_traffic& traffic,
                                     schedule_form form);
/// Broadcasts from all ranks, as all_broadcast does; the parts of a process are sent together, in
/// `blocks`.
PLEAT_API task<> all_gather_in_levels(endpoint& on, const std::byte* mine, std::byte* all,
                                      layout parts, std::size_t blocks, collective_traffic& traffic,
                                      schedule_form form);

/// Number of sums that the processes have of their ranks' blocks, see running_sum.hpp.
[[nodiscard]] PLEAT_API std::size_t sums_of_processes(endpoint& on, const combiner& op);

/// Operator of a reduction in levels, and how the processes' sums are combined.
struct combining {
  combiner op;
  bool gathered;   ///< every process gets the sums of all
  unsigned radix;  ///< of the exchange of slices, if they are not gathered and do not commute
  schedule_form form = {};
};

/// Operations as those in common memory, of ranks in several processes; q below is that of the
/// processes. Inside a process its ranks are combined, in 2⌈log2 m⌉ rounds for m ranks. Between p
/// processes, if the operator commutes:
/// reduce, reduce_scatter: n − 1 + q rounds.
/// all_reduce: 2(n − 1 + q) rounds, q if gathered.
/// Else along the tree of all ranks: q rounds if gathered; or those of index_parts, and q more for
/// all_reduce, p − 1 for the root of reduce.
/// scan: ⌈log2(p − 1) + log2(4/3)⌉ rounds.
PLEAT_API task<> reduce_in_levels(endpoint& on, ordered what, std::uint32_t root,
                                  const std::byte* in, std::byte* out, block_split data,
                                  layout parts, combining by, collective_traffic& traffic);
PLEAT_API task<> scan_in_levels(endpoint& on, const std::byte* in, std::byte* out,
                                std::size_t bytes, bool exclusive, combiner op,
                                collective_traffic& traffic);

// ------------------------------------------------ exchange_engine.cpp: the index algorithm

/// Exchanges parts by Bruck's index algorithm of the radix, `ports` messages at once; radix p sends
/// each directly. ⌈(r − 1)/k⌉ · ⌈log_r p⌉ rounds.
PLEAT_API task<> index_parts(endpoint& on, const std::byte* in, layout sent, std::byte* out,
                             layout received, unsigned radix, unsigned ports,
                             collective_traffic& traffic);

/// Returns the radix for blocks of `bytes` bytes, or `size` where sending directly takes less time:
/// those blocks are not copied twice more by each rank, on their way into the messages and out of
/// them. `messages`: of each step.
[[nodiscard]] PLEAT_API unsigned cheapest_radix(std::uint32_t size, unsigned ports,
                                                std::size_t bytes, const message_cost& cost,
                                                unsigned messages);

/// How blocks go from process to process.
struct exchange_options {
  unsigned radix;  ///< of the index algorithm, P or more to send directly; 0: by the cost
  unsigned ports;  ///< k, messages at once
  message_cost cost;
};
/// Exchanges parts as collected_exchange does, of ranks in P processes; what the ranks of one send
/// to those of another is one block. ⌈(P − 1)/k⌉ rounds directly, ⌈(r − 1)/k⌉ · ⌈log_r P⌉ with
/// radix r; ⌈log2 P⌉ more to find the radix, if ⌈(P − 1)/k⌉ is more than three times that.
PLEAT_API task<> exchange_in_levels(endpoint& on, const std::byte* in, layout sent, std::byte* out,
                                    layout received, exchange_options how,
                                    collective_traffic& traffic);

}  // namespace pleat::detail
