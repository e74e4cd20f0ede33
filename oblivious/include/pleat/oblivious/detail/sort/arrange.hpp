// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <iterator>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include <pleat/oblivious/detail/program/arena.hpp>
#include <pleat/oblivious/detail/sort/index_array.hpp>
#include <pleat/oblivious/detail/sort/reordering.hpp>
#include <pleat/runtime/interval.hpp>

namespace pleat::detail::sorting {

/// Moves n values of any type to their places: value i becomes what value from[i] was. Each value
/// is moved twice, through scratch memory, because a VP reads from the whole array but writes its
/// share.
template <class Iterator> class moved_values {
 public:
  using value = std::iter_value_t<Iterator>;

  explicit moved_values(Iterator values) : values_(values) {}

  void lay_out(arena& in, std::size_t n, std::size_t vps) {
    n_ = n;
    memory_ = in.array<value>(n);
    shares_.resize(vps);
    for (std::size_t q = 0; q < vps; ++q) {
      const std::size_t first = share_of(q).first;
      shares_[q] = {first, first};
    }
  }

  /// Takes the values for the share of VP q into scratch memory; `put` puts them, once all VPs have
  /// taken theirs.
  void take(std::size_t q, const index_array& from) {
    const std::size_t last = share_of(q).last;
    for (std::size_t& i = shares_[q].taken; i < last; ++i) {
      if (i + ahead < last) __builtin_prefetch(&at(from[i + ahead]), 1);
      std::construct_at(memory_ + i, std::move(at(from[i])));
    }
  }
  void put(std::size_t q) {
    const std::size_t last = shares_[q].taken;
    for (std::size_t& i = shares_[q].put; i < last; ++i) {
      at(i) = std::move(memory_[i]);
      std::destroy_at(memory_ + i);
    }
  }

  /// Moves values that were taken and not put to their places (`on`), or back where they were.
  /// Called after a failure.
  void restore(bool on, const index_array& from) noexcept {
    for (share& mine : shares_) {
      for (std::size_t& i = mine.put; i < mine.taken; ++i) {
        try {
          at(on ? i : from[i]) = std::move(memory_[i]);
        } catch (...) {  // a value that cannot be moved: it is lost, and the first cause is known
        }
        std::destroy_at(memory_ + i);
      }
    }
  }

 private:
  static constexpr std::size_t ahead = 16;

  /// Places up to which a VP has taken and put its share.
  struct alignas(destructive_distance) share {
    std::size_t taken, put;
  };

  [[nodiscard]] interval<> share_of(std::size_t q) const noexcept {
    return interval<>{0, n_}.share(q, shares_.size());
  }
  [[nodiscard]] value& at(std::size_t i) const {
    return values_[static_cast<std::iter_difference_t<Iterator>>(i)];
  }

  Iterator values_;
  std::size_t n_ = 0;
  value* memory_ = nullptr;
  std::vector<share> shares_;
};

/// Step after a sort of indices: moves n values of each of these arrays to their places.
template <class... Iterators> class arrangement final : public reordering {
 public:
  explicit arrangement(std::size_t n, Iterators... arrays)
      : reordering(n), arrays_(moved_values<Iterators>(arrays)...) {}

  void restore() noexcept override {
    each([&](auto& array) { array.restore(has_put(), from()); });
  }

 private:
  template <class Use> void each(const Use& use) {
    std::apply([&use](auto&... array) { (use(array), ...); }, arrays_);
  }
  void lay_out_moves(arena& in, std::size_t vps) override {
    each([&](auto& array) { array.lay_out(in, size(), vps); });
  }
  void take(std::size_t rank) override {
    each([&](auto& array) { array.take(rank, from()); });
  }
  void put(std::size_t rank) override {
    each([&](auto& array) { array.put(rank); });
  }

  std::tuple<moved_values<Iterators>...> arrays_;
};

}  // namespace pleat::detail::sorting
