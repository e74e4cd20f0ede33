// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include <pleat/oblivious/sort.hpp>

#include "compare_argsort.hpp"
#include "compare_sort_by_key.hpp"
#include "measure/benchmark.hpp"
#include "our_sort.hpp"
#include "pleat_rivals_linked.hpp"
#include "sort/rivals/linked_sorts.hpp"
#include "sort_data.hpp"

namespace pleat::bench {
namespace {

constexpr auto default_type = "u64";
constexpr auto default_stable_type = "pairs";  // of bare numbers nobody can tell equal ones apart
constexpr std::size_t default_keys = std::size_t{1} << 25;
// std::sort alone takes longer than everybody else together beyond this.
constexpr std::size_t serial_takes_long = std::size_t{1} << 22;

/// The sorts of one kind.
template <class T> struct sorts {
  using linked = linked_sort<T, key_order<T>>;

  void (*ours)(machine&, std::span<T>);
  linked serial;
  std::vector<linked> rivals;
};

template <class T>
void measure_sorts_of(testbed& on, const benchmark_options& options, const runner& run,
                      const sorts<T>& all, bool stable) {
  const std::size_t n = options.n.value_or(default_keys);
  sort_data<T> data(on.ours, n, distribution(options.distribution), options.seed);
  const unsigned threads = on.ours.processors();
  auto timed = [&](const auto& sort, const char* who) {
    return candidate{who,
                     [=, &data, &all] {
                       static_cast<void>(data.sample(sort));
                       if (stable)
                         data.verify_stable(
                             who, [&](std::span<T> keys) { all.serial.sort(keys, 1, {}); });
                       else
                         data.verify(who);
                     },
                     [=, &data] { return data.sample(sort); }};
  };
  comparison compared{
      .measure = options.distribution + " keys",
      .type = options.type_or(stable ? default_stable_type : default_type),
      .n = n,
      .processors = threads,
      .repetitions = options.repetitions.value_or(7),
      .ours = timed([&on, &all](std::span<T> keys) { all.ours(on.ours, keys); }, "ours"),
      .pace = single_calls,
      .arrays = data.arrays()};
  auto add = [&](const auto& rival, bool by_default) {
    compared.add_rival(
        options, rival.name,
        [&] {
          return timed([=](std::span<T> keys) { rival.sort(keys, threads, {}); }, rival.name);
        },
        by_default);
  };
  for (const auto& rival : all.rivals) add(rival, true);
  add(all.serial, n <= serial_takes_long);
  run(compared);
}

template <class T>
void measure_sort_of(testbed& on, const benchmark_options& options, const runner& run) {
  const sorts<T> all{[](machine& machine, std::span<T> keys) { sort_keys_of(machine, keys); },
                     {"serial", serial_sort},
                     linked_sorts<T, key_order<T>>()};
  measure_sorts_of(on, options, run, all, false);
}

template <class T>
void measure_stable_sort_of(testbed& on, const benchmark_options& options, const runner& run) {
  sorts<T> all{[](machine& machine, std::span<T> keys) {
                 pleat::stable_sort(machine, keys, {}, compared_part<T>());
               },
               {"serial", serial_stable_sort},
               {{"gnu-parallel"}}};
#if PLEAT_WITH_GNU_PARALLEL
  all.rivals[0].sort = gnu_parallel_stable_sort;
#endif
  measure_sorts_of(on, options, run, all, true);
}

void measure_sort(testbed& on, const benchmark_options& options, const runner& run) {
  with_sort_type(options.type_or(default_type),
                 [&]<class T>() { measure_sort_of<T>(on, options, run); });
}

void measure_stable_sort(testbed& on, const benchmark_options& options, const runner& run) {
  with_key_type(options.type_or(default_stable_type),
                [&]<class T>() { measure_stable_sort_of<T>(on, options, run); });
}

constexpr auto parallel_sorts = "ips4o, radix, tbb, gnu-parallel, boost-sort, serial";

constexpr std::array benchmarks{
    benchmark{.name = "sort",
              .group = "sort",
              .summary = "sorting an array of keys in place",
              .n_means = "keys",
              .measure = measure_sort,
              .rivals = parallel_sorts,
              .types = sort_types,
              .has_keys = true},
    benchmark{.name = "stable-sort",
              .group = "sort",
              .summary = "the same, equal keys in their order",
              .n_means = "keys",
              .measure = measure_stable_sort,
              .rivals = "gnu-parallel, serial",
              .types = key_types,
              .has_keys = true},
    benchmark{.name = "argsort",
              .group = "argsort",
              .summary = "the order of an array of keys, as indices",
              .n_means = "keys",
              .measure = measure_argsort,
              .rivals = parallel_sorts,
              .types = key_types,
              .most_n = std::numeric_limits<key_index>::max() + std::size_t{1},
              .has_keys = true},
    benchmark{.name = "sort-by-key",
              .group = "sort-by-key",
              .summary = "arrays of keys and values; rivals sort an array of pairs",
              .n_means = "keys",
              .measure = measure_sort_by_key,
              .rivals = parallel_sorts,
              .types = "u64, u32",
              .has_keys = true},
};

}  // namespace

std::span<const benchmark> sort_benchmarks() { return benchmarks; }

}  // namespace pleat::bench
