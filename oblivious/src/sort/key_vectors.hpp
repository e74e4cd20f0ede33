// SPDX-License-Identifier: Apache-2.0
#pragma once

// Applies key_map to vectors of PLEAT_TARGET.

#include <cstddef>
#include <cstring>
#include <type_traits>

#include <hwy/highway.h>

#include <pleat/oblivious/detail/sort/keys.hpp>

HWY_BEFORE_NAMESPACE();
namespace pleat::detail::sorting::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

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

/// Loads the bits of key i by memcpy, because keys may be of any arithmetic type.
template <class U> HWY_INLINE U load_bits(const void* keys, std::size_t i) {
  U bits;
  std::memcpy(&bits, static_cast<const std::byte*>(keys) + i * sizeof(U), sizeof(U));
  return bits;
}
template <class U> HWY_INLINE void store_bits(U bits, void* keys, std::size_t i) {
  std::memcpy(static_cast<std::byte*>(keys) + i * sizeof(U), &bits, sizeof(U));
}

/// Calls function(std::integral_constant<mapping, …>) with the kind of this map.
template <class U, class Function>
HWY_INLINE auto with_mapping(const key_map<U>& map, Function function) {
  if (map.floating) return function(std::integral_constant<mapping, mapping::floating>());
  if (map.flip != 0) return function(std::integral_constant<mapping, mapping::flip>());
  return function(std::integral_constant<mapping, mapping::none>());
}

}  // namespace pleat::detail::sorting::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
