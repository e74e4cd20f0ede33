// SPDX-License-Identifier: Apache-2.0
// Engines for ranks of one process: each shows its buffers at a rendezvous, copies or combines its
// part, and passes a second rendezvous, after which no memory is read any more. Of small data they
// show copies, and need no second one.
#include <algorithm>
#include <cstring>
#include <functional>
#include <string>

#include <pleat/collectives/detail/engines.hpp>
#include <pleat/runtime/error.hpp>

#include "received.hpp"
#include "rendezvous.hpp"
#include "running_sum.hpp"

namespace pleat::detail {

namespace {

/// Elements at a time: what is being added up stays in the nearest cache.
constexpr std::size_t chunk_bytes = 4096;

/// Writes the sum of all inputs, or those of their blocks, `stride` bytes apart.
template <class Input>
void add_up(running_sum& sum, std::size_t ranks, const Input& input, std::byte* to,
            const place_among_ranks& place, std::size_t stride) {
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const std::size_t number = place.first + rank;
    sum.add({number, number + 1}, input(rank), rank + 1 == ranks ? to : nullptr);
  }
  place.apart ? sum.write_blocks(to, stride) : sum.write(to);
}

/// A slice of the result, for all ranks that get it, computed by `rank`.
class slice_of {
 public:
  /// `bytes`: of a rank's data.
  slice_of(const shown& all, const combiner& op, const room_for_sums& room, std::uint32_t rank,
           std::size_t bytes, const place_among_ranks& place)
      : all_(all), op_(op), room_(room), rank_(rank), bytes_(bytes), place_(place) {}

  /// Slice `p` of what all are to get, from all inputs.
  void compute(ordered what, std::uint32_t root, piece p, const layout& parts) const {
    switch (what) {
      case ordered::reduce:
        return room_.for_parts(
            p, [&](std::size_t at, std::size_t bytes) { sum_to(all_[root].out + at, at, bytes); });
      case ordered::reduce_scatter:
        return sum_to_parts(p, parts);
      case ordered::all_reduce:
        return sum_to_all(p);
      case ordered::scan:
        return scan(p, false);
      case ordered::exclusive_scan:
        return scan(p, true);
    }
  }

 private:
  /// Sum of all inputs at `at`. `to` may be one of the inputs, so it gets nothing but the result.
  void sum_to(std::byte* to, std::size_t at, std::size_t bytes) const {
    running_sum sum(op_, room_, bytes);
    const auto input = [&](std::size_t rank) { return all_[rank].in + at; };
    add_up(sum, all_.size(), input, to, place_, bytes_);
  }
  /// Writes that slice of the sum to all ranks.
  void sum_to_all(piece slice) const {
    room_.for_parts(slice, [&](std::size_t at, std::size_t bytes) {
      const std::byte* const sum = all_[rank_].out + at;
      sum_to(all_[rank_].out + at, at, bytes);
      for (std::size_t rank = 0; rank < all_.size(); ++rank) {
        if (rank != rank_) std::memcpy(all_[rank].out + at, sum, bytes);
      }
    });
  }
  /// Writes that slice of the sum to the ranks whose parts it is.
  void sum_to_parts(piece slice, const layout& parts) const {
    room_.for_parts(slice, [&](std::size_t at, std::size_t bytes) {
      std::size_t rank = parts.owner(at / op_.element);
      const piece first = parts.part(rank);
      if (at + bytes <= first.offset + first.bytes)
        return sum_to(all_[rank].out + (at - first.offset), at, bytes);
      std::byte* const sum = room_.place(0);
      sum_to(sum, at, bytes);
      for (std::size_t done = 0; done < bytes; ++rank) {
        const piece p = parts.part(rank);
        const std::size_t inside = at + done - p.offset;
        const std::size_t run = std::min(p.bytes - inside, bytes - done);
        if (run != 0) std::memcpy(all_[rank].out + inside, sum + done, run);
        done += run;
      }
    });
  }
  void scan(piece slice, bool exclusive) const {
    room_.for_parts(slice, [&](std::size_t at, std::size_t bytes) {
      running_sum sum(op_, room_, bytes);
      const auto* before = static_cast<const std::byte*>(all_[0].more);
      std::size_t number = place_.first;
      for_blocks({0, number}, op_.commutes, [&](const rank_block& block) {
        sum.add(block, before + at);
        before += bytes_;
      });
      for (std::size_t rank = 0; rank < all_.size(); ++rank, ++number) {
        std::byte* const out = all_[rank].out + at;
        const std::byte* const input = sum.kept(all_[rank].in + at);  // `out` may be the same
        if (exclusive && number != 0) sum.write(out);
        sum.add({number, number + 1}, input);
        if (!exclusive) sum.write(out);
      }
    });
  }

  const shown& all_;
  const combiner& op_;
  const room_for_sums& room_;
  std::uint32_t rank_;
  std::size_t bytes_;
  const place_among_ranks& place_;
};

/// A rank's slice of `bytes` that are divided among the ranks in whole units, the last of which may
/// be shorter; none of the slices is tiny. Those that have one are spread over the ranks, whose
/// neighbours share workers.
piece slice_for(const endpoint& on, std::size_t unit, std::size_t bytes) {
  constexpr std::size_t least = 512;
  const std::size_t rank = on.rank(), ranks = on.size();
  const block_split slices{unit, (bytes + unit - 1) / unit,
                           std::clamp<std::size_t>(bytes / least, 1, ranks)};
  const std::size_t slice = (rank * slices.blocks + ranks - 1) / ranks;
  if (slice >= slices.blocks || slice * ranks / slices.blocks != rank) return {};
  const piece p = slices.at(slice);
  return {p.offset, std::min(p.bytes, bytes - p.offset)};
}

/// Copies from one place to many, a piece that stays in the nearest cache at a time.
void copy_to_all(const std::byte* from, piece slice, const shown& to) {
  const std::size_t chunk = to.size() == 2 ? slice.bytes : chunk_bytes;
  for (std::size_t done = 0; done < slice.bytes; done += chunk) {
    const std::size_t at = slice.offset + done, run = std::min(chunk, slice.bytes - done);
    for (std::size_t rank = 0; rank < to.size(); ++rank) {
      if (to[rank].out != from) std::memcpy(to[rank].out + at, from + at, run);
    }
  }
}

/// `p` of what all are to get. `bytes`: of a rank's data.
void combine_slice(endpoint& on, const shown& all, const combiner& op, ordered what,
                   std::uint32_t root, piece p, const layout& parts, std::size_t bytes,
                   const place_among_ranks& place) {
  const room_for_sums room(on, op, p.bytes, {place.first, place.first + on.size()});
  slice_of(all, op, room, on.rank(), bytes, place).compute(what, root, p, parts);
}

/// Combines what this rank is to get from copies of all inputs, of which `in` is its own.
void combine_copies(endpoint& on, const shown& all, const combiner& op, ordered what,
                    std::uint32_t root, const std::byte* in, std::byte* out, piece p,
                    const place_among_ranks& place, collective_traffic& traffic) {
  std::uint32_t last = on.size();
  if (what == ordered::reduce && on.rank() != root) return;
  if (what == ordered::scan) last = on.rank() + 1;
  if (what == ordered::exclusive_scan) last = on.rank();
  if (last == 0 || p.bytes == 0) return;
  const room_for_sums room(on, op, p.bytes, {place.first, place.first + on.size()});
  running_sum sum(op, room, p.bytes);
  // Others take the line of our copy away.
  const auto input = [&](std::size_t rank) {
    return (rank == on.rank() ? in : all.copy_of(rank)) + p.offset;
  };
  add_up(sum, last, input, out, place, p.bytes);
  const std::uint32_t others = last - (on.rank() < last ? 1 : 0);
  traffic.blocks += others;
  traffic.bytes += others * p.bytes;
  traffic.copies += last;
}

/// Refuses outputs of this rank and of the one before it that overlap: neither would have its
/// result. `bytes`: of each.
void check_outputs_apart(const endpoint& on, const shown& all, std::size_t bytes) {
  if (on.rank() == 0) return;
  const std::byte* const own = all[on.rank()].out;
  const std::byte* const theirs = all[on.rank() - 1].out;
  const std::less<> before;
  if (!before(theirs, own + bytes) || !before(own, theirs + bytes)) return;
  throw usage_error(std::string(on.operation()) + ": the outputs of VP " +
                    std::to_string(on.vp_of(on.rank() - 1)) + " and VP " +
                    std::to_string(on.vp_of(on.rank())) +
                    " overlap: every rank needs an output of its own");
}

/// Number of rounds in which ranks that only send messages would pass so many barriers.
std::uint64_t rounds_of(const endpoint& on, bool copied) noexcept {
  return (copied ? 1 : 2) * on.graph().rounds();
}

}  // namespace

task<> collected_broadcast(endpoint& on, std::uint32_t root, std::byte* data, std::size_t bytes,
                           collective_traffic& traffic) {
  const bool copied = shows_copies(on, bytes);
  const rendezvous_awaiter arrived =
      copied ? meet(on, bytes, data, on.rank() == root ? bytes : 0) : meet(on, bytes, {data, data});
  const shown all = co_await arrived;
  traffic.rounds += rounds_of(on, copied);
  const std::byte* const from = copied ? all.copy_of(root) : all[root].in;
  // Large data: every rank copies one slice to all others, since the root's worker would have less
  // to do than others if each rank copied to its own memory. Small data: each rank does that, and
  // has the result in its cache.
  constexpr std::size_t large = 64 * 1024;
  if (bytes >= large) copy_to_all(from, slice_for(on, cache_line, bytes), all);
  if (on.rank() == root)
    traffic.copies += bytes >= large ? 1 : 0;
  else if (bytes >= large)
    count_received(traffic, bytes);
  else
    receive(data, from, bytes, traffic);
  if (!copied) co_await part(on);
}

task<> collected_combine(endpoint& on, ordered what, std::uint32_t root, const std::byte* in,
                         std::byte* out, std::size_t bytes, layout parts, combiner op,
                         collective_traffic& traffic, place_among_ranks place) {
  if (on.size() == 1) {
    const buffers own{in, out, place.before};
    const shown alone(reinterpret_cast<const std::byte*>(&own), sizeof own, 1);
    combine_slice(on, alone, op, what, root, {0, bytes}, parts, bytes, place);
    co_return;
  }
  // Where ranks share workers, each would do for all of them what one does in a slice.
  const bool few =
      on.size() <= 64 || what == ordered::reduce || on.shared_rendezvous().is_of_single_ranks();
  const bool whole = !place.apart || what == ordered::reduce;
  const bool copied = few && whole && shows_copies(on, bytes, op.alignment);
  const rendezvous_awaiter arrived =
      copied ? meet(on, bytes, in, bytes) : meet(on, bytes, {in, out, place.before});
  const shown all = co_await arrived;
  traffic.rounds += rounds_of(on, copied);
  if (copied) {
    const piece all_bytes{0, bytes};
    combine_copies(on, all, op, what, root, in, out,
                   what == ordered::reduce_scatter ? parts.part(on.rank()) : all_bytes, place,
                   traffic);
    co_return;
  }
  if (what != ordered::reduce && what != ordered::reduce_scatter)
    check_outputs_apart(on, all, bytes);
  const piece p = slice_for(on, op.element, bytes);
  if (p.bytes != 0) {
    combine_slice(on, all, op, what, root, p, parts, bytes, place);
    traffic.blocks += on.size() - 1;
    traffic.bytes += (on.size() - 1) * p.bytes;
    traffic.copies += on.size();
  }
  co_await part(on);
}

task<> collected_all_gather(endpoint& on, const std::byte* mine, std::byte* all, layout parts,
                            collective_traffic& traffic) {
  const std::size_t total = parts.total(on.size());
  const piece own = parts.part(on.rank());
  const bool copied = shows_copies(on, parts.longest(on.size()) * parts.element);
  const rendezvous_awaiter arrived =
      copied ? meet(on, total, mine, own.bytes) : meet(on, total, {mine, all});
  copy(all + own.offset, mine, own.bytes, traffic);  // while others come
  const shown ranks = co_await arrived;
  traffic.rounds += rounds_of(on, copied);
  for (std::uint32_t offset = 1; offset < on.size(); ++offset) {
    const std::uint32_t rank = (on.rank() + offset) % on.size();
    const piece p = parts.part(rank);
    receive(all + p.offset, copied ? ranks.copy_of(rank) : ranks[rank].in, p.bytes, traffic);
  }
  if (!copied) co_await part(on);
}

task<> collected_exchange(endpoint& on, const std::byte* in, layout sent, std::byte* out,
                          layout received, collective_traffic& traffic) {
  // Where all parts are equal, so are all ranks' buffers.
  const bool equal = sent.ends.empty();
  const std::size_t common = equal ? sent.total(on.size()) : 0;
  const bool copied = equal && shows_copies(on, common);
  const rendezvous_awaiter arrived =
      copied ? meet(on, common, in, common) : meet(on, common, {in, out, &sent});
  const piece own = received.part(on.rank());
  copy(out + own.offset, in + sent.part(on.rank()).offset, own.bytes, traffic);
  const shown all = co_await arrived;
  traffic.rounds += rounds_of(on, copied);
  for (std::uint32_t offset = 1; offset < on.size(); ++offset) {
    const std::uint32_t rank = (on.rank() + offset) % on.size();
    const layout& parts = equal ? sent : *static_cast<const layout*>(all[rank].more);
    const piece theirs = parts.part(on.rank()), ours = received.part(rank);
    if (theirs.bytes != ours.bytes) on.mismatch(rank, theirs.bytes, ours.bytes);
    receive(out + ours.offset, (copied ? all.copy_of(rank) : all[rank].in) + theirs.offset,
            ours.bytes, traffic);
  }
  if (!copied) co_await part(on);
}

}  // namespace pleat::detail
