// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include <pleat/oblivious/detail/distributed/words_in_place.hpp>

namespace pleat::detail::distribution {

namespace {

template <class U, class Change>
void change_each(std::byte* memory, std::size_t n, const Change& change) {
  for (std::size_t i = 0; i < n; ++i) {
    U bits;
    std::memcpy(&bits, memory + i * sizeof(U), sizeof(U));
    bits = change(bits);
    std::memcpy(memory + i * sizeof(U), &bits, sizeof(U));
  }
}

}  // namespace

template <class U>
void keys_to_words(std::byte* keys, std::size_t n, const sorting::key_map<U>& map) {
  if (map.floating)
    change_each<U>(keys, n, [map](U bits) { return map.to_word(bits); });
  else if (map.flip != 0)
    change_each<U>(keys, n, [flip = map.flip](U bits) { return static_cast<U>(bits ^ flip); });
}

template <class U>
void words_to_keys(std::byte* words, std::size_t n, const sorting::key_map<U>& map) {
  if (map.floating)
    change_each<U>(words, n, [map](U bits) { return map.from_word(bits); });
  else if (map.flip != 0)
    change_each<U>(words, n, [flip = map.flip](U bits) { return static_cast<U>(bits ^ flip); });
}

#define PLEAT_WORDS_IN_PLACE(U)                                                     \
  template void keys_to_words(std::byte*, std::size_t, const sorting::key_map<U>&); \
  template void words_to_keys(std::byte*, std::size_t, const sorting::key_map<U>&)
PLEAT_WORDS_IN_PLACE(std::uint8_t);
PLEAT_WORDS_IN_PLACE(std::uint16_t);
PLEAT_WORDS_IN_PLACE(std::uint32_t);
PLEAT_WORDS_IN_PLACE(std::uint64_t);
#undef PLEAT_WORDS_IN_PLACE

}  // namespace pleat::detail::distribution
