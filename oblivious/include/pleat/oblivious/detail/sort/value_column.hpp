// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <pleat/oblivious/detail/sort/merge_two.hpp>
#include <pleat/oblivious/detail/sort/run_merger.hpp>
#include <pleat/oblivious/detail/sort/shape.hpp>
#include <pleat/oblivious/detail/sort/sort_copied.hpp>
#include <pleat/oblivious/detail/sort/sort_in_place.hpp>
#include <pleat/oblivious/detail/sort/value_finish.hpp>
#include <pleat/oblivious/detail/sort/value_source.hpp>
#include <pleat/runtime/view.hpp>

namespace pleat::detail::sorting {

/// Steps of a VP that need no matrix: on its own block, on keys in scratch memory ("home"), and on
/// all keys if it sorts alone.
template <class Source> struct value_block {
  using key = typename Source::key;
  using source = Source;
  using order_type = typename Source::order_type;
  using home_source = value_source<key*, order_type>;

  static void load(const source& keys, std::size_t first, std::size_t count, key* to) {
    const key* const from = keys.look(first, count, to);
    if (from != to) std::uninitialized_copy_n(from, count, to);
  }
  static void store(const key* from, const source& keys, std::size_t first, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) keys.store(first + i, from[i]);
  }
  [[nodiscard]] static home_source home(key* values, const source& like) noexcept {
    return {values, like.order};
  }
  [[nodiscard]] static bool before(const source& keys, const key& a, const key& b) {
    return (*keys.order)(a, b);
  }
  /// Puts all keys back into the user's array after a failure, if that is where they are stored.
  static void restore(const key* sorted, const source& keys, std::size_t n) {
    if constexpr (source::in_place) store(sorted, keys, 0, n);
  }
  /// Stores keys [first, first + count), which are already in order, unless they are sorted in
  /// place.
  static void leave(const source& keys, std::size_t first, std::size_t count) {
    if constexpr (!source::in_place)
      in_groups(keys, first, count, [&](std::size_t i, const key& k) {
        keys.store(i, k);
        return true;
      });
  }
  /// Sorts keys in scratch memory, in place.
  static void sort_home(const source& keys, std::size_t n) {
    sorting::sort_in_place(keys.values, n, *keys.order);
  }
  /// Number of keys for which sort_alone needs memory.
  [[nodiscard]] static std::size_t alone_keys(std::size_t n) noexcept {
    return n + sorting::sort_room<key>(n);
  }
  /// Sorts without other VPs; returns false if all keys were in order. If the order throws, the
  /// array is unchanged.
  static bool sort_alone(const source& keys, std::size_t n, key* memory) {
    if (is_sorted(keys, 0, n)) {
      leave(keys, 0, n);
      return false;
    }
    const auto look = [&keys](std::size_t i, std::size_t count, key* room) {
      return keys.look(i, count, room);
    };
    sorting::sort_copied(n, look, *keys.order, memory + n, memory);
    store(memory, keys, 0, n);
    return true;
  }
  [[nodiscard]] static bool is_sorted(const source& keys, std::size_t first, std::size_t count) {
    if (count < 2) return true;
    raw_values<key, 1> last;
    load(keys, first, 1, last.data());
    return in_groups(keys, first + 1, count - 1, [&](std::size_t, const key& k) {
      if ((*keys.order)(k, *last.data())) return false;
      std::construct_at(last.data(), k);
      return true;
    });
  }

 private:
  /// Calls visit(i, key) for keys from `first` on while it returns true. The first group has two
  /// keys only, because two are enough to see that most arrays are not in order.
  template <class Visit>
  static bool in_groups(const source& keys, std::size_t first, std::size_t count,
                        const Visit& visit) {
    constexpr std::size_t largest = 32;
    raw_values<key, largest> group;
    std::size_t some = 0;
    for (std::size_t i = 0; i < count; i += some) {
      some = std::min(i == 0 ? 2 : largest, count - i);
      const key* const here = keys.look(first + i, some, group.data());
      for (std::size_t j = 0; j < some; ++j)
        if (!visit(first + i + j, here[j])) return false;
    }
    return true;
  }
};

/// Column of one VP in the matrix, for any keys that may be moved as bytes, in any order. The steps
/// are those of word_column. But there is no greatest key, so missing rows are left out.
template <class Source> class value_column : public value_block<Source> {
 public:
  using key = typename Source::key;
  using source = Source;
  using order_type = typename Source::order_type;
  /// Column of keys in scratch memory.
  using home_column = value_column<typename value_block<Source>::home_source>;
  static constexpr std::size_t quantum = 1;
  static_assert(byte_movable<key>);

  [[nodiscard]] static std::size_t work_keys(const block_shape& shape) noexcept {
    return std::max(2 * shape.kept_rows(), sorting::sort_room<key>(shape.rows));
  }

  value_column(const block_shape& shape, std::size_t index, const source& keys, key* sorted,
               key* work)
      : shape_(shape),
        index_(index),
        keys_(keys),
        sorted_(sorted + index * shape.rows),
        halves_{work, work + shape.kept_rows()},
        held_(shape.column(index)),
        runs_(shape.columns),
        merge_(shape.columns > 2 ? shape.columns : 1, *keys.order),
        slices_(shape.columns) {}

  void sort() {
    const std::size_t first = index_ * shape_.rows;
    const auto look = [&](std::size_t i, std::size_t count, key* room) {
      return keys_.look(first + i, count, room);
    };
    // Uses the halves as scratch memory: they are still free.
    sorting::sort_copied(shape_.block(index_), look, *keys_.order, halves_[0], sorted_);
  }

  [[nodiscard]] strided_view<const key> run_for(std::size_t q) const noexcept {
    return {sorted_ + q, shape_.run(index_, q), 1, shape_.columns};
  }
  void take_run(std::size_t c, const strided_view<const key>& run) {
    runs_[c] = {run.data, run.rows, run.stride};
  }

  void merge(std::size_t t) {
    const std::size_t first = t * shape_.chunk_rows;
    const std::size_t before = 2 * shape_.halo();
    key* half = halves_[t % 2];
    if (t == 0) {
      left_ = held_;
      if (shape_.columns != 2) {
        for (std::size_t c = 0; c < runs_.size(); ++c)
          merge_.set_run(c, runs_[c].first, runs_[c].left, runs_[c].stride);
        merge_.start();
      }
    } else if (before != 0 && held_ + before > first) {  // rows [first − before, first), if any
      std::uninitialized_copy_n(halves_[(t - 1) % 2] + shape_.chunk_rows,
                                std::min(before, held_ + before - first), half);
    }
    half += before;
    const std::size_t rows = std::min(shape_.merged_rows(t), left_);
    left_ -= rows;
    if (shape_.columns == 2)
      sorting::merge_two(runs_[0], runs_[1], rows, *keys_.order, half);
    else
      for (std::size_t i = 0; i < rows; ++i) std::construct_at(half + i, merge_.next());
  }

  [[nodiscard]] strided_view<const key> slice_for(std::size_t t, std::size_t q) const noexcept {
    const auto [first, last] = slice_rows(shape_, shape_.share(t, q), held_);
    const key* const row = halves_[t % 2] + (first + 2 * shape_.halo() - t * shape_.chunk_rows);
    return std::span<const key>(row, last - first);
  }
  void take_slice(std::size_t c, const strided_view<const key>& slice) noexcept {
    slices_[c] = {slice.data, slice.size()};
  }

  void finish(std::size_t t) {
    const interval<> share = shape_.share(t, index_);
    if (share.first * shape_.columns >= shape_.keys || share.empty()) return;
    if (shape_.columns == 2)
      cuts_ += sorting::finish_two(keys_, share, slice_rows(shape_, share, shape_.rows).first,
                                   slices_[0], slices_[1]);
    else
      cuts_ += sorting::finish_many<source, key>(keys_, shape_, share, slices_);
  }

  /// Sum of the words that finish_two and finish_many returned. The sums of all columns add up to 0
  /// if their shares make up a permutation (value_finish.hpp).
  [[nodiscard]] std::uint64_t cuts() const noexcept { return cuts_; }
  /// Stores the keys of the VP's block, as phase 1 left them, at the places of the block.
  void leave_block() const {
    value_block<Source>::store(sorted_, keys_, index_ * shape_.rows, shape_.block(index_));
  }

 private:
  block_shape shape_;
  std::size_t index_;
  source keys_;
  key* sorted_;
  key* halves_[2];
  std::size_t held_;      // keys in my column
  std::size_t left_ = 0;  // of them not merged yet
  std::uint64_t cuts_ = 0;
  std::vector<strided_run<key>> runs_;
  run_merger<key, const order_type> merge_;
  std::vector<std::span<const key>> slices_;
};

}  // namespace pleat::detail::sorting
