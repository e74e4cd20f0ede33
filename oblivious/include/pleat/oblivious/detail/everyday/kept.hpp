// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <type_traits>
#include <vector>

#include <pleat/oblivious/detail/everyday/elements.hpp>
#include <pleat/oblivious/detail/program/arena.hpp>
#include <pleat/oblivious/detail/program/past_caches.hpp>
#include <pleat/runtime/interval.hpp>

// What a VP keeps of a part of a range, until it is known where the part's results begin.
namespace pleat::detail::everyday {

/// Arrays of elements that may be copied as bytes, to arrays of the same.
template <class In, class Out>
inline constexpr bool copied_as_bytes =
    std::is_pointer_v<In>&& std::is_pointer_v<Out>&&
        std::same_as<std::iter_value_t<In>, std::iter_value_t<Out>>&&
            std::is_trivially_copyable_v<std::iter_value_t<In>> &&
    alignof(std::iter_value_t<In>) <= 16;

/// Copies them to memory that stays in the cache, without a branch that depends on what is kept.
template <class T> class kept_copies {
 public:
  /// What so many elements take.
  [[nodiscard]] static std::size_t bytes(std::size_t elements) { return elements * sizeof(T); }

  explicit kept_copies(std::byte* memory) noexcept : memory_(memory) {}

  template <class Keep>
  [[nodiscard]] std::size_t fill(interval<> part, const T* from, const Keep& keep) {
    std::size_t count = 0;
    for (std::size_t i = part.first; i < part.last; ++i) {
      std::memcpy(memory_ + count * sizeof(T), from + i, sizeof(T));
      count += keep(i) ? 1U : 0U;
    }
    count_ = count;
    return count;
  }
  void put(const T*, T* to, bool past_caches) const {
    if (count_ == 0) return;
    if (past_caches)
      copy_bytes_past_caches(memory_, count_ * sizeof(T), to);
    else
      std::memcpy(static_cast<void*>(to), memory_, count_ * sizeof(T));
  }

 private:
  std::byte* memory_;
  std::size_t count_ = 0;
};

/// Marks them, a bit for each, and copies them to their places later, while they are in the cache.
class kept_marks {
 public:
  [[nodiscard]] static std::size_t bytes(std::size_t elements) { return (elements + 7) / 8 + 8; }

  explicit kept_marks(std::byte* memory) noexcept : memory_(memory) {}

  template <std::random_access_iterator I, class Keep>
  [[nodiscard]] std::size_t fill(interval<> part, const I&, const Keep& keep) {
    part_ = part;
    std::size_t count = 0;
    for (std::size_t i = part.first; i < part.last;) {
      std::uint64_t marks = 0;
      for (unsigned b = 0; b < 64 && i < part.last; ++b, ++i)
        marks |= std::uint64_t{keep(i) ? 1u : 0u} << b;
      std::memcpy(memory_ + (i - 1 - part.first) / 64 * 8, &marks, 8);
      count += static_cast<std::size_t>(std::popcount(marks));
    }
    return count;
  }
  template <std::random_access_iterator I, std::random_access_iterator O>
  void put(const I& from, O to, bool /*past_caches*/) const {
    for (std::size_t i = part_.first; i < part_.last; i += 64) {
      std::uint64_t marks = 0;
      std::memcpy(&marks, memory_ + (i - part_.first) / 8, 8);
      for (; marks != 0; marks &= marks - 1, ++to)
        *to = at(from, i + static_cast<std::size_t>(std::countr_zero(marks)));
    }
  }

 private:
  std::byte* memory_;
  interval<> part_{};
};

}  // namespace pleat::detail::everyday
