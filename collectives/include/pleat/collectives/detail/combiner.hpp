// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>

#include <pleat/channels/byte_copyable.hpp>

namespace pleat {

/// An operator for reductions of T: op(T, T) gives a T, is associative, and may be called from
/// several threads at once.
template <class Op, class T>
concept reduction_operator = byte_copyable<T> && requires(const Op& op, const T& x) {
  { op(x, x) } -> std::convertible_to<T>;
};

namespace detail {

/// A user's operator on arrays of a type nobody else knows: out[i] = left[i] ⊕ right[i]. `out` may
/// be either of the two.
struct combiner {
  const void* op;
  void (*apply)(const void* op, std::byte* out, const std::byte* left, const std::byte* right,
                std::size_t count);
  std::size_t element;    // bytes
  std::size_t alignment;  // of the type

  void operator()(std::byte* out, const std::byte* left, const std::byte* right,
                  std::size_t bytes) const {
    if (bytes != 0) apply(op, out, left, right, bytes / element);
  }
};

template <class T, reduction_operator<T> Op> combiner combiner_of(const Op& op) noexcept {
  return {&op,
          [](const void* object, std::byte* out, const std::byte* left, const std::byte* right,
             std::size_t count) {
            const Op& combine = *static_cast<const Op*>(object);
            auto* const to = reinterpret_cast<T*>(out);
            const auto* const a = reinterpret_cast<const T*>(left);
            const auto* const b = reinterpret_cast<const T*>(right);
            for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<T>(combine(a[i], b[i]));
          },
          sizeof(T), alignof(T)};
}

}  // namespace detail
}  // namespace pleat
