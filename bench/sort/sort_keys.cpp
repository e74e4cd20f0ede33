// SPDX-License-Identifier: Apache-2.0
#include "sort_keys.hpp"

namespace pleat::bench {

std::string string_at(std::uint64_t position, std::size_t index) {
  constexpr std::size_t letters = 14;  // 26^14 > 2^64
  std::string text(letters + mixed(index) % 18, 'a');
  for (std::size_t i = letters; i-- != 0; position /= 26)
    text[i] = static_cast<char>('a' + position % 26);
  std::uint64_t more = mixed(index + 1);
  for (std::size_t i = letters; i < text.size(); ++i, more = mixed(more))
    text[i] = static_cast<char>('a' + more % 26);
  return text;
}

}  // namespace pleat::bench
