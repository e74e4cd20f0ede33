// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <hwy/cache_control.h>

#include <pleat/oblivious/detail/sort/word_kernels.hpp>

#include "vector_targets.hpp"

#ifdef PLEAT_TARGET
#include "sort/key_vectors.hpp"

HWY_BEFORE_NAMESPACE();
namespace pleat::detail::sorting::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class U>
HWY_INLINE void gather(const U* from, std::size_t stride, std::size_t count, U* to) {
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

template <class U> HWY_INLINE void exchange(const U* a, const U* b, std::size_t rows, U* out) {
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
HWY_INLINE void store_any(const U* words, std::size_t n, const key_map<U>& map, void* keys,
                          bool stream) {
  with_mapping(map, [&](auto kind) { store<decltype(kind)::value>(words, n, map, keys, stream); });
}

// Highway exports plain functions, so each kernel gets one name per word.
#define PLEAT_MOVE_KERNELS(bits)                                                             \
  void gather_##bits(const std::uint##bits##_t* from, std::size_t stride, std::size_t count, \
                     std::uint##bits##_t* to) {                                              \
    gather(from, stride, count, to);                                                         \
  }                                                                                          \
  void exchange_##bits(const std::uint##bits##_t* a, const std::uint##bits##_t* b,           \
                       std::size_t rows, std::uint##bits##_t* out) {                         \
    exchange(a, b, rows, out);                                                               \
  }                                                                                          \
  void store_##bits(const std::uint##bits##_t* words, std::size_t n,                         \
                    const key_map<std::uint##bits##_t>& map, void* keys, bool stream) {      \
    store_any(words, n, map, keys, stream);                                                  \
  }
PLEAT_MOVE_KERNELS(8)
PLEAT_MOVE_KERNELS(16)
PLEAT_MOVE_KERNELS(32)
PLEAT_MOVE_KERNELS(64)
#undef PLEAT_MOVE_KERNELS

}  // namespace pleat::detail::sorting::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#else  // what calls them

namespace pleat::detail::sorting {

#define PLEAT_MOVE_KERNELS(bits)                                                            \
  PLEAT_KERNELS(decltype(gather_words<std::uint##bits##_t>) gather_##bits;                  \
                decltype(exchange_neighbours<std::uint##bits##_t>) exchange_##bits;         \
                decltype(store_keys<std::uint##bits##_t>) store_##bits;)                    \
  PLEAT_EXPORT(gather_##bits);                                                              \
  PLEAT_EXPORT(exchange_##bits);                                                            \
  PLEAT_EXPORT(store_##bits);                                                               \
  template <>                                                                               \
  void gather_words(const std::uint##bits##_t* from, std::size_t stride, std::size_t count, \
                    std::uint##bits##_t* to) {                                              \
    PLEAT_DISPATCH(gather_##bits)(from, stride, count, to);                                 \
  }                                                                                         \
  template <>                                                                               \
  void exchange_neighbours(const std::uint##bits##_t* a, const std::uint##bits##_t* b,      \
                           std::size_t rows, std::uint##bits##_t* out) {                    \
    PLEAT_DISPATCH(exchange_##bits)(a, b, rows, out);                                       \
  }                                                                                         \
  template <>                                                                               \
  void store_keys(const std::uint##bits##_t* words, std::size_t n,                          \
                  const key_map<std::uint##bits##_t>& map, void* keys, bool stream) {       \
    PLEAT_DISPATCH(store_##bits)(words, n, map, keys, stream);                              \
  }
PLEAT_MOVE_KERNELS(8)
PLEAT_MOVE_KERNELS(16)
PLEAT_MOVE_KERNELS(32)
PLEAT_MOVE_KERNELS(64)
#undef PLEAT_MOVE_KERNELS

void finish_streaming() { hwy::FlushStream(); }

}  // namespace pleat::detail::sorting
#endif
