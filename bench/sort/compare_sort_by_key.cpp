// SPDX-License-Identifier: Apache-2.0
#include "compare_sort_by_key.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <type_traits>

#include <pleat/oblivious/sort_by_key.hpp>
#include <pleat/runtime/error.hpp>

#include "measure/big_block.hpp"
#include "measure/clock.hpp"
#include "sort/rivals/linked_sorts.hpp"
#include "sort_data.hpp"

namespace pleat::bench {
namespace {

constexpr auto default_type = "u64";
constexpr std::size_t default_keys = std::size_t{1} << 22;
constexpr std::size_t serial_takes_long = std::size_t{1} << 20;

/// Keys and values of pairs in two separate arrays, sorted by pleat::sort_by_key.
template <class K> class key_arrays {
 public:
  key_arrays(machine& on, std::size_t n)
      : key_memory_(bytes_of({n, sizeof(K)}), on), value_memory_(bytes_of({n, sizeof(K)}), on) {}

  template <class Pair> double sample(machine& on, std::span<Pair> pairs) {
    const auto keys = key_memory_.as<K>(pairs.size());
    const auto values = value_memory_.as<K>(pairs.size());
    std::ranges::transform(pairs, keys.begin(), &Pair::key);
    std::ranges::transform(pairs, values.begin(), value_of<Pair>);
    const auto start = benchmark_clock::now();
    pleat::sort_by_key(on, keys, values);
    return seconds_since(start);
  }
  /// Copies what the last sample left, as pairs.
  template <class Pair> void copy_to(std::span<Pair> pairs) {
    const auto keys = key_memory_.as<K>(pairs.size());
    const auto values = value_memory_.as<K>(pairs.size());
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      pairs[i].key = keys[i];
      value_of(pairs[i]) = values[i];
    }
  }

 private:
  template <class Pair> static auto& value_of(Pair& pair) {
    if constexpr (std::is_same_v<std::remove_const_t<Pair>, key_value>)
      return pair.value;
    else
      return pair.rest[0];
  }

  big_block key_memory_, value_memory_;
};

template <class K, class Pair>
void measure_pairs(testbed& on, const benchmark_options& options, const runner& run) {
  const std::size_t n = options.n.value_or(default_keys);
  sort_data<Pair> data(on.ours, n, distribution(options.distribution), options.seed);
  key_arrays<K> arrays(on.ours, n);
  const unsigned threads = on.ours.processors();
  comparison compared{.measure = options.distribution + " keys",
                      .type = options.type_or(default_type),
                      .n = n,
                      .processors = threads,
                      .repetitions = options.repetitions.value_or(7),
                      .ours = {"ours",
                               [&] {
                                 static_cast<void>(data.sample([&](std::span<Pair> pairs) {
                                   static_cast<void>(arrays.sample(on.ours, pairs));
                                   arrays.copy_to(pairs);
                                 }));
                                 data.verify("ours");
                               },
                               [&] { return arrays.sample(on.ours, data.original()); }},
                      .pace = single_calls,
                      .arrays = data.arrays()};
  const auto add = [&](const auto& rival, bool by_default) {
    compared.add_rival(
        options, rival.name,
        [&data, rival, threads] {
          const auto sample = [&data, rival, threads] {
            return data.sample([&](std::span<Pair> pairs) { rival.sort(pairs, threads, {}); });
          };
          return candidate{rival.name,
                           [&data, rival, sample] {
                             static_cast<void>(sample());
                             data.verify(rival.name);
                           },
                           sample};
        },
        by_default);
  };
  for (const auto& rival : linked_sorts<Pair, key_order<Pair>>()) add(rival, true);
  add(linked_sort<Pair, key_order<Pair>>{"serial", serial_sort}, n <= serial_takes_long);
  run(compared);
}

}  // namespace

void measure_sort_by_key(testbed& on, const benchmark_options& options, const runner& run) {
  if (options.type_or(default_type) == std::string("u32"))
    measure_pairs<std::uint32_t, pair32>(on, options, run);
  else
    measure_pairs<std::uint64_t, key_value>(on, options, run);
}

}  // namespace pleat::bench
