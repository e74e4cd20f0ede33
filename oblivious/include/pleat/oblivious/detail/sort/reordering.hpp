// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>

#include <pleat/oblivious/detail/program/arena.hpp>
#include <pleat/oblivious/detail/sort/index_array.hpp>
#include <pleat/oblivious/detail/sort/program.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::sorting {

/// Step after a sort of n indices: puts the elements in the order of the indices. All elements are
/// taken before one is put, because a VP takes from the whole array and puts into its share.
class reordering : public epilogue {
 public:
  explicit reordering(std::size_t n) : from_(n), n_(n) {}

  /// Sets the index of the element that comes to place i.
  void set(std::size_t i, std::size_t index) const noexcept { from_.set(i, index); }

  void lay_out(arena& in, std::size_t vps) final {
    from_.lie_at(in.array<std::byte>(index_array::bytes(n_)));
    const std::size_t during = in.position();
    lay_out_moves(in, vps);
    in.go_back(during);
  }
  void alone() final {
    take(0);
    start_to_put(0);
  }
  /// Performs the step in two 0-supersteps: after the first the order is complete, after the second
  /// all elements are taken.
  task<> together(vp& me) final {
    co_await me.sync(0);
    take(me.rank());
    co_await me.sync(0);
    start_to_put(me.rank());
  }

 protected:
  [[nodiscard]] std::size_t size() const noexcept { return n_; }
  [[nodiscard]] const index_array& from() const noexcept { return from_; }
  /// Tells whether any element has been put. Called after the run, whose end orders the stores
  /// before this load.
  [[nodiscard]] bool has_put() const noexcept { return putting_.load(std::memory_order_relaxed); }

 private:
  virtual void lay_out_moves(arena& in, std::size_t vps) = 0;
  /// Takes the elements for the share of VP `rank`; `put` puts them, once all VPs have taken
  /// theirs.
  virtual void take(std::size_t rank) = 0;
  virtual void put(std::size_t rank) = 0;

  void start_to_put(std::size_t rank) {
    putting_.store(true, std::memory_order_relaxed);
    put(rank);
  }

  index_array from_;
  std::size_t n_;
  std::atomic<bool> putting_{false};
};

}  // namespace pleat::detail::sorting
