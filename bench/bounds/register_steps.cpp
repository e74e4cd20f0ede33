// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <type_traits>

#define HWY_COMPILE_ONLY_STATIC  // the compiler's target: what it is told this processor has
#include <hwy/highway.h>

#include <pleat/oblivious/semiring.hpp>

#include "bounds.hpp"

namespace pleat::bench {
namespace {

// Steps of the kernels on vectors, in the instructions of the processor this is compiled on.
namespace hn = hwy::HWY_NAMESPACE;

template <class Semiring, class V> HWY_INLINE V step(V a, V b, V acc) {
  using T = hn::TFromV<V>;
  if constexpr (std::is_same_v<Semiring, min_plus>) return hn::Min(hn::Add(a, b), acc);
  if constexpr (std::is_same_v<Semiring, max_min>) return hn::Max(hn::Min(a, b), acc);
  if constexpr (std::is_floating_point_v<T>) return hn::MulAdd(a, b, acc);
  return hn::Add(acc, hn::Mul(a, b));
}

/// The compiler must not know what is in a register, so that it computes every step.
template <class V> HWY_INLINE void opaque(V& v) {
#if HWY_ARCH_X86
  __asm__ volatile("" : "+v"(v.raw));
#else
  __asm__ volatile("" : "+w"(v.raw));
#endif
}

}  // namespace

template <class Semiring, class T> T register_steps(double steps, unsigned threads) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  constexpr std::size_t together = 12;  // more than the latency of a step hides
  const double each = static_cast<double>(together * hn::Lanes(d) * threads);
  const auto rounds = static_cast<std::size_t>(steps / each) + 1;
  T result{};
#pragma omp parallel num_threads(static_cast <int>(threads))
  {
    V a = hn::Set(d, T(2));
    V b = hn::Set(d, T(3));
    opaque(b);
    const V zero = hn::Set(d, Semiring::template zero<T>());
    V s0 = zero, s1 = zero, s2 = zero, s3 = zero, s4 = zero, s5 = zero;
    V s6 = zero, s7 = zero, s8 = zero, s9 = zero, s10 = zero, s11 = zero;
    const auto look_at = [](auto&... sums) { (opaque(sums), ...); };
    const auto step_all = [&](auto&... sums) {
      ((opaque(a), sums = step<Semiring>(a, b, sums)), ...);
    };
    look_at(s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11);
    for (std::size_t i = 0; i < rounds; ++i)
      step_all(s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11);
    look_at(s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11);
#pragma omp masked
    result = hn::GetLane(s0);
  }
  return result;
}

template float register_steps<plus_times>(double, unsigned);
template double register_steps<plus_times>(double, unsigned);
template float register_steps<min_plus>(double, unsigned);
template double register_steps<min_plus>(double, unsigned);
template std::int32_t register_steps<min_plus>(double, unsigned);
template std::int64_t register_steps<min_plus>(double, unsigned);
template float register_steps<max_min>(double, unsigned);
template double register_steps<max_min>(double, unsigned);
template std::int32_t register_steps<max_min>(double, unsigned);
template std::int64_t register_steps<max_min>(double, unsigned);

}  // namespace pleat::bench
