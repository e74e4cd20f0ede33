// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <type_traits>
#include <utility>

namespace pleat::detail::sorting {

/// Keys that a projection makes of n elements from `first` on. Elements and keys may be temporaries
/// (the iterator of a view, a projection that returns a value), and a key may refer to its element.
/// Both live during a call of these functions only, so a key must not be kept.
template <class Iterator, class Projection> class indexed_keys {
  using element = std::iter_reference_t<Iterator>;
  using value = std::iter_value_t<Iterator>;
  /// Tells whether elements are proxies of numbers, as in vector<bool>; the keys are the numbers.
  static constexpr bool number_by_proxy =
      std::same_as<std::remove_cvref_t<Projection>, std::identity> &&
      !std::is_reference_v<element> && !std::same_as<element, value> && std::is_arithmetic_v<value>;

 public:
  using key = std::conditional_t<number_by_proxy, value,
                                 std::remove_cvref_t<std::invoke_result_t<Projection&, element>>>;

  indexed_keys(Iterator first, Projection& projection) : first_(first), projection_(projection) {}

  /// Returns use(key of place i).
  template <class Use> decltype(auto) with(std::size_t i, const Use& use) const {
    if constexpr (number_by_proxy)
      return use(static_cast<value>(at(i)));
    else
      return use(std::invoke(projection_, at(i)));
  }
  /// Returns less(key of place i, key of place j).
  template <class Compare> bool compare(Compare& less, std::size_t i, std::size_t j) const {
    if constexpr (number_by_proxy)
      return static_cast<bool>(
          std::invoke(less, static_cast<value>(at(i)), static_cast<value>(at(j))));
    else
      return static_cast<bool>(
          std::invoke(less, std::invoke(projection_, at(i)), std::invoke(projection_, at(j))));
  }

 private:
  [[nodiscard]] element at(std::size_t i) const {
    return first_[static_cast<std::iter_difference_t<Iterator>>(i)];
  }

  Iterator first_;
  Projection& projection_;
};

}  // namespace pleat::detail::sorting
