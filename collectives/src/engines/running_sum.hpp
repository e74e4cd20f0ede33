// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

#include <pleat/collectives/detail/combiner.hpp>
#include <pleat/collectives/detail/endpoint.hpp>
#include <pleat/runtime/fold.hpp>

/// The order in which the inputs of ranks are combined, wherever the ranks are. 2^k ranks from a
/// multiple of 2^k on are a *block*, whose sum is that of its halves. Other ranks are divided into
/// as few blocks as possible, whose sums are added up from left to right if rank 0 is in the first:
///
///     ranks 0 … 6:   ((0 + 1) + (2 + 3)) + (4 + 5) + 6
///     ranks 3 … 8:   3 │ (4 + 5) + (6 + 7) │ 8
///
/// So a process needs the sums of at most 2 log2 v blocks of its ranks, and all ranks' sum is the
/// last one of a scan. The inputs of an operator that commutes are one block, from left to right.
namespace pleat::detail {

/// Ranks first … last − 1 whose sum is one operand.
struct rank_block {
  std::size_t first, last;

  [[nodiscard]] std::size_t size() const noexcept { return last - first; }
};

/// Calls use(block) for the blocks of some ranks.
template <class Use> void for_blocks(rank_range of, bool commutes, const Use& use) {
  while (!of.empty()) {
    std::size_t size = of.size();
    // The lesser one of two powers of two; of 0, all blocks begin there.
    if (!commutes) size = std::min(std::bit_floor(size) - 1, (of.first - 1) & ~of.first) + 1;
    use(rank_block{of.first, of.first + size});
    of.first += size;
  }
}
[[nodiscard]] inline std::size_t blocks_in(rank_range of, bool commutes) {
  std::size_t blocks = 0;
  for_blocks(of, commutes, [&](const rank_block&) { ++blocks; });
  return blocks;
}

/// Memory in which elements are added up, so many bytes at a time that all stays in the nearest
/// cache. On the stack if 16 KiB are enough, since taking memory costs more than many ranks have to
/// add. Requires: not in a coroutine's frame.
class room_for_sums {
 public:
  room_for_sums(endpoint& on, const combiner& op, std::size_t bytes, rank_range ranks)
      : step_(std::min(bytes, std::max<std::size_t>(1, most / op.element) * op.element)) {
    const auto levels = static_cast<std::size_t>(std::bit_width(ranks.last));
    const std::size_t needed = ((ranks.first == 0 ? 1 : 2) * levels + 2) * step_;
    at_ = needed <= sizeof here_ && op.alignment <= cache_line ? here_ : on.scratch(needed);
  }
  room_for_sums(const room_for_sums&) = delete;
  room_for_sums& operator=(const room_for_sums&) = delete;

  /// Calls work(at, bytes) for parts of a piece.
  template <class Work> void for_parts(piece of, const Work& work) const {
    for (std::size_t done = 0; done < of.bytes; done += step_)
      work(of.offset + done, std::min(step_, of.bytes - done));
  }
  [[nodiscard]] std::byte* place(std::size_t number) const { return at_ + number * step_; }

 private:
  static constexpr std::size_t most = 4096;

  std::size_t step_;
  std::byte* at_;
  alignas(cache_line) std::byte here_[4 * most];
};

/// Sum of the inputs of ranks that follow each other, and of blocks of them.
class running_sum {
 public:
  /// `bytes`: of each input, as room.for_parts says.
  running_sum(const combiner& op, const room_for_sums& room, std::size_t bytes)
      : op_(op), room_(room), bytes_(bytes) {}

  /// Adds the sum of the next block, which stays at `from`. If one block is left, the result of the
  /// last addition goes to `to`.
  void add(rank_block block, const std::byte* from, std::byte* to = nullptr) {
    while (blocks_ != 0 && joins(terms_[blocks_ - 1].block, block)) {
      const term& left = terms_[--blocks_];
      std::byte* const sum = blocks_ == 0 && to != nullptr ? to : room_.place(blocks_);
      op_(sum, left.at, from, bytes_);
      block.first = left.block.first;
      from = sum;
    }
    terms_[blocks_++] = {block, from};
  }
  /// Returns a copy of an input that is to be added next.
  [[nodiscard]] const std::byte* kept(const std::byte* from) const {
    std::memcpy(room_.place(blocks_), from, bytes_);
    return room_.place(blocks_);
  }
  /// Writes the sum of all blocks, and nothing else. Requires: there are some.
  void write(std::byte* to) const {
    const std::byte* sum = terms_[0].at;
    if (blocks_ == 1 && sum != to) std::memcpy(to, sum, bytes_);
    for (std::size_t i = 1; i < blocks_; ++i) {
      std::byte* const next = i + 1 == blocks_ ? to : room_.place(blocks_ + 1);
      op_(next, sum, terms_[i].at, bytes_);
      sum = next;
    }
  }
  /// Writes the sums of the blocks, `stride` bytes apart.
  void write_blocks(std::byte* to, std::size_t stride) const {
    for (std::size_t i = 0; i < blocks_; ++i, to += stride)
      if (to != terms_[i].at) std::memcpy(to, terms_[i].at, bytes_);
  }

 private:
  struct term {
    rank_block block;
    const std::byte* at;
  };

  [[nodiscard]] bool joins(const rank_block& left, const rank_block& right) const {
    return op_.commutes ||
           (left.size() == right.size() && (left.first & (left.size() + right.size() - 1)) == 0);
  }

  const combiner& op_;
  const room_for_sums& room_;
  std::size_t bytes_;
  std::size_t blocks_ = 0;
  term terms_[2 * 64];  // at most two of each size
};

}  // namespace pleat::detail
