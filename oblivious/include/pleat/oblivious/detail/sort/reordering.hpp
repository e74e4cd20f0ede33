// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>

#include <pleat/oblivious/detail/program/memory_layout.hpp>
#include <pleat/oblivious/detail/sort/index_array.hpp>
#include <pleat/oblivious/detail/sort/run.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::sorting {

/// What follows a sort of n indices: what they stand for is put in their order. All of it is taken
/// before anything is put, as VPs take from everywhere and put into their shares.
class reordering : public sequel {
 public:
  explicit reordering(std::size_t n) : from_(n), n_(n) {}

  /// What comes to place i is the index-th now.
  void set(std::size_t i, std::size_t index) const noexcept { from_.set(i, index); }

  memory_layout plan(std::size_t vps, memory_layout& during) final {
    indices_ = during.add<std::byte>(index_array::bytes(n_));
    memory_layout after = during;
    plan_moves(vps, after);
    return after;
  }
  void lie_in(std::byte* memory) noexcept final {
    from_.lie_at(indices_.in(memory));
    find_memory(memory);
  }
  void alone() final {
    take(0);
    start_to_put(0);
  }
  /// Two 0-supersteps: the order is there; all are taken.
  task<> together(vp& me) final {
    co_await me.sync(0);
    take(me.rank());
    co_await me.sync(0);
    start_to_put(me.rank());
  }

 protected:
  [[nodiscard]] std::size_t size() const noexcept { return n_; }
  [[nodiscard]] const index_array& from() const noexcept { return from_; }
  /// Has anything been put? Asked after the run, whose end orders it.
  [[nodiscard]] bool has_put() const noexcept { return putting_.load(std::memory_order_relaxed); }

 private:
  virtual void plan_moves(std::size_t vps, memory_layout& layout) = 0;
  virtual void find_memory(std::byte* memory) noexcept = 0;
  /// What VP `rank` does before all have been taken, and after.
  virtual void take(std::size_t rank) = 0;
  virtual void put(std::size_t rank) = 0;

  void start_to_put(std::size_t rank) {
    putting_.store(true, std::memory_order_relaxed);
    put(rank);
  }

  index_array from_;
  std::size_t n_;
  placed_arrays<std::byte> indices_;
  std::atomic<bool> putting_{false};
};

}  // namespace pleat::detail::sorting
