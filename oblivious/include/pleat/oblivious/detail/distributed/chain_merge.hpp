// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include <pleat/oblivious/detail/sort/merge_two.hpp>

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
    std::size_t low = 0;
    std::size_t high = run.left;
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

}  // namespace pleat::detail::distribution
