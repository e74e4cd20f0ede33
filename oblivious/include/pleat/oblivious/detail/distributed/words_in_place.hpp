// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <cstddef>
#include <cstdint>

#include <pleat/oblivious/detail/sort/keys.hpp>

namespace pleat::detail::distribution {

/// n keys become their words, where they are; and back. Declared for std::uint8_t, 16, 32 and 64.
template <class U>
PLEAT_API void keys_to_words(std::byte* keys, std::size_t n, const sorting::key_map<U>& map);
template <class U>
PLEAT_API void words_to_keys(std::byte* words, std::size_t n, const sorting::key_map<U>& map);

}  // namespace pleat::detail::distribution
