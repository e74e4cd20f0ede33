// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include <pleat/collectives/detail/engines.hpp>

/// Reductions and scans by one who sees the memory of all: as a serial loop over the ranks would.
namespace pleat::detail {

/// Buffers of a rank: its input, as long as those of all others, and where its result goes.
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
  /// Writes that slice of the sum to all ranks.
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

  /// Slice `p` of what all are to get, from all inputs.
  void compute(ordered what, std::uint32_t root, piece p, const layout& parts) const {
    switch (what) {
      case ordered::reduce:
        return sum_to(p, [&](std::size_t at) { return all_[root].out + at; });
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
  /// [first, last) of the sum of all, each rank's part to it.
  void sum_to_parts(piece slice, const layout& parts) const {
    for_chunks(slice, [&](std::size_t at, std::size_t bytes) {
      op_(sum_, all_[0].in + at, all_[1].in + at, bytes);
      for (const buffers& b : all_.subspan(2)) op_(sum_, sum_, b.in + at, bytes);
      std::size_t rank = parts.owner(at / op_.element);
      for (std::size_t done = 0; done < bytes; ++rank) {
        const piece p = parts.part(rank);
        const std::size_t inside = at + done - p.offset;
        const std::size_t run = std::min(p.bytes - inside, bytes - done);
        if (run != 0) std::memcpy(all_[rank].out + inside, sum_ + done, run);
        done += run;
      }
    });
  }

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

}  // namespace pleat::detail
