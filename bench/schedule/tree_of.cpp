// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include <pleat/runtime/error.hpp>

#include "tool/numbers.hpp"
#include "tree_messages.hpp"

namespace pleat::bench {
namespace {

constexpr std::size_t most = 100'000;

named_tree as_numbered(std::vector<std::size_t> parents) {
  std::vector<std::size_t> names(parents.size());
  std::iota(names.begin(), names.end(), std::size_t{0});
  return {processor_tree(std::move(parents)), std::move(names)};
}

using parent_rule = std::size_t (*)(std::size_t i);

std::optional<parent_rule> rule_named(std::string_view name) {
  if (name == "path") return [](std::size_t i) { return i - 1; };
  if (name == "star") return [](std::size_t) { return std::size_t{0}; };
  if (name == "binary") return [](std::size_t i) { return (i - 1) / 2; };
  if (name == "binomial") return [](std::size_t i) { return i & (i - 1); };
  return std::nullopt;
}

[[noreturn]] void refuse(const std::string& word) {
  throw usage_error("TREE: '" + word +
                    "' is none; known: path:N, star:N, binary:N, binomial:N, edges:FILE, or the "
                    "parents of 1, 2, …: 0,0,1,1");
}

std::vector<std::vector<std::size_t>> neighbours_in(const std::string& file) {
  std::ifstream in(file);
  if (!in || std::filesystem::is_directory(file))
    throw usage_error("edges:" + file + ": no file that can be read");
  std::vector<std::vector<std::size_t>> neighbours;
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    std::istringstream words(line);
    std::string one, other, more;
    if (!(words >> one)) continue;
    const std::string place = "edges:" + file + ": line " + std::to_string(number);
    if (!(words >> other) || words >> more)
      throw usage_error(place + " is no edge; give two numbers a line");
    const std::size_t a = parse_count(one, place), b = parse_count(other, place);
    if (std::max(a, b) >= most)
      throw usage_error(place + ": vertices are numbered from 0, to 99999 at most");
    neighbours.resize(std::max(neighbours.size(), std::max(a, b) + 1));
    neighbours[a].push_back(b);
    neighbours[b].push_back(a);
  }
  if (neighbours.empty())
    throw usage_error("edges:" + file + ": no edges; give two numbers a line");
  return neighbours;
}

// Breadth first, so that every path from the root is a shortest one.
named_tree spanning_tree(const std::string& file, std::size_t root) {
  const auto neighbours = neighbours_in(file);
  const std::size_t n = neighbours.size();
  if (root >= n)
    throw usage_error("--root: " + std::to_string(root) + " is none of the vertices 0 to " +
                      std::to_string(n - 1));
  std::vector<std::size_t> names{root}, parents{0}, number_of(n, n);
  number_of[root] = 0;
  for (std::size_t next = 0; next < names.size(); ++next) {
    for (const std::size_t other : neighbours[names[next]]) {
      if (number_of[other] != n) continue;
      number_of[other] = names.size();
      names.push_back(other);
      parents.push_back(next);
    }
  }
  if (names.size() < n) {
    const auto lost = std::ranges::find(number_of, n) - number_of.begin();
    throw usage_error("edges:" + file + ": no path leads from " + std::to_string(root) + " to " +
                      std::to_string(lost));
  }
  return {processor_tree(std::move(parents)), std::move(names)};
}

}  // namespace

named_tree tree_of(const std::string& word, std::size_t root) {
  const std::size_t colon = word.find(':');
  const std::string name = word.substr(0, colon);
  if (colon != std::string::npos && name == "edges")
    return spanning_tree(word.substr(colon + 1), root);
  if (root != 0) throw usage_error("--root: the root of this tree is 0; edges:FILE has any");
  if (colon != std::string::npos) {
    const auto rule = rule_named(name);
    if (!rule) refuse(word);
    const std::size_t n = parse_count(word.substr(colon + 1), "TREE", 1);
    if (n > most) throw usage_error("TREE: 100,000 processors at most");
    std::vector<std::size_t> parents(n, 0);
    for (std::size_t i = 1; i < n; ++i) parents[i] = (*rule)(i);
    return as_numbered(std::move(parents));
  }
  if (word.find_first_not_of("0123456789,") != std::string::npos || word.ends_with(','))
    refuse(word);
  std::vector<std::size_t> parents{0};
  std::istringstream words(word);
  for (std::string one; std::getline(words, one, ',');) {
    parents.push_back(parse_count(one, "TREE"));
    if (parents.back() >= parents.size() - 1)
      throw usage_error("TREE: the parent of " + std::to_string(parents.size() - 1) + " is " + one +
                        "; it must be a smaller number");
  }
  return as_numbered(std::move(parents));
}

}  // namespace pleat::bench
