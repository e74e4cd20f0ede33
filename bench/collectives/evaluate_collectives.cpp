// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

#include <pleat/oblivious/prefix.hpp>
#include <pleat/oblivious/tree_broadcast.hpp>

#include "evaluate/evaluation_input.hpp"
#include "measure/big_block.hpp"
#include "performed.hpp"

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

// A collective operation on words, those of sums whole numbers in doubles.
template <operation What> cost_trace run(const evaluation_request& request) {
  machine on(traced(request));
  const collective one{
      What, bytes_of({8, request.words, has_equal_parts(What) ? request.n : std::size_t{1}})};
  const auto bytes = [](values& of) { return std::as_writable_bytes(std::span(of)); };
  std::vector<values> in, out;
  for (std::size_t rank = 0; rank < request.n; ++rank) {
    const collective_share share{one, request.n, rank};
    share.fill_input(bytes(in.emplace_back(share.input_bytes() / 8)), request.seed);
    share.spoil(bytes(out.emplace_back(share.result_bytes() / 8)));
  }
  collective_options options;
  options.blocks = request.blocks;
  options.schedule = request.form.along;
  options.groups = request.form.groups;
  options.radix = static_cast<unsigned>(std::min<std::size_t>(request.radix, request.n));
  options.ports = request.ports;
  options.commutative = true;
  run_report report = on.run(request.n, [&](vp& me) {
    return perform<std::uint64_t>(me, one, {}, bytes(in[me.rank()]), bytes(out[me.rank()]),
                                  options);
  });
  for (std::size_t rank = 0; rank < request.n; ++rank) {
    const auto wrong =
        collective_share{one, request.n, rank}.first_wrong(bytes(out[rank]), request.seed);
    if (wrong) throw error("verification failed: " + *wrong);
  }
  return *std::move(report.costs);
}

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

template <operation What>
constexpr evaluated_program program(std::string_view name, std::string_view description,
                                    std::string_view bound,
                                    double (*least)(std::size_t, std::size_t, double)) {
  return evaluated_program{name, description, any_size, run<What>, bound, least}.with(
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
    program<operation::broadcast>("broadcast-circulant",
                                  "w words to all, on the circulant graph or trees", one_word_text,
                                  one_word)
        .with(blocks),
    program<operation::reduce>("reduce", "sums of w words at VP 0, on the circulant graph or trees",
                               one_word_text, one_word)
        .with(blocks),
    program<operation::all_gather>(
        "all-gather",
        "w words of each VP to all, on the circulant graph or trees; with ports by concatenation",
        all_other_words_text, all_other_words)
        .with(blocks)
        .with(ports),
    program<operation::reduce_scatter>(
        "reduce-scatter", "sums of w words at each VP, on the circulant graph or trees",
        all_other_words_text, all_other_words)
        .with(blocks),
    program<operation::all_reduce>("all-reduce",
                                   "sums of w words at all VPs, on the circulant graph or trees",
                                   one_word_text, one_word)
        .with(blocks),
    program<operation::all_to_all>("all-to-all",
                                   "w words from each VP to each, by the index algorithm",
                                   "(1 − 1/p) n²w/p + σ", exchanged_words)
        .with(radix)
        .with(ports),
    program<operation::scan>("scan", "prefix sums of w words, by doubling", one_word_text,
                             one_word),
    program<operation::scatter>("scatter", "w words from VP 0 to each VP", all_other_words_text,
                                all_other_words),
    program<operation::gather>("gather", "w words of each VP to VP 0", all_other_words_text,
                               all_other_words),
};

}  // namespace

std::span<const evaluated_program> collectives_evaluations() { return programs; }

}  // namespace pleat::bench
