// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>

#include <pleat/oblivious/detail/sort/word_kernels.hpp>

#include "vector_targets.hpp"

#ifdef PLEAT_TARGET
#include "sort/key_vectors.hpp"

HWY_BEFORE_NAMESPACE();
namespace pleat::detail::sorting::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

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
HWY_INLINE std::size_t partition_any(const void* keys, std::size_t n, const key_map<U>& map,
                                     U pivot, U* to) {
  return with_mapping(
      map, [&](auto kind) { return partition<decltype(kind)::value>(keys, n, map, pivot, to); });
}

std::size_t partition_u16(const void* keys, std::size_t n, const key_map<std::uint16_t>& map,
                          std::uint16_t pivot, std::uint16_t* to) {
  return partition_any(keys, n, map, pivot, to);
}
std::size_t partition_u32(const void* keys, std::size_t n, const key_map<std::uint32_t>& map,
                          std::uint32_t pivot, std::uint32_t* to) {
  return partition_any(keys, n, map, pivot, to);
}
std::size_t partition_u64(const void* keys, std::size_t n, const key_map<std::uint64_t>& map,
                          std::uint64_t pivot, std::uint64_t* to) {
  return partition_any(keys, n, map, pivot, to);
}

}  // namespace pleat::detail::sorting::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#else  // what calls them

namespace pleat::detail::sorting {

PLEAT_KERNELS(decltype(copy_partitioned<std::uint16_t>) partition_u16;
              decltype(copy_partitioned<std::uint32_t>) partition_u32;
              decltype(copy_partitioned<std::uint64_t>) partition_u64;)
PLEAT_EXPORT(partition_u16);
PLEAT_EXPORT(partition_u32);
PLEAT_EXPORT(partition_u64);

template <>
std::size_t copy_partitioned(const void* keys, std::size_t n, const key_map<std::uint8_t>& map,
                             std::uint8_t pivot, std::uint8_t* to) {
  std::size_t low = 0;
  std::size_t high = n;
  for (std::size_t i = 0; i < n; ++i) {
    const auto word = map.to_word(static_cast<const std::uint8_t*>(keys)[i]);
    to[word < pivot ? low++ : --high] = word;
  }
  return low;
}
template <>
std::size_t copy_partitioned(const void* keys, std::size_t n, const key_map<std::uint16_t>& map,
                             std::uint16_t pivot, std::uint16_t* to) {
  return PLEAT_DISPATCH(partition_u16)(keys, n, map, pivot, to);
}
template <>
std::size_t copy_partitioned(const void* keys, std::size_t n, const key_map<std::uint32_t>& map,
                             std::uint32_t pivot, std::uint32_t* to) {
  return PLEAT_DISPATCH(partition_u32)(keys, n, map, pivot, to);
}
template <>
std::size_t copy_partitioned(const void* keys, std::size_t n, const key_map<std::uint64_t>& map,
                             std::uint64_t pivot, std::uint64_t* to) {
  return PLEAT_DISPATCH(partition_u64)(keys, n, map, pivot, to);
}

}  // namespace pleat::detail::sorting
#endif
