// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>

#include <pleat/oblivious/argsort.hpp>

#include "argsort_data.hpp"
#include "measure/benchmark.hpp"
#include "measure/clock.hpp"
#include "sort/rivals/linked_sorts.hpp"

namespace pleat::bench {
namespace {

constexpr auto default_type = "u64";
constexpr std::size_t default_keys = std::size_t{1} << 22;
// Number of indices above which std::sort would have to be waited for.
constexpr std::size_t serial_takes_long = std::size_t{1} << 20;

template <class T>
void measure_argsort_of(testbed& on, const benchmark_options& options, const runner& run) {
  const std::size_t n = options.n.value_or(default_keys);
  argsort_data<T> data(on.ours, n, distribution(options.distribution), options.seed);
  const unsigned threads = on.ours.processors();
  const auto timed = [&data](const char* who, const auto& prepare, const auto& argsort) {
    const auto sample = [prepare, argsort] {
      prepare();
      const auto start = benchmark_clock::now();
      argsort();
      return seconds_since(start);
    };
    return candidate{who,
                     [&data, sample, who] {
                       static_cast<void>(sample());
                       data.verify(who);
                     },
                     sample};
  };
  comparison compared{
      .measure = options.distribution + " keys",
      .type = options.type_or(default_type),
      .n = n,
      .processors = threads,
      .repetitions = options.repetitions.value_or(7),
      .ours = timed(
          "ours", [&data] { std::ranges::fill(data.indices, key_index{}); },
          [&on, &data] {
            static_cast<void>(pleat::argsort_to(on.ours, data.keys, data.indices,
                                                std::ranges::less{}, compared_part<T>{}));
          }),
      .pace = single_calls,
      .arrays = data.arrays()};
  // Ours writes the indices; rivals sort them, and find them there.
  const auto add = [&](const linked_sort<key_index, by_key_at<T>>& rival, bool by_default) {
    compared.add_rival(
        options, rival.name,
        [&] {
          return timed(
              rival.name, [&data] { std::iota(data.indices.begin(), data.indices.end(), 0U); },
              [&data, sort = rival.sort, threads] { sort(data.indices, threads, data.order()); });
        },
        by_default);
  };
  for (const auto& rival : linked_sorts<key_index, by_key_at<T>>()) add(rival, true);
  add({"serial", serial_sort}, n <= serial_takes_long);
  run(compared);
}

}  // namespace

void measure_argsort(testbed& on, const benchmark_options& options, const runner& run) {
  with_key_type(options.type_or(default_type),
                [&]<class T>() { measure_argsort_of<T>(on, options, run); });
}

}  // namespace pleat::bench
