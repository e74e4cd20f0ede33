// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <pleat/oblivious/detail/program/past_caches.hpp>
#include <pleat/oblivious/range_options.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/vp.hpp>

// The elements of a range, by their indices.
namespace pleat::detail::everyday {

template <divisible_range R> [[nodiscard]] std::size_t size_of(R& range) {
  return static_cast<std::size_t>(std::ranges::size(range));
}

/// Begin of a range: a pointer if its elements lie in one piece, so that loops over it are as fast
/// as over an array.
template <divisible_range R> [[nodiscard]] auto begin_of(R& range) {
  if constexpr (std::ranges::contiguous_range<R&>) {
    return std::to_address(std::ranges::begin(range));
  } else {
    return std::ranges::begin(range);
  }
}

/// Begin of a range whose elements several VPs change.
template <divisible_range R> [[nodiscard]] auto changeable_begin_of(R& range) {
  static_assert(!std::is_same_v<std::ranges::range_reference_t<R&>, std::vector<bool>::reference>,
                "several threads cannot change a vector<bool>, whose elements share bytes: take a "
                "vector<char>");
  return everyday::begin_of(range);
}

template <std::random_access_iterator I>
[[nodiscard]] decltype(auto) at(const I& first, std::size_t i) {
  return first[static_cast<std::iter_difference_t<I>>(i)];
}
/// The iterator to the i-th element.
template <std::random_access_iterator I>
[[nodiscard]] I iterator_at(const I& first, std::size_t i) {
  return first + static_cast<std::iter_difference_t<I>>(i);
}

/// The i-th element as a projection shows it.
template <std::random_access_iterator I, class Projection>
[[nodiscard]] decltype(auto) projected(const I& first, std::size_t i, Projection& projection) {
  if constexpr (std::is_same_v<std::remove_cv_t<Projection>, std::identity>) {
    return everyday::at(first, i);
  } else {
    return std::invoke(projection, everyday::at(first, i));
  }
}

/// Predicate or relation of elements, as a projection shows them, by their places.
template <std::random_access_iterator I, class Relation, class Projection>
[[nodiscard]] auto of_places(const I& first, Relation& relation, Projection& projection) {
  return [first, &relation, &projection](auto... i) {
    return static_cast<bool>(std::invoke(relation, everyday::projected(first, i, projection)...));
  };
}

/// Elements of numbers as they are.
template <class I, class Projection>
inline constexpr bool plain_numbers = std::is_same_v<std::remove_cv_t<Projection>, std::identity>&&
    std::is_arithmetic_v<std::iter_value_t<I>>;

/// The elements as a projection shows them, by their places.
template <std::random_access_iterator I, class Projection> struct projected_elements {
  I first;
  Projection& projection;

  [[nodiscard]] decltype(auto) operator()(std::size_t i) const {
    return everyday::projected(first, i, projection);
  }
  /// Memory of doubles that are shown as they are.
  [[nodiscard]] const double* numbers() const
      requires(plain_numbers<I, Projection>&& std::is_convertible_v<I, const double*>) {
    return first;
  }
};

/// Type of what a projection shows of elements, as a value.
template <class I, class Projection>
using shown_value = std::remove_cvref_t<std::indirect_result_t<Projection&, I>>;

/// Tells whether a T can hold numbers of that type. A sum that begins with 0 in place of 0.0 would
/// cut off fractions, one in place of std::size_t{0} the high bits.
template <class T, class Element> constexpr bool holds() {
  if constexpr (std::is_same_v<T, bool> || !std::is_arithmetic_v<T> ||
                !std::is_arithmetic_v<std::remove_cvref_t<Element>>) {
    return true;
  } else {
    using from = std::numeric_limits<std::remove_cvref_t<Element>>;
    using to = std::numeric_limits<T>;
    return from::is_integer && !to::is_integer
               ? true
               : from::is_integer == to::is_integer && from::digits <= to::digits;
  }
}

/// The iterator to place i, as an algorithm of std::ranges returns it.
template <divisible_range R>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> place(R&& range, std::size_t i) {
  return everyday::iterator_at(std::ranges::begin(range), i);
}

/// The elements from place i on.
template <divisible_range R>
[[nodiscard]] std::ranges::borrowed_subrange_t<R> behind(R&& range, std::size_t i) {
  const auto begin = std::ranges::begin(range);
  using difference = std::ranges::range_difference_t<R>;
  return {begin + static_cast<difference>(i), begin + std::ranges::ssize(range)};
}

/// Requires that Is says yes or no to what a projection shows of R.
template <class Is, class R, class Projection>
concept tells =
    std::indirect_unary_predicate<Is, std::projected<std::ranges::iterator_t<R>, Projection>>;
/// Requires that Compare orders what a projection shows of R.
template <class Compare, class R, class Projection>
concept orders =
    std::indirect_strict_weak_order<Compare,
                                    std::projected<std::ranges::iterator_t<R>, Projection>>;

/// Throws: usage_error if an output has fewer places than there are results.
inline void require_places(const char* name, std::size_t results, std::size_t places) {
  if (places < results)
    throw usage_error(std::string(name) + ": an output of " + std::to_string(places) +
                      " elements for " + std::to_string(results) + " results; make it as long");
}

// Results that no cache holds are written past the caches: a store through them first reads the
// line that it changes, so that half as much again goes through memory.

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
    const Out to = everyday::iterator_at(to_, some.first - first_);
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
    std::ranges::copy(made, everyday::iterator_at(to_, first - first_));
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

/// Bitmap of elements.
class element_marks {
 public:
  [[nodiscard]] static std::size_t words(std::size_t n) noexcept { return (n + 63) / 64; }

  explicit element_marks(std::uint64_t* words) noexcept : words_(words) {}

  /// Marks those elements i of `some` of which chosen(i) is true; returns their number.
  template <class Chosen> std::size_t mark(interval<> some, const Chosen& chosen) const {
    std::size_t count = 0;
    std::uint64_t* word = words_;
    for (std::size_t i = some.first; i < some.last; ++word) {
      std::uint64_t marks = 0;
      for (unsigned b = 0; b < 64 && i < some.last; ++b, ++i)
        marks |= std::uint64_t{chosen(i) ? 1u : 0u} << b;
      *word = marks;
      count += static_cast<std::size_t>(std::popcount(marks));
    }
    return count;
  }
  /// Tells whether the i-th of them is marked.
  [[nodiscard]] bool operator[](std::size_t i) const noexcept {
    return (words_[i / 64] >> (i % 64) & 1) != 0;
  }
  /// Calls marked(i) for each of n elements that is marked, and other(i) for each that is not: of
  /// 64 elements first the former, in order, then the latter. No branch depends on a single mark.
  template <class Marked, class Other>
  void each(std::size_t n, const Marked& marked, const Other& other) const {
    const auto call = [](std::uint64_t word, std::size_t first, const auto& of) {
      for (; word != 0; word &= word - 1)
        of(first + static_cast<std::size_t>(std::countr_zero(word)));
    };
    for (std::size_t i = 0; i < n; i += 64) {
      const std::uint64_t word = words_[i / 64];
      const std::uint64_t there = ~std::uint64_t{0} >> (64 - std::min<std::size_t>(n - i, 64));
      call(word, i, marked);
      call(~word & there, i, other);
    }
  }

 private:
  std::uint64_t* words_;
};

/// Numbers of elements that VPs have chosen: of those before this one, and of all.
struct chosen_numbers {
  std::size_t before;
  std::size_t all;
};

/// Tells all other VPs how many elements this one has chosen.
inline void tell_chosen(vp& me, std::size_t here) {
  for (std::size_t q = 0; q < me.size(); ++q)
    if (q != me.rank()) me.send(q, here);
}
/// Receives the sums, behind the superstep of tell_chosen.
[[nodiscard]] inline chosen_numbers hear_chosen(vp& me, std::size_t here) {
  chosen_numbers sums{0, here};
  for (auto m = me.receive(); m; m = me.receive()) {
    const auto theirs = m->template get<std::size_t>();
    sums.all += theirs;
    if (m->source() < me.rank()) sums.before += theirs;
  }
  return sums;
}

}  // namespace pleat::detail::everyday
