// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>

#include <pleat/channels/byte_copyable.hpp>
#include <pleat/channels/cache_line.hpp>

namespace pleat {

/// Operator for reductions of T: op(T, T) gives a T, is associative, and may be called from several
/// threads at once.
template <class Op, class T>
concept reduction_operator = byte_copyable<T> && requires(const Op& op, const T& x) {
  { op(x, x) } -> std::convertible_to<T>;
};

namespace detail {

/// A user's operator on arrays of a type-erased type: out[i] = left[i] ⊕ right[i]. `out` may be
/// `left` or `right`.
struct combiner {
  const void* op;
  void (*apply)(const void* op, std::byte* out, const std::byte* left, const std::byte* right,
                std::size_t count);
  std::size_t element;    // bytes
  std::size_t alignment;  // of the type
  bool commutes = false;  // and may be used in any order

  void operator()(std::byte* out, const std::byte* left, const std::byte* right,
                  std::size_t bytes) const {
    if (bytes != 0) apply(op, out, left, right, bytes / element);
  }
};

/// Computes to[i] = a[i] ⊕ b[i], one cache line at a time in a local array, which is then stored:
/// `to` may alias `a` or `b`, which would prevent vectorisation.
template <class T, class Op>
void combine_arrays(const Op& op, T* to, const T* a, const T* b, std::size_t count) {
  std::size_t i = 0;
  if constexpr (std::is_trivially_default_constructible_v<T> && cache_line / sizeof(T) >= 2) {
    constexpr std::size_t of_line = cache_line / sizeof(T);
    for (const std::size_t whole = count - count % of_line; i < whole; i += of_line) {
      T line[of_line];
      for (std::size_t k = 0; k < of_line; ++k) line[k] = static_cast<T>(op(a[i + k], b[i + k]));
      for (std::size_t k = 0; k < of_line; ++k) to[i + k] = line[k];
    }
  }
  for (; i < count; ++i) to[i] = static_cast<T>(op(a[i], b[i]));
}

template <class T, reduction_operator<T> Op> combiner combiner_of(const Op& op) noexcept {
  return {&op,
          [](const void* object, std::byte* out, const std::byte* left, const std::byte* right,
             std::size_t count) {
            detail::combine_arrays(*static_cast<const Op*>(object), reinterpret_cast<T*>(out),
                                   reinterpret_cast<const T*>(left),
                                   reinterpret_cast<const T*>(right), count);
          },
          sizeof(T), alignof(T)};
}

}  // namespace detail
}  // namespace pleat
