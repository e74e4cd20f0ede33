// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <type_traits>

#include <pleat/oblivious/detail/everyday/executor.hpp>
#include <pleat/oblivious/detail/everyday/start.hpp>
#include <pleat/oblivious/detail/program/blocks_of_vps.hpp>
#include <pleat/oblivious/range_options.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

// Permutations of a range by swaps: reversal and rotation.
namespace pleat::detail::everyday {

/// Pairs of places of a part of a range, which is reversed: the i-th from the front and the i-th
/// from the back.
template <std::random_access_iterator I> class mirrored {
 public:
  /// `first`: of the whole range, of n elements.
  mirrored(I first, std::size_t n, interval<> part) : first_(first), n_(n), part_(part) {}

  [[nodiscard]] std::size_t pairs() const noexcept { return part_.size() / 2; }
  void swap(interval<> some) const {
    // Local, because elements may have the type of the members.
    const I front = to(part_.first), end = to(part_.last);
    for (std::size_t k = some.first; k < some.last; ++k) {
      const auto i = static_cast<std::iter_difference_t<I>>(k);
      std::ranges::iter_swap(front + i, end - (i + 1));
    }
  }
  /// Swaps the pairs of a VP, and counts them where they lie.
  void swap(vp& me, interval<> some) const {
    const interval<> front{part_.first + some.first, part_.first + some.last};
    const interval<> back{part_.last - some.last, part_.last - some.first};
    const blocks_of_vps blocks(me, n_);
    for (const interval<>& side : {front, back}) {
      blocks.read(side);
      blocks.write(side);
    }
    swap(some);
  }

 private:
  [[nodiscard]] I to(std::size_t i) const {
    return first_ + static_cast<std::iter_difference_t<I>>(i);
  }
  I first_;
  std::size_t n_;
  interval<> part_;
};

/// Pairs of a VP if a whole range is reversed. One element of each lies in its block: of the pairs
/// of two blocks, one VP has the outer half and the other one the inner half.
[[nodiscard]] inline interval<> pairs_of(const vp& me, interval<> all) noexcept {
  const std::size_t q = me.rank(), vps = me.size();
  return all.share(2 * q < vps ? 2 * q : 2 * (vps - 1 - q) + 1, vps);
}

template <std::random_access_iterator I>
void reverse(executor& where, I first, std::size_t n, const range_options& options) {
  const mirrored<I> all(first, n, {0, n});
  const remainder left = everyday::start_alone(
      "reverse", where, options, all.pairs(),
      [&all](std::size_t begin, std::size_t end) {
        all.swap({begin, end});
      },
      std::is_arithmetic_v<std::iter_value_t<I>> ? pace::known : pace::measured);
  if (left.done == all.pairs()) return;
  const interval<> rest{left.done, all.pairs()};
  where.run(left.vps, options.report, [&all, rest](vp& me) -> task<> {
    all.swap(me, pairs_of(me, rest));
    co_await me.sync(0);
  });
}

/// Program of a VP of a rotation: reverses both parts, then the whole range. Two 0-supersteps.
template <std::random_access_iterator I>
task<> rotate_program(vp& me, const mirrored<I>& front, const mirrored<I>& back,
                      const mirrored<I>& all) {
  front.swap(me, interval<>{0, front.pairs()}.share(me.rank(), me.size()));
  back.swap(me, interval<>{0, back.pairs()}.share(me.rank(), me.size()));
  co_await me.sync(0);
  all.swap(me, everyday::pairs_of(me, {0, all.pairs()}));
  co_await me.sync(0);
}

/// Throws: usage_error if a rotation's middle is beyond the end.
inline void require_middle(std::size_t n, std::size_t middle) {
  if (middle > n) {
    throw usage_error("rotate: the middle of " + std::to_string(n) + " elements cannot be " +
                      std::to_string(middle));
  }
}

template <std::random_access_iterator I>
void rotate(executor& where, I first, std::size_t n, std::size_t middle,
            const range_options& options) {
  require_middle(n, middle);
  clear_report(options.report);
  const std::size_t vps =  // a quarter of the time that others take to move as many bytes
      vps_for_bytes("rotate", where, options.vps, n / 4, sizeof(std::iter_value_t<I>));
  if (middle == 0 || middle == n) return;
  if (vps == 1) {
    const alone_scope alone;
    using difference = std::iter_difference_t<I>;
    std::ranges::rotate(first, first + static_cast<difference>(middle),
                        first + static_cast<difference>(n));
    return;
  }
  const mirrored<I> front(first, n, {0, middle});
  const mirrored<I> back(first, n, {middle, n});
  const mirrored<I> all(first, n, {0, n});
  where.run(vps, options.report,
            [&](vp& me) { return everyday::rotate_program(me, front, back, all); });
}

}  // namespace pleat::detail::everyday
