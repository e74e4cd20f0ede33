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

#include <pleat/channels/byte_copyable.hpp>
#include <pleat/oblivious/detail/everyday/elements.hpp>
#include <pleat/oblivious/detail/program/past_caches.hpp>
#include <pleat/runtime/interval.hpp>

// Selected elements of a VP's part of a range, held until it is known where the part's results
// begin.
namespace pleat::detail::everyday {

/// Arrays of elements that may be copied as bytes, to arrays of the same.
template <class In, class Out>
inline constexpr bool copied_as_bytes =
    std::is_pointer_v<In>&& std::is_pointer_v<Out>&& std::same_as<
        std::iter_value_t<In>, std::iter_value_t<Out>>&& byte_copyable<std::iter_value_t<In>>;

/// Copies of the selected elements in memory that stays in the cache, made without a branch that
/// depends on which ones are selected.
template <class T> class selected_copies {
 public:
  static constexpr bool copies = true;
  /// Size of the memory for that many elements.
  [[nodiscard]] static std::size_t bytes(std::size_t elements) { return elements * sizeof(T); }

  explicit selected_copies(std::byte* memory) noexcept : memory_(memory) {}

  template <std::random_access_iterator In, class Keep>
  [[nodiscard]] std::size_t fill(interval<> part, const In& from, const Keep& keep) {
    std::size_t count = 0;
    for (std::size_t i = part.first; i < part.last; ++i) {
      const T& element = everyday::at(from, i);
      std::memcpy(memory_ + count * sizeof(T), &element, sizeof(T));
      count += keep(i) ? 1U : 0U;
    }
    count_ = count;
    return count;
  }
  template <std::random_access_iterator In> void put(const In&, T* to, bool past_caches) const {
    if (count_ == 0) return;
    if (past_caches)
      detail::copy_bytes_past_caches(memory_, count_ * sizeof(T), to);
    else
      std::memcpy(static_cast<void*>(to), memory_, count_ * sizeof(T));
  }

  /// Copies the selected elements to `to` at once; returns their number, or more than `places` if
  /// they do not fit. The last one is looked for first: so nothing is written behind it.
  template <std::random_access_iterator In, class Keep>
  [[nodiscard]] static std::size_t copy(interval<> part, const In from, T* to, std::size_t places,
                                        const Keep keep) {
    const auto put = [](void* place, const T& element) { std::memcpy(place, &element, sizeof(T)); };
    while (!part.empty() && !keep(part.last - 1)) --part.last;
    if (part.empty()) return 0;
    std::size_t count = 0;
    for (std::size_t i = part.first; i + 1 < part.last && count < places; ++i) {
      put(to + count, everyday::at(from, i));
      count += keep(i) ? 1U : 0U;
    }
    if (count < places) put(to + count, everyday::at(from, part.last - 1));
    return count + 1;
  }

 private:
  std::byte* memory_;
  std::size_t count_ = 0;
};

/// Marks of the selected elements, a bit for each; they are copied to their places later, while
/// they are in the cache.
class selected_marks {
 public:
  static constexpr bool copies = false;
  [[nodiscard]] static std::size_t bytes(std::size_t elements) { return (elements + 7) / 8 + 8; }

  explicit selected_marks(std::byte* memory) noexcept : memory_(memory) {}

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
  template <std::random_access_iterator I, std::random_access_iterator O, class Keep>
  [[nodiscard]] static std::size_t copy(interval<> part, const I& from, O to, std::size_t places,
                                        const Keep& keep) {
    std::size_t count = 0;
    for (std::size_t i = part.first; i < part.last && count <= places; ++i) {
      if (!keep(i)) continue;
      if (count < places) to[static_cast<std::iter_difference_t<O>>(count)] = everyday::at(from, i);
      ++count;
    }
    return count;
  }
  template <std::random_access_iterator I, std::random_access_iterator O>
  void put(const I& from, O to, bool /*past_caches*/) const {
    for (std::size_t i = part_.first; i < part_.last; i += 64) {
      std::uint64_t marks = 0;
      std::memcpy(&marks, memory_ + (i - part_.first) / 8, 8);
      for (; marks != 0; marks &= marks - 1, ++to)
        *to = everyday::at(from, i + static_cast<std::size_t>(std::countr_zero(marks)));
    }
  }

 private:
  std::byte* memory_;
  interval<> part_{};
};

}  // namespace pleat::detail::everyday
