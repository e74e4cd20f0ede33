// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <pleat/runtime/memory_policy.hpp>

namespace pleat::detail {

/// Maps zeroed pages from the kernel. Blocks of 2 MiB and more are aligned to 2 MiB and have pages
/// of the requested size. The thread that touches a page first determines its NUMA node. Throws:
/// std::bad_alloc; environment_error if the kernel has too few reserved pages.
[[nodiscard]] PLEAT_API std::byte* map_pages(
    std::size_t bytes, memory_policy::pages size = memory_policy::pages::transparent);
PLEAT_API void unmap_pages(std::byte* first, std::size_t bytes) noexcept;

/// An array on pages of its own, for tables that are looked up at random.
template <class T>
requires std::is_trivial_v<T>
class page_array {
 public:
  page_array() = default;
  page_array(const page_array&) = delete;
  page_array& operator=(const page_array&) = delete;
  ~page_array() { release(); }

  [[nodiscard]] T* data() noexcept { return first_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// Makes room for at least `size` elements. If it grows, all elements are zero.
  /// Throws std::bad_alloc.
  void reserve_zeroed(std::size_t size) {
    if (size <= size_) return;
    release();
    first_ = reinterpret_cast<T*>(map_pages(size * sizeof(T)));
    size_ = size;
  }
  void release() noexcept {
    unmap_pages(reinterpret_cast<std::byte*>(std::exchange(first_, nullptr)),
                std::exchange(size_, 0) * sizeof(T));
  }

 private:
  T* first_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace pleat::detail
