// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <type_traits>

#include <pleat/oblivious/detail/everyday/executor.hpp>
#include <pleat/oblivious/detail/everyday/loop.hpp>
#include <pleat/oblivious/detail/everyday/start.hpp>
#include <pleat/oblivious/range_options.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

// Permutations of a range by swaps: reversal and rotation.
namespace pleat::detail::everyday {

/// Pairs of places of a range that is reversed: the i-th from the front and the i-th from the back.
template <std::random_access_iterator I> class mirrored {
 public:
  mirrored(I first, interval<> all) : first_(first), all_(all) {}

  [[nodiscard]] std::size_t pairs() const noexcept { return all_.size() / 2; }
  void swap(interval<> some) const {
    for (std::size_t i = some.first; i < some.last; ++i)
      std::ranges::iter_swap(to(all_.first + i), to(all_.last - 1 - i));
  }

 private:
  [[nodiscard]] I to(std::size_t i) const {
    return first_ + static_cast<std::iter_difference_t<I>>(i);
  }
  I first_;
  interval<> all_;
};

template <std::random_access_iterator I>
void reverse(executor& where, I first, std::size_t n, const range_options& options) {
  const mirrored<I> all(first, {0, n});
  everyday::loop(
      "reverse", where, options, all.pairs(),
      [&all](std::size_t begin, std::size_t end) {
        all.swap({begin, end});
      },
      std::is_arithmetic_v<std::iter_value_t<I>> ? pace::known : pace::measured);
}

/// Program of a VP of a rotation: reverses both parts, then the whole range. One 0-superstep.
template <std::random_access_iterator I>
task<> rotate_program(vp& me, const mirrored<I>& front, const mirrored<I>& back,
                      const mirrored<I>& all) {
  front.swap(interval<>{0, front.pairs()}.share(me.rank(), me.size()));
  back.swap(interval<>{0, back.pairs()}.share(me.rank(), me.size()));
  co_await me.sync(0);
  all.swap(interval<>{0, all.pairs()}.share(me.rank(), me.size()));
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
  const mirrored<I> front(first, {0, middle});
  const mirrored<I> back(first, {middle, n});
  const mirrored<I> all(first, {0, n});
  where.run(vps, options.report,
            [&](vp& me) { return everyday::rotate_program(me, front, back, all); });
}

}  // namespace pleat::detail::everyday
