// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include <pleat/oblivious/detail/sort/choose.hpp>
#include <pleat/oblivious/detail/sort/word_source.hpp>
#include <pleat/runtime/view.hpp>

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

/// Column of one VP in the matrix, for arithmetic keys: the local work between the supersteps.
///
/// Phase 1 turns keys into words, and the finish turns words into keys. Between these, rows that do
/// not exist are the least or the greatest word: rows before the first are 0, rows after the last
/// no_key. So no loop has an edge case.
template <sort_word U> class word_column {
 public:
  using key = U;
  using source = word_source<U>;
  using home_column = word_column;
  static constexpr std::size_t tile = sizeof(U) == 8 ? 512 : 1024;
  static constexpr std::size_t quantum = tile;

  /// Number of keys for which a column needs working memory.
  [[nodiscard]] static std::size_t work_keys(const block_shape& shape) noexcept {
    const std::size_t s = shape.columns;
    return 2 * ring_words(shape) + merge_tree<U>::room(s, tile) +
           (s > 2 ? merge_tree<U>::room(s, finish_tile) : 0) + tile;
  }

  /// Makes column `index`. `keys` and `sorted`, with room for as many, are those of the whole
  /// matrix; `work` belongs to this column.
  word_column(const block_shape& shape, std::size_t index, const source& keys, U* sorted, U* work)
      : shape_(shape),
        index_(index),
        keys_(keys),
        sorted_(sorted + index * shape.rows),
        halves_{work, work + ring_words(shape)},
        merge_(shape.columns, tile, work + 2 * ring_words(shape)),
        finish_(shape.columns > 2 ? shape.columns : 1, finish_tile,
                work + 2 * ring_words(shape) + merge_tree<U>::room(shape.columns, tile)),
        stage_(work + work_keys(shape) - tile),
        slices_(shape.columns) {}

  /// Performs phase 1: copies this column's block to scratch memory, sorted.
  void sort() {
    sorting::copy_sorted<U>(keys_.from(index_ * shape_.rows).keys, shape_.block(index_), keys_.map,
                            sorted_);
  }

  /// Returns the keys that phase 2 sends to column q: every s-th key of the block, from the q-th
  /// on.
  [[nodiscard]] strided_view<const U> run_for(std::size_t q) const noexcept {
    return {sorted_ + q, shape_.run(index_, q), 1, shape_.columns};
  }
  void take_run(std::size_t c, const strided_view<const U>& run) noexcept {
    merge_.set_run(c, run.data, run.rows, run.stride);
  }

  /// Performs phase 3: merges the rows of chunk t behind the last rows of the chunk before.
  void merge(std::size_t t) {
    const std::size_t before = 2 * shape_.halo();
    U* const half = halves_[t % 2];
    if (t == 0)
      std::fill_n(half, before, U{0});
    else
      std::copy_n(halves_[(t - 1) % 2] + shape_.chunk_rows, before, half);
    for (std::size_t i = 0; i < shape_.merged_rows(t); i += tile) merge_.next(half + before + i);
  }

  /// Returns the rows that VP q needs for its share of chunk t: the share's rows and the halo.
  [[nodiscard]] strided_view<const U> slice_for(std::size_t t, std::size_t q) const noexcept {
    const auto [first, last] = shape_.share(t, q);
    const std::size_t h = shape_.halo();
    const U* const row = halves_[t % 2] + first + h - t * shape_.chunk_rows;  // of row first − h
    return std::span<const U>(row, first == last ? 0 : last - first + 2 * h);
  }
  void take_slice(std::size_t c, const strided_view<const U>& slice) noexcept {
    slices_[c] = slice.data;
  }

  /// Performs phases 4 to 8 for this VP's share of chunk t: writes keys of the result, from place
  /// x·s on, where x is the first row of the share.
  void finish(std::size_t t) {
    const auto [first, last] = shape_.share(t, index_);
    if (first != last) {
      if (shape_.columns == 2)
        finish_two(first, last);
      else
        finish_many(first, last);
    }
    if (keys_.stream && t + 1 == shape_.chunks()) finish_streaming();
  }

  // Steps of the recursion on a VP's block in scratch memory.

  [[nodiscard]] static source home(U* words, const source&) noexcept {
    return {reinterpret_cast<std::byte*>(words), key_map<U>(), false};
  }
  static void load(const source& keys, std::size_t first, std::size_t count, U* to) noexcept {
    for (std::size_t i = 0; i < count; ++i) to[i] = keys.word(first + i);
  }
  static void store(const U* from, const source& keys, std::size_t first, std::size_t count) {
    sorting::store_keys<U>(from, count, keys.map, keys.from(first).keys, false);
  }
  [[nodiscard]] static bool before(const source&, U a, U b) noexcept { return a < b; }

  static void restore(const U* sorted, const source& keys, std::size_t n) {
    store(sorted, keys, 0, n);
  }

  // Steps that need no matrix.

  static void sort_home(const source& keys, std::size_t n) {
    sorting::sort_keys<U>(keys.keys, n, keys.map);
  }
  [[nodiscard]] static std::size_t alone_keys(std::size_t) noexcept { return 0; }
  static bool sort_alone(const source& keys, std::size_t n, U*) {
    sort_home(keys, n);
    return true;
  }
  static void leave(const source&, std::size_t, std::size_t) noexcept {}
  [[nodiscard]] static bool is_sorted(const source& keys, std::size_t first, std::size_t count) {
    return sorting::keys_ascend<U>(keys.from(first).keys, count, keys.map);
  }

 private:
  static constexpr std::size_t finish_tile = merge_quantum;

  static std::size_t ring_words(const block_shape& shape) noexcept {
    return round_up(shape.kept_rows(), 128 / sizeof(U));
  }

  /// Finishes two columns: compares and exchanges neighbours, as every key is at most one place
  /// off.
  void finish_two(std::size_t first, std::size_t last) {
    for (std::size_t row = first; row < last; row += tile / 2) {
      const std::size_t rows = std::min(tile / 2, last - row);
      const std::size_t at = row - first + 1;  // a slice begins one row early
      sorting::exchange_neighbours(slices_[0] + at, slices_[1] + at, rows, stage_);
      put(2 * row, stage_, 2 * rows);
    }
  }

  /// Merges the slices. The first halo·s keys of the merge belong before place first·s and are left
  /// out.
  void finish_many(std::size_t first, std::size_t last) {
    const std::size_t s = shape_.columns, h = shape_.halo();
    finish_.clear();
    for (std::size_t c = 0; c < s; ++c) finish_.set_run(c, slices_[c], last - first + 2 * h, 1);
    const std::size_t drop = h * s;
    const std::size_t end = drop + (last - first) * s;
    for (std::size_t done = 0; done < end; done += finish_tile) {
      finish_.next(stage_);
      const std::size_t skip = done < drop ? std::min(drop - done, finish_tile) : 0;
      const std::size_t stop = std::min(end - done, finish_tile);
      if (skip < stop) put(first * s + done + skip - drop, stage_ + skip, stop - skip);
    }
  }

  void put(std::size_t place, const U* words, std::size_t count) {
    if (place >= shape_.keys) return;
    sorting::store_keys<U>(words, std::min(count, shape_.keys - place), keys_.map,
                           keys_.from(place).keys, keys_.stream);
  }

  block_shape shape_;
  std::size_t index_;
  source keys_;
  U* sorted_;
  U* halves_[2];  // rows [t·C − 2h, (t + 1)·C) of the column, t even and odd
  merge_tree<U> merge_;
  merge_tree<U> finish_;
  U* stage_;
  std::vector<const U*> slices_;
};

}  // namespace pleat::detail::sorting
