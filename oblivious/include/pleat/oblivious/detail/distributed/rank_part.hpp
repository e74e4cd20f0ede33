// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <pleat/oblivious/detail/distributed/collective_call.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/placed_memory.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::distribution {

/// The elements of distributed data that one rank has, and `Whole`, which says what all have. One
/// that has been moved from is as if made by default.
template <class T, class Whole> class rank_part {
 public:
  rank_part() = default;
  /// Has no elements until they are made.
  rank_part(const machine& on, const Whole& whole)
      : whole_(whole), rank_(on.rank()), ranks_(on.ranks()) {}
  rank_part(rank_part&& other) noexcept { swap(other); }
  rank_part& operator=(rank_part&& other) noexcept {
    rank_part taken(std::move(other));
    swap(taken);
    return *this;
  }
  ~rank_part() { std::destroy_n(data(), made_); }

  /// Makes n value-initialised elements. Throws: std::bad_alloc; what T's constructor and
  /// machine::run throw.
  void make(machine& on, std::size_t n) {
    memory_ = placed_memory(on, n * sizeof(T));
    if constexpr (!std::is_trivially_default_constructible_v<T>)  // else they are zeros
      std::uninitialized_value_construct_n(data(), n);
    made_ = n;
  }

  [[nodiscard]] const Whole& whole() const noexcept { return whole_; }
  [[nodiscard]] std::size_t rank() const noexcept { return rank_; }
  [[nodiscard]] std::size_t ranks() const noexcept { return ranks_; }
  [[nodiscard]] T* data() const noexcept { return reinterpret_cast<T*>(memory_.bytes().data()); }
  [[nodiscard]] std::span<T> elements() const noexcept { return {data(), made_}; }

  /// The n elements of all ranks, one rank's behind the other's, on every rank.
  [[nodiscard]] std::vector<T> gathered(collective_call& call, std::size_t n) const {
    if (call.alone()) return std::vector<T>(data(), data() + made_);
    std::vector<T> all;
    call.here([&] { all.resize(n); });
    call.run([&](vp& me, const rank_places& places) {
      return distribution::gather_blocks(me, places, rank_, std::span<const T>(elements()),
                                         all.begin());
    });
    return all;
  }

 private:
  void swap(rank_part& other) noexcept {
    std::swap(whole_, other.whole_);
    std::swap(rank_, other.rank_);
    std::swap(ranks_, other.ranks_);
    std::swap(memory_, other.memory_);
    std::swap(made_, other.made_);
  }

  Whole whole_{};
  std::size_t rank_ = 0;
  std::size_t ranks_ = 1;
  placed_memory memory_;
  std::size_t made_ = 0;
};

}  // namespace pleat::detail::distribution
