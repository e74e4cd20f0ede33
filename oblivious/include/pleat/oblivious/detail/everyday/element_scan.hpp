// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <optional>
#include <utility>

#include <pleat/oblivious/detail/everyday/elements.hpp>
#include <pleat/oblivious/detail/everyday/lanes.hpp>
#include <pleat/runtime/interval.hpp>

namespace pleat::detail::everyday {

/// The scan of consecutive elements, by one thread.
template <class T, class Op, class Get> class element_scan {
 public:
  element_scan(Op& op, const Get& get, bool exclusive)
      : op_(op), get_(get), exclusive_(exclusive) {}

  /// Scans `some` elements with `before` in front of them; returns what stands behind them.
  template <class Results>
  std::optional<T> scan(interval<> some, std::optional<T> before, const Results& out) const {
    if (!before) {  // only where nothing stands before the first element
      before.emplace(static_cast<T>(get_(some.first)));
      out.write({some.first, some.first + 1},
                [&](interval<>, auto to) { everyday::at(to, 0) = *before; });
      ++some.first;
    }
    T sum = std::move(*before);
    out.write(some, [&](interval<> part, auto to) {
      if constexpr (in_lanes<T, Op> && std::floating_point<T>) {
        const std::size_t whole = part.size() - part.size() % at_once;
        for (std::size_t i = 0; i < whole; i += at_once) scan_at_once(part.first + i, i, sum, to);
        scan_one_by_one(part, whole, sum, to);
      } else {
        scan_one_by_one(part, 0, sum, to);
      }
    });
    return std::optional<T>(std::move(sum));
  }

 private:
  /// The results of `some` from the i-th on, to `to`.
  template <class Out> void scan_one_by_one(interval<> some, std::size_t i, T& sum, Out to) const {
    if (exclusive_) {
      for (; i < some.size(); ++i) {
        T next = static_cast<T>(get_(some.first + i));  // before it is overwritten, in place
        everyday::at(to, i) = std::as_const(sum);
        sum = static_cast<T>(std::invoke(op_, std::move(sum), std::move(next)));
      }
    } else {
      for (; i < some.size(); ++i) {
        sum =
            static_cast<T>(std::invoke(op_, std::move(sum), static_cast<T>(get_(some.first + i))));
        everyday::at(to, i) = std::as_const(sum);
      }
    }
  }

  /// Number of elements that are scanned by themselves, then each combined with what stands before
  /// them: a result need not wait for the one before it, which in floating point takes some cycles.
  static constexpr std::size_t at_once = 8;
  template <class Out> void scan_at_once(std::size_t first, std::size_t i, T& sum, Out to) const {
    T part[at_once];
    part[0] = static_cast<T>(get_(first));
    for (std::size_t k = 1; k < at_once; ++k)
      part[k] = static_cast<T>(std::invoke(op_, part[k - 1], static_cast<T>(get_(first + k))));
    if (exclusive_) {
      everyday::at(to, i) = std::as_const(sum);
      for (std::size_t k = 1; k < at_once; ++k)
        everyday::at(to, i + k) = static_cast<T>(std::invoke(op_, sum, part[k - 1]));
    } else {
      for (std::size_t k = 0; k < at_once; ++k)
        everyday::at(to, i + k) = static_cast<T>(std::invoke(op_, sum, part[k]));
    }
    sum = static_cast<T>(std::invoke(op_, sum, part[at_once - 1]));
  }

  Op& op_;
  const Get& get_;
  const bool exclusive_;
};

}  // namespace pleat::detail::everyday
