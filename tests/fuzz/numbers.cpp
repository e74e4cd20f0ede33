// SPDX-License-Identifier: Apache-2.0
//
// Counts, sizes, lists of them, and shares.

#include <algorithm>
#include <string>

#include "input.hpp"
#include "tool/words.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pleat::bench;
  using pleat::fuzz::answers, pleat::fuzz::require;
  const auto text = pleat::fuzz::text_of(data, size);
  for (const std::size_t least : {0, 1, 5}) {
    answers([&] {
      const auto count = parse_count(text, "--n", least);
      require(count >= least && parse_count(std::to_string(count), "--n") == count);
    });
  }
  for (const std::optional<std::size_t> most : {std::optional<std::size_t>{}, {1}, {2}, {96}}) {
    answers([&] {
      const auto counts = parse_counts(text, "--n", most);
      require(!counts.empty() && counts.size() <= 4096);
      auto sorted = counts;
      std::ranges::sort(sorted);
      require(sorted.front() > 0 && std::ranges::adjacent_find(sorted) == sorted.end());
    });
  }
  answers([&] {
    const double share = parse_share(text, "--band");
    require(share >= 0 && share < 1);
  });
  return 0;
}
