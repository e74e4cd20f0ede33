// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include <pleat/oblivious/detail/sort/word_kernels.hpp>

namespace pleat::detail::sorting {

/// Merges any number of sorted runs of words by a binary tree of two-way merges, a tile at a time.
/// Besides the runs it uses only a few tiles, which stay in the nearest cache.
///
/// Runs may be strided. Behind its end a run reads as no_key, so no merge has to test for the end.
/// Cost: ⌈log2 runs⌉ two-way merges per word, the same for every input.
template <sort_word U> class merge_tree {
 public:
  /// Number of words of memory that a tree needs.
  [[nodiscard]] static constexpr std::size_t room(std::size_t runs, std::size_t tile) noexcept {
    return (2 * runs - 1) * buffer_words(tile);
  }

  /// Requires: runs ≥ 1, tile a multiple of merge_quantum, `memory` of room(runs, tile) words.
  merge_tree(std::size_t runs, std::size_t tile, U* memory)
      : nodes_(2 * runs), leaves_(runs), tile_(tile) {
    for (std::size_t i = 1; i < 2 * runs; ++i)
      nodes_[i] = {memory + (i - 1) * buffer_words(tile), 0, 0};
  }

  /// Makes all runs empty.
  void clear() noexcept {
    for (node& it : nodes_) it.first = it.last = 0;
    for (leaf& it : leaves_) it = {};
  }

  /// Sets run i to first[0], first[stride], …, `count` words in all, which must stay unchanged.
  void set_run(std::size_t i, const U* first, std::size_t count, std::size_t stride) noexcept {
    leaves_[i] = {first, count, stride, first};
  }

  /// Writes the next `tile` words in order to `out`; no_key after the last.
  void next(U* out) { produce(1, out); }

 private:
  struct node {
    U* words;
    std::size_t first, last;  // what is in the buffer
  };
  struct leaf {
    const U* next = nullptr;
    std::size_t left = 0;
    std::size_t stride = 1;
    const U* fetched = nullptr;  // how far the run has been prefetched
  };

  static constexpr std::size_t buffer_words(std::size_t tile) noexcept {
    return 2 * tile + merge_slack;
  }

  void produce(std::size_t i, U* out) {
    if (i >= leaves_.size()) return produce_leaf(leaves_[i - leaves_.size()], out);
    if (2 * i >= leaves_.size() && produce_from_runs(2 * i, out)) return;
    const U* const a = filled(2 * i);
    const U* const b = filled(2 * i + 1);
    const std::size_t from_a = sorting::merge_words(a, b, 1, tile_, out);
    nodes_[2 * i].first += from_a;
    nodes_[2 * i + 1].first += tile_ - from_a;
  }

  /// Merges leaves i and i + 1 where they lie, as long as neither is near its end.
  bool produce_from_runs(std::size_t i, U* out) {
    leaf& a = leaves_[i - leaves_.size()];
    leaf& b = leaves_[i + 1 - leaves_.size()];
    const std::size_t enough = tile_ + merge_slack;
    if (a.stride > 2 || a.stride != b.stride || a.left <= enough || b.left <= enough) return false;
    if (nodes_[i].last != 0 || nodes_[i + 1].last != 0) return false;  // begun to be copied
    fetch(a);
    fetch(b);
    const std::size_t from_a = sorting::merge_words(a.next, b.next, a.stride, tile_, out);
    skip(a, from_a);
    skip(b, tile_ - from_a);
    return true;
  }

  static void skip(leaf& run, std::size_t count) noexcept {
    run.next += count * run.stride;
    run.left -= count;
  }

  /// Prefetches the words that the next tiles may read, because the searches of a merge access
  /// memory in an order that the hardware does not predict.
  void fetch(leaf& run) noexcept {
    constexpr std::size_t line = 64 / sizeof(U);
    const std::size_t ahead = std::min(run.left, 3 * tile_) * run.stride;
    if (run.fetched < run.next) run.fetched = run.next;
    for (; run.fetched < run.next + ahead; run.fetched += line) __builtin_prefetch(run.fetched);
  }

  void produce_leaf(leaf& run, U* out) {
    const std::size_t count = run.left < tile_ ? run.left : tile_;
    if (count != 0) sorting::gather_words(run.next, run.stride, count, out);
    for (std::size_t i = count; i < tile_; ++i) out[i] = no_key<U>;
    if (count < run.left)
      skip(run, count);
    else
      run.left = 0;
  }

  /// Fills the buffer of node i until a whole tile can be merged from it, and returns its words.
  const U* filled(std::size_t i) {
    node& it = nodes_[i];
    while (it.last - it.first < tile_ + merge_slack) {
      if (it.last + tile_ > buffer_words(tile_)) {
        std::memmove(it.words, it.words + it.first, (it.last - it.first) * sizeof(U));
        it.last -= it.first;
        it.first = 0;
      }
      produce(i, it.words + it.last);
      it.last += tile_;
    }
    return it.words + it.first;
  }

  std::vector<node> nodes_;  // 1 is the root; the children of i are 2i and 2i + 1
  std::vector<leaf> leaves_;
  std::size_t tile_;
};

}  // namespace pleat::detail::sorting
