// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <pleat/oblivious/detail/sort/few_words.hpp>

namespace pleat::detail::sorting {

template <class U> void sort_few_keys(void* keys, std::size_t n, const key_map<U>& map) noexcept {
  std::array<U, few_keys> words;
  std::array<U, few_keys> other;
  std::memcpy(words.data(), keys, n * sizeof(U));
  if (!map.identity())
    for (std::size_t i = 0; i < n; ++i) words[i] = map.to_word(words[i]);
  sort_small(words.data(), other.data(), n, true, word_less());
  if (!map.identity())
    for (std::size_t i = 0; i < n; ++i) other[i] = map.from_word(other[i]);
  std::memcpy(keys, other.data(), n * sizeof(U));
}

template void sort_few_keys(void*, std::size_t, const key_map<std::uint8_t>&) noexcept;
template void sort_few_keys(void*, std::size_t, const key_map<std::uint16_t>&) noexcept;
template void sort_few_keys(void*, std::size_t, const key_map<std::uint32_t>&) noexcept;
template void sort_few_keys(void*, std::size_t, const key_map<std::uint64_t>&) noexcept;

}  // namespace pleat::detail::sorting
