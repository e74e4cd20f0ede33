// SPDX-License-Identifier: Apache-2.0
#include "sort_keys.hpp"

#include <algorithm>
#include <limits>

#include "tool/names.hpp"

namespace pleat::bench {

distribution parse_distribution(std::string_view name) {
  return distribution(place_of(std::string(name), "--distribution", distributions));
}

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

std::uint64_t key_position(distribution shape, std::uint64_t seed, std::size_t i, std::size_t n) {
  const std::uint64_t step = std::numeric_limits<std::uint64_t>::max() / n;
  const std::uint64_t random = mixed(seed + i);
  switch (shape) {
    case distribution::random:
      return random;
    case distribution::sorted:
      return i * step;
    case distribution::reversed:
      return (n - 1 - i) * step;
    case distribution::almost_sorted:
      return random % 100 == 0 ? mixed(random) : i * step;
    case distribution::few_distinct:
      return random >> 60U << 60U;
    case distribution::equal:
      return std::uint64_t{1} << 63U;
    case distribution::organ_pipe:
      return std::min(i, n - 1 - i) * step * 2;
  }
  return random;
}

}  // namespace pleat::bench
