// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace pleat::detail::sorting {

/// Sorted sequence first[0], first[stride], …
template <class T> struct strided_run {
  const T* first = nullptr;
  std::size_t left = 0;
  std::size_t stride = 1;

  [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return first[i * stride]; }
  void skip(std::size_t count) noexcept {
    left -= count;
    if (left != 0) first += count * stride;  // no further than to its last value
  }
  [[nodiscard]] strided_run part(std::size_t from, std::size_t to) const noexcept {
    return {from == to ? first : first + from * stride, to - from, stride};
  }
};

/// Returns 1 or 0 so that compilers do not turn the condition into a branch. Results of comparing
/// keys are random, and half of such branches would be mispredicted.
inline std::size_t without_branch(bool condition) noexcept {
  auto bit = static_cast<std::size_t>(condition);
  __asm__("" : "+r"(bit));  // hides from the compiler how the bit was computed
  return bit;
}

/// Returns `one` if the bit is 1, else `zero`; without a branch.
template <class T> const T* choose(std::size_t bit, const T* zero, const T* one) noexcept {
  const std::uintptr_t mask = std::uintptr_t{0} - bit;
  const auto a = reinterpret_cast<std::uintptr_t>(zero);
  const auto b = reinterpret_cast<std::uintptr_t>(one);
  return reinterpret_cast<const T*>(a ^ ((a ^ b) & mask));
}

/// Returns how many of the first `count` values of the merge of a and b come from a; of equal ones,
/// a's come first. Requires: count ≤ a.left + b.left.
template <class T, class Order>
std::size_t merge_cut(const strided_run<T>& a, const strided_run<T>& b, std::size_t count,
                      const Order& order) {
  std::size_t low = count > b.left ? count - b.left : 0;
  std::size_t high = std::min(count, a.left);
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (order(b[count - 1 - middle], a[middle]))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/// Merges the next `count` values of two runs into uninitialised memory, and removes them from the
/// runs; of equal ones, a's come first. The output is cut into four stretches, merged in turns. No
/// branch depends on the values, and the latencies of the four chains overlap.
/// The order is asked only whether a value of b comes before one of a.
/// Requires: count ≤ a.left + b.left. Cost: count + O(log count) comparisons.
template <class T, class Order>
void merge_two(strided_run<T>& a, strided_run<T>& b, std::size_t count, const Order& order,
               T* out) {
  struct chain {
    strided_run<T> a, b;
    T* out;

    void step(const Order& less) {
      const std::size_t from_b = sorting::without_branch(less(*b.first, *a.first));
      std::construct_at(out++, *sorting::choose(from_b, a.first, b.first));
      a.first += a.stride * (1 - from_b);
      b.first += b.stride * from_b;
    }
    void finish(const Order& less) {
      while (a.left != 0 && b.left != 0) {
        strided_run<T>& from = less(*b.first, *a.first) ? b : a;
        std::construct_at(out++, *from.first);
        from.skip(1);
      }
      for (strided_run<T>* rest : {&a, &b})
        for (; rest->left != 0; rest->skip(1)) std::construct_at(out++, *rest->first);
    }
  };
  std::array<chain, 4> chains;
  std::size_t from_a = 0;
  for (std::size_t c = 0; c < 4; ++c) {
    const std::size_t first = count / 4 * c;
    const std::size_t last = c == 3 ? count : count / 4 * (c + 1);
    // Makes the cuts ascend even if the order is no strict weak order.
    const std::size_t cut =
        std::clamp(sorting::merge_cut(a, b, last, order), from_a, from_a + (last - first));
    chains[c] = {a.part(from_a, cut), b.part(first - from_a, last - cut), out + first};
    from_a = cut;
  }
  a.skip(from_a);
  b.skip(count - from_a);
  // Takes as many steps in each round as no chain runs out of values, while these are at least
  // eight. The last value of a run is left to `finish`, so that no chain points beyond its run.
  for (;;) {
    std::size_t steps = ~std::size_t{0};
    for (const chain& c : chains) steps = std::min({steps, c.a.left, c.b.left});
    if (steps < 8) break;
    --steps;
    const auto before = chains;
    for (std::size_t i = 0; i < steps; ++i)
      for (chain& c : chains) c.step(order);
    for (std::size_t c = 0; c < 4; ++c) {
      const auto taken =
          static_cast<std::size_t>(chains[c].a.first - before[c].a.first) / chains[c].a.stride;
      chains[c].a.left -= taken;
      chains[c].b.left -= steps - taken;
    }
  }
  for (chain& c : chains) c.finish(order);
}

}  // namespace pleat::detail::sorting
