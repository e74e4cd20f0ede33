// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <ranges>
#include <utility>
#include <vector>

namespace pleat {

/// Array shared by its readers: copies refer to the same elements, which do not change. A writer
/// calls `unshared`, which returns the previous elements if no copy refers to them. So writing a
/// list again and again allocates nothing.
///
/// Cost: a copy is an atomic increment. Thread safety: that of a std::shared_ptr to a const vector.
template <class T> class shared_list {
 public:
  using value_type = T;
  using const_iterator = const T*;
  using iterator = const_iterator;

  shared_list() noexcept = default;
  shared_list(const shared_list& other) noexcept : block_(other.block_) {
    // relaxed: `other` keeps the block alive, and one more owner orders nothing
    if (block_ != nullptr) block_->owners.fetch_add(1, std::memory_order_relaxed);
  }
  shared_list(shared_list&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  shared_list& operator=(shared_list other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~shared_list() { let_go(); }

  [[nodiscard]] std::size_t size() const noexcept { return block_ ? block_->elements.size() : 0; }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  [[nodiscard]] const T* data() const noexcept {
    return block_ ? block_->elements.data() : nullptr;
  }
  [[nodiscard]] const T* begin() const noexcept { return data(); }
  [[nodiscard]] const T* end() const noexcept { return data() + size(); }
  /// Requires: i < size().
  [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return data()[i]; }
  /// Requires: not empty.
  [[nodiscard]] const T& front() const noexcept { return data()[0]; }
  [[nodiscard]] const T& back() const noexcept { return data()[size() - 1]; }

  /// Compares the elements in order with those of any array.
  template <std::ranges::input_range R>
  friend bool operator==(const shared_list& one, const R& other) {
    return std::ranges::equal(one, other);
  }

  /// Returns the elements for writing: the present ones if no copy refers to them, else an empty
  /// vector; other copies keep their elements. Throws: std::bad_alloc, if the elements are shared.
  [[nodiscard]] std::vector<T>& unshared() {
    // acquire: pairs with the release in let_go, so other readers have finished reading
    if (block_ == nullptr || block_->owners.load(std::memory_order_acquire) != 1)
      *this = shared_list(new block);
    return block_->elements;
  }

 private:
  struct block {
    std::atomic<std::size_t> owners{1};
    std::vector<T> elements;
  };
  explicit shared_list(block* made) noexcept : block_(made) {}

  void let_go() noexcept {
    // acq_rel: the last owner destroys what others have read; pairs with itself and with unshared
    if (block_ != nullptr && block_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1)
      delete block_;
  }

  block* block_ = nullptr;
};

}  // namespace pleat
