// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include <pleat/oblivious/detail/sort/merge_two.hpp>
#include <pleat/oblivious/detail/sort/run_merger.hpp>
#include <pleat/oblivious/detail/sort/sample_sort.hpp>
#include <pleat/oblivious/detail/sort/shape.hpp>
#include <pleat/oblivious/detail/sort/value_source.hpp>
#include <pleat/runtime/view.hpp>

namespace pleat::detail::sorting {

/// One VP's column of the matrix, for any keys that may be moved as bytes, in any order. The same
/// steps as word_column; but there is no greatest key, so the rows that are not there are left out.
template <class Source> class value_column {
 public:
  using key = typename Source::key;
  using source = Source;
  using order_type = typename Source::order_type;
  /// For keys in memory of our own.
  using home_column = value_column<value_source<key*, order_type>>;
  static constexpr std::size_t quantum = 1;
  static_assert(byte_movable<key>);

  [[nodiscard]] static std::size_t work_keys(const block_shape& shape) noexcept {
    return std::max(2 * shape.kept_rows(), sort_room<key>(shape.rows));
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
    // The halves are not in use yet.
    sort_copied(shape_.block(index_), look, *keys_.order, halves_[0], sorted_);
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
      merge_two(runs_[0], runs_[1], rows, *keys_.order, half);
    else
      for (std::size_t i = 0; i < rows; ++i) std::construct_at(half + i, merge_.next());
  }

  [[nodiscard]] strided_view<const key> slice_for(std::size_t t, std::size_t q) const noexcept {
    const auto [first, last] = slice_rows(shape_.share(t, q), held_);
    const key* const row = halves_[t % 2] + (first + 2 * shape_.halo() - t * shape_.chunk_rows);
    return std::span<const key>(row, last - first);
  }
  void take_slice(std::size_t c, const strided_view<const key>& slice) noexcept {
    slices_[c] = {slice.data, slice.size()};
  }

  void finish(std::size_t t) {
    const interval<> share = shape_.share(t, index_);
    if (share.first * shape_.columns >= shape_.keys || share.size() == 0) return;
    if (shape_.columns == 2)
      finish_two(share);
    else
      finish_many(share);
  }

  /// Where this VP found its shares of the result to begin and end in the columns, in one word: the
  /// beginnings less the ends. One VP's end is another's beginning, so all together are 0.
  [[nodiscard]] std::uint64_t cuts() const noexcept { return cuts_; }
  /// The keys of my block, as phase 1 left them, to its places.
  void leave_block() const { store(sorted_, keys_, index_ * shape_.rows, shape_.block(index_)); }

  static void load(const source& keys, std::size_t first, std::size_t count, key* to) {
    const key* const from = keys.look(first, count, to);
    if (from != to) std::uninitialized_copy_n(from, count, to);
  }
  static void store(const key* from, const source& keys, std::size_t first, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) keys.store(first + i, from[i]);
  }
  [[nodiscard]] static typename home_column::source home(key* values, const source& like) noexcept {
    return {values, like.order};
  }
  [[nodiscard]] static bool before(const source& keys, const key& a, const key& b) {
    return (*keys.order)(a, b);
  }
  /// After a failure: the user's array holds all keys again, if it is they that are stored there.
  static void restore(const key* sorted, const source& keys, std::size_t n) {
    if constexpr (source::in_place) store(sorted, keys, 0, n);
  }
  /// Keys [first, first + count) are where they belong.
  static void leave(const source& keys, std::size_t first, std::size_t count) {
    if constexpr (!source::in_place)
      in_groups(keys, first, count, [&](std::size_t i, const key& k) {
        keys.store(i, k);
        return true;
      });
  }
  /// Sorts keys in memory of our own, where they are.
  static void sort_home(const source& keys, std::size_t n) {
    sort_in_place(keys.values, n, *keys.order);
  }
  /// How many keys' memory sort_alone takes.
  [[nodiscard]] static std::size_t alone_keys(std::size_t n) noexcept {
    return n + sort_room<key>(n);
  }
  /// Sorts without other VPs. What the order throws leaves all as it was.
  static void sort_alone(const source& keys, std::size_t n, key* memory) {
    if (is_sorted(keys, 0, n)) return leave(keys, 0, n);
    const auto look = [&keys](std::size_t i, std::size_t count, key* room) {
      return keys.look(i, count, room);
    };
    sort_copied(n, look, *keys.order, memory + n, memory);
    store(memory, keys, 0, n);
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
  /// visit(i, key) from `first` on while it returns true. Most arrays are known for what they are
  /// after two.
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

  /// Two columns: every key is at most one place off, so neighbours are compared and exchanged,
  /// first those of a row, then each row's second with the next row's first.
  void finish_two(const interval<>& share) {
    const order_type& order = *keys_.order;
    const std::span<const key> a = slices_[0];
    const std::span<const key> b = slices_[1];  // as long, or shorter by one
    const std::size_t from = slice_rows(share, shape_.rows).first;
    const std::size_t first = share.first - from;
    const std::size_t last = std::min(share.last - from, a.size());
    struct row_of_two {
      const key* low;
      const key* high;
    };
    const auto row_at = [&](std::size_t row) -> row_of_two {
      if (row >= b.size()) return {&a[row], nullptr};
      const std::size_t exchange = without_branch(order(b[row], a[row]));
      return {choose(exchange, &a[row], &b[row]), choose(exchange, &b[row], &a[row])};
    };
    std::size_t place = 2 * share.first;  // of the row's first key
    const key* before = first == 0 ? nullptr : row_at(first - 1).high;
    // What was decided at a cut: which key of the row before is the greater, which of the row
    // behind the lesser, whether they change places.
    const auto cut_at = [&](std::size_t row, const key* high, const key* low,
                            std::size_t exchange) {
      return mixed({row + from, high == &a[row - 1] ? 1U : 0U, low == &a[row] ? 1U : 0U, exchange});
    };
    for (std::size_t row = first; row < last; ++row, place += 2) {
      const auto [low, high] = row_at(row);
      if (before == nullptr) {
        keys_.store(place, *low);
      } else {
        const std::size_t exchange = without_branch(order(*low, *before));
        if constexpr (!trusted_order<order_type>)
          if (row == first) cuts_ += cut_at(row, before, low, exchange);
        if (row != first) keys_.store(place - 1, *choose(exchange, before, low));
        keys_.store(place, *choose(exchange, low, before));
      }
      before = high;
    }
    if (before == nullptr) return;  // the last key of all stands in the first column
    if (last < a.size()) {
      const key* const low = row_at(last).low;
      const std::size_t exchange = without_branch(order(*low, *before));
      if constexpr (!trusted_order<order_type>) cuts_ -= cut_at(last, before, low, exchange);
      before = choose(exchange, before, low);
    }
    keys_.store(place - 1, *before);
  }

  /// Merges the slices.
  void finish_many(const interval<>& share) {
    const std::size_t s = shape_.columns;
    const std::size_t stop = std::min(share.last * s, shape_.keys);
    std::size_t place = share.first * s;
    run_merger<key, const order_type> window(s, *keys_.order);
    for (std::size_t c = 0; c < s; ++c) window.set_run(c, slices_[c].data(), slices_[c].size(), 1);
    window.start();
    const std::size_t from = slice_rows(share, shape_.rows).first;
    for (std::size_t i = from * s; i < place; ++i) window.next();
    if constexpr (!trusted_order<order_type>) cuts_ += cut_of(window, from, place);
    for (; place < stop; ++place) keys_.store(place, window.next());
    if constexpr (!trusted_order<order_type>) cuts_ -= cut_of(window, from, place);
  }

  /// How much of every column comes before a place, in a word; of the first place and the end, 0.
  template <class Window>
  [[nodiscard]] std::uint64_t cut_of(const Window& window, std::size_t from,
                                     std::size_t place) const noexcept {
    if (place == 0 || place == shape_.keys) return 0;
    std::uint64_t cut = 0;
    for (std::size_t c = 0; c < shape_.columns; ++c)
      cut += mixed({place, c, std::min(from + window.taken(c), shape_.column(c))});
    return cut;
  }
  static std::uint64_t mixed(std::initializer_list<std::uint64_t> words) noexcept {
    std::uint64_t mix = 0;  // the steps of splitmix64
    for (const std::uint64_t word : words) {
      mix += word + 0x9e3779b97f4a7c15U;
      mix = (mix ^ (mix >> 30U)) * 0xbf58476d1ce4e5b9U;
      mix = (mix ^ (mix >> 27U)) * 0x94d049bb133111ebU;
      mix ^= mix >> 31U;
    }
    return mix;
  }

  /// The share's rows and the halo, cut to the rows there are.
  [[nodiscard]] interval<> slice_rows(const interval<>& share, std::size_t rows) const noexcept {
    const std::size_t h = shape_.halo();
    const std::size_t first = std::max(share.first, h) - h;
    const std::size_t last = share.size() == 0 ? 0 : std::min(share.last + h, rows);
    return {first, std::max(first, last)};
  }

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
