// SPDX-License-Identifier: Apache-2.0
//
// Two lists of words become one: how many words have each length, which begin alike, and which are
// the longest.
#include <cstddef>
#include <iostream>
#include <string>
#include <vector>

#include <pleat/oblivious/group_by.hpp>
#include <pleat/oblivious/histogram.hpp>
#include <pleat/oblivious/merge.hpp>
#include <pleat/oblivious/top_k.hpp>

int main() {
  const std::vector<std::string> trees{"alder", "ash", "beech", "birch", "elm"};
  const std::vector<std::string> birds{"bittern", "crane", "egret", "swan"};
  std::vector<std::string> words(trees.size() + birds.size());
  pleat::merge(trees, birds, words);

  std::vector<std::size_t> lengths(10);
  pleat::histogram(words, lengths, &std::string::size);
  std::cout << lengths[5] << " words of five letters\n";

  const std::vector<std::size_t> longest = pleat::top_k(words, 2, {}, &std::string::size);
  std::cout << words[longest[0]] << " is the longest\n";
  const bool right = lengths[5] == 5 && words[longest[0]] == "bittern";

  const auto initial = [](const std::string& word) { return word.front(); };
  const std::vector<std::size_t> begins = pleat::group_by(words, {}, initial);
  for (std::size_t g = 0; g + 1 < begins.size(); ++g) {
    std::cout << words[begins[g]].front() << ": " << begins[g + 1] - begins[g] << '\n';
  }
  return right && begins == std::vector<std::size_t>{0, 2, 5, 6, 8, 9} ? 0 : 1;
}
