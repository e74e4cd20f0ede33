// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <pleat/runtime/error.hpp>

#include "circulant_text.hpp"
#include "messages.hpp"
#include "messages_text.hpp"
#include "tool/numbers.hpp"
#include "tool/tool.hpp"
#include "tree_messages.hpp"

namespace pleat::bench {
namespace {

struct schedule_arguments {
  std::string what;
  std::optional<std::string> of;
  std::string rank, blocks, root, radix, ports, units, flits;
  bool json = false;
};

void refuse_options(const schedule_arguments& chosen, std::string_view kind) {
  const auto only = [&](const std::string& given, const char* option, bool fits,
                        const char* kinds) {
    if (!given.empty() && !fits)
      throw usage_error(std::string(option) + " is of " + kinds + ", not of " + std::string(kind) +
                        "; leave it out");
  };
  const bool rooted = kind == "broadcast" || kind == "reduce";
  only(chosen.blocks, "--blocks",
       rooted || kind == "all-gather" || kind == "reduce-scatter" || kind == "all-reduce",
       "broadcast, reduce, all-gather, reduce-scatter and all-reduce");
  only(chosen.root, "--root", rooted || is_tree(kind), "broadcast, reduce, scatter and gather");
  only(chosen.radix, "--radix", kind == "index", "index");
  only(chosen.ports, "--ports", kind == "index" || kind == "concatenation",
       "index and concatenation");
  only(chosen.units, "--units", kind == "concatenation", "concatenation");
  only(chosen.flits, "--flits", is_tree(kind), "scatter and gather");
}

std::size_t number(const std::string& word, const char* option, std::size_t otherwise) {
  return word.empty() ? otherwise : parse_count(word, option, 1);
}

std::vector<std::size_t> flits_of(const std::string& list) {
  std::vector<std::size_t> flits;
  for (std::size_t start = 0; !list.empty() && start <= list.size();) {
    const std::size_t end = std::min(list.find(',', start), list.size());
    flits.push_back(parse_count(std::string_view(list).substr(start, end - start), "--flits"));
    start = end + 1;
  }
  return flits;
}

schedule_messages messages_of(const schedule_arguments& chosen, const std::string& kind,
                              const std::string& of) {
  if (is_tree(kind)) {
    const std::size_t root = chosen.root.empty() ? 0 : parse_count(chosen.root, "--root");
    const named_tree tree = tree_of(of, root);
    const auto flits = flits_of(chosen.flits);
    return kind == "scatter" ? scatter_messages(tree, flits) : gather_messages(tree, flits);
  }
  const std::size_t p = parse_count(of, "P", 1);
  const std::size_t blocks = number(chosen.blocks, "--blocks", 1);
  const std::size_t root = chosen.root.empty() ? 0 : parse_rank(chosen.root, p, "--root");
  if (kind == "broadcast") return broadcast_messages(p, blocks, root);
  if (kind == "reduce") return reduce_messages(p, blocks, root);
  if (kind == "all-gather") return all_gather_messages(p, blocks);
  if (kind == "reduce-scatter") return reduce_scatter_messages(p, blocks);
  if (kind == "all-reduce") return all_reduce_messages(p, blocks);
  if (kind == "index")
    return index_messages(p, number(chosen.radix, "--radix", 2),
                          number(chosen.ports, "--ports", 1));
  return concatenation_messages(p, number(chosen.units, "--units", 1),
                                number(chosen.ports, "--ports", 1));
}

void show(const schedule_arguments& chosen) {
  constexpr std::string_view kinds[]{"broadcast",      "reduce",     "all-gather",
                                     "reduce-scatter", "all-reduce", "index",
                                     "concatenation",  "scatter",    "gather"};
  const bool named = std::ranges::find(kinds, chosen.what) != std::end(kinds);
  if (chosen.of && !named)
    throw usage_error("'" + chosen.what + " " + *chosen.of +
                      "' is no schedule; known: broadcast, reduce, all-gather, reduce-scatter, "
                      "all-reduce, index, concatenation, scatter, gather");
  if (named && !chosen.of)
    throw usage_error(chosen.what + ": of what? Give a number of processors" +
                      (is_tree(chosen.what) ? "' tree" : "") + " behind it");
  const bool of_all_blocks = !named && !(chosen.blocks.empty() && chosen.root.empty());
  const std::string kind = named ? chosen.what : of_all_blocks ? "broadcast" : "";
  refuse_options(chosen, kind.empty() ? "a table of schedules" : kind);
  if (kind.empty()) {
    print_data(circulant_text(chosen.what, chosen.rank, chosen.json));
    return;
  }
  schedule_messages all = messages_of(chosen, kind, named ? *chosen.of : chosen.what);
  if (!chosen.rank.empty()) {
    const std::size_t rank = parse_rank(chosen.rank, all.processors);
    std::erase_if(all.messages, [rank](const scheduled_message& one) {
      return one.from != rank && one.to != rank;
    });
  }
  print_data(chosen.json ? messages_json(all) : messages_text(all));
}

}  // namespace

void add_schedule_command(tool_command& tool) {
  auto chosen = std::make_shared<schedule_arguments>();
  auto command = add_study(tool, "schedule");
  command
      .add_option("WHAT", chosen->what,
                  "A number of processors, up to 2^31: the table of a broadcast's schedules; "
                  "broadcast, reduce, all-gather, reduce-scatter, all-reduce (all on the "
                  "circulant graph), index, concatenation, scatter, gather: the messages")
      .required();
  command.add_option("P", chosen->of, "Of the messages: processors, or their TREE");
  command.add_option("--rank", chosen->rank, "Only the schedule of this rank").type_name("R");
  command
      .add_option("--blocks", chosen->blocks,
                  "Of broadcast and reduce, and of a rank's part of all-gather, reduce-scatter and "
                  "all-reduce (1 if not given)")
      .type_name("N");
  command.add_option("--root", chosen->root, "Of broadcast, reduce and the tree of a graph (0)")
      .type_name("R");
  command.add_option("--radix", chosen->radix, "Of index, 2 (if not given) to P").type_name("R");
  command
      .add_option("--ports", chosen->ports,
                  "Messages that a rank sends at once, of index and concatenation (1)")
      .type_name("K");
  command.add_option("--units", chosen->units, "Of a block of concatenation (1)").type_name("N");
  command
      .add_option("--flits", chosen->flits,
                  "Lengths of the messages of scatter and gather, of all processors but the root, "
                  "separated by commas (1 each)")
      .type_name("LIST");
  command.add_flag("--json", chosen->json, "Print JSON");
  command.footer(
      R"(Table: in round k of a phase rank r receives block recv[k] from rank r - skip[k] and sends
block send[k] to rank r + skip[k]; every phase adds the number of rounds to all
entries, and a negative block is not sent. The root is rank 0.

TREE: path:N, star:N, binary:N, binomial:N; the parents of 1, 2, 3, ...: 0,0,1,1; or edges:FILE, a
graph with two numbers a line, of which the shortest paths from --root are taken.

JSON of messages: what[] has pairs, of broadcast to all-reduce [block, root], of index [destination,
source], of concatenation [unit, rank it is from], of scatter and gather [flit, processor].

Examples:
  pleat schedule 17
  pleat schedule 2^20 --rank 12345
  pleat schedule 33000 --json
  pleat schedule broadcast 9 --blocks 4 --root 3
  pleat schedule all-reduce 5
  pleat schedule index 12 --radix 3 --ports 2 --rank 0
  pleat schedule concatenation 10 --ports 3 --units 4
  pleat schedule scatter binary:7
  pleat schedule gather 0,0,1,1 --flits 2,0,1,3)");
  command.callback([chosen] { show(*chosen); });
}

}  // namespace pleat::bench
