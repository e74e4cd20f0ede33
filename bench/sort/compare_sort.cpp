// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <pleat/oblivious/argsort.hpp>
#include <pleat/oblivious/sort.hpp>
#include <pleat/oblivious/sort_by_key.hpp>
#include <pleat/runtime/error.hpp>

#include "measure/benchmark.hpp"
#include "measure/big_block.hpp"
#include "measure/clock.hpp"
#include "pleat_rivals_linked.hpp"
#include "sort/rivals/sort_rivals.hpp"
#include "sort_data.hpp"

namespace pleat::bench {

namespace {

constexpr auto default_type = "u64";
constexpr auto default_stable_type = "pairs";  // of bare numbers nobody can tell equal ones apart
constexpr std::size_t default_keys = std::size_t{1} << 25;
constexpr std::size_t default_pairs = std::size_t{1} << 22;  // and indices
// std::sort alone takes longer than everybody else together beyond this.
constexpr std::size_t serial_takes_long = std::size_t{1} << 22;
constexpr std::size_t serial_pairs_take_long = std::size_t{1} << 20;

/// Sort of a rival for type T and that order.
template <class T, class Order> struct linked_sort {
  const char* name;
  void (*sort)(std::span<T>, unsigned threads, Order) = nullptr;  ///< null if it is not linked
};
template <class T, class Order = key_order<T>>
using rival_sorts = std::vector<linked_sort<T, Order>>;

/// Tells whether these keys, or those that indices point to, are sorted by a number.
template <class T, class Order>
inline constexpr bool has_radix_sort = (std::is_arithmetic_v<T> && sizeof(T) >= 4) || is_record<T>;
template <class T>
inline constexpr bool has_radix_sort<key_index, by_key_at<T>> = has_radix_sort<T, key_order<T>>;

/// Returns the rivals that need not be stable, linked or not: parallel ones, then std::sort.
template <class T, class Order = key_order<T>> rival_sorts<T, Order> all_sorts() {
  rival_sorts<T, Order> all{
      {"ips4o"}, {"tbb"}, {"gnu-parallel"}, {"boost-sort"}, {"serial", serial_sort}};
  if constexpr (PLEAT_WITH_IPS4O) all[0].sort = ips4o_sort;
  if constexpr (PLEAT_WITH_TBB) all[1].sort = tbb_sort;
  if constexpr (PLEAT_WITH_GNU_PARALLEL) all[2].sort = gnu_parallel_sort;
  if constexpr (PLEAT_WITH_BOOST_SORT) all[3].sort = boost_sort;
  if constexpr (has_radix_sort<T, Order>) {
    all.insert(all.begin() + 1, linked_sort<T, Order>{"radix"});
    if constexpr (PLEAT_WITH_OPENMP) all[1].sort = radix_sort;
  }
  if constexpr (has_radix_sort<T, Order> && std::is_same_v<Order, key_order<T>>) {
    all.insert(all.begin() + 2, {{"ips2ra"}, {"dovetail"}});
    if constexpr (PLEAT_WITH_IPS2RA) all[2].sort = ips2ra_sort;
    if constexpr (PLEAT_WITH_DOVETAIL) all[3].sort = dovetail_sort;
    if constexpr (std::is_arithmetic_v<T>) {
      all.insert(all.begin() + 4, {"x86-simd-sort"});
      if constexpr (PLEAT_WITH_X86_SIMD) all[4].sort = x86_simd_sort;
    }
  }
  return all;
}

template <class T> rival_sorts<T> stable_sorts() {
  rival_sorts<T> all{{"gnu-parallel"}, {"serial", serial_stable_sort}};
  if constexpr (PLEAT_WITH_GNU_PARALLEL) all[0].sort = gnu_parallel_stable_sort;
  return all;
}

/// Runs the comparison of ours with rivals, each of which timed(rival) makes a candidate. Beyond
/// `most_serial` keys std::sort takes part only if it is asked for.
template <class Sorts, class Timed>
void run_beside(const Sorts& rivals, const Timed& timed, std::size_t most_serial,
                const benchmark_options& options, const runner& run, comparison compared) {
  compared.measure = options.distribution + " keys";
  compared.repetitions = options.repetitions.value_or(7);
  compared.pace = single_calls;
  for (const auto& rival : rivals)
    compared.add_rival(
        options, rival.name, [&] { return timed(rival); },
        compared.n <= most_serial || rival.name != std::string_view("serial"));
  run(compared);
}

template <bool Stable, class T>
void measure_sort_of(testbed& on, const benchmark_options& options, const runner& run) {
  const std::size_t n = options.n.value_or(default_keys);
  sort_data<T> data(on.ours, n, distribution(options.distribution), options.seed);
  const unsigned threads = on.ours.processors();
  const auto timed = [&data](const char* who, const auto& sort) {
    return candidate{who,
                     [=, &data] {
                       static_cast<void>(data.sample(sort));
                       if constexpr (Stable)
                         data.verify_stable(who, [](std::span<T> keys) {
                           serial_stable_sort(keys, 1, key_order<T>{});
                         });
                       else
                         data.verify(who);
                     },
                     [=, &data] { return data.sample(sort); }};
  };
  const auto ours = [&on](std::span<T> keys) {
    if constexpr (Stable)
      pleat::stable_sort(on.ours, keys, {}, compared_part<T>());
    else
      pleat::sort(on.ours, keys, std::ranges::less(), compared_part<T>());
  };
  rival_sorts<T> rivals;
  if constexpr (Stable)
    rivals = stable_sorts<T>();
  else
    rivals = all_sorts<T>();
  run_beside(rivals,
             [&](const auto& rival) {
               return timed(rival.name,
                            [rival, threads](std::span<T> keys) { rival.sort(keys, threads, {}); });
             },
             serial_takes_long, options, run,
             {.type = options.type_or(Stable ? default_stable_type : default_type),
              .n = n,
              .processors = threads,
              .ours = timed("ours", ours),
              .arrays = data.arrays()});
}

void measure_sort(testbed& on, const benchmark_options& options, const runner& run) {
  with_sort_type(options.type_or(default_type),
                 [&]<class T>() { measure_sort_of<false, T>(on, options, run); });
}

void measure_stable_sort(testbed& on, const benchmark_options& options, const runner& run) {
  with_key_type(options.type_or(default_stable_type),
                [&]<class T>() { measure_sort_of<true, T>(on, options, run); });
}

/// Indices instead of keys, which have 4 bytes. Ours writes the indices; rivals sort them, and find
/// them there. Requires: at most 2^32 keys.
template <class T>
void measure_argsort_of(testbed& on, const benchmark_options& options, const runner& run) {
  const std::size_t n = options.n.value_or(default_pairs);
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
  run_beside(
      all_sorts<key_index, by_key_at<T>>(),
      [&](const auto& rival) {
        return timed(
            rival.name, [&data] { std::iota(data.indices.begin(), data.indices.end(), 0U); },
            [&data, sort = rival.sort, threads] { sort(data.indices, threads, data.order()); });
      },
      serial_pairs_take_long, options, run,
      {.type = options.type_or(default_type),
       .n = n,
       .processors = threads,
       .ours = timed(
           "ours", [&data] { std::ranges::fill(data.indices, key_index{}); },
           [&on, &data] {
             static_cast<void>(pleat::argsort_to(on.ours, data.keys, data.indices,
                                                 std::ranges::less{}, compared_part<T>{}));
           }),
       .arrays = data.arrays()});
}

void measure_argsort(testbed& on, const benchmark_options& options, const runner& run) {
  with_key_type(options.type_or(default_type),
                [&]<class T>() { measure_argsort_of<T>(on, options, run); });
}

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
  const std::size_t n = options.n.value_or(default_pairs);
  sort_data<Pair> data(on.ours, n, distribution(options.distribution), options.seed);
  key_arrays<K> arrays(on.ours, n);
  const unsigned threads = on.ours.processors();
  run_beside(all_sorts<Pair>(),
             [&data, threads](const auto& rival) {
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
             serial_pairs_take_long, options, run,
             {.type = options.type_or(default_type),
              .n = n,
              .processors = threads,
              .ours = {"ours",
                       [&] {
                         static_cast<void>(data.sample([&](std::span<Pair> pairs) {
                           static_cast<void>(arrays.sample(on.ours, pairs));
                           arrays.copy_to(pairs);
                         }));
                         data.verify("ours");
                       },
                       [&] { return arrays.sample(on.ours, data.original()); }},
              .arrays = data.arrays()});
}

/// Keys and values in two arrays, each of the type asked for; rivals have them as pairs in one.
void measure_sort_by_key(testbed& on, const benchmark_options& options, const runner& run) {
  if (options.type_or(default_type) == std::string("u32"))
    measure_pairs<std::uint32_t, pair32>(on, options, run);
  else
    measure_pairs<std::uint64_t, key_value>(on, options, run);
}

constexpr auto parallel_sorts = "ips4o, radix, tbb, gnu-parallel, boost-sort, serial";
constexpr auto sorts_and_checkouts =
    "ips4o, radix, ips2ra, dovetail, x86-simd-sort, tbb, gnu-parallel, boost-sort, serial";

constexpr std::array benchmarks{
    benchmark{"sort", "sorting an array of keys in place", "keys", measure_sort,
              sorts_and_checkouts, sort_types}
        .with(&benchmark::has_keys, true),
    benchmark{"stable-sort", "the same, equal keys in their order", "keys", measure_stable_sort,
              "gnu-parallel, serial", key_types}
        .with(&benchmark::group, "sort")
        .with(&benchmark::has_keys, true),
    benchmark{"argsort", "the order of an array of keys, as indices", "keys", measure_argsort,
              parallel_sorts, key_types}
        .with(&benchmark::most_n, std::numeric_limits<key_index>::max() + std::size_t{1})
        .with(&benchmark::has_keys, true),
    benchmark{"sort-by-key", "arrays of keys and values; rivals sort an array of pairs", "keys",
              measure_sort_by_key, sorts_and_checkouts, "u64, u32"}
        .with(&benchmark::has_keys, true),
};

}  // namespace

std::span<const benchmark> sort_benchmarks() { return benchmarks; }

}  // namespace pleat::bench
