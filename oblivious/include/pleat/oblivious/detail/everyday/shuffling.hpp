// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <pleat/oblivious/detail/everyday/drawn_order.hpp>
#include <pleat/oblivious/detail/everyday/elements.hpp>
#include <pleat/oblivious/detail/everyday/start.hpp>
#include <pleat/oblivious/detail/everyday/venue.hpp>
#include <pleat/oblivious/detail/program/memory_layout.hpp>
#include <pleat/oblivious/range_options.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

// Random permutations: elements move to the buckets that they draw, which are then shuffled.
namespace pleat::detail::everyday {

template <std::random_access_iterator I> class shuffling {
 public:
  using value = std::iter_value_t<I>;

  shuffling(I first, std::size_t n, std::uint64_t seed)
      : first_(first), n_(n), drawn_(n, seed), buckets_(drawn_.buckets()) {}

  [[nodiscard]] std::size_t buckets() const noexcept { return buckets_; }
  void lie_in(value* taken, std::size_t* counts) noexcept {
    taken_ = taken;
    counts_ = counts;
  }

  /// A single bucket, in place.
  void alone() const { drawn_.shuffle(first_, {0, n_}); }

  /// Two 0-supersteps: all have counted their elements in each bucket; all have moved them there.
  task<> program(vp& me) {
    const interval<> mine = interval<>{0, n_}.share(me.rank(), me.size());
    std::size_t* const counts = counts_ + me.rank() * buckets_;
    count(mine, counts);
    co_await me.sync(0);
    std::vector<std::size_t> begins(buckets_ + 1);
    std::vector<std::size_t> places(buckets_);
    find_places(me, begins, places);
    take(mine, places);
    co_await me.sync(0);
    const interval<> some = interval<>{0, buckets_}.share(me.rank(), me.size());
    for (std::size_t b = some.first; b < some.last; ++b) put({begins[b], begins[b + 1]});
  }

 private:
  void count(interval<> mine, std::size_t* counts) const {
    for (std::size_t b = 0; b < buckets_; ++b) counts[b] = 0;
    for (std::size_t i = mine.first; i < mine.last; ++i) ++counts[drawn_.bucket_of(i)];
  }
  /// Where each bucket begins, and what this VP puts into it. Elements of lower ranks come first.
  void find_places(const vp& me, std::vector<std::size_t>& begins,
                   std::vector<std::size_t>& places) const {
    std::size_t sum = 0;
    for (std::size_t b = 0; b < buckets_; ++b) {
      begins[b] = sum;
      for (std::size_t q = 0; q < me.size(); ++q) {
        if (q == me.rank()) places[b] = sum;
        sum += counts_[q * buckets_ + b];
      }
    }
    begins[buckets_] = sum;
  }
  void take(interval<> mine, std::vector<std::size_t>& places) const {
    for (std::size_t i = mine.first; i < mine.last; ++i)
      std::construct_at(taken_ + places[drawn_.bucket_of(i)]++, std::ranges::iter_move(to(i)));
  }
  void put(interval<> bucket) const {
    drawn_.shuffle(taken_ + bucket.first, bucket);
    for (std::size_t i = bucket.first; i < bucket.last; ++i) {
      *to(i) = std::move(taken_[i]);
      std::destroy_at(taken_ + i);
    }
  }
  [[nodiscard]] I to(std::size_t i) const {
    return first_ + static_cast<std::iter_difference_t<I>>(i);
  }

  I first_;
  std::size_t n_;
  drawn_order drawn_;
  std::size_t buckets_;
  value* taken_ = nullptr;
  std::size_t* counts_ = nullptr;
};

template <std::random_access_iterator I>
void random_shuffle(venue& where, I first, std::size_t n, std::uint64_t seed,
                    const range_options& options) {
  using value = std::iter_value_t<I>;
  static_assert(
      std::is_nothrow_move_constructible_v<value> && std::is_nothrow_move_assignable_v<value>,
      "random_shuffle moves values through other memory, where one whose move throws "
      "would be lost: shuffle indices instead");
  shuffling<I> all(first, n, seed);
  const std::size_t vps = vps_for_bytes("random_shuffle", where, options.vps, n, 4 * sizeof(value));
  if (options.report != nullptr) *options.report = {};
  if (all.buckets() == 1) {
    const alone_scope alone;
    all.alone();
    return;
  }
  const machine::turn mine(where.on(), machine::use::scratch);
  memory_layout layout;
  const auto taken = layout.add<value>(n);
  const auto counts = layout.add<std::size_t>(vps * all.buckets());
  std::byte* const memory = layout.take(where.on());
  all.lie_in(taken.in(memory), counts.in(memory));
  where.run(vps, options.report, [&all](vp& me) { return all.program(me); });
}

}  // namespace pleat::detail::everyday
