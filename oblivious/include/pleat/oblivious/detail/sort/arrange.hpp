// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <iterator>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include <pleat/oblivious/detail/sort/index_array.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::sorting {

/// Moves n values of any type to their places: the i-th becomes what was the from[i]-th. Each is
/// moved twice, through memory of ours: VPs read from all over the array, but write their share.
template <class Iterator> class arrangement {
 public:
  using value = std::iter_value_t<Iterator>;

  /// Requires: `from`, when the first VP takes its share, is a permutation.
  arrangement(Iterator values, std::size_t n, const index_array& from, std::size_t vps)
      : values_(values), n_(n), from_(&from), shares_(vps) {
    for (std::size_t q = 0; q < vps; ++q) {
      const std::size_t first = n / vps * q + std::min(q, n % vps);
      shares_[q] = {first, first, first};
    }
  }
  arrangement(const arrangement&) = delete;
  arrangement& operator=(const arrangement&) = delete;
  /// Requires: `memory` has room for n values, and holds none.
  void lie_at(std::byte* memory) noexcept { memory_ = reinterpret_cast<value*>(memory); }

  /// What VP q does before and after the others have left their values' places.
  void take(std::size_t q) {
    share& mine = shares_[q];
    const std::size_t last = mine.first + n_ / shares_.size() + (q < n_ % shares_.size() ? 1 : 0);
    for (; mine.built < last; ++mine.built) {
      if (mine.built + ahead < last) __builtin_prefetch(&at((*from_)[mine.built + ahead]), 1);
      std::construct_at(memory_ + mine.built, std::move(at((*from_)[mine.built])));
    }
  }
  void put(std::size_t q) {
    putting_.store(true, std::memory_order_relaxed);  // read after the run, which orders it
    share& mine = shares_[q];
    for (; mine.put < mine.built; ++mine.put) {
      at(mine.put) = std::move(memory_[mine.put]);
      std::destroy_at(memory_ + mine.put);
    }
  }

  /// After a failure: what was taken and not put goes back, as far as it can be moved.
  void restore() noexcept {
    for (share& it : shares_) {
      for (; it.put < it.built; ++it.put) {
        try {
          at(putting_.load(std::memory_order_relaxed) ? it.put : (*from_)[it.put]) =
              std::move(memory_[it.put]);
        } catch (...) {  // a value that cannot be moved: it is lost, and the first cause is known
        }
        std::destroy_at(memory_ + it.put);
      }
    }
  }

 private:
  static constexpr std::size_t ahead = 16;

  struct alignas(128) share {
    std::size_t first, built, put;
  };

  [[nodiscard]] value& at(std::size_t i) const {
    return values_[static_cast<std::iter_difference_t<Iterator>>(i)];
  }

  Iterator values_;
  std::size_t n_;
  const index_array* from_;
  value* memory_ = nullptr;
  std::vector<share> shares_;
  std::atomic<bool> putting_{false};
};

/// Several arrays arranged alike, in one superstep.
template <class... Arrangements> class arrangements {
 public:
  explicit arrangements(Arrangements&... parts) : parts_(parts...) {}

  /// The program of one VP. Two 0-supersteps: the permutation is there; the places are free.
  task<> together(vp& me) const {
    co_await me.sync(0);
    take(me.rank());
    co_await me.sync(0);
    put(me.rank());
  }
  void alone() const {
    take(0);
    put(0);
  }
  void restore() const noexcept {
    std::apply([](auto&... part) { (part.restore(), ...); }, parts_);
  }

 private:
  void take(std::size_t q) const {
    std::apply([q](auto&... part) { (part.take(q), ...); }, parts_);
  }
  void put(std::size_t q) const {
    std::apply([q](auto&... part) { (part.put(q), ...); }, parts_);
  }

  std::tuple<Arrangements&...> parts_;
};

}  // namespace pleat::detail::sorting
