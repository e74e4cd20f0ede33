// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <pleat/collectives/detail/engines.hpp>

#include "rendezvous.hpp"

/// Reductions and scans by one who sees the memory of all: as a serial loop over the ranks would.
namespace pleat::detail {

/// Elements at a time: what is being added up stays in the nearest cache.
constexpr std::size_t chunk_bytes = 4096;

/// A slice of the result, for all ranks that get it, computed by `rank`.
class slice_of {
 public:
  slice_of(const shown& all, const combiner& op, std::byte* chunk, std::uint32_t rank)
      : all_(all), op_(op), sum_(chunk), next_(chunk + chunk_size(op)), rank_(rank) {}

  static std::size_t chunk_size(const combiner& op) {
    return std::max<std::size_t>(1, chunk_bytes / op.element) * op.element;
  }

  /// Slice `p` of what all are to get, from all inputs.
  void compute(ordered what, std::uint32_t root, piece p, const layout& parts) const {
    switch (what) {
      case ordered::reduce:
        return for_chunks(
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
    const std::byte* sum = all_[0].in + at;
    for (std::size_t rank = 1; rank < all_.size(); ++rank) {
      std::byte* const next = rank + 1 == all_.size() ? to : sum_;
      op_(next, sum, all_[rank].in + at, bytes);
      sum = next;
    }
  }
  /// Writes that slice of the sum to all ranks.
  void sum_to_all(piece slice) const {
    for_chunks(slice, [&](std::size_t at, std::size_t bytes) {
      const std::byte* const sum = all_[rank_].out + at;
      sum_to(all_[rank_].out + at, at, bytes);
      for (std::size_t rank = 0; rank < all_.size(); ++rank) {
        if (rank != rank_) std::memcpy(all_[rank].out + at, sum, bytes);
      }
    });
  }
  /// Writes that slice of the sum to the ranks whose parts it is.
  void sum_to_parts(piece slice, const layout& parts) const {
    for_chunks(slice, [&](std::size_t at, std::size_t bytes) {
      std::size_t rank = parts.owner(at / op_.element);
      const piece first = parts.part(rank);
      if (at + bytes <= first.offset + first.bytes)
        return sum_to(all_[rank].out + (at - first.offset), at, bytes);
      sum_to(sum_, at, bytes);
      for (std::size_t done = 0; done < bytes; ++rank) {
        const piece p = parts.part(rank);
        const std::size_t inside = at + done - p.offset;
        const std::size_t run = std::min(p.bytes - inside, bytes - done);
        if (run != 0) std::memcpy(all_[rank].out + inside, sum_ + done, run);
        done += run;
      }
    });
  }
  void scan(piece slice, bool exclusive) const {
    for_chunks(slice, [&](std::size_t at, std::size_t bytes) {
      for (std::size_t rank = 0; rank < all_.size(); ++rank) {
        std::byte* const out = all_[rank].out + at;
        std::memcpy(next_, all_[rank].in + at, bytes);  // `out` may be the same memory
        if (exclusive && rank != 0) std::memcpy(out, sum_, bytes);
        if (rank == 0)
          std::memcpy(sum_, next_, bytes);
        else
          op_(sum_, sum_, next_, bytes);
        if (!exclusive) std::memcpy(out, sum_, bytes);
      }
    });
  }

  template <class Work> void for_chunks(piece slice, const Work& work) const {
    const std::size_t step = chunk_size(op_);
    for (std::size_t done = 0; done < slice.bytes; done += step)
      work(slice.offset + done, std::min(step, slice.bytes - done));
  }

  const shown& all_;
  const combiner& op_;
  std::byte* sum_;
  std::byte* next_;
  std::uint32_t rank_;
};

}  // namespace pleat::detail
