// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <hwy/cache_control.h>

#include <pleat/oblivious/detail/sort/word_source.hpp>

#include "vector_targets.hpp"

#define PLEAT_MOVE_KERNELS(bits)                                                              \
  PLEAT_KERNEL(void, gather_words, bits,                                                      \
               (const std::uint##bits##_t* from, std::size_t stride, std::size_t count,       \
                std::uint##bits##_t* to),                                                     \
               (from, stride, count, to), std::uint##bits##_t)                                \
  PLEAT_KERNEL(void, exchange_neighbours, bits,                                               \
               (const std::uint##bits##_t* a, const std::uint##bits##_t* b, std::size_t rows, \
                std::uint##bits##_t* out),                                                    \
               (a, b, rows, out), std::uint##bits##_t)                                        \
  PLEAT_KERNEL(void, store_keys, bits,                                                        \
               (const std::uint##bits##_t* words, std::size_t n,                              \
                const key_map<std::uint##bits##_t>& map, void* keys, bool stream),            \
               (words, n, map, keys, stream), std::uint##bits##_t)                            \
  PLEAT_KERNEL(bool, keys_ascend, bits,                                                       \
               (const void* keys, std::size_t n, const key_map<std::uint##bits##_t>& map),    \
               (keys, n, map), std::uint##bits##_t)
#define PLEAT_PARTITION_KERNEL(bits)                                                      \
  PLEAT_KERNEL(std::size_t, copy_partitioned, bits,                                       \
               (const void* keys, std::size_t n, const key_map<std::uint##bits##_t>& map, \
                std::uint##bits##_t pivot, std::uint##bits##_t* to),                      \
               (keys, n, map, pivot, to), std::uint##bits##_t)

#ifdef PLEAT_TARGET
HWY_BEFORE_NAMESPACE();
namespace pleat::detail::sorting::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Applies key_map to vectors.

/// Effect of a map on the bits. A template parameter, so that the loops do not test for it.
enum class mapping { none, flip, floating };

template <mapping Kind, class U, class D, class V>
HWY_INLINE V to_words(D d, V bits, const key_map<U>& map) {
  if constexpr (Kind == mapping::none) return bits;
  bits = hn::Xor(bits, hn::Set(d, map.flip));
  if constexpr (Kind == mapping::floating) {
    const hn::RebindToSigned<D> di;
    const V negative = hn::BitCast(d, hn::BroadcastSignBit(hn::BitCast(di, bits)));
    const V mask = hn::Or(negative, hn::Set(d, key_map<U>::sign));
    bits = hn::Sub(hn::Xor(bits, mask), hn::Set(d, map.offset));
  }
  return bits;
}

template <mapping Kind, class U, class D, class V>
HWY_INLINE V from_words(D d, V words, const key_map<U>& map) {
  if constexpr (Kind == mapping::none) return words;
  if constexpr (Kind == mapping::floating) {
    const hn::RebindToSigned<D> di;
    words = hn::Add(words, hn::Set(d, map.offset));
    const V positive = hn::BitCast(d, hn::BroadcastSignBit(hn::BitCast(di, words)));
    words = hn::Xor(words, hn::Or(hn::Not(positive), hn::Set(d, key_map<U>::sign)));
  }
  return hn::Xor(words, hn::Set(d, map.flip));
}

/// Calls function(std::integral_constant<mapping, …>) with the kind of this map.
template <class U, class Function>
HWY_INLINE auto with_mapping(const key_map<U>& map, Function function) {
  if (map.floating) return function(std::integral_constant<mapping, mapping::floating>());
  if (map.flip != 0) return function(std::integral_constant<mapping, mapping::flip>());
  return function(std::integral_constant<mapping, mapping::none>());
}

// Moves words and keys.

template <class U>
void gather_words_of(const U* from, std::size_t stride, std::size_t count, U* to) {
  std::size_t i = 0;
  if (stride == 1) {
    std::memcpy(to, from, count * sizeof(U));
    return;
  }
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<U> d;
  const std::size_t lanes = hn::Lanes(d);
  if (stride == 2) {  // the last word of a vector pair may lie beyond the run: stop before
    for (; i + lanes < count; i += lanes) {
      const auto lower = hn::LoadU(d, from + 2 * i);
      const auto upper = hn::LoadU(d, from + 2 * i + lanes);
      hn::StoreU(hn::ConcatEven(d, upper, lower), d, to + i);
    }
  } else if (stride == 4) {
    for (; i + lanes < count; i += lanes) {
      const U* const p = from + 4 * i;
      const auto lower = hn::ConcatEven(d, hn::LoadU(d, p + lanes), hn::LoadU(d, p));
      const auto upper =
          hn::ConcatEven(d, hn::LoadU(d, p + 3 * lanes), hn::LoadU(d, p + 2 * lanes));
      hn::StoreU(hn::ConcatEven(d, upper, lower), d, to + i);
    }
  }
#endif
  for (; i < count; ++i) to[i] = from[i * stride];
}

template <class U> void exchange_neighbours_of(const U* a, const U* b, std::size_t rows, U* out) {
  std::size_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<U> d;
  const std::size_t lanes = hn::Lanes(d);
  for (; i + lanes <= rows; i += lanes) {
    const auto a0 = hn::LoadU(d, a + i);
    const auto b0 = hn::LoadU(d, b + i);
    const auto before = hn::Max(hn::LoadU(d, a + i - 1), hn::LoadU(d, b + i - 1));
    const auto after = hn::Min(hn::LoadU(d, a + i + 1), hn::LoadU(d, b + i + 1));
    hn::StoreInterleaved2(hn::Max(before, hn::Min(a0, b0)), hn::Min(hn::Max(a0, b0), after), d,
                          out + 2 * i);
  }
#endif
  for (; i < rows; ++i) {
    const auto low = [](U x, U y) { return x < y ? x : y; };
    const auto high = [](U x, U y) { return x < y ? y : x; };
    out[2 * i] = high(high((a + i)[-1], (b + i)[-1]), low(a[i], b[i]));
    out[2 * i + 1] = low(high(a[i], b[i]), low(a[i + 1], b[i + 1]));
  }
}

template <mapping Kind, class U>
HWY_INLINE void store(const U* words, std::size_t n, const key_map<U>& map, void* keys,
                      bool stream) {
  const hn::ScalableTag<U> d;
  const std::size_t lanes = hn::Lanes(d);
  U* const to = static_cast<U*>(keys);
  std::size_t i = 0;
  if (stream) {  // up to an aligned place, then whole vectors past the caches
    const std::size_t bytes = lanes * sizeof(U);
    const std::size_t past = reinterpret_cast<std::uintptr_t>(keys) % bytes / sizeof(U);
    const std::size_t head = past == 0 ? 0 : lanes - past;
    for (; i < n && i < head; ++i) store_bits(map.from_word(words[i]), keys, i);
    for (; i + lanes <= n; i += lanes)
      hn::Stream(from_words<Kind>(d, hn::LoadU(d, words + i), map), d, to + i);
  } else {
    for (; i + lanes <= n; i += lanes)
      hn::StoreU(from_words<Kind>(d, hn::LoadU(d, words + i), map), d, to + i);
  }
  for (; i < n; ++i) store_bits(map.from_word(words[i]), keys, i);
}

template <class U>
void store_keys_of(const U* words, std::size_t n, const key_map<U>& map, void* keys, bool stream) {
  with_mapping(map, [&](auto kind) { store<decltype(kind)::value>(words, n, map, keys, stream); });
}

// Looks at several vectors before it asks whether some key is less than the one before.
template <class U> bool keys_ascend_of(const void* keys, std::size_t n, const key_map<U>& map) {
  return with_mapping(map, [&](auto kind) {
    const hn::ScalableTag<U> d;
    const std::size_t lanes = hn::Lanes(d), some = 16 * lanes;
    const auto words = [&](std::size_t i) {
      return to_words<decltype(kind)::value>(d, hn::LoadU(d, static_cast<const U*>(keys) + i), map);
    };
    std::size_t i = 1;
    for (; i + some <= n; i += some) {
      auto descend = hn::Lt(words(i), words(i - 1));
      for (std::size_t j = i; j < i + some; j += lanes)
        descend = hn::Or(descend, hn::Lt(words(j), words(j - 1)));
      if (!hn::AllFalse(d, descend)) return false;
    }
    const auto word = [&](std::size_t k) { return map.to_word(load_bits<U>(keys, k)); };
    while (i < n && word(i - 1) <= word(i)) ++i;
    return i >= n;
  });
}

/// Returns the lanes of v that the mask chooses, moved to the front.
template <class V, class M> HWY_INLINE V compressed(V v, M chosen) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  // Highway's Compress reads a permutation from a table, to keep the other lanes, not needed here.
  if constexpr (sizeof(hn::TFromV<V>) == 8)
    return V{_mm512_maskz_compress_epi64(chosen.raw, v.raw)};
#endif
  return hn::Compress(v, chosen);
}

/// Writes words less than `pivot` upwards at `low`, the others downwards at `high`. The gap between
/// them is as long as the rest of the input, so whole vectors may be stored at its two ends as long
/// as two of them fit.
template <mapping Kind, class U>
HWY_INLINE std::size_t partition(const void* keys, std::size_t n, const key_map<U>& map, U pivot,
                                 U* to) {
  const hn::ScalableTag<U> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto pivots = hn::Set(d, pivot);
  const U* const from = static_cast<const U*>(keys);
  U* low = to;
  U* high = to + n;
  std::size_t i = 0;
  for (; i + 3 * lanes <= n; i += lanes) {
    const auto words = to_words<Kind>(d, hn::LoadU(d, from + i), map);
    const auto less = hn::Lt(words, pivots);
    const std::size_t count = hn::CountTrue(d, less);
    hn::StoreU(compressed(words, less), d, low);
    low += count;
    high -= lanes - count;
    hn::BlendedStore(compressed(words, hn::Not(less)), hn::FirstN(d, lanes - count), d, high);
  }
  for (; i < n; ++i) {
    const U word = map.to_word(load_bits<U>(keys, i));
    if (word < pivot)
      *low++ = word;
    else
      *--high = word;
  }
  return static_cast<std::size_t>(low - to);
}

template <class U>
std::size_t copy_partitioned_of(const void* keys, std::size_t n, const key_map<U>& map, U pivot,
                                U* to) {
  return with_mapping(
      map, [&](auto kind) { return partition<decltype(kind)::value>(keys, n, map, pivot, to); });
}

}  // namespace pleat::detail::sorting::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#else
namespace pleat::detail::sorting {

void finish_streaming() { hwy::FlushStream(); }

}  // namespace pleat::detail::sorting
#endif

PLEAT_DEFINE_KERNELS(pleat::detail::sorting,
                     PLEAT_MOVE_KERNELS(8) PLEAT_MOVE_KERNELS(16) PLEAT_MOVE_KERNELS(32)
                         PLEAT_MOVE_KERNELS(64) PLEAT_PARTITION_KERNEL(16)
                             PLEAT_PARTITION_KERNEL(32) PLEAT_PARTITION_KERNEL(64))
