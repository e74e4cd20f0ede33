// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <pleat/collectives/all_gather.hpp>
#include <pleat/collectives/all_to_all.hpp>
#include <pleat/collectives/broadcast.hpp>
#include <pleat/collectives/gather.hpp>
#include <pleat/collectives/reduce.hpp>
#include <pleat/collectives/reduce_scatter.hpp>
#include <pleat/collectives/scan.hpp>
#include <pleat/collectives/scatter.hpp>
#include <pleat/oblivious/prefix.hpp>
#include <pleat/oblivious/tree_broadcast.hpp>

#include "evaluate/evaluation_input.hpp"

namespace pleat::bench {
namespace {

cost_trace run_broadcast(const evaluation_request& request) {
  machine on(traced(request));
  values all = random_values(request);
  const std::uint64_t sent = all.front();
  run_report report = pleat::tree_broadcast(on, all, {.root = 0, .degree = request.kappa});
  verify(static_cast<std::size_t>(std::ranges::count(all, sent)) == request.n, "broadcast");
  return *std::move(report.costs);
}

cost_trace run_prefix(const evaluation_request& request) {
  machine on(traced(request));
  values all = random_values(request);
  values sums(request.n);
  std::partial_sum(all.begin(), all.end(), sums.begin());
  run_report report = pleat::prefix(on, all);
  verify(all == sums, "prefix");
  return *std::move(report.costs);
}

using word = std::uint64_t;
using input = std::span<const word>;
using output = std::span<word>;

/// The words that a VP gives, all different.
struct given_words {
  values of_vps;  // [rank]

  [[nodiscard]] word operator()(std::size_t rank, std::size_t at) const {
    return of_vps[rank] * (2 * at + 1);
  }
  /// Sum of what the VPs before `last` give at one place.
  [[nodiscard]] word sum(std::size_t last, std::size_t at) const {
    word all = 0;
    for (std::size_t rank = 0; rank < last; ++rank) all += (*this)(rank, at);
    return all;
  }
};

/// Words that a VP gives or gets.
enum class extent : std::uint8_t { nothing, one_part, all_parts };
using enum extent;

/// Expected result of a VP: the words of the root, of every VP, their sums, or their prefix sums.
enum class source : std::uint8_t { root, every_vp, sums, sums_so_far };

/// A collective operation, whose root is rank 0.
struct operation {
  std::string_view name;
  std::array<extent, 4> words;  ///< given by the root, by others; got by the root, by others
  task<> (*perform)(vp& me, input in, output out, collective_options how);
  source from;
  bool own_part = false;  ///< a VP gets the part of its rank of what is given
};

word right_word(const operation& what, const given_words& given, std::size_t rank, std::size_t at,
                std::size_t words) {
  const std::size_t first = what.own_part ? rank * words : 0;
  switch (what.from) {
    case source::root:
      return given(0, first + at);
    case source::every_vp:
      return given(at / words, first + at % words);
    case source::sums:
      return given.sum(given.of_vps.size(), first + at);
    case source::sums_so_far:
      break;
  }
  return given.sum(rank + 1, at);
}

std::size_t count_of(extent what, const evaluation_request& request) {
  return what == extent::nothing    ? 0
         : what == extent::one_part ? request.words
                                    : request.words * request.n;
}

cost_trace run(const operation& what, const evaluation_request& request) {
  machine on(traced(request));
  const given_words given{random_values(request)};
  std::vector<values> in(request.n), out(request.n);
  for (std::size_t rank = 0; rank < request.n; ++rank) {
    in[rank].resize(count_of(what.words[rank == 0 ? 0 : 1], request));
    for (std::size_t at = 0; at < in[rank].size(); ++at) in[rank][at] = given(rank, at);
    out[rank].resize(count_of(what.words[rank == 0 ? 2 : 3], request));
  }
  collective_options options;
  options.blocks = request.blocks;
  options.schedule = request.form.along;
  options.groups = request.form.groups;
  options.radix = static_cast<unsigned>(std::min<std::size_t>(request.radix, request.n));
  options.ports = request.ports;
  run_report report = on.run(
      request.n, [&](vp& me) { return what.perform(me, in[me.rank()], out[me.rank()], options); });
  for (std::size_t rank = 0; rank < request.n; ++rank) {
    for (std::size_t at = 0; at < out[rank].size(); ++at)
      verify(out[rank][at] == right_word(what, given, rank, at, request.words), what.name);
  }
  return *std::move(report.costs);
}

task<> broadcast_copied(vp& me, input in, output out, collective_options how) {
  std::ranges::copy(in, out.begin());
  return pleat::broadcast(me, out, how);
}

constexpr operation broadcast_circulant{
    "broadcast-circulant", {one_part, nothing, one_part, one_part}, broadcast_copied, source::root};
constexpr operation reduction{
    "reduce",
    {one_part, one_part, one_part, nothing},
    [](vp& me, auto in, auto out, auto how) { return reduce(me, in, out, std::plus<>{}, how); },
    source::sums};
constexpr operation gathering{"all-gather",
                              {one_part, one_part, all_parts, all_parts},
                              [](vp& me, auto... of) { return all_gather(me, of...); },
                              source::every_vp};
constexpr operation reduce_scattering{"reduce-scatter",
                                      {all_parts, all_parts, one_part, one_part},
                                      [](vp& me, auto in, auto out, auto how) {
                                        return reduce_scatter(me, in, out, std::plus<>{}, how);
                                      },
                                      source::sums,
                                      true};
constexpr operation all_reducing{
    "all-reduce",
    {one_part, one_part, one_part, one_part},
    [](vp& me, auto in, auto out, auto how) { return all_reduce(me, in, out, std::plus<>{}, how); },
    source::sums};
constexpr operation exchange{"all-to-all",
                             {all_parts, all_parts, all_parts, all_parts},
                             [](vp& me, auto... of) { return all_to_all(me, of...); },
                             source::every_vp,
                             true};
constexpr operation scanning{
    "scan",
    {one_part, one_part, one_part, one_part},
    [](vp& me, auto in, auto out, auto how) { return scan(me, in, out, std::plus<>{}, how); },
    source::sums_so_far};
constexpr operation scattering{"scatter",
                               {all_parts, nothing, one_part, one_part},
                               [](vp& me, auto... of) { return scatter(me, of...); },
                               source::root,
                               true};
constexpr operation root_gathering{"gather",
                                   {one_part, one_part, all_parts, nothing},
                                   [](vp& me, auto... of) { return gather(me, of...); },
                                   source::every_vp};

// Bounds of one word. Sources: ours, each from what one processor must receive, or send.

double one_word(std::size_t, std::size_t p, double sigma) {
  return lower_bound(p, sigma, [](double) { return 1.0; });
}
double all_other_words(std::size_t n, std::size_t p, double sigma) {
  const auto all = static_cast<double>(n);
  return lower_bound(p, sigma, [all](double of) { return all * (1 - 1 / of); });
}
double exchanged_words(std::size_t n, std::size_t p, double sigma) {
  const auto all = static_cast<double>(n);
  return lower_bound(p, sigma, [all](double of) { return all * all / of * (1 - 1 / of); });
}

constexpr auto one_word_text = "w + σ";
constexpr auto all_other_words_text = "(1 − 1/p) n w + σ";

template <const operation& What> cost_trace run_one(const evaluation_request& request) {
  return run(What, request);
}

template <const operation& What>
constexpr evaluated_program program(std::string_view description, std::string_view bound,
                                    double (*least)(std::size_t, std::size_t, double)) {
  return evaluated_program{What.name, description, any_size, run_one<What>, bound, least}.with(
      &evaluated_program::takes_words);
}

constexpr auto blocks = &evaluated_program::takes_blocks, radix = &evaluated_program::takes_radix,
               ports = &evaluated_program::takes_ports;

constexpr std::array programs{
    evaluated_program{
        "broadcast", "one value to all, by a tree of degree κ", any_size, run_broadcast,
        "max(2, σ) log p/log max(2, σ)",
        [](std::size_t, std::size_t p, double sigma) { return broadcast_lower_bound(p, sigma); }}
        .with(&evaluated_program::takes_kappa),
    evaluated_program{
        "prefix", "prefix sums, one value a virtual processor", any_size, run_prefix,
        "max(2, σ) log p/log max(2, σ)",
        [](std::size_t, std::size_t p, double sigma) { return prefix_lower_bound(p, sigma); }},
    program<broadcast_circulant>("w words to all, on the circulant graph or trees", one_word_text,
                                 one_word)
        .with(blocks),
    program<reduction>("sums of w words at VP 0, on the circulant graph or trees", one_word_text,
                       one_word)
        .with(blocks),
    program<gathering>(
        "w words of each VP to all, on the circulant graph or trees; with ports by concatenation",
        all_other_words_text, all_other_words)
        .with(blocks)
        .with(ports),
    program<reduce_scattering>("sums of w words at each VP, on the circulant graph or trees",
                               all_other_words_text, all_other_words)
        .with(blocks),
    program<all_reducing>("sums of w words at all VPs, on the circulant graph or trees",
                          one_word_text, one_word)
        .with(blocks),
    program<exchange>("w words from each VP to each, by the index algorithm", "(1 − 1/p) n²w/p + σ",
                      exchanged_words)
        .with(radix)
        .with(ports),
    program<scanning>("prefix sums of w words, by doubling", one_word_text, one_word),
    program<scattering>("w words from VP 0 to each VP", all_other_words_text, all_other_words),
    program<root_gathering>("w words of each VP to VP 0", all_other_words_text, all_other_words),
};

}  // namespace

std::span<const evaluated_program> collectives_evaluations() { return programs; }

}  // namespace pleat::bench
