// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <pleat/oblivious/detail/sort/keys.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat::detail::sorting {

/// Arithmetic keys in the user's memory, with the map that turns them into words.
template <sort_word U> struct word_source {
  std::byte* keys;
  key_map<U> map;
  bool stream = false;  ///< the array is larger than the caches: write past them

  [[nodiscard]] word_source from(std::size_t first) const noexcept {
    return {keys + first * sizeof(U), map, stream};
  }
  [[nodiscard]] U word(std::size_t i) const noexcept {
    U bits;
    std::memcpy(&bits, keys + i * sizeof(U), sizeof(U));
    return map.to_word(bits);
  }
};

/// Sorts n ≥ 1 keys in place, on `vps` VPs. Compiled with the library for the words below.
template <class U>
PLEAT_API run_report sort_words(machine& on, const word_source<U>& keys, std::size_t n,
                                std::size_t vps);

extern template run_report sort_words(machine&, const word_source<std::uint8_t>&, std::size_t,
                                      std::size_t);
extern template run_report sort_words(machine&, const word_source<std::uint16_t>&, std::size_t,
                                      std::size_t);
extern template run_report sort_words(machine&, const word_source<std::uint32_t>&, std::size_t,
                                      std::size_t);
extern template run_report sort_words(machine&, const word_source<std::uint64_t>&, std::size_t,
                                      std::size_t);

}  // namespace pleat::detail::sorting
