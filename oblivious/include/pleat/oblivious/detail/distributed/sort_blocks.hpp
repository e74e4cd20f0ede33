// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include <pleat/channels/byte_copyable.hpp>
#include <pleat/oblivious/detail/distributed/collective_call.hpp>
#include <pleat/oblivious/detail/distributed/declared.hpp>
#include <pleat/oblivious/detail/distributed/merge_program.hpp>
#include <pleat/oblivious/detail/distributed/rearrange_blocks.hpp>
#include <pleat/oblivious/detail/program/arena.hpp>
#include <pleat/oblivious/detail/program/past_caches.hpp>
#include <pleat/oblivious/detail/sort/call.hpp>
#include <pleat/oblivious/detail/sort/small_sort.hpp>
#include <pleat/oblivious/detail/sort/value_column.hpp>
#include <pleat/oblivious/detail/sort/word_column.hpp>
#include <pleat/oblivious/detail/sort/word_source.hpp>
#include <pleat/oblivious/sort.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat::detail::distribution {

/// Merges two sorted sequences, by one VP, into memory that holds no values. Each comes in pieces,
/// one behind the other. Of equal elements those of the first sequence come first. Whatever the
/// order answers, all elements are written once.
template <class T, class Order> class chain_merge {
 public:
  static constexpr std::size_t arguments = 2;

  explicit chain_merge(const Order& less) : less_(less) {}

  [[nodiscard]] const Order& order() const noexcept { return less_; }

  /// Requires: no piece is empty. Cost: a comparison for each element, and O(log n) for each piece.
  /// Throws: what the order throws.
  void operator()(const std::array<std::vector<std::span<const T>>, 2>& pieces, T* out) const {
    chain a(pieces[0]);
    chain b(pieces[1]);
    while (!a.done() && !b.done()) {
      const std::size_t count = up_to_an_end(a.run, b.run);
      sorting::merge_two(a.run, b.run, count, less_, out);
      out += count;
      a.next_piece();
      b.next_piece();
    }
    for (chain* rest : {&a, &b}) {
      for (; !rest->done(); rest->next_piece()) {
        out = std::uninitialized_copy_n(rest->run.first, rest->run.left, out);
        rest->run.left = 0;
      }
    }
  }

 private:
  using run_type = sorting::strided_run<T>;

  struct chain {
    explicit chain(const std::vector<std::span<const T>>& all) : pieces(all) { next_piece(); }

    void next_piece() {
      if (run.left != 0 || taken == pieces.size()) return;
      run = {pieces[taken].data(), pieces[taken].size()};
      ++taken;
    }
    [[nodiscard]] bool done() const noexcept { return run.left == 0; }

    const std::vector<std::span<const T>>& pieces;
    std::size_t taken = 0;
    run_type run;
  };

  /// Number of elements of the merge until one of the runs has no more.
  [[nodiscard]] std::size_t up_to_an_end(const run_type& a, const run_type& b) const {
    const T& last_of_a = a[a.left - 1];
    if (!less_(b[b.left - 1], last_of_a)) {  // a ends first
      return a.left + before(b, [&](const T& x) { return less_(x, last_of_a); });
    }
    const T& last_of_b = b[b.left - 1];
    return b.left + before(a, [&](const T& x) { return !less_(last_of_b, x); });
  }
  /// Number of elements before the first of which `comes` is false.
  template <class Comes>
  [[nodiscard]] static std::size_t before(const run_type& run, const Comes& comes) {
    std::size_t low = 0, high = run.left;
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (comes(run[middle]))
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

  const Order& less_;
};

// Merges of sorted runs, by one VP, into memory that holds no values. Equal values come in the
// order of their runs.

/// Pieces of one argument, of each rank.
template <class T> using pieces_of_one = std::array<std::vector<std::span<const T>>, 1>;

/// Values by an order.
template <class T, class Order> class value_merge {
 public:
  static constexpr std::size_t arguments = 1;

  explicit value_merge(const Order& less) : less_(less) {}

  [[nodiscard]] const Order& order() const noexcept { return less_; }

  /// Requires: no run is empty. Throws: what the order throws.
  void operator()(const pieces_of_one<T>& pieces, T* out) const {
    const auto& [runs] = pieces;
    if (runs.size() == 1) {
      std::uninitialized_copy(runs[0].begin(), runs[0].end(), out);
    } else if (runs.size() == 2) {
      sorting::strided_run<T> a{runs[0].data(), runs[0].size()};
      sorting::strided_run<T> b{runs[1].data(), runs[1].size()};
      sorting::merge_two(a, b, a.left + b.left, less_, out);
    } else if (runs.size() > 2) {
      sorting::run_merger<T, const Order, sorting::ties::by_run> merger(runs.size(), less_);
      for (std::size_t i = 0; i < runs.size(); ++i)
        merger.set_run(i, runs[i].data(), runs[i].size(), 1);
      for (merger.start(); merger.left() != 0; ++out) std::construct_at(out, merger.next());
    }
  }

 private:
  const Order& less_;
};

/// Words upwards, by vectors. Equal ones cannot be told apart.
template <sorting::sort_word U> class word_merge {
 public:
  static constexpr std::size_t arguments = 1;

  [[nodiscard]] sorting::word_less order() const noexcept { return {}; }

  /// Requires: no run is empty. Memory: some KiB for each run.
  void operator()(const pieces_of_one<U>& pieces, U* out) const {
    const auto& [runs] = pieces;
    if (runs.size() == 1) std::copy(runs[0].begin(), runs[0].end(), out);
    if (runs.size() < 2) return;
    constexpr std::size_t tile = sizeof(U) == 8 ? 512 : 1024;
    const auto memory =
        std::make_unique_for_overwrite<U[]>(sorting::merge_tree<U>::room(runs.size(), tile) + tile);
    sorting::merge_tree<U> tree(runs.size(), tile, memory.get());
    std::size_t left = 0;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      tree.set_run(i, runs[i].data(), runs[i].size(), 1);
      left += runs[i].size();
    }
    for (; left >= tile; left -= tile, out += tile) tree.next(out);
    U* const rest = memory.get() + sorting::merge_tree<U>::room(runs.size(), tile);
    if (left == 0) return;
    tree.next(rest);
    std::copy_n(rest, left, out);
  }
};

// The sort of distributed data: what each rank does alone before and after the ranks exchange. A
// block is sorted as one array is, by buckets if they pay. Between ranks sorted blocks are cut
// instead (cut_search): a block has a given size whatever the keys are, and buckets of a sample
// have others, so that elements would travel twice.

/// Merges the blocks of all ranks, which are sorted, as T's, by the order of `merge`: they become
/// those of the sorted whole. put(from, part) copies a part of the result into the block. Until all
/// ranks have all of theirs, blocks stay as they are; put does not throw.
template <class T, class Merge, class Put>
run_report exchange_blocks(machine& on, collective_call& call, std::size_t n,
                           std::span<const T> block, const Merge& merge, const Put& put) {
  std::optional<machine::turn> scratch;
  T* out = nullptr;
  call.here([&] {
    scratch.emplace(on, machine::use::scratch);
    arena::take(on, [&](arena& in) { out = in.array<T>(block.size()); });
  });
  merge_program<T, Merge> program({{{n, block}}}, n, on.rank(), merge, out);
  run_report report = call.run(program);
  if (block.empty()) return report;
  const auto put_part = [&](const interval<>& part) { put(out + part.first, part); };
  distribution::in_parts_or_alone(on, block.size(), put_part);
  return report;
}

/// Numbers in the order of less or greater, as words.
template <class T, class Compare>
run_report sort_numbers(machine& on, collective_call& call, std::size_t n, std::span<T> block,
                        Compare& less) {
  using U = sorting::word_of<T>;
  constexpr sorting::key_map<U> map =
      sorting::key_map_of<T>(sorting::order_of<T, Compare> == sorting::key_order::descending);
  auto* const memory = reinterpret_cast<std::byte*>(block.data());
  bool as_words = false;
  call.here([&] {
    pleat::sort(on, block, less);
    if (map.identity()) return;
    distribution::in_parts(on, block.size(), [&](const interval<>& part) {
      sorting::keys_to_words<U>(memory + part.first * sizeof(U), part.size(), map);
    });
    as_words = true;
  });
  const bool stream = detail::passes_caches(2 * block.size_bytes());
  try {
    return distribution::exchange_blocks<U>(
        on, call, n, {reinterpret_cast<const U*>(memory), block.size()}, word_merge<U>(),
        [&](const U* from, const interval<>& part) {
          sorting::store_keys<U>(from, part.size(), map, memory + part.first * sizeof(U), stream);
          if (stream) sorting::finish_streaming();
        });
  } catch (...) {
    if (as_words) sorting::words_to_keys<U>(memory, block.size(), map);
    throw;
  }
}

/// Sorts all other values.
template <class T, class Compare, class Projection>
run_report sort_others(machine& on, collective_call& call, std::size_t n, std::span<T> block,
                       Compare& less, Projection& projection) {
  using K = std::remove_cvref_t<std::indirect_result_t<Projection&, T*>>;
  call.here(
      [&] { sorting::sort_values<true>(on, block.data(), block.size(), less, projection, {}); });
  const auto put = [&](const T* from, const interval<>& part) {
    std::copy_n(from, part.size(), block.data() + part.first);
  };
  return sorting::with_order<T, K>(less, projection, [&](const auto& before) {
    using order_type = std::remove_cvref_t<decltype(before)>;
    const value_merge<T, order_type> merge(before);
    return distribution::exchange_blocks<T>(on, call, n, block, merge, put);
  });
}

/// Sorts them, stably.
template <class T, class Compare, class Projection>
run_report sort_blocks(machine& on, const char* name, distributed<T>& data, Compare& less,
                       Projection& projection) {
  collective_call call = data.collective(on, name);
  const std::span<T> block = data.local();
  if (call.alone())
    return call.own([&] { return pleat::stable_sort(on, block, less, projection); });
  if constexpr (byte_copyable<T>) {
    if constexpr (sorting::sorts_words<T*, Compare, Projection>)
      return distribution::sort_numbers(on, call, data.size(), block, less);
    else
      return distribution::sort_others(on, call, data.size(), block, less, projection);
  } else {
    return {};  // there are no distributed data of such elements on several ranks
  }
}

}  // namespace pleat::detail::distribution
