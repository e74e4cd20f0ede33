// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <span>
#include <type_traits>

#include <pleat/oblivious/detail/program/past_caches.hpp>
#include <pleat/runtime/interval.hpp>

// Results that no cache holds are written past the caches: a store through them first reads the
// line that it changes, so that half as much again goes through memory.
namespace pleat::detail::everyday {

/// Tells whether elements can wait in other memory until a few lines of them are written at once.
template <class Out>
inline constexpr bool written_by_lines =
    std::is_pointer_v<Out>&& std::is_trivially_copyable_v<std::iter_value_t<Out>>&&
        std::is_trivially_default_constructible_v<std::iter_value_t<Out>> &&
    sizeof(std::iter_value_t<Out>) <= 64;

/// Destination of an algorithm's results: the i-th goes to to[i − first]. `in_place`: these lines
/// are in the cache, since they have been read.
template <std::random_access_iterator Out> class results {
 public:
  using value = std::iter_value_t<Out>;

  results(Out to, std::size_t n, bool in_place, std::size_t first = 0)
      : to_(to), first_(first), past_caches_(!in_place && passes_caches(2 * n * sizeof(value))) {}

  /// fill(part, at) is called for parts of `some`, from the first to the last, each of a multiple
  /// of 64 elements but the last, and is to write the results of part to at[0], at[1], …
  template <class Fill> void write(interval<> some, const Fill& fill) const {
    const Out to = to_ + static_cast<std::iter_difference_t<Out>>(some.first - first_);
    if constexpr (written_by_lines<Out>) {
      if (past_caches_) {
        write_past_caches(some, to, fill);
        return;
      }
    }
    fill(some, to);
  }
  /// Copies results that were made elsewhere, of which the first has the index `first`.
  void put(std::size_t first, std::span<const value> made) const {
    std::ranges::copy(made, to_ + static_cast<std::iter_difference_t<Out>>(first - first_));
  }
  /// Writes what waits; after the last results of a thread.
  void finish() const {
    if constexpr (written_by_lines<Out>) {
      if (past_caches_) finish_past_caches();
    }
  }

 private:
  /// Elements lie in `lines` as they will in memory, so that whole lines can be copied; of an
  /// incomplete one the next part has the rest.
  template <class Fill> static void write_past_caches(interval<> some, Out out, const Fill& fill) {
    constexpr std::size_t block = std::max<std::size_t>(64, 1024 / sizeof(value) / 64 * 64);
    alignas(line) std::byte lines[line + block * sizeof(value)];
    const std::size_t before = reinterpret_cast<std::uintptr_t>(out) % line;
    std::size_t written = before;  // of `lines`, or not to be written
    for (std::size_t i = some.first; i < some.last; i += block) {
      const interval<> part{i, std::min(some.last, i + block)};
      fill(part, reinterpret_cast<value*>(lines + before));
      const std::size_t end = before + part.size() * sizeof(value);
      const auto copy = [&](std::size_t last, const auto& by) {
        if (written >= last) return;
        by(lines + written, last - written,
           reinterpret_cast<std::byte*>(out + (i - some.first)) - before + written);
        written = last;
      };
      const auto through_caches = [](const std::byte* from, std::size_t bytes, std::byte* to) {
        std::memcpy(to, from, bytes);
      };
      if (written % line != 0) copy(std::min(line, end), through_caches);
      copy(end / line * line, copy_past_caches);
      if (part.last == some.last) {
        copy(end, through_caches);
      } else {  // as many bytes as were there before
        std::memcpy(lines, lines + written, end - written);
        written = 0;
      }
    }
  }

  static constexpr std::size_t line = 64;
  Out to_;
  std::size_t first_;
  bool past_caches_;
};

/// Tells whether results go where the elements lie that they are made of. Not known of views.
template <class In, class Out> [[nodiscard]] bool same_place(const In& from, const Out& to) {
  if constexpr (std::is_pointer_v<In> && std::is_pointer_v<Out>)
    return static_cast<const void*>(from) == static_cast<const void*>(to);
  else
    return false;
}

}  // namespace pleat::detail::everyday
