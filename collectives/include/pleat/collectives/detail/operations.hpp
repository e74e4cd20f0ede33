// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <type_traits>

#include <pleat/channels/byte_copyable.hpp>
#include <pleat/channels/refers.hpp>
#include <pleat/collectives/collective_options.hpp>
#include <pleat/collectives/commutes.hpp>
#include <pleat/collectives/detail/combiner.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

/// The operations with types and sizes given in bytes and elements: they check their arguments and
/// choose an engine.
namespace pleat::detail {

/// Span of elements of `size` bytes each, of any type.
template <class Byte> struct elements_of {
  Byte* data;
  std::size_t count;
  std::size_t size;

  [[nodiscard]] std::size_t bytes() const noexcept { return count * size; }
};
using elements = elements_of<std::byte>;
using const_elements = elements_of<const std::byte>;

/// Contiguous memory that outlives the call: a span of any extent, or a named vector, std::array or
/// built-in array.
template <class R>
concept elements_to_read = std::ranges::contiguous_range<R> && std::ranges::sized_range<R> &&
    std::ranges::borrowed_range<R> && byte_copyable<std::ranges::range_value_t<R>>;
template <class R>
concept elements_to_write = elements_to_read<R> &&
    !std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<R>>>;
template <class R> using element_t = std::ranges::range_value_t<R>;
template <class A, class B>
concept same_elements = std::same_as<element_t<A>, element_t<B>>;
template <class In, class Out, class Op>
concept combinable = same_elements<In, Out> && reduction_operator<Op, element_t<In>>;

template <class R>
requires elements_to_write<R&>
[[nodiscard]] elements writable(R& values) noexcept {
  return {reinterpret_cast<std::byte*>(std::ranges::data(values)), std::ranges::size(values),
          sizeof(element_t<R>)};
}
template <class R>
requires elements_to_read<R&>
[[nodiscard]] const_elements readable(R& values) noexcept {
  return {reinterpret_cast<const std::byte*>(std::ranges::data(values)), std::ranges::size(values),
          sizeof(element_t<R>)};
}

/// Requires a type that can be passed by value: no pointer or view, which would refer to memory.
template <class T>
concept one_value = byte_copyable<T> && std::copyable<T> && !refers_to_memory<T>;

/// Returns a value as memory of one element.
template <one_value T> [[nodiscard]] elements memory_of_one(T& value) noexcept {
  return {reinterpret_cast<std::byte*>(std::addressof(value)), 1, sizeof(T)};
}
template <one_value T>
[[nodiscard]] const_elements constant_memory_of_one(const T& value) noexcept {
  return {reinterpret_cast<const std::byte*>(std::addressof(value)), 1, sizeof(T)};
}

/// Counts of each rank.
using counts = std::span<const std::size_t>;

/// Operations that combine, each in some order of the ranks.
enum class ordered {
  reduce,          ///< the sum to the root
  reduce_scatter,  ///< part r of the sum to rank r
  all_reduce,      ///< the sum to all
  scan,            ///< to rank r the sum of ranks 0 … r
  exclusive_scan,  ///< to rank r the sum of ranks 0 … r − 1, nothing to rank 0
};

// Without `of_ranks` all parts have the same size.
PLEAT_API task<> run_broadcast(vp& me, elements data, collective_options options);
PLEAT_API task<> run_all_gather(vp& me, const_elements mine, elements all,
                                collective_options options, std::optional<counts> of_ranks = {});
PLEAT_API task<> run_combine(vp& me, ordered what, const_elements in, elements out, combiner op,
                             collective_options options, std::optional<counts> of_ranks = {});
PLEAT_API task<> run_all_to_all(vp& me, const_elements in, elements out, collective_options options,
                                std::optional<counts> sent = {},
                                std::optional<counts> received = {});
PLEAT_API task<> run_rooted(vp& me, bool gathers, const_elements in, elements out,
                            collective_options options, std::optional<counts> of_ranks = {});

/// Makes the operator of a reduction, which commutes according to `commutes` and the options; not
/// one that rounds, unless they say so. Requires: `op` outlives the operation.
template <class T, reduction_operator<T> Op>
[[nodiscard]] combiner reduction_by(const Op& op, const collective_options& options) noexcept {
  combiner made = detail::combiner_of<T>(op);
  made.commutes =
      options.commutative.value_or(commutes<Op, T>::value && !std::is_floating_point_v<T>);
  return made;
}

/// Performs run_combine with an operator on T, which is kept in this coroutine until it is over.
template <class T, reduction_operator<T> Op>
task<> combine(vp& me, ordered what, const_elements in, elements out, Op op,
               collective_options options, std::optional<counts> of_ranks = {}) {
  task<> work = detail::run_combine(me, what, in, out, detail::reduction_by<T>(op, options),
                                    options, of_ranks);
  co_await work;
}

/// Combines one value a rank, to `result`.
template <one_value T, reduction_operator<T> Op>
task<> combine_one(vp& me, ordered what, const T& value, T& result, const Op& op,
                   const collective_options& options) {
  return detail::run_combine(me, what, detail::constant_memory_of_one(value),
                             detail::memory_of_one(result), detail::reduction_by<T>(op, options),
                             options);
}

}  // namespace pleat::detail
