// SPDX-License-Identifier: Apache-2.0
#include "messages.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numeric>
#include <optional>
#include <sstream>
#include <string_view>
#include <tuple>

#include <pleat/collectives/circulant.hpp>
#include <pleat/collectives/circulant_rounds.hpp>
#include <pleat/collectives/circulant_table.hpp>
#include <pleat/collectives/concatenation_schedule.hpp>
#include <pleat/collectives/detail/tree_rounds.hpp>
#include <pleat/collectives/index_schedule.hpp>
#include <pleat/collectives/tree_gather.hpp>
#include <pleat/runtime/error.hpp>

#include "tool/printable.hpp"
#include "tool/words.hpp"

namespace pleat::bench {
namespace {

// Refuses what nobody can read and no memory holds; the numbers are factors.
void require_few(double processors, double blocks) {
  if (processors * blocks > 2e6)
    throw usage_error(
        "P: the messages of so many processors carry more than two million blocks; "
        "take a smaller P");
}

// Adds the messages of a schedule that is carried out from its end to its beginning.
void add_reversed(schedule_messages& to, const schedule_messages& of) {
  for (std::size_t round = of.rounds; round-- > 0;) {
    for (const scheduled_message& one : of.messages) {
      if (one.round != round) continue;
      to.messages.push_back({to.rounds + of.rounds - 1 - round, one.to, one.from, one.what});
    }
  }
  to.rounds += of.rounds;
}

/// A broadcast from the root, or from all.
schedule_messages broadcasts(std::size_t processors, std::size_t blocks,
                             std::optional<std::size_t> root, const detail::schedule_form& form) {
  const std::size_t first = root.value_or(0), last = root ? first + 1 : processors;
  const auto few = static_cast<double>(processors);
  require_few(few * static_cast<double>(last - first), static_cast<double>(blocks));
  schedule_messages all{"", processors, 0, {}, !root && blocks > 1, {}};
  // to_of(round, rank): to whom it may send; block_of(round, root, to): what, or none.
  const auto add = [&](std::size_t rounds, const auto& to_of, const auto& block_of) {
    all.rounds = rounds;
    for (std::size_t round = 0; round < rounds; ++round) {
      for (std::uint32_t rank = 0; rank < processors; ++rank) {
        scheduled_message one{round, rank, to_of(round, rank), {}};
        for (std::size_t from = first; from < last && one.to < processors; ++from) {
          if (from == one.to) continue;
          const std::size_t block = block_of(round, from, one.to);
          if (block != circulant_step::none) one.what.emplace_back(block, from);
        }
        if (!one.what.empty()) all.messages.push_back(std::move(one));
      }
    }
  };
  if (form.has_trees()) {
    std::optional<std::uint32_t> from;
    if (root) from = static_cast<std::uint32_t>(*root);
    const detail::tree_rounds rounds(form, static_cast<std::uint32_t>(processors), from);
    all.bound = "without groups ⌈log2 p⌉ rounds, one more if all p broadcast and p is not 2^q";
    add(
        rounds.size(),
        [&](std::size_t round, std::uint32_t rank) {
          return rounds.peer(static_cast<unsigned>(round), rank);
        },
        [&](std::size_t round, std::size_t of, std::size_t to) {
          const auto arrival =
              rounds.arrival(static_cast<std::uint32_t>(of), static_cast<std::uint32_t>(to));
          return arrival == round ? 0 : circulant_step::none;
        });
    return all;
  }
  const circulant_graph graph(processors);
  const circulant_table table(graph);
  const circulant_rounds rounds(graph, blocks);
  all.bound = "no schedule of one port takes fewer rounds than n − 1 + ⌈log2 p⌉";
  add(
      rounds.size(),
      [&](std::size_t round, std::uint32_t rank) {
        return graph.to(rank, rounds.skip_index(round));
      },
      [&](std::size_t round, std::size_t of, std::size_t to) {
        const auto entries = table.received(rounds.skip_index(round));
        return rounds.block(entries[(to + processors - of) % processors], round);
      });
  return all;
}

}  // namespace

schedule_messages collective_messages(const std::string& kind, std::size_t processors,
                                      std::size_t blocks, std::size_t root,
                                      const detail::schedule_form& form) {
  const bool rooted = kind == "broadcast" || kind == "reduce";
  const schedule_messages sent =
      broadcasts(processors, blocks, rooted ? std::optional(root) : std::nullopt, form);
  schedule_messages all{kind, processors, 0, sent.bound, sent.in_parts, {}};
  if (kind != "broadcast" && kind != "all-gather") add_reversed(all, sent);
  if (kind == "all-reduce") all.bound = "each half: " + sent.bound;
  if (kind == "reduce" || kind == "reduce-scatter") return all;
  for (scheduled_message one : sent.messages) {
    one.round += all.rounds;
    all.messages.push_back(std::move(one));
  }
  all.rounds += sent.rounds;
  return all;
}

detail::schedule_form parsed_form(const std::string& schedule, const std::string& group,
                                  std::size_t blocks) {
  detail::schedule_form form;
  if (!schedule.empty())
    form.along = static_cast<collective_schedule>(place_of(schedule, "--schedule", schedule_names));
  if (blocks > 1 && form.has_trees())
    throw usage_error("--blocks: trees send a part in one block; leave the option out");
  if (group.empty()) return form;
  if (!form.has_trees())
    throw usage_error("--group: of which trees? Give a --schedule of them too");
  const auto [size, place] = parse_place(group, "--group");
  if (size > std::numeric_limits<std::uint32_t>::max())
    throw usage_error("--group: '" + group + "' is more than any machine has");
  form.groups = {static_cast<std::uint32_t>(size), static_cast<std::uint32_t>(place)};
  return form;
}

schedule_messages index_messages(std::size_t processors, std::size_t radix, std::size_t ports) {
  require_few(static_cast<double>(processors), static_cast<double>(processors) * 4);
  const index_schedule schedule(processors, radix, ports);
  schedule_messages all{"index",
                        processors,
                        schedule.rounds(),
                        "the largest messages of all rounds have " +
                            counted(schedule.volume(), "block") + " together (C2)",
                        false,
                        {}};
  for (const index_step& step : schedule.steps()) {
    for (std::size_t rank = 0; rank < processors; ++rank) {
      scheduled_message one{step.round, rank, (rank + step.offset) % processors, {}};
      for (std::size_t j = 0; j < processors; ++j) {
        if (!schedule.moves(step, j)) continue;
        // Its lower digits brought the block here.
        const std::size_t source = (rank + processors - j % step.place) % processors;
        one.what.emplace_back((source + j) % processors, source);
      }
      if (!one.what.empty()) all.messages.push_back(std::move(one));
    }
  }
  return all;
}

schedule_messages concatenation_messages(std::size_t processors, std::size_t units,
                                         std::size_t ports) {
  require_few(static_cast<double>(processors),
              static_cast<double>(processors) * static_cast<double>(units));
  const concatenation_schedule schedule(processors, units, ports);
  schedule_messages all{"concatenation",
                        processors,
                        schedule.rounds().size(),
                        "the largest messages of all rounds have " +
                            counted(schedule.volume(), "unit") + " together (C2)",
                        units > 1,
                        {}};
  for (std::size_t round = 0; round < schedule.rounds().size(); ++round) {
    for (const concatenation_transfer& part : schedule.rounds()[round]) {
      for (std::size_t rank = 0; rank < processors; ++rank) {
        scheduled_message one{round, (rank + part.offset) % processors, rank, {}};
        for (std::size_t e = part.first; e < part.first + part.size; ++e)
          one.what.emplace_back(e % units, (rank + e / units) % processors);
        all.messages.push_back(std::move(one));
      }
    }
  }
  return all;
}

namespace {

constexpr std::size_t most_hops = 2'000'000;

// [processor of the tree]
std::vector<std::size_t> lengths_of(const named_tree& tree, const std::vector<std::size_t>& flits) {
  const std::size_t n = tree.tree.size();
  std::vector<std::size_t> lengths(n, 1);
  lengths.front() = 0;
  if (!flits.empty()) {
    if (flits.size() != n - 1)
      throw usage_error("--flits: " + counted(flits.size(), "number") + " for " +
                        counted(n - 1, "processor") + ", all but the root");
    const std::size_t root = tree.names.front();
    for (std::size_t i = 1; i < n; ++i)
      lengths[i] = flits[tree.names[i] - (tree.names[i] > root ? 1 : 0)];
  }
  std::size_t hops = 0;
  for (std::size_t i = 1; i < n; ++i) {
    if (lengths[i] > most_hops || (hops += lengths[i] * tree.tree.depth(i)) > most_hops)
      throw usage_error(
          "the flits take more than two million hops; take a smaller tree or shorter "
          "--flits");
  }
  return lengths;
}

// Flits go up or down, one edge a step from the dispatch on.
schedule_messages hops(const char* kind, const named_tree& tree,
                       const std::vector<std::size_t>& lengths, const tree_dispatch& when,
                       bool down, std::string bound) {
  schedule_messages all{
      kind, tree.tree.size(), when.steps, std::move(bound), std::ranges::max(lengths) > 1, {}};
  for (std::size_t i = 1; i < tree.tree.size(); ++i) {
    const std::size_t depth = tree.tree.depth(i);
    for (std::size_t flit = 0; flit < lengths[i]; ++flit) {
      std::size_t child = i;
      for (std::size_t above = 0; above < depth; ++above, child = tree.tree.parent(child)) {
        const std::size_t hop = down ? depth - 1 - above : above;
        const std::size_t lower = tree.names[child], upper = tree.names[tree.tree.parent(child)];
        all.messages.push_back({when.dispatch[i] + flit + hop,
                                down ? upper : lower,
                                down ? lower : upper,
                                {{flit, tree.names[i]}}});
      }
    }
  }
  std::ranges::sort(all.messages, {}, [](const scheduled_message& one) {
    return std::tuple(one.round, one.from, one.to);
  });
  return all;
}

bool is_path(const processor_tree& tree) {
  for (std::size_t i = 1; i < tree.size(); ++i)
    if (tree.parent(i) + 1 != i) return false;
  return true;
}

}  // namespace

schedule_messages scatter_messages(const named_tree& tree, const std::vector<std::size_t>& flits) {
  const auto lengths = lengths_of(tree, flits);
  return hops("scatter", tree, lengths, scatter_on_tree(tree.tree, lengths), true,
              "no order of the messages takes fewer steps");
}

schedule_messages gather_messages(const named_tree& tree, const std::vector<std::size_t>& flits) {
  const auto lengths = lengths_of(tree, flits);
  if (is_path(tree.tree))
    return hops("gather", tree, lengths, gather_on_path(lengths), false,
                "with calls that go out from the end no dispatch takes fewer steps");
  const certified_gather gather = gather_on_tree(tree.tree, lengths);
  return hops("gather", tree, lengths, gather.when, false,
              "from the step on in which the root has its children's certificates; without a gap "
              "from step " +
                  std::to_string(gather.first));
}

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
