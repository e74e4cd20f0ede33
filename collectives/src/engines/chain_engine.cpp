// SPDX-License-Identifier: Apache-2.0
// Reductions and scans in the order of the ranks, for ranks without common memory: each rank passes
// the sum so far to the next one, as in a serial loop. The ranks of a worker are consecutive, so
// few of the messages leave it.
#include <algorithm>
#include <cstring>

#include <pleat/collectives/detail/engines.hpp>

namespace pleat::detail {

namespace {

/// Splits the data into chunks, so that all ranks of the chain work at the same time.
block_split chunks_of(std::size_t bytes, const combiner& op) {
  constexpr std::size_t chunk = 64 * 1024;
  const std::size_t count = bytes / op.element;
  return {op.element, count,
          std::clamp<std::size_t>(bytes / chunk, 1, std::max<std::size_t>(1, count))};
}

/// Receives the partial sums of the rank before, combines them with `in` into `sums` and sends
/// these to the next rank. Rank 0 sends `in` and does not write to `sums`. If `before` is not null,
/// the received sums are copied there. `sums` and `before` may be `in`.
task<> add_along(endpoint& on, const std::byte* in, std::byte* sums, std::byte* before,
                 block_split chunks, combiner op, collective_traffic& traffic) {
  const std::uint32_t rank = on.rank();
  traffic.rounds += on.size() - 1 + chunks.blocks - 1;
  for (std::size_t chunk = 0; chunk < chunks.blocks; ++chunk) {
    const piece p = chunks.at(chunk);
    const std::byte* sum = in + p.offset;
    if (rank != 0) {
      edge& from = on.from(rank - 1);
      co_await on.value(from);
      on.take(from, p.bytes, [&](const std::byte* sent) {
        const std::byte* const theirs = on.aligned(sent, p.bytes, op.alignment);
        op(sums + p.offset, theirs, in + p.offset, p.bytes);
        if (before != nullptr) std::memcpy(before + p.offset, theirs, p.bytes);
      });
      sum = sums + p.offset;
      ++traffic.blocks;
      ++traffic.copies;
      traffic.bytes += p.bytes;
    }
    if (rank + 1 == on.size()) continue;
    edge& to = on.to(rank + 1);
    co_await on.room(to);
    on.push(to, sum, p.bytes, copied_of(on, op));
  }
  for (const edge* lent : on.lending()) co_await on.drained(*lent);
  on.all_drained();
}

/// Hands the sums of the last rank to the root.
task<> hand_to(endpoint& on, std::uint32_t root, const std::byte* sums, std::byte* out,
               std::size_t bytes, collective_traffic& traffic) {
  const std::uint32_t last = on.size() - 1;
  if (root == last) co_return;
  if (on.rank() == last) {
    edge& to = on.to(root);
    co_await on.room(to);
    on.push(to, sums, bytes);
  } else if (on.rank() == root) {
    edge& from = on.from(last);
    co_await on.value(from);
    on.take(from, bytes, [&](const std::byte* sum) { std::memcpy(out, sum, bytes); });
    ++traffic.blocks;
    ++traffic.copies;
    traffic.bytes += bytes;
  }
  for (const edge* lent : on.lending()) co_await on.drained(*lent);
  on.all_drained();
}

}  // namespace

task<> chain_combine(endpoint& on, ordered what, std::uint32_t root, const std::byte* in,
                     std::byte* out, std::size_t bytes, layout parts, combiner op,
                     collective_traffic& traffic) {
  const block_split chunks = chunks_of(bytes, op);
  const std::uint32_t last = on.size() - 1;
  const bool in_out = what == ordered::all_reduce || what == ordered::scan ||
                      (what == ordered::reduce && root == last && on.rank() == last);
  std::byte* const sums = in_out ? out : on.scratch(bytes);
  std::byte* const before = what == ordered::exclusive_scan ? out : nullptr;
  if (what == ordered::scan && on.rank() == 0 && in != out) std::memcpy(out, in, bytes);
  task<> added = add_along(on, in, sums, before, chunks, op, traffic);
  co_await added;
  switch (what) {
    case ordered::scan:
    case ordered::exclusive_scan:
      break;
    case ordered::reduce: {
      task<> handed = hand_to(on, root, sums, out, bytes, traffic);
      co_await handed;
      break;
    }
    case ordered::reduce_scatter: {
      task<> scattered = scatter_parts(on, last, sums, parts, out, traffic);
      co_await scattered;
      break;
    }
    case ordered::all_reduce: {
      task<> sent = has_levels(on) ? broadcast_in_levels(on, last, out, chunks, traffic)
                                   : broadcast_blocks(on, last, out, chunks, traffic);
      co_await sent;
      break;
    }
  }
}

}  // namespace pleat::detail
