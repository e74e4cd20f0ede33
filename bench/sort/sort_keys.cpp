// SPDX-License-Identifier: Apache-2.0
#include "sort_keys.hpp"

#include <algorithm>
#include <cmath>
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
    case distribution::zipf: {  // the k-th of 2^22 values about 1/k as often as the first
      constexpr int values = 22;
      const double k = std::exp2(static_cast<double>(random) * 0x1p-64 * values);
      return static_cast<std::uint64_t>(k - 1) << (64 - values);
    }
    case distribution::exponential: {  // half of them below 1/92 of the range
      const double uniform = (static_cast<double>(random >> 1U) + 1) * 0x1p-63;
      return static_cast<std::uint64_t>(-std::log(uniform) * 0x1p58);
    }
  }
  return random;
}

}  // namespace pleat::bench
