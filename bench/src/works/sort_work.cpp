// SPDX-License-Identifier: Apache-2.0
#include <pleat/oblivious/sort.hpp>

#include "pleat_rivals_linked.hpp"
#include "rivals/sort_rivals.hpp"
#include "sort_data.hpp"
#include "works/work.hpp"

namespace pleat::bench {
namespace {

constexpr auto default_type = "u64";
constexpr std::size_t default_keys = std::size_t{1} << 25;
// std::sort alone takes longer than everybody else together beyond this.
constexpr std::size_t serial_takes_long = std::size_t{1} << 22;

template <class T>
void measure_sort_of(arena& on, const work_options& options, const referee& fight) {
  const std::size_t n = options.size_or(default_keys, 1, "sort");
  sort_data<T> data(n, parse_distribution(options.distribution), options.seed);
  const unsigned threads = on.ours.processors();
  auto contest = [&](const auto& sort, const char* who) {
    return contestant{who,
                      [=, &data] {
                        static_cast<void>(data.sample(sort));
                        data.verify(who);
                      },
                      [=, &data] { return data.sample(sort); }};
  };
  using sort_function = void (*)(std::span<T>, unsigned);

  duel duel{.work = "sort",
            .measure = options.distribution + " keys",
            .type = options.type_or(default_type),
            .n = n,
            .processors = threads,
            .repetitions = options.repetitions.value_or(7),
            .ours = contest(
                [&on](std::span<T> keys) { pleat::sort(on.ours, keys, key_order<T>{}); }, "ours"),
            .rivals = {},
            .missing = {},
            .figures = {}};
  auto challenge = [&](const char* name, sort_function sort, bool by_default = true) {
    duel.challenge(
        options, name,
        [&] { return contest([=](std::span<T> keys) { sort(keys, threads); }, name); }, by_default);
  };
  sort_function ips4o = nullptr;
  sort_function tbb = nullptr;
  sort_function gnu_parallel = nullptr;
  sort_function boost = nullptr;
#if PLEAT_WITH_IPS4O
  ips4o = ips4o_sort<T>;
#endif
#if PLEAT_WITH_TBB
  tbb = tbb_sort<T>;
#endif
#if PLEAT_WITH_GNU_PARALLEL
  gnu_parallel = gnu_parallel_sort<T>;
#endif
#if PLEAT_WITH_BOOST_SORT
  boost = boost_sort<T>;
#endif
  challenge("ips4o", ips4o);
  challenge("tbb", tbb);
  challenge("gnu-parallel", gnu_parallel);
  challenge("boost-sort", boost);
  challenge("serial", serial_sort<T>, n <= serial_takes_long);
  fight(duel);
}

}  // namespace

void measure_sort(arena& on, const work_options& options, const referee& fight) {
  with_key_type(options.type_or(default_type),
                [&]<class T>() { measure_sort_of<T>(on, options, fight); });
}

}  // namespace pleat::bench
