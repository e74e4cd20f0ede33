// SPDX-License-Identifier: Apache-2.0
// Reductions and scans in the order of the ranks. All memory is shared, so nobody needs partial
// sums: every rank takes a slice of the result and computes it, for all who want it, from all
// inputs, as a serial loop over the ranks would.
#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include <pleat/collectives/detail/engines.hpp>

namespace pleat::detail {

namespace {

struct buffers {
  const std::byte* in;
  std::byte* out;
  std::size_t bytes;  // of `in`
};

/// Elements at a time: what is being added up stays in the nearest cache.
constexpr std::size_t chunk_bytes = 4096;

/// A slice of the result, for all ranks that get it.
class slice_of {
 public:
  slice_of(std::span<const buffers> all, const combiner& op, std::byte* chunk)
      : all_(all), op_(op), sum_(chunk), next_(chunk + chunk_size(op)) {}

  static std::size_t chunk_size(const combiner& op) {
    return std::max<std::size_t>(1, chunk_bytes / op.element) * op.element;
  }

  /// [first, last) of the sum of all, where `place(offset)` says.
  template <class Place> void sum_to(piece slice, const Place& place) const {
    for_chunks(slice, [&](std::size_t at, std::size_t bytes) {
      // In the chunk as long as there is more to come: `place` may be one of the inputs.
      const std::byte* sum = all_[0].in + at;
      for (std::size_t rank = 1; rank < all_.size(); ++rank) {
        std::byte* const to = rank + 1 == all_.size() ? place(at) : sum_;
        op_(to, sum, all_[rank].in + at, bytes);
        sum = to;
      }
    });
  }
  /// The same to everybody.
  void sum_to_all(piece slice) const {
    for_chunks(slice, [&](std::size_t at, std::size_t bytes) {
      op_(sum_, all_[0].in + at, all_[1].in + at, bytes);
      for (const buffers& b : all_.subspan(2)) op_(sum_, sum_, b.in + at, bytes);
      for (const buffers& b : all_) std::memcpy(b.out + at, sum_, bytes);
    });
  }
  void scan(piece slice, bool exclusive) const {
    for_chunks(slice, [&](std::size_t at, std::size_t bytes) {
      for (std::size_t rank = 0; rank < all_.size(); ++rank) {
        const buffers& b = all_[rank];
        std::memcpy(next_, b.in + at, bytes);  // `out` may be the same memory
        if (exclusive && rank != 0) std::memcpy(b.out + at, sum_, bytes);
        if (rank == 0)
          std::memcpy(sum_, next_, bytes);
        else
          op_(sum_, sum_, next_, bytes);
        if (!exclusive) std::memcpy(b.out + at, sum_, bytes);
      }
    });
  }

 private:
  template <class Work> void for_chunks(piece slice, const Work& work) const {
    const std::size_t step = chunk_size(op_);
    for (std::size_t done = 0; done < slice.bytes; done += step)
      work(slice.offset + done, std::min(step, slice.bytes - done));
  }

  std::span<const buffers> all_;
  const combiner& op_;
  std::byte* sum_;
  std::byte* next_;
};

/// Everybody has come here when anybody goes on: q rounds.
task<> meet(endpoint& on, collective_traffic& traffic) {
  for (unsigned k = 0; k < on.graph().rounds(); ++k) {
    edge& to = on.to(on.graph().to(on.rank(), k));
    edge& from = on.from(on.graph().from(on.rank(), k));
    co_await on.room(to);
    on.push(to, collective::meet, nullptr, 0);
    co_await on.value(from);
    on.take(from, collective::meet, 0, [](const std::byte*) {});
    ++traffic.rounds;
  }
}

void combine(const slice_of& slice, ordered what, std::uint32_t root, std::span<const buffers> all,
             piece p) {
  switch (what) {
    case ordered::reduce:
      slice.sum_to(p, [&](std::size_t at) { return all[root].out + at; });
      break;
    case ordered::all_reduce:
      slice.sum_to_all(p);
      break;
    case ordered::scan:
      slice.scan(p, false);
      break;
    case ordered::exclusive_scan:
      slice.scan(p, true);
      break;
    case ordered::reduce_scatter:
      break;  // its slices are its parts
  }
}

}  // namespace

task<> ordered_combine(endpoint& on, ordered what, std::uint32_t root, const std::byte* in,
                       std::byte* out, layout parts, combiner op, collective_traffic& traffic) {
  const std::size_t size = on.size();
  const std::size_t chunks = 2 * slice_of::chunk_size(op);
  std::byte* const kept = on.scratch(chunks + size * sizeof(buffers));
  // The addresses first: everybody's, to everybody.
  std::byte* const addresses = kept + chunks;
  const buffers mine{in, out, parts.total(size)};
  std::memcpy(addresses + on.rank() * sizeof mine, &mine, sizeof mine);
  collective_traffic of_addresses;
  task<> told = all_broadcast(on, addresses + on.rank() * sizeof mine, addresses,
                              {sizeof(buffers), 1}, 1, of_addresses);
  co_await told;
  traffic.rounds += of_addresses.rounds;

  std::vector<buffers> all(size);
  std::memcpy(all.data(), addresses, size * sizeof(buffers));
  for (std::uint32_t rank = 0; rank < size; ++rank) {
    if (all[rank].bytes != mine.bytes) on.mismatch(rank, all[rank].bytes, mine.bytes);
  }
  const slice_of slice(all, op, kept);
  std::size_t bytes = 0;
  if (what == ordered::reduce_scatter) {
    const piece p = parts.part(on.rank());
    slice.sum_to(p, [&](std::size_t at) { return out + (at - p.offset); });
    bytes = p.bytes;
  } else {
    const piece p = block_split{op.element, parts.total(size) / op.element, size}.at(on.rank());
    combine(slice, what, root, all, p);
    bytes = p.bytes;
  }
  if (bytes != 0) {
    traffic.blocks += size - 1;
    traffic.bytes += (size - 1) * bytes;
    traffic.copies += size;
  }
  task<> met = meet(on, traffic);  // nobody uses our memory any more
  co_await met;
}

}  // namespace pleat::detail
