// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <pleat/oblivious/detail/everyday/elements.hpp>
#include <pleat/oblivious/detail/everyday/start.hpp>
#include <pleat/oblivious/detail/everyday/venue.hpp>
#include <pleat/oblivious/detail/program/arena.hpp>
#include <pleat/oblivious/range_options.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

// The chosen elements of a range come to its front, in order, by way of other memory.
namespace pleat::detail::everyday {

/// What becomes of the elements that are not chosen.
enum class others { follow, stay };

template <others Rest, std::random_access_iterator I, class Chosen> class sifting {
 public:
  using value = std::iter_value_t<I>;

  sifting(I first, std::size_t n, const Chosen& chosen) : first_(first), n_(n), chosen_(chosen) {}

  /// Words of marks that n elements need.
  [[nodiscard]] std::size_t words() const noexcept { return (n_ + 63) / 64; }
  void lay_out(arena& in) {
    taken_ = in.array<value>(n_);
    marks_ = in.array<std::uint64_t>(words());
  }
  [[nodiscard]] std::size_t count() const noexcept { return count_; }

  /// The same on the caller's thread.
  void alone() {
    std::vector<std::uint64_t> marks(words());
    marks_ = marks.data();
    const interval<> all{0, words()};
    count_ = mark(all);
    std::vector<value> rest;
    if constexpr (Rest == others::follow) rest.reserve(n_ - count_);
    std::size_t k = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      if (marked(i)) {
        if (k != i) *to(k) = std::ranges::iter_move(to(i));
        ++k;
      } else if constexpr (Rest == others::follow) {
        rest.push_back(std::ranges::iter_move(to(i)));
      }
    }
    for (auto&& other : rest) *to(k++) = std::move(other);  // a vector of bool has proxies
  }

  /// Two 0-supersteps: all have marked what is chosen; all have moved elements to their places in
  /// the other memory. Then each moves its share back.
  task<> program(vp& me) {
    const interval<> mine = interval<>{0, words()}.share(me.rank(), me.size());
    const std::size_t here = mark(mine);
    for (std::size_t q = 0; q < me.size(); ++q)
      if (q != me.rank()) me.send(q, here);
    co_await me.sync(0);
    std::size_t before = 0;
    std::size_t all = here;
    for (auto m = me.receive(); m; m = me.receive()) {
      const auto theirs = m->template get<std::size_t>();
      all += theirs;
      if (m->source() < me.rank()) before += theirs;
    }
    take(mine, before, all);
    co_await me.sync(0);
    const std::size_t moved = Rest == others::follow ? n_ : all;
    put(interval<>{0, moved}.share(me.rank(), me.size()));
    if (me.rank() == 0) count_ = all;
  }

 private:
  [[nodiscard]] interval<> elements_of(std::size_t word) const noexcept {
    return {word * 64, std::min(n_, word * 64 + 64)};
  }
  std::size_t mark(interval<> words) const {
    std::size_t count = 0;
    for (std::size_t w = words.first; w < words.last; ++w) {
      const interval<> some = elements_of(w);
      std::uint64_t marks = 0;
      for (std::size_t i = some.first; i < some.last; ++i)
        marks |= std::uint64_t{chosen_(i) ? 1u : 0u} << (i - some.first);
      marks_[w] = marks;
      count += static_cast<std::size_t>(std::popcount(marks));
    }
    return count;
  }
  /// `before` of the `all` chosen elements stand in front of these words.
  void take(interval<> words, std::size_t before, std::size_t all) const {
    std::size_t to_front = before;
    std::size_t to_back = all + words.first * 64 - before;
    for (std::size_t w = words.first; w < words.last; ++w) {
      const interval<> some = elements_of(w);
      for (std::size_t i = some.first; i < some.last; ++i) {
        const bool chosen = marked(i);
        if constexpr (Rest == others::stay) {
          if (!chosen) continue;
        }
        std::construct_at(taken_ + (chosen ? to_front : to_back), std::ranges::iter_move(to(i)));
        to_front += chosen ? 1 : 0;
        to_back += chosen ? 0 : 1;
      }
    }
  }
  [[nodiscard]] bool marked(std::size_t i) const noexcept {
    return (marks_[i / 64] >> (i % 64) & 1) != 0;
  }
  void put(interval<> some) const {
    for (std::size_t i = some.first; i < some.last; ++i) {
      *to(i) = std::move(taken_[i]);
      std::destroy_at(taken_ + i);
    }
  }
  [[nodiscard]] I to(std::size_t i) const {
    return first_ + static_cast<std::iter_difference_t<I>>(i);
  }

  I first_;
  std::size_t n_;
  const Chosen& chosen_;
  value* taken_ = nullptr;
  std::uint64_t* marks_ = nullptr;
  std::size_t count_ = 0;
};

/// Brings the elements i < n of which chosen(i) is true to the front; returns their number.
template <others Rest, std::random_access_iterator I, class Chosen>
[[nodiscard]] std::size_t sift(const char* name, venue& where, const range_options& options,
                               I first, std::size_t n, const Chosen& chosen) {
  using value = std::iter_value_t<I>;
  static_assert(
      std::is_nothrow_move_constructible_v<value> && std::is_nothrow_move_assignable_v<value>,
      "partition and unique move values through other memory, where one whose move "
      "throws would be lost: work on indices instead");
  if (options.report != nullptr) *options.report = {};
  const std::size_t vps = vps_for_bytes(name, where, options.vps, n, sizeof(value));
  sifting<Rest, I, Chosen> all(first, n, chosen);
  if (vps == 1 || n == 0) {
    const alone_scope alone;
    all.alone();
    return all.count();
  }
  const machine::turn mine(where.on(), machine::use::scratch);
  arena::take(where.on(), [&](arena& in) { all.lay_out(in); });
  where.run(vps, options.report, [&all](vp& me) { return all.program(me); });
  return all.count();
}

}  // namespace pleat::detail::everyday
