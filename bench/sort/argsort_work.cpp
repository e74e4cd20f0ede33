// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <numeric>

#include <pleat/oblivious/argsort.hpp>
#include <pleat/runtime/error.hpp>

#include "argsort_data.hpp"
#include "measure/clock.hpp"
#include "measure/work.hpp"
#include "sort/rivals/linked_sorts.hpp"

namespace pleat::bench {
namespace {

constexpr auto default_type = "u64";
constexpr std::size_t default_keys = std::size_t{1} << 22;
// For std::sort of more indices than this one would have to wait.
constexpr std::size_t serial_takes_long = std::size_t{1} << 20;

std::size_t size_of(const work_options& options) {
  const std::size_t n = options.size_or(default_keys, 1, "argsort");
  if (n - 1 > std::numeric_limits<key_index>::max())
    throw usage_error("--n: argsort is measured with indices of 4 bytes; choose at most 2^32");
  return n;
}

template <class T>
void measure_argsort_of(arena& on, const work_options& options, const referee& fight) {
  const std::size_t n = size_of(options);
  argsort_data<T> data(n, parse_distribution(options.distribution), options.seed);
  const unsigned threads = on.ours.processors();
  const auto contest = [&data](const char* who, const auto& prepare, const auto& argsort) {
    const auto sample = [prepare, argsort] {
      prepare();
      const auto start = benchmark_clock::now();
      argsort();
      return seconds_since(start);
    };
    return contestant{who,
                      [&data, sample, who] {
                        static_cast<void>(sample());
                        data.verify(who);
                      },
                      sample};
  };
  duel duel{.work = "argsort",
            .measure = options.distribution + " keys",
            .type = options.type_or(default_type),
            .n = n,
            .processors = threads,
            .repetitions = options.repetitions.value_or(7),
            .ours = contest(
                "ours", [&data] { std::ranges::fill(data.indices, key_index{}); },
                [&on, &data] {
                  static_cast<void>(pleat::argsort_to(on.ours, data.keys, data.indices,
                                                      std::ranges::less{}, compared_part<T>{}));
                }),
            .rivals = {},
            .missing = {},
            .figure = {},
            .pace = single_calls};
  // Ours writes the indices; rivals sort them, and find them there.
  const auto challenge = [&](const linked_sort<key_index, by_key_at<T>>& rival, bool by_default) {
    duel.challenge(
        options, rival.name,
        [&] {
          return contest(
              rival.name, [&data] { std::iota(data.indices.begin(), data.indices.end(), 0U); },
              [&data, sort = rival.sort, threads] { sort(data.indices, threads, data.order()); });
        },
        by_default);
  };
  for (const auto& rival : linked_sorts<key_index, by_key_at<T>>()) challenge(rival, true);
  challenge({"serial", serial_sort}, n <= serial_takes_long);
  fight(duel);
}

}  // namespace

void measure_argsort(arena& on, const work_options& options, const referee& fight) {
  with_key_type(options.type_or(default_type),
                [&]<class T>() { measure_argsort_of<T>(on, options, fight); });
}

}  // namespace pleat::bench
