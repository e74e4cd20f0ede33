// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include <pleat/oblivious/detail/distributed/collective_call.hpp>
#include <pleat/oblivious/detail/everyday/best.hpp>
#include <pleat/oblivious/detail/everyday/selecting.hpp>
#include <pleat/oblivious/detail/shares/vp_parts.hpp>
#include <pleat/oblivious/detail/sort/small_sort.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/view.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::distribution {

/// The place of the high pivot, and whether both are equal.
struct chosen_pivots {
  std::uint64_t high, equal;
};
/// Numbers of elements that are less than the low pivot, not less, and greater than the high one,
/// of one VP or of all; and the numbers of those on VPs before one.
struct partition_counts {
  std::uint64_t below, between, above;
  std::uint64_t below_before, between_before;
};

/// The elements of one VP in a selection: those among which the k-th may be are left, all others
/// are done, which means that their places are known.
template <class T> class selection_part {
 public:
  /// Copies the values, the first of which has place `first`, to `work`; `spare` has room for as
  /// many.
  selection_part(std::size_t first, std::span<const T> values, T* work, T* spare)
      : work_(work), spare_(spare), left_{0, values.size()}, first_(first), marks_(values.size()) {
    std::uninitialized_copy(values.begin(), values.end(), work);
  }

  /// Sends VP 0 those elements of a sample that are here.
  void send_sample(vp& me, const std::vector<std::size_t>& sample) const {
    const interval<> here = places();
    const auto count = static_cast<std::size_t>(
        std::ranges::count_if(sample, [&](std::size_t place) { return here.contains(place); }));
    if (count == 0) return;
    const auto values = std::make_unique<T[]>(count);
    T* to = values.get();
    for (const std::size_t place : sample)
      if (here.contains(place)) *to++ = at(place);
    me.send(0, std::span<const T>(values.get(), count));
  }
  /// Exchanges two elements, as far as they are here.
  void exchange(std::size_t a, std::size_t b, const T& value_of_a, const T& value_of_b) {
    if (places().contains(a)) at(a) = value_of_b;
    if (places().contains(b)) at(b) = value_of_a;
  }
  /// Sends VP 0 how many of those that are left are on each side of the pivots.
  template <class Below, class Above> void mark(vp& me, const Below& below, const Above& above) {
    std::array<std::uint64_t, 3> counts{};
    for (std::size_t i = left_.first; i < left_.last; ++i) {
      const unsigned side = below(work_[i]) ? 0 : above(work_[i]) ? 2 : 1;
      marks_[i] = static_cast<std::uint8_t>(side);
      ++counts[side];
    }
    me.send(0, partition_counts{counts[0], counts[1], counts[2], 0, 0});
  }

  /// Keeps the elements below the pivots; all others are done. `all` were left, on all VPs.
  void keep_below(const interval<>& all, const partition_counts& counts) {
    const std::array<interval<>, 3> sides =
        divide([](unsigned mark) { return mark == 0 ? 0U : 2U; });
    const std::size_t rest_before = first_ - all.first - counts.below_before;
    leave(sides[2], all.first + counts.below + rest_before);
    left_ = sides[0];
    first_ = all.first + counts.below_before;
  }
  /// Keeps the elements between the pivots, or those above.
  void keep(const interval<>& all, const partition_counts& counts, bool between) {
    const std::array<interval<>, 3> sides = divide([](unsigned mark) { return mark; });
    const std::size_t above_before =
        first_ - all.first - counts.below_before - counts.between_before;
    const std::size_t between_first = all.first + counts.below + counts.between_before;
    const std::size_t above_first = all.first + counts.below + counts.between + above_before;
    leave(sides[0], all.first + counts.below_before);
    leave(between ? sides[2] : sides[1], between ? above_first : between_first);
    left_ = between ? sides[1] : sides[2];
    first_ = between ? between_first : above_first;
  }

  void lend_left(vp& me) const {
    if (!left_.empty()) me.lend(0, std::span<const T>(work_ + left_.first, left_.size()));
  }
  /// Marks the elements that are left as done: they are in place.
  void leave_left() { leave(left_, first_); }
  void lend_done(vp& me, const vp_parts& parts) const {
    for (const piece& one : done_)
      distribution::lend_to_makers(me, parts, one.place,
                                   std::span<const T>(work_ + one.where.first, one.where.size()));
  }

 private:
  struct piece {
    interval<> where;
    std::size_t place;
  };

  /// Places of the elements that are left.
  [[nodiscard]] interval<> places() const noexcept { return {first_, first_ + left_.size()}; }
  [[nodiscard]] T& at(std::size_t place) const noexcept {
    return work_[left_.first + (place - first_)];
  }
  void leave(const interval<>& where, std::size_t place) {
    if (!where.empty()) done_.push_back({where, place});
  }
  /// Divides those that are left by the side that their marks tell, in order; returns where the
  /// sides then are.
  template <class Side> [[nodiscard]] std::array<interval<>, 3> divide(const Side& side) {
    std::array<std::size_t, 3> counts{};
    for (std::size_t i = left_.first; i < left_.last; ++i) ++counts[side(marks_[i])];
    const std::size_t one = left_.first + counts[0];
    const std::size_t two = one + counts[1];
    std::array<std::size_t, 3> next{left_.first, one, two};
    for (std::size_t i = left_.first; i < left_.last; ++i)
      std::construct_at(spare_ + next[side(marks_[i])]++, work_[i]);
    std::copy(spare_ + left_.first, spare_ + left_.last, work_ + left_.first);
    return {interval<>{left_.first, one}, {one, two}, {two, left_.last}};
  }

  T* work_;
  T* spare_;
  interval<> left_;
  std::size_t first_;  // the place of the first that is left, among all
  std::vector<std::uint8_t> marks_;
  std::vector<piece> done_;
};

/// Selection among n distributed elements: the k-th comes to its place, and all others where
/// nth_element of one array puts them. In each round of the search (everyday/selecting.hpp)
///
///     sample     the VPs send VP 0 their elements of the sample; it sends all the pivots
///     count      they send it how many elements are below and between the pivots; it sends each
///                how many there are of VPs before it, and in all
///     partition  each VP divides its own elements, in its own memory
///
/// Elements that are left at last go to VP 0, which selects from them. Then all go to their places.
template <class T, class Order, class Projection> class selection_program {
 public:
  /// Requires: k < n. `work` and `out` have room for as many elements as the block.
  selection_program(std::size_t n, std::size_t k, std::size_t rank, std::span<const T> block,
                    Order& less, Projection& projection, T* work, T* out)
      : n_(n),
        k_(k),
        rank_(rank),
        block_(block),
        less_(less),
        projection_(projection),
        work_(work),
        out_(out) {}
  selection_program(const selection_program&) = delete;
  selection_program& operator=(const selection_program&) = delete;

  task<> operator()(vp& me, const rank_places& places) {
    const vp_parts parts(n_, places);
    const std::size_t block_first = parts.block(rank_).first;
    const interval<> mine = parts.part(me.rank());
    selection_part<T> part(mine.first, block_.subspan(mine.first - block_first, mine.size()),
                           work_ + (mine.first - block_first), out_ + (mine.first - block_first));
    everyday::selection_search search(n_, k_);
    std::optional<leader> lead;
    if (me.rank() == 0) lead.emplace(*this, parts);
    while (search.goes_on()) {
      std::vector<std::size_t> sample = search.sample();
      sample.push_back(search.left().last - 1);
      part.send_sample(me, sample);
      co_await me.sync(0);
      if (lead) lead->send_pivots(me, search, sample);
      co_await me.sync(0);
      const bool equal = mark(me, part, search.left());
      co_await me.sync(0);
      if (lead) lead->send_counts(me);
      co_await me.sync(0);
      const auto all = me.receive()->template get<partition_counts>();
      const interval<> left = search.left();
      const interval<> between{left.first + all.below, left.first + all.below + all.between};
      if (search.ends_below(between.first)) {
        part.keep_below(left, all);
      } else {
        search.ends(between.first, between.last, equal);
        part.keep(left, all, k_ < between.last);
      }
      if (lead)
        lead->go_on(search.left(), k_ < between.first  ? &partition_counts::below
                                   : k_ < between.last ? &partition_counts::between
                                                       : &partition_counts::above);
    }
    if (!search.settled()) {
      part.lend_left(me);
      co_await me.sync(0);
      if (lead) select_left(me, search.left());
    }
    if (search.settled()) part.leave_left();
    part.lend_done(me, parts);
    if (lead && !search.settled()) {
      const std::span<const T> selected(selected_.get(), search.left().size());
      distribution::lend_to_makers(me, parts, search.left().first, selected);
    }
    co_await me.sync(0);
    distribution::take_pieces(me, block_first, out_);
  }

 private:
  [[nodiscard]] bool before(T& a, T& b) const {
    return static_cast<bool>(
        std::invoke(less_, std::invoke(projection_, a), std::invoke(projection_, b)));
  }

  /// Part of VP 0, which decides for all.
  class leader {
   public:
    leader(const selection_program& of, const vp_parts& parts) : of_(of), counts_(parts.vps()) {
      for (std::size_t q = 0; q < parts.vps(); ++q) firsts_.push_back(parts.part(q).first);
    }

    /// `sample`: places of the sample, and the last one of those left.
    void send_pivots(vp& me, const everyday::selection_search& search,
                     const std::vector<std::size_t>& sample) const {
      const std::unique_ptr<T[]> values = receive_values(me, sample);
      std::vector<std::size_t> sorted(sample.size() - 1);
      std::iota(sorted.begin(), sorted.end(), std::size_t{0});
      const auto before = [&](std::size_t i, std::size_t j) {
        return of_.before(values[i], values[j]);
      };
      sorting::checked_sort(sorted.data(), sorted.data() + sorted.size(), before);
      const everyday::pivots found = search.choose(sorted);
      const T pivots[] = {values[found.low], values[found.high], values[sample.size() - 1]};
      const chosen_pivots chosen{sample[found.high], before(found.low, found.high) ? 0U : 1U};
      for (std::size_t q = 0; q < me.size(); ++q) {
        me.send(q, chosen);
        me.send(q, std::span<const T>(pivots));
      }
    }
    void send_counts(vp& me) {
      partition_counts all{};
      for (auto m = me.receive(); m; m = me.receive()) {
        partition_counts& theirs = counts_[m->source()];
        theirs = m->template get<partition_counts>();
        theirs.below_before = all.below;
        theirs.between_before = all.between;
        all.below += theirs.below;
        all.between += theirs.between;
        all.above += theirs.above;
      }
      for (std::size_t q = 0; q < me.size(); ++q)
        me.send(q, partition_counts{all.below, all.between, all.above, counts_[q].below_before,
                                    counts_[q].between_before});
    }
    /// Goes on with the elements of a part.
    void go_on(const interval<>& left, std::uint64_t partition_counts::*part) {
      std::size_t next = left.first;
      for (std::size_t q = 0; q < firsts_.size(); ++q) {
        firsts_[q] = next;
        next += counts_[q].*part;
      }
    }

   private:
    /// The elements at these places.
    [[nodiscard]] std::unique_ptr<T[]> receive_values(
        vp& me, const std::vector<std::size_t>& sample) const {
      std::vector<std::span<const T>> sent(firsts_.size());
      for (auto m = me.receive(); m; m = me.receive()) sent[m->source()] = m->template span<T>();
      auto values = std::make_unique<T[]>(sample.size());
      for (std::size_t i = 0; i < sample.size(); ++i) {
        const auto behind = std::ranges::upper_bound(firsts_, sample[i]);
        std::span<const T>& theirs = sent[static_cast<std::size_t>(behind - firsts_.begin()) - 1];
        values[i] = theirs.front();
        theirs = theirs.subspan(1);
      }
      return values;
    }

    const selection_program& of_;
    std::vector<std::size_t> firsts_;       // [VP]: the place of the first that is left of its own
    std::vector<partition_counts> counts_;  // [VP]
  };

  /// Marks what is left on this VP by the pivots that have come; returns whether they are equal.
  [[nodiscard]] bool mark(vp& me, selection_part<T>& part, const interval<>& left) const {
    const auto chosen = me.receive()->template get<chosen_pivots>();
    const auto message = me.receive();
    const std::span<const T> values = message->template span<T>();
    T low = values[0], high = values[1];
    part.exchange(chosen.high, left.last - 1, high, values[2]);
    part.mark(
        me, [&](T& x) { return before(x, low); }, [&](T& x) { return before(high, x); });
    return chosen.equal != 0;
  }
  void select_left(vp& me, const interval<>& left) {
    selected_ = std::make_unique<T[]>(left.size());
    T* to = selected_.get();
    for (auto m = me.receive(); m; m = me.receive()) {
      const strided_view<const T> theirs = m->template view<const T>();
      to = std::copy_n(theirs.data, theirs.size(), to);
    }
    everyday::checked_select(selected_.get(), left.size(), k_ - left.first, less_, projection_);
  }

  std::size_t n_;
  std::size_t k_;
  std::size_t rank_;
  std::span<const T> block_;
  Order& less_;
  Projection& projection_;
  T* work_;
  T* out_;
  std::unique_ptr<T[]> selected_;  // by VP 0; lent until the run has ended
};

}  // namespace pleat::detail::distribution
