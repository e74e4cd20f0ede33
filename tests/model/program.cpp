// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <algorithm>

namespace model {

unsigned labels_of(std::size_t v) {
  unsigned bits = 0;
  while ((std::size_t{1} << bits) < v) ++bits;
  return std::max(1u, bits);
}

range cluster_of(std::size_t v, std::size_t rank, unsigned label) {
  const unsigned free_bits = labels_of(v) - label;
  const std::size_t first = rank >> free_bits << free_bits;
  return {first, std::min(v, first + (std::size_t{1} << free_bits))};
}

std::string to_text(const program& all) {
  static constexpr const char* names[] = {"send", "lend", "receive", "push", "pop", "sync", "fail"};
  std::string text;
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    text += "VP " + std::to_string(rank) + ":";
    for (const act& a : all[rank]) {
      text += std::string(" ") + names[static_cast<int>(a.what)] + "(";
      if (a.what == act::kind::sync)
        text += std::to_string(a.label);
      else if (a.what == act::kind::receive)
        text += std::to_string(a.count);
      else if (a.what != act::kind::fail)
        text += std::to_string(a.peer) + ", " + std::to_string(a.count);
      text += a.caught ? ") caught" : ")";
    }
    text += "\n";
  }
  return text;
}

}  // namespace model
