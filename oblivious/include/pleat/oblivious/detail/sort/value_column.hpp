// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <pleat/oblivious/detail/sort/choose.hpp>
#include <pleat/oblivious/detail/sort/keys.hpp>
#include <pleat/oblivious/detail/sort/small_sort.hpp>
#include <pleat/oblivious/detail/sort/sort_copied.hpp>
#include <pleat/oblivious/detail/sort/value_records.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/view.hpp>

namespace pleat::detail::sorting {

/// Order of equal values of a merge: that of their runs, or that of (how many of their run came
/// before, run). For slices of columns that start at one row the latter is the order of (row,
/// column), that is of the place in the matrix.
enum class ties { by_run, by_place };

/// Merges sorted, possibly strided runs of any values by a loser tree.
/// Cost: ⌈log2 runs⌉ comparisons per value, one for two runs.
/// Source: Knuth, The Art of Computer Programming, vol. 3, 5.4.1.
template <class T, class Compare, ties Ties = ties::by_place> class run_merger {
 public:
  run_merger(std::size_t runs, Compare& less)
      : runs_(runs), losers_(runs), left_(0), less_(&less) {}

  void set_run(std::size_t i, const T* first, std::size_t count, std::size_t stride) {
    runs_[i] = {first, count, stride, 0};
  }
  /// Starts the merge. Requires: all runs are set.
  void start() {
    left_ = 0;
    for (const run& r : runs_) left_ += r.left;
    winner_ = play(1);
  }

  /// Number of values of run i that were merged.
  [[nodiscard]] std::size_t taken(std::size_t i) const noexcept { return runs_[i].taken; }

  /// Number of values that are still to be merged.
  [[nodiscard]] std::size_t left() const noexcept { return left_; }

  /// Returns the next value in order, which stays in its run. Requires: left() > 0.
  const T& next() {
    run& from = runs_[winner_];
    const T& value = *from.next;
    --left_;
    ++from.taken;
    if (--from.left != 0) from.next += from.stride;
    for (std::size_t i = (winner_ + runs_.size()) / 2; i != 0; i /= 2)
      if (before(losers_[i], winner_)) std::swap(losers_[i], winner_);
    return value;
  }

 private:
  struct run {
    const T* next = nullptr;
    std::size_t left = 0;
    std::size_t stride = 1;
    std::size_t taken = 0;
  };

  bool before(std::size_t a, std::size_t b) {
    const run& x = runs_[a];
    const run& y = runs_[b];
    if (x.left == 0) return false;
    if (y.left == 0) return true;
    const bool first_if_equal =
        Ties == ties::by_run || x.taken == y.taken ? a < b : x.taken < y.taken;
    return first_if_equal ? !(*less_)(*y.next, *x.next)
                          : static_cast<bool>((*less_)(*x.next, *y.next));
  }

  std::size_t play(std::size_t i) {  // the winner among the leaves below node i
    if (i >= runs_.size()) return i - runs_.size();
    std::size_t a = play(2 * i), b = play(2 * i + 1);
    if (before(b, a)) std::swap(a, b);
    losers_[i] = b;
    return a;
  }

  std::vector<run> runs_;
  std::vector<std::size_t> losers_;
  std::size_t winner_ = 0;
  std::size_t left_;
  Compare* less_;
};

// Phases 4 to 8 of Columnsort for one VP's share of the rows, on keys of any type. A slice of each
// column, with the share's rows and the halo, determines a stretch of the result, which is stored.
//
// If the comparator is no strict weak order, VPs may disagree about the keys where two shares meet.
// So each function returns a check word: a hash of where its share begins in the columns, minus a
// hash of where it ends. One VP's end is the next one's beginning, so the check words of all shares
// add up to 0 if and (almost) only if all VPs agree.

inline std::uint64_t mixed(std::initializer_list<std::uint64_t> words) noexcept {
  std::uint64_t mix = 0;  // the steps of splitmix64
  for (const std::uint64_t word : words) {
    mix += word + 0x9e3779b97f4a7c15U;
    mix = (mix ^ (mix >> 30U)) * 0xbf58476d1ce4e5b9U;
    mix = (mix ^ (mix >> 27U)) * 0x94d049bb133111ebU;
    mix ^= mix >> 31U;
  }
  return mix;
}

/// Rows of a column that the finish of a share reads: the share's rows and the halo, as far as they
/// exist.
[[nodiscard]] constexpr interval<> slice_rows(const block_shape& shape, const interval<>& share,
                                              std::size_t rows) noexcept {
  const std::size_t h = shape.halo();
  const std::size_t first = std::max(share.first, h) - h;
  const std::size_t last = share.empty() ? 0 : std::min(share.last + h, rows);
  return {first, std::max(first, last)};
}

/// Finishes two columns, of which `a` and `b` have the rows from `from` on; b is as long as a or
/// shorter by one. Every key is at most one place off, so neighbours are compared and exchanged:
/// first the two keys of a row, then the greater key of a row and the lesser one of the next row.
template <class Source, class Key>
std::uint64_t finish_two(const Source& keys, const interval<>& share, std::size_t from,
                         std::span<const Key> a, std::span<const Key> b) {
  constexpr bool trusted = trusted_order<typename Source::order_type>;
  struct couple {
    const Key* lesser;
    const Key* greater;
  };
  const auto in_order = [&keys](const Key* x, const Key* y) -> couple {
    const std::size_t exchange = sorting::without_branch((*keys.order)(*y, *x));
    return {sorting::choose(exchange, x, y), sorting::choose(exchange, y, x)};
  };
  const auto row = [&](std::size_t r) -> couple {
    const std::size_t i = r - from;
    if (i >= b.size()) return {&a[i], nullptr};
    return in_order(&a[i], &b[i]);
  };
  const auto cut_above = [&](std::size_t r, const couple& seam) {  // which keys stand there
    const std::size_t i = r - from;
    const auto place = [&](const Key* k) -> std::uint64_t {
      return k == &a[i - 1]   ? 2 * r - 2
             : k == &b[i - 1] ? 2 * r - 1
             : k == &a[i]     ? 2 * r
                              : 2 * r + 1;
    };
    return sorting::mixed({place(seam.lesser), place(seam.greater)});
  };
  std::uint64_t cuts = 0;
  const std::size_t last = std::min(share.last, from + a.size());
  const Key* above = share.first == 0 ? nullptr : row(share.first - 1).greater;
  for (std::size_t r = share.first; r < last; ++r) {
    const couple here = row(r);
    if (above == nullptr) {  // nothing is above the first row
      keys.store(2 * r, *here.lesser);
    } else {
      const couple seam = in_order(above, here.lesser);
      if (r != share.first)
        keys.store(2 * r - 1, *seam.lesser);
      else if (!trusted)
        cuts += cut_above(r, seam);
      keys.store(2 * r, *seam.greater);
    }
    above = here.greater;
  }
  if (above == nullptr) return cuts;  // the last key of all stands in the first column
  if (last < from + a.size()) {
    const couple seam = in_order(above, row(last).lesser);
    if (!trusted) cuts -= cut_above(last, seam);
    above = seam.lesser;
  }
  keys.store(2 * last - 1, *above);
  return cuts;
}

/// Finishes any number of columns: merges their slices, and leaves out the keys that belong to
/// other shares.
template <class Source, class Key>
std::uint64_t finish_many(const Source& keys, const block_shape& shape, const interval<>& share,
                          std::span<const std::span<const Key>> slices) {
  using order_type = typename Source::order_type;
  const std::size_t s = shape.columns, from = slice_rows(shape, share, shape.rows).first;
  const std::size_t stop = std::min(share.last * s, shape.keys);
  run_merger<Key, const order_type> window(s, *keys.order);
  for (std::size_t c = 0; c < s; ++c) window.set_run(c, slices[c].data(), slices[c].size(), 1);
  window.start();
  // Returns a hash of how many keys of each column come before a place; 0 for the first place and
  // the end.
  const auto cut_before = [&](std::size_t place) -> std::uint64_t {
    if (trusted_order<order_type> || place == 0 || place == shape.keys) return 0;
    std::uint64_t cut = 0;
    for (std::size_t c = 0; c < s; ++c)
      cut += sorting::mixed({place, c, std::min(from + window.taken(c), shape.column(c))});
    return cut;
  };
  std::size_t place = share.first * s;
  for (std::size_t i = from * s; i < place; ++i) window.next();
  const std::uint64_t beginning = cut_before(place);
  for (; place < stop; ++place) keys.store(place, window.next());
  return beginning - cut_before(place);
}

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
    const std::size_t first = t * shape_.chunk_rows, before = 2 * shape_.halo();
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
  /// if their shares make up a permutation (finish_many).
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
