// SPDX-License-Identifier: Apache-2.0
#include <cassert>
#include <cstddef>
#include <cstdint>

#include <pleat/oblivious/detail/sort/word_source.hpp>

#include "vector_targets.hpp"

#define PLEAT_MERGE_KERNEL(bits)                                                                \
  PLEAT_KERNEL(std::size_t, merge_words, bits,                                                  \
               (const std::uint##bits##_t* a, const std::uint##bits##_t* b, std::size_t stride, \
                std::size_t count, std::uint##bits##_t* out),                                   \
               (a, b, stride, count, out), std::uint##bits##_t)

#ifdef PLEAT_TARGET

HWY_BEFORE_NAMESPACE();
namespace pleat::detail::sorting::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Returns how many of the first `count` words of the merge of a and b come from a (ties: a first).
/// Requires: both hold at least `count` words. Branch-free: the outcome of a probe is random.
template <std::size_t Stride, class U>
HWY_INLINE std::size_t merge_path(const U* a, const U* b, std::size_t count) {
  std::size_t low = 0, length = count;
  while (length > 1) {
    const std::size_t half = length / 2;
    const std::size_t probe = low + half - 1;
    low += a[Stride * probe] <= b[Stride * (count - 1 - probe)] ? half : 0;
    length -= half;
  }
  return low + (length == 1 && a[Stride * low] <= b[Stride * (count - 1 - low)] ? 1 : 0);
}

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SSSE3 && \
    !HWY_HAVE_SCALABLE
#define PLEAT_VECTOR_MERGE 1
#else
#define PLEAT_VECTOR_MERGE 0
#endif

#if PLEAT_VECTOR_MERGE

template <class U, std::size_t Distance, class D, class V>
HWY_INLINE V exchange(D d, V v) {  // lane i gets lane i ^ Distance
  constexpr std::size_t bytes = Distance * sizeof(U);
  if constexpr (bytes == 2) {
    return hn::Reverse2(d, v);
  } else if constexpr (bytes == 4) {
    const hn::Repartition<std::uint32_t, D> d32;
    return hn::BitCast(d, hn::Reverse2(d32, hn::BitCast(d32, v)));
  } else if constexpr (bytes == 8) {
    const hn::Repartition<std::uint64_t, D> d64;
    return hn::BitCast(d, hn::Reverse2(d64, hn::BitCast(d64, v)));
  } else if constexpr (bytes == 16) {
    return hn::SwapAdjacentBlocks(v);
  } else {
    static_assert(bytes == 32);
    return hn::ConcatLowerUpper(d, v, v);
  }
}

template <class U, std::size_t Distance, class D, class V>
HWY_INLINE V blend(D d, V upper, V lower) {  // lanes with bit Distance set from upper
  constexpr std::size_t bytes = Distance * sizeof(U);
  if constexpr (bytes == 2) {
    return hn::OddEven(upper, lower);
  } else if constexpr (bytes == 4) {
    const hn::Repartition<std::uint32_t, D> d32;
    return hn::BitCast(d, hn::OddEven(hn::BitCast(d32, upper), hn::BitCast(d32, lower)));
  } else if constexpr (bytes == 8) {
    const hn::Repartition<std::uint64_t, D> d64;
    return hn::BitCast(d, hn::OddEven(hn::BitCast(d64, upper), hn::BitCast(d64, lower)));
  } else if constexpr (bytes == 16) {
    return hn::OddEvenBlocks(upper, lower);
  } else {
    static_assert(bytes == 32);
    return hn::ConcatUpperLower(d, upper, lower);
  }
}

/// Sorts a bitonic vector upwards.
template <class U, std::size_t Distance, class D, class V> HWY_INLINE V sort_bitonic(D d, V v) {
  if constexpr (Distance == 0) {
    return v;
  } else {
    const V other = exchange<U, Distance>(d, v);
    v = blend<U, Distance>(d, hn::Max(v, other), hn::Min(v, other));
    return sort_bitonic<U, Distance / 2>(d, v);
  }
}

/// Merge in progress. `carry` holds the words taken from a and b that are not written yet.
template <std::size_t Stride, class U, class D> struct chain {
  using V = hn::Vec<D>;
  static constexpr std::size_t lanes = hn::MaxLanes(D());
  const U* a;
  const U* b;
  V carry;
  V next;

  static HWY_INLINE V load(D d, const U* from) {
    if constexpr (Stride == 1) return hn::LoadU(d, from);
    return hn::ConcatEven(d, hn::LoadU(d, from + lanes), hn::LoadU(d, from));
  }
  HWY_INLINE void start(D d, const U* first_a, const U* first_b) {
    a = first_a + Stride * lanes;
    b = first_b + Stride * lanes;
    carry = load(d, first_a);
    next = load(d, first_b);
  }
  /// Writes the `lanes` least words, then fetches a vector from the sequence whose head is less.
  HWY_INLINE void step(D d, U* out) {
    const V reversed = hn::Reverse(d, next);
    const V low = hn::Min(carry, reversed);
    const V high = hn::Max(carry, reversed);
    const std::size_t from_a = *a <= *b ? ~std::size_t{0} : 0;
    const U* const source =
        reinterpret_cast<const U*>((reinterpret_cast<std::uintptr_t>(a) & from_a) |
                                   (reinterpret_cast<std::uintptr_t>(b) & ~from_a));
    next = load(d, source);
    a += Stride * lanes & from_a;
    b += Stride * lanes & ~from_a;
    hn::StoreU(sort_bitonic<U, lanes / 2>(d, low), d, out);
    carry = sort_bitonic<U, lanes / 2>(d, high);
  }
};

/// Merges in four stretches of equal length, which binary searches find in the input. The four
/// chains are independent, so their latencies overlap.
template <std::size_t Stride, class U>
HWY_INLINE std::size_t merge_vectors(const U* a, const U* b, std::size_t count, U* out) {
  using D = hn::ScalableTag<U>;
  const D d;
  constexpr std::size_t lanes = hn::MaxLanes(D());
  static_assert(lanes + 1 <= merge_slack && merge_quantum % (4 * lanes) == 0);
  const std::size_t stretch = count / 4;
  const std::size_t cut1 = merge_path<Stride>(a, b, stretch);
  const std::size_t cut2 = merge_path<Stride>(a, b, 2 * stretch);
  const std::size_t cut3 = merge_path<Stride>(a, b, 3 * stretch);
  const std::size_t cut4 = merge_path<Stride>(a, b, count);
  chain<Stride, U, D> c0, c1, c2, c3;
  c0.start(d, a, b);
  c1.start(d, a + Stride * cut1, b + Stride * (stretch - cut1));
  c2.start(d, a + Stride * cut2, b + Stride * (2 * stretch - cut2));
  c3.start(d, a + Stride * cut3, b + Stride * (3 * stretch - cut3));
  for (std::size_t i = 0; i != stretch; i += lanes) {
    c0.step(d, out + i);
    c1.step(d, out + i + stretch);
    c2.step(d, out + i + 2 * stretch);
    c3.step(d, out + i + 3 * stretch);
  }
  return cut4;
}
#endif  // PLEAT_VECTOR_MERGE

/// Merge in progress that writes one word a step, without branches.
template <std::size_t Stride, class U> struct single_chain {
  const U* a;
  const U* b;

  HWY_INLINE void step(U* out) {
    const U x = *a, y = *b;
    const bool from_a = x <= y;
    *out = from_a ? x : y;
    a += from_a ? Stride : 0;
    b += from_a ? 0 : Stride;
  }
};

template <std::size_t Stride, class U>
HWY_INLINE std::size_t merge_single(const U* a, const U* b, std::size_t count, U* out) {
  const std::size_t stretch = count / 4;
  const std::size_t cut1 = merge_path<Stride>(a, b, stretch);
  const std::size_t cut2 = merge_path<Stride>(a, b, 2 * stretch);
  const std::size_t cut3 = merge_path<Stride>(a, b, 3 * stretch);
  single_chain<Stride, U> c0{a, b};
  single_chain<Stride, U> c1{a + Stride * cut1, b + Stride * (stretch - cut1)};
  single_chain<Stride, U> c2{a + Stride * cut2, b + Stride * (2 * stretch - cut2)};
  single_chain<Stride, U> c3{a + Stride * cut3, b + Stride * (3 * stretch - cut3)};
  for (std::size_t i = 0; i != stretch; ++i) {
    c0.step(out + i);
    c1.step(out + i + stretch);
    c2.step(out + i + 2 * stretch);
    c3.step(out + i + 3 * stretch);
  }
  return static_cast<std::size_t>(c3.a - a) / Stride;
}

/// Merges with vectors if a vector has at least sizeof(U) lanes. So words of 64 bits need vectors
/// of 512 bits, as in AVX-512, which has an instruction for their minimum.
template <std::size_t Stride, class U>
HWY_INLINE std::size_t merge(const U* a, const U* b, std::size_t count, U* out) {
#if PLEAT_VECTOR_MERGE
  if constexpr (sizeof(U) > 1 && hn::MaxLanes(hn::ScalableTag<U>()) >= sizeof(U))
    return merge_vectors<Stride>(a, b, count, out);
#endif
  return merge_single<Stride>(a, b, count, out);
}
#undef PLEAT_VECTOR_MERGE

template <class U>
std::size_t merge_words_of(const U* a, const U* b, std::size_t stride, std::size_t count, U* out) {
  assert((stride == 1 || stride == 2) && count % merge_quantum == 0);
  return stride == 1 ? merge<1>(a, b, count, out) : merge<2>(a, b, count, out);
}

}  // namespace pleat::detail::sorting::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

PLEAT_DEFINE_KERNELS(pleat::detail::sorting, PLEAT_MERGE_KERNEL(8) PLEAT_MERGE_KERNEL(16)
                                                 PLEAT_MERGE_KERNEL(32) PLEAT_MERGE_KERNEL(64))
