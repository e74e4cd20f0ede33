// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include <pleat/channels/byte_copyable.hpp>

namespace pleat::detail::distribution {

/// Up to so many values, one behind the other, of any type whose bytes can be copied: also of bool,
/// and of types that are not made without arguments.
template <byte_copyable T> class value_list {
 public:
  value_list() = default;
  explicit value_list(std::size_t most) : memory_(std::allocator<T>().allocate(most), {most}) {}

  /// Requires: there is room.
  void add(const T& value) {
    assert(count_ < memory_.get_deleter().most);
    std::construct_at(memory_.get() + count_++, value);
  }
  [[nodiscard]] std::span<const T> all() const noexcept { return {memory_.get(), count_}; }
  [[nodiscard]] const T& operator()(std::size_t i) const noexcept { return memory_.get()[i]; }
  [[nodiscard]] std::size_t size() const noexcept { return count_; }

 private:
  static_assert(std::is_trivially_destructible_v<T>);
  struct release {
    std::size_t most = 0;
    void operator()(T* values) const noexcept { std::allocator<T>().deallocate(values, most); }
  };
  std::unique_ptr<T, release> memory_;
  std::size_t count_ = 0;
};

}  // namespace pleat::detail::distribution
