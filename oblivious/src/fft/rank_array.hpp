// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>

#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/placed_memory.hpp>

namespace pleat::detail::distribution {

/// Memory of one rank for so many T's, zeros at first; made while the rank is alone.
template <class T>
requires std::is_trivially_copyable_v<T>
class rank_array {
 public:
  void make(machine& on, std::size_t count) { memory_ = placed_memory(on, count * sizeof(T)); }
  [[nodiscard]] T* data() const noexcept { return reinterpret_cast<T*>(memory_.bytes().data()); }

 private:
  placed_memory memory_;
};

}  // namespace pleat::detail::distribution
